"""Questions over the records of two NCAR catalogues, read as a harvest does; document ids are record ids.

Place and time: ``tests/quality/ncar/RULE.md`` explains the judgements. The asked places were annotated by hand for each
question, and "now" is the day that the rule defines, whenever it is measured.

Keywords, places and acronyms, as scientists type them: one judge graded the first five answers of seven variants of the
search, so what a new variant finds may not be judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import yaml

from core.geo import BBox
from core.record import Record
from core.timespan import instant_ms
from evaluation.collection import Faults, JudgedCollection, Qrels, check_collection, lines
from evaluation.collections.beir import questions_of
from evaluation.trec import read_qrels
from indexer.formats.registry import read
from indexer.plan.parsed_record import with_inferences
from indexer.raw import RecordRefused
from indexer.sources.folder import FolderSource


def records_of(path: Path, source: str) -> Iterator[Record]:
    """The records of a folder or archive under ``source``; unreadable documents are skipped, as in a harvest."""
    for page in FolderSource(path).pages():
        for raw in page.records:
            try:
                yield with_inferences(read(raw, source))
            except RecordRefused:
                continue


NAME = "ncar"
ARCHIVES = {"ncar_eol": "ncar_eol_9206.tar.gz", "ncar_rda": "ncar_rda_1669.tar.gz"}

AS_OF = "2026-08-31"
_HAND_FIELDS = 4


def load(data: Path, judged: Path) -> JudgedCollection:
    """Records from ``catalogues`` under ``data``; questions and qrels from ``judged`` (tests/quality/ncar)."""
    return _load(NAME, data, judged, read_qrels(judged / "qrels.tsv"))


def load_hand_checked(data: Path, judged: Path) -> JudgedCollection:
    """The questions of the test half that were graded by reading the records, with only those grades."""
    return _load(f"{NAME}_hand", data, judged, hand_grades(judged / "hand_checked.tsv"))


def hand_grades(path: Path) -> Qrels:
    """``query-id, corpus-id, score, reason``, tab-separated. Raises BadCollection for a line without these four."""
    faults = Faults(path)
    grades: dict[str, dict[str, int]] = {}
    for number, line in lines(path):
        fields = line.split("\t")
        if number == 1 and fields[0] == "query-id":
            continue
        if len(fields) != _HAND_FIELDS or not fields[2].isdigit():
            faults.add(number, "is not question, record, grade and reason")
            continue
        grades.setdefault(fields[0], {})[fields[1]] = int(fields[2])
    faults.refuse()
    return grades


def _load(name: str, data: Path, judged: Path, qrels: Qrels) -> JudgedCollection:
    archives = [(data / "catalogues" / archive, source) for source, archive in ARCHIVES.items()]
    records = tuple(record for path, source in archives for record in records_of(path, source))
    areas = _areas(judged / "questions.yaml")
    questions = questions_of(judged / "queries.jsonl")
    return check_collection(
        JudgedCollection(
            name=name,
            records=records,
            questions=tuple(replace(question, areas=areas.get(question.id, ())) for question in questions),
            qrels=qrels,
            documents={record.id: record.id for record in records},
            as_of_ms=instant_ms(AS_OF, at_end=True),
        )
    )


def _areas(path: Path) -> dict[str, tuple[BBox, ...]]:
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {entry["id"]: (BBox(*map(float, entry["box"])),) for entry in entries if entry.get("box") is not None}


KEYWORDS = "keyword_questions"
KEYWORDS_SOURCE = "ncar"
"""Its judgements name one source for both archives."""


def load_keywords(data: Path) -> JudgedCollection:
    """Questions and qrels from ``judged/keyword_questions`` under ``data``, records from ``catalogues``."""
    folder = data / "judged" / KEYWORDS
    questions, qrels = questions_of(folder / "questions.jsonl"), read_qrels(folder / "qrels.tsv")
    archives = (data / "catalogues" / archive for archive in ARCHIVES.values())
    records = {record.id: record for path in archives for record in records_of(path, KEYWORDS_SOURCE)}
    return check_collection(
        JudgedCollection(
            name=KEYWORDS,
            records=tuple(records.values()),
            questions=questions,
            qrels=qrels,
            documents={name: name for name in records},
            as_of_ms=instant_ms(AS_OF, at_end=True),
        )
    )
