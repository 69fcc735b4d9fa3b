"""`sonde ask-evaluate`: measures cited answers on Pirá, and makes a page for grading them."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn
from rich.table import Table

from core.errors import SondeError
from core.json_types import Json
from evaluation.answers.grading import answer_id, grade_statistics, grading_page
from evaluation.answers.measures import MeasuredAnswer, by_kind, examine, figures
from evaluation.answers.questions import AnswerCollection, load_pira, load_questions
from evaluation.collection import Half
from evaluation.judgements import JudgementFile
from sonde.cli.screen import NameColumn, messages, say, screen
from sonde.settings import Settings, load_settings
from sonde.wiring.evaluation.answering import AnswersAsked, examiner, examiner_of_index, ids_of
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
@click.option(
    "--questions",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Your own questions about the documents of the running index, a JSON object a line; see docs/documents.md.",
)
@click.option("--sample", type=click.IntRange(1), help="A fixed sample of N questions, over all texts.")
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
    """Ask a judged collection's questions, or your own, and measure what is found, cited and refused.

    A collection's texts go into a temporary index that is deleted afterwards; with --questions the running index is
    asked. Answers are made as in `POST /ask`.
    """
    if given["judgements"] is not None:
        say("\n".join(grade_statistics(JudgementFile.open(given["judgements"]))))
        return
    settings, form = load_settings(), AnswersAsked(given["mode"], given["text_alone"])
    if given["questions"] is not None:
        collection = _own(settings, given["questions"])
        examining = examiner_of_index(settings, form)
    else:
        collection = _collection(given["collection"], given["shared"], given["half"], given["sample"])
        examining = examiner(settings, collection, form)
    with examining as ready, _bar() as bar:
        task = bar.add_task(collection.name, total=len(collection.questions))
        done = examine(ready.examination, collection.questions, lambda n, _: bar.update(task, completed=n))
    rows = [one.measured for one in done]
    measured, kinds = figures(rows), by_kind(rows)
    _show(collection, ready.made, measured)
    _show_kinds(kinds)
    if given["out"] is not None:
        body = {
            "collection": collection.name,
            "made": ready.made,
            **measured,
            "by_kind": kinds,
            "by_question": list(map(_row, done)),
        }
        given["out"].write_text(json.dumps(body, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if given["page"] is not None:
        given["page"].write_text(grading_page(collection.name, ready.made, done), "utf-8")


def _own(settings: Settings, path: Path) -> AnswerCollection:
    """The questions of a file, and the documents that they name. Raises SondeError."""
    asked = load_questions(path, partial(say, err=True))
    ids = ids_of(settings, (text for one in asked for text in one.texts if text))
    named = tuple(
        replace(one, text=ids.get(one.text, ""), also=tuple(ids[text] for text in one.also if text)) for one in asked
    )
    return AnswerCollection(path.name, named, {id: name for name, id in ids.items()})


def _collection(name: str, shared: Path | None, half: Half | None, sample: int | None) -> AnswerCollection:
    data = (shared or CHECKOUT.parent / "shared") / "data"
    if not data.is_dir():
        raise SondeError(f"{data} is missing: name the folder of the shared data with --shared or SONDE_SHARED.")
    whole = load_pira(data, "pt" if name.endswith("_pt") else "en")
    chosen = whole if half is None else whole.half(half, halves_of(name))
    return chosen.sample(sample) if sample else chosen


def _bar() -> Progress:
    columns = (NameColumn(), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=messages(), transient=True)


def _row(one: MeasuredAnswer) -> Json:
    return {"question": one.question.question, "answer": one.answer.text, "as": answer_id(one), **asdict(one.measured)}


def _show(collection: AnswerCollection, made: str, measured: dict[str, float | int | None]) -> None:
    console = screen()
    load = os.getloadavg()[0]
    console.print(f"{collection.name}, {len(collection.texts)} texts. {made} Load {load:.1f}.")
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in measured.items():
        table.add_row(name, _told(value))
    console.print(table)


def _show_kinds(kinds: dict[str, dict[str, float | int | None]]) -> None:
    """As paper 001's Table 1, with the pages and the answers."""
    if not kinds:
        return
    columns = (
        "questions",
        "share_with_any_result",
        "mean_score_first",
        "recall@1",
        "right_page_cited",
        "answer_recall",
    )
    table = Table(box=None, pad_edge=False)
    for name in ("kind", *columns):
        table.add_column(name, justify="left" if name == "kind" else "right")
    for kind, measured in kinds.items():
        table.add_row(kind, *(_told(measured[name]) for name in columns))
    screen().print(table)


def _told(value: float | int | None) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


COMMANDS = (ask_evaluate,)
