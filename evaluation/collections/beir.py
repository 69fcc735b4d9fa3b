"""Reads BEIR's layout: ``corpus.jsonl``, ``queries.jsonl``, ``qrels.tsv``.

``_id, title, text`` and, beyond BEIR, ``bbox`` (``[west, south, east, north]``, or a list of them), ``start`` and
``end`` (ISO 8601, either may be missing) on documents and ``bbox`` on questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from core.geo import BBox
from core.record import Record, record_id
from core.timespan import TimeSpan
from evaluation.collection import BadCollection, Faults, JudgedCollection, JudgedQuestion, check_collection, json_lines
from evaluation.trec import read_qrels
from indexer.plan.parsed_record import with_inferences

SOURCE = "judged"

_CORNERS = 4


def _boxes(value: object) -> object:
    """One box or several, each as four numbers or as text."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value.split(",")]
    is_one = isinstance(value, list) and len(value) == _CORNERS and not isinstance(value[0], list)
    return [value] if is_one else value


def _text(value: object) -> object:
    return "" if value is None else value


Box = tuple[float, float, float, float]
Boxes = Annotated[list[Box], BeforeValidator(_boxes)]
Text = Annotated[str, BeforeValidator(_text)]


class _Line(BaseModel, coerce_numbers_to_str=True, extra="ignore"):
    id: str = Field(alias="_id", min_length=1)
    bbox: Boxes = []

    def areas(self) -> tuple[BBox, ...]:
        return tuple(BBox(*box) for box in self.bbox)


class _Document(_Line):
    title: Text = ""
    text: Text = ""
    start: str | None = None
    end: str | None = None


class _Query(_Line):
    text: Text


@dataclass(frozen=True, slots=True)
class BeirFiles:
    corpus: Path
    queries: Path
    qrels: Path


def files_of(folder: Path, split: str = "test") -> BeirFiles:
    """The files of a folder in BEIR's layout (``qrels/test.tsv`` or ``qrels.tsv``), plain or ``.gz``.

    Raises BadCollection that names the missing file.
    """
    file_names = (("corpus.jsonl",), ("queries.jsonl",), (f"qrels/{split}.tsv", "qrels.tsv"))
    paths = [_first_existing(folder, names) for names in file_names]
    if absent := [" or ".join(names) for names, path in zip(file_names, paths, strict=True) if path is None]:
        raise BadCollection(str(folder), [f"{name} is not there" for name in absent])
    corpus, queries, qrels = (path for path in paths if path is not None)
    return BeirFiles(corpus, queries, qrels)


def _first_existing(folder: Path, names: Sequence[str]) -> Path | None:
    paths = (folder / f"{name}{ending}" for name in names for ending in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)


def load(files: BeirFiles, *, skip_unknown: bool = False) -> JudgedCollection:
    """Raises BadCollection that names invalid lines and ids; see :func:`evaluation.collection.check_collection`."""
    records = records_by_id(files.corpus)
    collection = JudgedCollection(
        name=files.corpus.parent.name or files.corpus.stem,
        records=tuple(records.values()),
        questions=questions_of(files.queries),
        qrels=read_qrels(files.qrels),
        documents={record.id: name for name, record in records.items()},
    )
    return check_collection(collection, skip_unknown=skip_unknown)


def text_record(name: str, title: str, text: str, boxes: tuple[BBox, ...] = (), span: TimeSpan | None = None) -> Record:
    """A document of a collection in the form of a harvested record."""
    return with_inferences(
        Record(
            id=record_id(SOURCE, name),
            source=SOURCE,
            identifier=name,
            title=title,
            abstract=text,
            extents=boxes,
            times=(span,) if span is not None else (),
        )
    )


def records_by_id(path: Path) -> dict[str, Record]:
    """``corpus.jsonl`` in order, by document id. Raises BadCollection that names every invalid line."""
    faults = Faults(path)
    records: dict[str, Record] = {}
    for number, line in json_lines(path, _Document, faults):
        if line.id in records:
            faults.add(number, f"the id {line.id!r} is there twice")
            continue
        try:
            records[line.id] = text_record(line.id, line.title, line.text, line.areas(), _span(line))
        except ValueError as error:
            faults.add(number, str(error))
    faults.refuse()
    return records


def _span(line: _Document) -> TimeSpan | None:
    return TimeSpan.from_iso(line.start, line.end) if line.start or line.end else None


def questions_of(path: Path) -> tuple[JudgedQuestion, ...]:
    """``queries.jsonl`` in order. Raises BadCollection for an empty question and a duplicate id."""
    faults = Faults(path)
    questions: dict[str, JudgedQuestion] = {}
    for number, line in json_lines(path, _Query, faults):
        if line.id in questions:
            faults.add(number, f"the id {line.id!r} is there twice")
        if not line.text.strip():
            faults.add(number, f"the question {line.id!r} is empty")
        try:
            questions[line.id] = JudgedQuestion(line.id, line.text, line.areas())
        except ValueError as error:
            faults.add(number, str(error))
    faults.refuse()
    return tuple(questions.values())
