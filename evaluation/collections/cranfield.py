"""Cranfield: 1,400 abstracts on aerodynamics, 225 questions. Only for testing, not for tuning.

Cleverdon's positions 1 (a complete answer) to 4 (of minimum interest) all count as relevant, grade 1, as the
collection is commonly used; unlisted documents are not relevant.
"""

from __future__ import annotations

import json
from pathlib import Path

from core.json_types import Json
from core.record import Record
from evaluation.collection import Collection, Question, checked
from evaluation.collections.beir import text_record

NAME = "cranfield"


def load(data: Path) -> Collection:
    """From ``judged/cranfield`` under ``data``."""
    folder = data / "judged" / "cranfield"
    documents = _read(folder / "cranfield_data.json")
    # The first entry of the questions is the header of the source table.
    asked = [entry for entry in _read(folder / "cran.qry.json") if isinstance(entry["query"], str)]
    records = {str(entry["id"]): _record(entry) for entry in documents}
    qrels: dict[str, dict[str, int]] = {}
    for entry in _read(folder / "cranqrel.json"):
        qrels.setdefault(entry["query_num"], {})[entry["id"]] = 1
    return checked(
        Collection(
            name=NAME,
            records=tuple(records.values()),
            questions=tuple(Question(str(entry["query number"]), entry["query"].strip()) for entry in asked),
            qrels=qrels,
            documents={record.id: name for name, record in records.items()},
        )
    )


def _record(entry: Json) -> Record:
    """As published: the body starts with the title again."""
    return text_record(str(entry["id"]), entry["title"].strip(), entry["body"].strip())


def _read(path: Path) -> list[Json]:
    entries: list[Json] = json.loads(path.read_text(encoding="utf-8"))
    return entries
