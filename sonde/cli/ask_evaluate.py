"""`sonde ask-evaluate`: measures cited answers on Pirá, and makes a page for grading them."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from core.errors import SondeError
from core.json_types import Json
from evaluation.answers.grading import answer_id, grading_page, told
from evaluation.answers.measures import figures
from evaluation.answers.questions import AnswerCollection, load_pira
from evaluation.answers.run import Answered, examine
from evaluation.judgements import JudgementFile
from evaluation.splits import Half
from sonde.settings import load_settings
from sonde.wiring.evaluation.answering import AnswersAsked, examiner
from sonde.wiring.evaluation.judged import CHECKOUT, halves_of

_WRITABLE = click.Path(path_type=Path, dir_okay=False)


@click.command("ask-evaluate")
@click.option("--collection", type=click.Choice(["pira", "pira_pt"]), default="pira", show_default=True)
@click.option(
    "--mode",
    type=click.Choice(["extractive", "stub", "endpoint"]),
    default="extractive",
    show_default=True,
    help="extractive: quotes; stub: an endpoint that copies; endpoint: the language model of the settings.",
)
@click.option(
    "--shared", type=click.Path(path_type=Path, file_okay=False), envvar="SONDE_SHARED", help="Shared data folder."
)
@click.option("--questions", type=click.IntRange(1), help="A fixed sample of N questions, over all texts.")
@click.option("--half", type=click.Choice(["train", "test"]), help="Only the questions of this half; all answerable.")
@click.option("--text-alone", is_flag=True, help="Rank without the place and the period of a question.")
@click.option("--json", "out", type=_WRITABLE, help="Write the figures to this file, for each question too.")
@click.option("--page", type=_WRITABLE, help="Write a page to this file, for grading the answers by hand.")
@click.option(
    "--judgements",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Only report the grades in this file: lines that the page saved, of one or more people.",
)
def ask_evaluate(**given: Any) -> None:
    """Ask a judged collection's questions, and measure what is found, cited and refused.

    Its texts go into a temporary index that is deleted afterwards; answers are made as in `POST /ask`.
    """
    if given["judgements"] is not None:
        click.echo("\n".join(told(JudgementFile.open(given["judgements"]))))
        return
    collection = _collection(given["collection"], given["shared"], given["half"], given["questions"])
    form = AnswersAsked(given["mode"], given["text_alone"])
    with examiner(load_settings(), collection, form) as ready, _bar() as bar:
        task = bar.add_task(collection.name, total=len(collection.questions))
        done = examine(ready.examination, collection.questions, lambda n, _: bar.update(task, completed=n))
    measured = figures([one.measured for one in done])
    _show(collection, ready.made, measured)
    if given["out"] is not None:
        body = {"collection": collection.name, "made": ready.made, **measured, "by_question": list(map(_row, done))}
        given["out"].write_text(json.dumps(body, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if given["page"] is not None:
        given["page"].write_text(grading_page(collection.name, ready.made, done), "utf-8")


def _collection(name: str, shared: Path | None, half: Half | None, questions: int | None) -> AnswerCollection:
    data = (shared or CHECKOUT.parent / "shared") / "data"
    if not data.is_dir():
        raise SondeError(f"{data} is missing: name the folder of the shared data with --shared or SONDE_SHARED.")
    whole = load_pira(data, "pt" if name.endswith("_pt") else "en")
    chosen = whole if half is None else whole.half(half, halves_of(name))
    return chosen.sample(questions) if questions else chosen


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _row(one: Answered) -> Json:
    return {"question": one.question.question, "answer": one.answer.text, "as": answer_id(one), **asdict(one.measured)}


def _show(collection: AnswerCollection, made: str, measured: dict[str, float | int | None]) -> None:
    console = Console()
    load = os.getloadavg()[0]
    console.print(f"{collection.name}, {len(collection.texts)} texts. {made} Load {load:.1f}.", markup=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in measured.items():
        table.add_row(name, "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value))
    console.print(table)


COMMANDS = (ask_evaluate,)
