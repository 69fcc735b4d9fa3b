"""`sonde train answers`: makes training sets for a small language model that answers from passages."""

from __future__ import annotations

import random
from pathlib import Path

import click

from core.document import PUBLIC
from sonde.cli.screen import say
from sonde.settings import load_settings
from sonde.wiring.training.documents import passages_from
from sonde.wiring.training.examples import asking_model
from training.answer_sets import AnswerSets, OtherPassages, dpo, raft, write_rows
from training.corpora import of_passages
from training.examples import TrainingError
from training.questions.language_model import GeneratedPair, by_language_model

_SAID = ".said.jsonl"  # in the folder of the sets, until they are complete


@click.command("answers")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder for the sets.")
@click.option(
    "--count", type=click.IntRange(1), default=200, show_default=True, help="Number of passages to ask about."
)
@click.option("--owner", default=PUBLIC, show_default=True, help="Owner of the library; public: what everybody sees.")
@click.option(
    "--passages", type=click.IntRange(2, 20), default=5, show_default=True, help="Passages shown with each question."
)
@click.option(
    "--least",
    type=click.IntRange(0, 3),
    default=2,
    show_default=True,
    help="Minimum quality in the model's own judgement.",
)
@click.option("--relevance", type=click.FloatRange(0, 1), default=0.4, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
def answers(*, out: Path, count: int, owner: str, passages: int, least: int, relevance: float, seed: int) -> None:
    """Write raft.jsonl and dpo.jsonl from ingested passages, with questions and answers by the model of
    SONDE_ANSWERS__URL.

    If the endpoint fails, earlier answers still make rows, and the same command requests only the rest.
    docs/extending/training.md has the recipe that trains a small answerer on them.
    """
    settings = load_settings()
    model = asking_model(settings, out / _SAID)
    found, titles = passages_from(settings, owner)
    documents = list(of_passages(found, owner))
    drawn = random.Random(seed).sample(documents, min(count, len(documents)))  # noqa: S311 # nosec B311
    noise, how = OtherPassages(found, titles), AnswerSets(passages=passages, relevance=relevance, seed=seed)
    # Both sets have the same questions, which are asked once.
    generated: list[GeneratedPair] = []
    trouble: TrainingError | None = None
    try:
        generated.extend(by_language_model(drawn, model, least=least, seed=seed))
    except TrainingError as error:
        trouble = error  # raised after the existing rows have been written
    for name, rows in (("raft", raft(generated, noise, how)), ("dpo", dpo(generated, noise, model, how))):
        path = out / f"{name}.jsonl"
        say(f"{path}: {write_rows(path, rows)} rows")
    if trouble is not None:
        raise trouble
    model.forget()


COMMANDS = (answers,)
