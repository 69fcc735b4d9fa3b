"""What people really type: names of products and campaigns, their beginnings, acronyms, misspelt ones.

``tests/quality/typed/RULE.md`` says how the questions were drawn and judged. Records of the two NCAR catalogues, the
format fixtures and the samples; document ids are record ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel

from core.record import Record
from evaluation.collection import Faults, JudgedCollection, JudgedQuestion, check_collection, json_lines, lines
from evaluation.collections import ncar
from evaluation.collections.ncar import records_of
from evaluation.trec import read_qrels

NAME, QUICK = "typed", "typed_quick"
QUICK_SOURCES = ("ncar_rda", "samples")
"""Read in a sixth of the time of all four sources."""
FIXTURES = ("format_fixtures", "format_fixtures.tar.gz")


class _QuestionLine(BaseModel):
    id: str
    text: str
    kind: str


def load(data: Path, judged: Path, samples: Path) -> JudgedCollection:
    """Records from ``catalogues`` under ``data`` and ``samples``; questions and qrels from ``judged``."""
    return _load(NAME, judged, _records(sources(data, samples)))


def load_quick(data: Path, judged: Path, samples: Path) -> JudgedCollection:
    """All records of two sources, and the questions with a right answer (and a goal, if any) among them."""
    folders = sources(data, samples)
    records = _records({source: folders[source] for source in QUICK_SOURCES})
    collection = _load(QUICK, judged, records, skip_unknown=True)
    ids = {record.id for record in records}
    questions = tuple(
        replace(question, goals=question.goals & ids)
        for question in collection.questions
        if not question.goals or question.goals & ids
    )
    right = {question.id for question in questions if 2 in collection.qrels.get(question.id, {}).values()}
    return replace(collection, questions=questions).with_questions(right)


def _load(name: str, judged: Path, all_records: list[Record], *, skip_unknown: bool = False) -> JudgedCollection:
    records = {record.id: record for record in reversed(all_records)}  # the first of two with one id
    goals = _goals(judged / "across.tsv")
    faults = Faults(judged / "questions.jsonl")
    questions = [entry for _, entry in json_lines(faults.path, _QuestionLine, faults)]
    faults.refuse()
    return check_collection(
        JudgedCollection(
            name=name,
            records=tuple(reversed(records.values())),
            questions=tuple(
                JudgedQuestion(entry.id, entry.text, kind=entry.kind, goals=goals.get(entry.id, frozenset()))
                for entry in questions
            ),
            qrels=read_qrels(judged / "qrels.tsv.gz"),
            documents={name: name for name in reversed(records)},
        ),
        skip_unknown=skip_unknown,
    )


def sources(data: Path, samples: Path) -> dict[str, Path]:
    """Source -> folder or archive, in the order in which records are read."""
    archives = {**ncar.ARCHIVES, **dict([FIXTURES])}
    return {
        **{source: data / "catalogues" / archive for source, archive in archives.items()},
        "samples": samples / "records",
    }


def _records(folders: Mapping[str, Path]) -> list[Record]:
    return [record for source, path in folders.items() for record in records_of(path, source)]


def _goals(path: Path) -> dict[str, frozenset[str]]:
    """``query-id, corpus-id`` by tab. Raises BadCollection for any other line."""
    faults = Faults(path)
    goals: dict[str, set[str]] = {}
    for number, line in lines(path):
        fields = line.split("\t")
        if number == 1 and fields[0] == "query-id":
            continue
        if len(fields) != 2:
            faults.add(number, "is not question and record")
            continue
        goals.setdefault(fields[0], set()).add(fields[1])
    faults.refuse()
    return {question: frozenset(record_ids) for question, record_ids in goals.items()}
