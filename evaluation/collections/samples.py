"""The samples' questions over the hand-written records: a right answer has grade 2, an acceptable one 1.

Some English questions are repeated in German, French, Spanish and Italian, with the same judgements.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from core.geo import BBox
from evaluation.collection import Faults, JudgedCollection, JudgedQuestion, M, check_collection, json_lines
from evaluation.collections.ncar import records_of

NAME = "samples"
TRANSLATED = "samples_languages"
LANGUAGES = ("de", "fr", "es", "it")


class _QuestionLine(BaseModel):
    id: str
    q: str
    right: list[str]
    also: list[str] = []
    box: tuple[float, float, float, float] | None = None


class _TranslationLine(BaseModel):
    of: str
    de: str
    fr: str
    es: str
    it: str


def load(folder: Path) -> JudgedCollection:
    """From the repository's ``samples``; document ids are record ids without their source."""
    return _collection(NAME, folder, _read(folder / "questions.jsonl", _QuestionLine))


def load_languages(folder: Path) -> JudgedCollection:
    """The translated questions; ``q03-de`` is question ``q03`` in German."""
    by_id = {entry.id: entry for entry in _read(folder / "questions.jsonl", _QuestionLine)}
    questions = [
        by_id[entry.of].model_copy(update={"id": f"{entry.of}-{language}", "q": getattr(entry, language)})
        for entry in _read(folder / "questions_languages.jsonl", _TranslationLine)
        for language in LANGUAGES
    ]
    return _collection(TRANSLATED, folder, questions)


def _read(path: Path, kind: type[M]) -> list[M]:
    faults = Faults(path)
    entries = [entry for _, entry in json_lines(path, kind, faults)]
    faults.refuse()
    return entries


def _collection(name: str, folder: Path, questions: Sequence[_QuestionLine]) -> JudgedCollection:
    records = tuple(records_of(folder / "records", NAME))
    return check_collection(
        JudgedCollection(
            name=name,
            records=records,
            questions=tuple(JudgedQuestion(entry.id, entry.q, _areas(entry.box)) for entry in questions),
            qrels={entry.id: {**dict.fromkeys(entry.also, 1), **dict.fromkeys(entry.right, 2)} for entry in questions},
            documents={record.id: record.id.partition(":")[2] for record in records},
        )
    )


def _areas(box: Sequence[float] | None) -> tuple[BBox, ...]:
    return () if box is None else (BBox(*box),)
