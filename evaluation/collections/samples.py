"""The samples' questions over the hand-written records: a right answer is grade 2, one that may stand beside it 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel

from core.extent import BBox
from evaluation.collection import Collection, Question, checked
from evaluation.collections.catalogue import records_of
from evaluation.lines import Faults, json_lines

NAME = "samples"


class _Asked(BaseModel):
    id: str
    q: str
    right: list[str]
    also: list[str] = []
    box: tuple[float, float, float, float] | None = None


def load(folder: Path) -> Collection:
    """From the repository's ``samples``; document ids are those of the records without their source."""
    records = tuple(records_of(folder / "records", NAME))
    path = folder / "questions.jsonl"
    faults = Faults(path)
    asked = [entry for _, entry in json_lines(path, _Asked, faults)]
    faults.refuse()
    return checked(
        Collection(
            name=NAME,
            records=records,
            questions=tuple(Question(entry.id, entry.q, _areas(entry.box)) for entry in asked),
            qrels={entry.id: {**dict.fromkeys(entry.also, 1), **dict.fromkeys(entry.right, 2)} for entry in asked},
            documents={record.id: record.id.partition(":")[2] for record in records},
        )
    )


def _areas(box: Any) -> tuple[BBox, ...]:
    return () if box is None else (BBox(*box),)
