"""Options and output that the training commands share: their examples, their course, and the resulting model."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from core.json_types import Json, JsonMapping
from encoders.model_card import ModelCard
from sonde.cli.options import ABOVE_0, FOLDER, PRESENT_FILE, shown
from sonde.cli.screen import ended_by_signals, say
from sonde.wiring.training.corpora import Sources
from sonde.wiring.training.run import TrainingReporter
from training.corpora import corpus_kinds
from training.hard_negatives import Mining, SimAns
from training.loop import Checkpoints, HeldOutEvaluation, TrainingBudget
from training.questions.ways import WITHOUT_A_MODEL, QuestionSettings, ways

F = TypeVar("F", bound=Callable[..., Any])
_OPTIONS = (
    click.option("--from", "source", required=True, metavar="samples|SOURCE|FILE", help="Records, or .jsonl examples."),
    click.option(
        "--corpus",
        default="descriptions",
        show_default=True,
        metavar="KINDS",
        help="Texts to ask about: descriptions, concepts, literature (separated by commas), or all.",
    ),
    click.option(
        "--concepts",
        multiple=True,
        type=PRESENT_FILE,
        help="A vocabulary with definitions: SKOS (.rdf, .ttl, .nt) or a keyword tree (.json). May be repeated.",
    ),
    click.option("--literature", multiple=True, metavar="FOLDER|library", help="Documents. May be repeated."),
    click.option(
        "--questions",
        default=",".join(WITHOUT_A_MODEL),
        show_default=True,
        metavar="WAYS",
        help="Kinds of questions; also language-model (SONDE_ANSWERS__URL), or all.",
    ),
    shown(
        "--shared-keywords",
        0,
        "Add N keywords of each record as questions, each for all records that have it. For embedders.",
        click.IntRange(0),
    ),
    shown(
        "--phrase-questions", 1, "Questions of key phrases for each record, each with other phrases.", click.IntRange(1)
    ),
    shown(
        "--quality", 1, "Minimum quality of a language model's question, in its own judgement.", click.IntRange(0, 3)
    ),
    shown("--depth", 50, "Candidates of each arm.", click.IntRange(1)),
    shown(
        "--elsewhere",
        2,
        "Negatives on the same topic in the wrong place or period, if a question names one.",
        click.IntRange(0),
    ),
    shown("--simans-a", SimAns().a, "How sharply negatives are drawn around the answer's score.", ABOVE_0),
    shown("--simans-b", SimAns().b, "Where they are drawn most, from the answer's score.", click.FloatRange(-2, 2)),
    shown(
        "--margin",
        SimAns().margin,
        "A candidate that scores above answer - margin counts as an answer too, and is dropped.",
        click.FloatRange(-2, 2),
    ),
)


def source_options(command: F) -> F:
    """Adds the options; :func:`sources_of` collects them into one value."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def sources_of(options: JsonMapping, *, count: int, seed: int) -> Sources:
    """``count`` negatives are mined for each question. Raises TrainingError for inconsistent options."""
    return Sources(
        records=options["source"],
        corpus=corpus_kinds(options["corpus"]),
        concepts=options["concepts"],
        literature=options["literature"],
        questions=QuestionSettings(
            ways(options["questions"]),
            options["quality"],
            seed,
            options["shared_keywords"],
            options["phrase_questions"],
        ),
        mining=Mining(
            count=count,
            depth=options["depth"],
            elsewhere=options["elsewhere"],
            simans=SimAns(options["simans_a"], options["simans_b"], options["margin"]),
            seed=seed,
        ),
    )


def course_options(
    *, minutes: float, look_every: int, held_out: float, max_tokens: int, least_batch: int = 2
) -> Callable[[F], F]:
    """Adds the options of a training's course, with these defaults, and the folder of its model."""
    folder = FOLDER
    options = (
        click.option("--out", required=True, type=folder, help="The model's folder."),
        click.option("--base-licence", help="Licence of the base, for the card. Default: the known one."),
        shown("--minutes", minutes, type=ABOVE_0),
        click.option(
            "--steps", type=click.IntRange(1), default=100_000, help="Stop after N steps: the same model again."
        ),
        shown("--look-every", look_every, "Steps between checkpoints.", click.IntRange(1)),
        shown("--batch", 32, "Examples of a step.", click.IntRange(least_batch)),
        shown("--max-tokens", max_tokens, type=click.IntRange(8, 512)),
        shown("--held-out", held_out, type=click.FloatRange(0, 0.9)),
        shown("--seed", 0, type=int),
        shown("--device", "cpu"),
        click.option("--threads", type=click.IntRange(0), default=0, help="0: all cores."),
        click.option("--resume", is_flag=True, help="Continue from the last checkpoint."),
    )

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def budget_of(options: Json) -> TrainingBudget:
    return TrainingBudget(options["minutes"], options["steps"], options["look_every"])


def command_line() -> str:
    """The command as it was given, for the model's card."""
    return shlex.join(["sonde", *sys.argv[1:]])


def progress_report(measure: str) -> TrainingReporter:
    """Lines on standard error: the current step, and the held-out measure at each evaluation."""

    def report_evaluation(evaluation: HeldOutEvaluation) -> None:
        loss = "" if evaluation.loss is None else f", loss {evaluation.loss:.4f}"
        say(f"step {evaluation.step}: held-out {measure} {evaluation.measure:.4f}{loss}", err=True)

    return TrainingReporter(lambda sentence: say(sentence, err=True), report_evaluation)


@contextmanager
def report_interrupted(out: Path) -> Iterator[None]:
    """Ctrl-C and SIGTERM end with a sentence that says what is kept; exit code 130 or 143."""
    try:
        with ended_by_signals():
            yield
    except (KeyboardInterrupt, SystemExit) as end:
        last = Checkpoints.of_output(out).last()
        checkpoint_note = f"The checkpoint {last} is kept; the same command with --resume continues from it."
        say(f"Interrupted. {checkpoint_note if last is not None else 'There is no checkpoint yet.'}", err=True)
        sys.exit(130 if isinstance(end, KeyboardInterrupt) else end.code)


def show_figures(card: ModelCard) -> None:
    """Measures before and after, one per line; or that nothing was learnt, if no evaluation was better than the
    first.
    """
    for measure, value in card.figures.items():
        value_text = f"{value['before']:.4f} -> {value['after']:.4f}" if isinstance(value, dict) else _short(value)
        say(f"{measure:>40} {value_text}")
    if card.figures.get("best step") == 0:
        say("No look was better than the beginning: the weights are the base's. Give it more minutes or text.")


def _short(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
