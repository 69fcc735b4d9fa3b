"""`sonde ask-evaluate` measures cited answers and makes a page for grading them; `sonde ask-questions` makes test
questions of four kinds from one's own documents."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import click
from rich.table import Table

from core.errors import SondeError
from core.json_types import Json
from evaluation.answers.made_questions import KINDS, MadeQuestion, extract_questions, model_questions
from evaluation.answers.measures import (
    CUTS,
    Interval,
    MeasuredAnswer,
    answer_id,
    by_kind,
    examine,
    figures,
    grade_statistics,
    grading_page,
    intervals,
    intervals_by_kind,
)
from evaluation.answers.questions import AnswerCollection, load_pira, load_questions
from evaluation.collection import Half
from evaluation.judgements import JudgementFile
from sonde.cli.options import FILE, FOLDER, PRESENT_FILE, shown
from sonde.cli.screen import figures_table, messages, progress_bars, say, screen
from sonde.ops.measured import write_measurement
from sonde.settings import Settings, load_settings
from sonde.wiring.evaluating import data_folder, examiner, halves_of, ids_of, off_topic_questions
from sonde.wiring.models import Models
from sonde.wiring.search import language_model
from sonde.wiring.training.corpora import passages_from


@click.command("ask-questions")
@click.option("--out", required=True, type=FILE, help="Questions file, a JSON object a line.")
@shown("--count", 10, "Questions of each kind.", click.IntRange(1, 1000))
@shown(
    "--by",
    "extracts",
    "extracts: parts of sentences by templates, without a model; model: the language model of the settings.",
    click.Choice(["extracts", "model"]),
)
@shown("--seed", 0, "Another seed draws other questions.", int)
def ask_questions(*, out: Path, count: int, by: Literal["extracts", "model"], seed: int) -> None:
    """Write test questions about the public documents of the running index.

    Four kinds: a fact of one document, an inference from one document, several documents, and a condition.
    Read them before you use them: templates and models also make questions that nobody would ask.
    Then `sonde ask-evaluate --questions FILE` asks them.
    """
    settings = load_settings()
    passages, titles = passages_from(settings)
    if by == "extracts":
        questions = extract_questions(passages, titles, count, seed)
    else:
        model = language_model(settings, lambda: Models(settings).gate)
        if model is None:
            raise SondeError("Set SONDE_ANSWERS__URL and SONDE_ANSWERS__MODEL, or use --by extracts.")
        questions = list(model_questions(passages, model, count, seed))
    if not questions:
        raise SondeError("No question could be made of these documents; ingest more of them, or use --by model.")
    out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in _lines(questions)), "utf-8")
    counts_by_kind = Counter(question.kind for question in questions)
    say(f"{out}: " + ", ".join(f"{counts_by_kind[kind]} {kind}" for kind in KINDS))
    if any(counts_by_kind[kind] < count for kind in KINDS):
        say("Fewer than asked for: the documents have no more sentences of that form.", err=True)


def _lines(questions: list[MadeQuestion]) -> list[dict[str, object]]:
    numbers: Counter[str] = Counter()
    lines = []
    for question in questions:
        numbers[question.kind] += 1
        lines.append(question.line(numbers[question.kind]))
    return lines


@click.command("ask-evaluate")
@shown("--collection", "pira", type=click.Choice(["pira", "pira_pt"]))
@click.option("--shared", type=FOLDER, envvar="SONDE_SHARED", help="Shared data folder.")
@click.option(
    "--questions",
    type=PRESENT_FILE,
    help="Your own questions about the documents of the running index, a JSON object a line; "
    "see docs/stewards/documents.md.",
)
@click.option("--sample", type=click.IntRange(1), help="A fixed sample of N questions, over all texts.")
@click.option("--half", type=click.Choice(["train", "test"]), help="Only the questions of this half; all answerable.")
@click.option("--json", "out", type=FILE, help="Write the figures to this file, for each question too.")
@click.option("--page", type=FILE, help="Write a page to this file, for grading the answers by hand.")
@click.option(
    "--judgements",
    type=PRESENT_FILE,
    help="Only report the grades in this file: lines that the page saved, of one or more people.",
)
def ask_evaluate(**options: Any) -> None:
    """Ask a judged collection's questions, or your own, and measure what is found, cited and refused.

    A collection's texts go into a temporary index that is deleted afterwards; with --questions the running index is
    asked. Answers are made as in `POST /ask`. A whole collection is also asked off-topic questions. Shares have a range
    that holds in 95 % of resamples of the questions.
    """
    if options["judgements"] is not None:
        say("\n".join(grade_statistics(JudgementFile.open(options["judgements"]))))
        return
    settings = load_settings()
    if options["questions"] is not None:
        collection = _collection_of_file(settings, options["questions"])
        examiner_parts = examiner(settings, None)
    else:
        collection = _collection(options["collection"], options["shared"], options["half"], options["sample"])
        if not (options["half"] or options["sample"]):
            off_topic = off_topic_questions(options["shared"], settings, partial(say, err=True))
            collection = collection.with_questions(off_topic)
        examiner_parts = examiner(settings, collection)
    with examiner_parts as examiner_ready, progress_bars(messages()) as bar:
        task = bar.add_task(collection.name, total=len(collection.questions))
        answers = examine(examiner_ready.examination, collection.questions, lambda n, _: bar.update(task, completed=n))
    rows = [answer.measures for answer in answers]
    figures_of_rows, kinds, ranges = figures(rows), by_kind(rows), intervals(rows)
    _show(collection, examiner_ready.model, figures_of_rows, ranges)
    _show_kinds(kinds)
    if options["out"] is not None:
        body = {
            "collection": collection.name,
            "made": examiner_ready.model,
            **figures_of_rows,
            "intervals": ranges,
            "by_kind": kinds,
            "intervals_by_kind": intervals_by_kind(rows),
            "by_question": list(map(_row, answers)),
        }
        write_measurement(options["out"], body)
    if options["page"] is not None:
        options["page"].write_text(grading_page(collection.name, examiner_ready.model, answers), "utf-8")


def _collection_of_file(settings: Settings, path: Path) -> AnswerCollection:
    """The questions of a file, and the documents that they name. Raises SondeError."""
    questions = load_questions(path, partial(say, err=True))
    ids = ids_of(settings, (text for question in questions for text in question.texts if text))
    documents = tuple(
        replace(question, text=ids.get(question.text, ""), also=tuple(ids[text] for text in question.also if text))
        for question in questions
    )
    return AnswerCollection(path.name, documents, {id: name for name, id in ids.items()})


def _collection(name: str, shared: Path | None, half: Half | None, sample: int | None) -> AnswerCollection:
    data = data_folder(name, shared, load_settings(), partial(say, err=True))
    full_collection = load_pira(data, "pt" if name.endswith("_pt") else "en")
    selected = full_collection if half is None else full_collection.half(half, halves_of(name))
    return selected.sample(sample) if sample else selected


def _row(measured_answer: MeasuredAnswer) -> Json:
    return {
        "question": measured_answer.question.question,
        "answer": measured_answer.answer.text,
        "as": answer_id(measured_answer),
        **asdict(measured_answer.measures),
    }


def _show(
    collection: AnswerCollection, model: str, measures: dict[str, float | int | None], ranges: dict[str, Interval]
) -> None:
    console = screen()
    load = os.getloadavg()[0]
    console.print(f"{collection.name}, {len(collection.texts)} texts. {model} Load {load:.1f}.")
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for name, value in measures.items():
        table.add_row(name, _format(value), "{:.3f} to {:.3f}".format(*ranges[name]) if name in ranges else "")
    console.print(table)


def _show_kinds(kinds: dict[str, dict[str, float | int | None]]) -> None:
    """A row for each kind: what is found, refused and answered."""
    if not kinds:
        return
    measured = (
        "questions",
        "share_with_any_result",
        "mean_score_first",
        *(f"recall@{depth}" for depth in CUTS),
        "refused_wrongly",
        "right_page_cited",
        "answer_recall",
    )
    table = figures_table("kind", *measured)
    for kind, measures in kinds.items():
        table.add_row(kind, *(_format(measures[name]) for name in measured))
    screen().print(table)


def _format(value: float | int | None) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


COMMANDS = (ask_evaluate, ask_questions)
