"""`sonde judge`: people grade the results of several runs, which makes a new collection."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from core.errors import SondeError
from core.record import Record
from evaluation.collections.beir import questions_of, records_by_id
from evaluation.judgements import GRADES, JudgementFile, Pair, RelevanceJudgement, agreement, pool, qrels_of, unjudged
from evaluation.trec import read_run, write_qrels
from sonde.cli.options import FILE, PRESENT_FILE, shown
from sonde.cli.screen import say

_LONGEST = 1500  # characters of a text that are shown: about one screen
_GRADES = "0 not relevant  1 marginally  2 relevant  3 exactly what was asked for  s skip  u undo  q quit"


@dataclass(frozen=True, slots=True)
class JudgedTexts:
    """The displayed texts of questions and documents, by id."""

    questions: Mapping[str, str]
    documents: Mapping[str, Record]


@click.command()
@click.argument("runs", type=PRESENT_FILE, nargs=-1, required=True, metavar="RUN.trec...")
@click.option("--corpus", type=PRESENT_FILE, required=True, help="Documents: JSON lines of _id, title, text.")
@click.option("--queries", type=PRESENT_FILE, required=True, help="Questions: JSON lines of _id, text.")
@shown("--depth", 10, "The first N of each run.", click.IntRange(1))
@click.option("--judge", "who", help="Name of the judge; without it, only compute agreement and qrels.")
@shown("--judgements", "judgements.jsonl", "File for the judgements.", FILE)
@click.option("--qrels", type=FILE, help="Write the median grades of all judges to this file.")
def judge(
    runs: tuple[Path, ...],
    *,
    corpus: Path,
    queries: Path,
    depth: int,
    who: str | None,
    judgements: Path,
    qrels: Path | None,
) -> None:
    """Grade what the RUNs found, from 0 to 3, question by question.

    The order of documents hides which run found them. Quit at any time: the next call continues where this one stopped.
    Several people may judge into one file, each with their own name.
    """
    texts = JudgedTexts({question.id: question.text for question in questions_of(queries)}, records_by_id(corpus))
    pools = pool([read_run(run) for run in runs], depth)
    _check(pools, texts)
    file = JudgementFile.open(judgements)
    if who is not None:
        _ask(file, who, pools, texts)
    _show_statistics(file)
    if qrels is not None:
        write_qrels(qrels, qrels_of(file.grades()))


def _check(pools: Mapping[str, Sequence[str]], texts: JudgedTexts) -> None:
    """Raises SondeError if a run names an unknown question or document."""
    for question, documents in pools.items():
        if question not in texts.questions:
            raise SondeError(f"A run answers the question {question!r}, which is not among the queries.")
        if unknown_documents := [document for document in documents if document not in texts.documents]:
            raise SondeError(f"A run names the document {unknown_documents[0]!r}, which is not in the corpus.")


def _ask(file: JudgementFile, judge_name: str, pools: Mapping[str, Sequence[str]], texts: JudgedTexts) -> None:
    total = sum(map(len, pools.values()))
    while waiting_pairs := unjudged(pools, file.of(judge_name)):
        pair = waiting_pairs[0]
        _show(pair, texts, total - len(waiting_pairs) + 1, total)
        answer = click.prompt("grade", type=click.Choice([*map(str, range(GRADES)), "s", "u", "q"]), show_choices=False)
        if answer == "q":
            return
        if answer == "u":
            _undo(file, judge_name)
            continue
        grade = None if answer == "s" else int(answer)
        file.add(RelevanceJudgement(judge=judge_name, question=pair[0], document=pair[1], grade=grade))
    say(f"{judge_name} has judged all {total}.")


def _undo(file: JudgementFile, judge_name: str) -> None:
    """Withdraws the latest judgement, which is then asked again."""
    judgements = file.of(judge_name)
    if not judgements:
        say("There is nothing to undo.")
        return
    question, document = list(judgements)[-1]
    file.add(RelevanceJudgement(judge=judge_name, question=question, document=document, undone=True))


def _show(pair: Pair, texts: JudgedTexts, number: int, total: int) -> None:
    question, document = pair
    record = texts.documents[document]
    say(f"\n[{number}/{total}] {texts.questions[question]}", bold=True)
    say(record.title or document, underline=True)
    for box in record.extents:
        say(f"where: {', '.join(f'{edge:g}' for edge in box.as_list())}")
    for span in record.times:
        say(f"when: {span.start_iso or '..'} to {span.end_iso or '..'}")
    say(textwrap.fill(textwrap.shorten(record.abstract, _LONGEST, placeholder=" ..."), 110))
    say(_GRADES, dim=True)


def _show_statistics(file: JudgementFile) -> None:
    grades = file.grades()
    say(f"{len(grades)} pairs of question and document are judged.")
    for pair in agreement(grades):
        weighted_note = "" if pair.weighted is None else f", weighted {pair.weighted:.2f}"
        say(f"{' and '.join(pair.of)}: kappa {pair.kappa:.2f}{weighted_note} on {pair.pairs} pairs")


COMMANDS = (judge,)
