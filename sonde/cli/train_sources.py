"""Options shared by the commands that need examples: texts, questions and negatives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from core.json_types import JsonMapping
from sonde.wiring.training.corpora import Sources
from training.corpora import corpus_kinds
from training.hard_negatives import Mining, SimAns
from training.questions.ways import WITHOUT_A_MODEL, QuestionSettings, ways

F = TypeVar("F", bound=Callable[..., Any])
_ABOVE_0 = click.FloatRange(min=0, min_open=True)
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
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
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
    click.option(
        "--shared-keywords",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Add N keywords of each record as questions, each for all records that have it. For embedders.",
    ),
    click.option(
        "--phrase-questions",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Questions of key phrases for each record, each with other phrases.",
    ),
    click.option(
        "--quality",
        type=click.IntRange(0, 3),
        default=1,
        show_default=True,
        help="Minimum quality of a language model's question, in its own judgement.",
    ),
    click.option("--depth", type=click.IntRange(1), default=50, show_default=True, help="Candidates of each arm."),
    click.option(
        "--elsewhere",
        type=click.IntRange(0),
        default=2,
        show_default=True,
        help="Negatives on the same topic in the wrong place or period, if a question names one.",
    ),
    click.option("--simans-a", type=_ABOVE_0, default=SimAns().a, show_default=True, help="How sharply negatives are"
                 " drawn around the answer's score."),
    click.option("--simans-b", type=click.FloatRange(-2, 2), default=SimAns().b, show_default=True, help="Where they"
                 " are drawn most, from the answer's score."),
    click.option(
        "--margin",
        type=click.FloatRange(-2, 2),
        default=SimAns().margin,
        show_default=True,
        help="A candidate that scores above answer - margin counts as an answer too, and is dropped.",
    ),
)  # fmt: skip


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
