"""`sonde train answers` and `sonde train examples`."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

import click

from core.document import PUBLIC
from sonde.cli.options import FILE, FOLDER, shown
from sonde.cli.screen import say
from sonde.cli.train_options import source_options, sources_of
from sonde.settings import load_settings
from sonde.wiring.training.corpora import asking_model, examples_from, passages_from
from sonde.wiring.training.run import teacher_of
from training.answer_sets import AnswerSets, OtherPassages, dpo, raft, write_rows
from training.corpora import documents_of_passages
from training.examples import TrainingError, read_examples, write_examples
from training.questions.language_model import GeneratedPair, by_language_model
from training.teacher_scores import with_teacher_scores

_ANSWERS_FILE = ".said.jsonl"  # in the folder of the sets, until they are complete


@click.command("answers")
@click.option("--out", required=True, type=FOLDER, help="Folder for the sets.")
@shown("--count", 200, "Number of passages to ask about.", click.IntRange(1))
@shown("--owner", PUBLIC, "Owner of the library; public: what everybody sees.")
@shown("--passages", 5, "Passages shown with each question.", click.IntRange(2, 20))
@shown("--least", 2, "Minimum quality in the model's own judgement.", click.IntRange(0, 3))
@shown("--relevance", 0.4, type=click.FloatRange(0, 1))
@shown("--seed", 0, type=int)
def answers(*, out: Path, count: int, owner: str, passages: int, least: int, relevance: float, seed: int) -> None:
    """Write raft.jsonl and dpo.jsonl from ingested passages, with questions and answers by the model of
    SONDE_ANSWERS__URL.

    If the endpoint fails, earlier answers still make rows, and the same command requests only the rest.
    docs/extending/training.md has the recipe that trains a small answerer on them.
    """
    settings = load_settings()
    model = asking_model(settings, out / _ANSWERS_FILE)
    passages_found, titles = passages_from(settings, owner)
    documents = list(documents_of_passages(passages_found, owner))
    sampled = random.Random(seed).sample(documents, min(count, len(documents)))  # noqa: S311 # nosec B311
    noise = OtherPassages(passages_found, titles)
    answer_sets = AnswerSets(passages=passages, relevance=relevance, seed=seed)
    # Both sets have the same questions, which are asked once.
    pairs: list[GeneratedPair] = []
    trouble: TrainingError | None = None
    try:
        pairs.extend(by_language_model(sampled, model, min_quality=least, seed=seed))
    except TrainingError as error:
        trouble = error  # raised after the existing rows have been written
    for name, rows in (("raft", raft(pairs, noise, answer_sets)), ("dpo", dpo(pairs, noise, model, answer_sets))):
        path = out / f"{name}.jsonl"
        say(f"{path}: {write_rows(path, rows)} rows")
    if trouble is not None:
        raise trouble
    model.forget()


_OUTPUT_PATH = FILE


@click.command("examples")
@source_options
@click.option("--out", required=True, type=_OUTPUT_PATH, help="The file of examples (.jsonl).")
@shown("--mined", 16, "Hard negatives of a question.", click.IntRange(1))
@shown("--seed", 0, type=int)
def examples(*, out: Path, mined: int, seed: int, **options: object) -> None:
    """Write questions with their answers and hard negatives, for `sonde train embedder --from FILE`.

    Answers of a language model are stored beside FILE until it is written: if the endpoint fails, the same command
    continues where it stopped.
    """
    sources, folder = sources_of(options, count=mined, seed=seed), _cache_folder(out)
    training_examples = examples_from(
        sources, load_settings(), folder / "said.jsonl", lambda message: say(message, err=True)
    )
    say(f"{out}: {write_examples(out, training_examples)} examples")
    shutil.rmtree(folder, ignore_errors=True)


@click.command("teach")
@click.option(
    "--from", "source", required=True, type=click.Path(path_type=Path, exists=True), help="Examples (.jsonl)."
)
@click.option("--teacher", required=True, metavar="RERANKER", help="A folder or hub id of a cross-encoder.")
@click.option("--out", required=True, type=_OUTPUT_PATH, help="The examples with the teacher's scores.")
def teach(*, source: Path, teacher: str, out: Path) -> None:
    """Write a teacher's scores beside examples, for `sonde train embedder --loss margin_mse` (GPL).

    Scores are stored beside FILE as they arrive: after an interruption the same command continues.
    """
    model, training_examples, folder = teacher_of(load_settings(), teacher), read_examples(source), _cache_folder(out)
    with click.progressbar(length=len(training_examples), label="scoring", file=sys.stderr) as bar:
        scored_examples = with_teacher_scores(
            training_examples, model, folder, lambda done_count, _: bar.update(done_count - bar.pos)
        )
    say(f"{out}: {write_examples(out, scored_examples)} examples with the scores of {teacher}")
    shutil.rmtree(folder, ignore_errors=True)


def _cache_folder(out: Path) -> Path:
    return out.parent / f".{out.name}.asked"


COMMANDS = (answers, examples, teach)
