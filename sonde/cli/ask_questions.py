"""`sonde ask-questions`: makes test questions of four kinds from one's own documents, for `sonde ask-evaluate`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Literal

import click

from core.errors import SondeError
from evaluation.answers.made_questions import KINDS, MadeQuestion, by_extracts, by_model
from sonde.cli.screen import say
from sonde.settings import load_settings
from sonde.wiring.answering import language_model
from sonde.wiring.models import Models
from sonde.wiring.training.documents import passages_from


@click.command("ask-questions")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Questions file, a JSON object a line.",
)
@click.option("--count", type=click.IntRange(1, 1000), default=10, show_default=True, help="Questions of each kind.")
@click.option(
    "--by",
    type=click.Choice(["extracts", "model"]),
    default="extracts",
    show_default=True,
    help="extracts: parts of sentences by templates, without a model; model: the language model of the settings.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed draws other questions.")
def ask_questions(*, out: Path, count: int, by: Literal["extracts", "model"], seed: int) -> None:
    """Write test questions about the public documents of the running index.

    Four kinds, as in paper 001: a fact of one document, an inference from one document, several documents, and a
    condition. Read them before you use them: templates and models also make questions that nobody would ask.
    Then `sonde ask-evaluate --questions FILE` asks them.
    """
    settings = load_settings()
    passages, titles = passages_from(settings)
    if by == "extracts":
        made = by_extracts(passages, titles, count, seed)
    else:
        model = language_model(settings, lambda: Models(settings).gate)
        if model is None:
            raise SondeError("Set SONDE_ANSWERS__URL and SONDE_ANSWERS__MODEL, or use --by extracts.")
        made = list(by_model(passages, model, count, seed))
    if not made:
        raise SondeError("No question could be made of these documents; ingest more of them, or use --by model.")
    out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in _lines(made)), "utf-8")
    counted = Counter(one.kind for one in made)
    say(f"{out}: " + ", ".join(f"{counted[kind]} {kind}" for kind in KINDS))
    if any(counted[kind] < count for kind in KINDS):
        say("Fewer than asked for: the documents have no more sentences of that form.", err=True)


def _lines(made: list[MadeQuestion]) -> list[dict[str, object]]:
    numbers: Counter[str] = Counter()
    lines = []
    for one in made:
        numbers[one.kind] += 1
        lines.append(one.line(numbers[one.kind]))
    return lines


COMMANDS = (ask_questions,)
