"""A judged collection: records, questions, relevance judgements, and its committed halves; and files of lines."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TextIO, TypeVar, cast

from pydantic import BaseModel, ValidationError

from core.errors import SondeError
from core.geo import BBox
from core.record import Record

Qrels = Mapping[str, Mapping[str, int]]
"""Question id -> document id -> grade; 0 and below is not relevant, missing means not judged."""

_MOST_FAULTS = 10
M = TypeVar("M", bound=BaseModel)
Half = Literal["train", "test"]
# Questions put aside belong to both halves, so neither uses them.
_NAMES: dict[str, Half | None] = {"train": "train", "tune": "train", "test": "test", "aside": None}


class BadCollection(SondeError):
    """An unusable collection; the message lists the faults, at most ten."""

    def __init__(self, name: str, faults: list[str]) -> None:
        and_others = [f"and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        super().__init__(f"{name} cannot be used: " + "; ".join([*faults[:_MOST_FAULTS], *and_others]) + ".")
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """``areas``: the asked places if a person annotated them; else they are read from the text.

    ``kind``: for results by kind. ``goals``: the right documents of which one must be reached, if not any will do.
    """

    id: str
    text: str
    areas: tuple[BBox, ...] = ()
    kind: str = ""
    goals: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class JudgedCollection:
    """``documents`` maps a record's id to its id in the qrels. ``as_of_ms``: the "now" of its questions.

    ``notes`` list what was left out.
    """

    name: str
    records: tuple[Record, ...]
    questions: tuple[JudgedQuestion, ...]
    qrels: Qrels
    documents: Mapping[str, str]
    as_of_ms: int | None = None
    notes: tuple[str, ...] = ()

    def with_questions(self, ids: Collection[str]) -> JudgedCollection:
        """The same records with only the questions with those ids. Raises BadCollection for an unknown id."""
        unknown = sorted(set(ids) - {question.id for question in self.questions})
        if unknown:
            raise BadCollection(self.name, [f"no question has the id {name!r}" for name in unknown])
        return replace(
            self,
            questions=tuple(question for question in self.questions if question.id in ids),
            qrels={question: grades for question, grades in self.qrels.items() if question in ids},
        )

    def first_questions(self, count: int) -> JudgedCollection:
        """Only the first ``count`` questions."""
        return self.with_questions([question.id for question in self.questions[:count]])

    def with_documents(self, documents: Collection[str]) -> JudgedCollection:
        """Only those documents, by their id in the qrels; judgements of other documents are removed."""
        records = tuple(record for record in self.records if self.documents[record.id] in documents)
        qrels = {
            question: {document: grade for document, grade in grades.items() if document in documents}
            for question, grades in self.qrels.items()
        }
        return replace(
            self, records=records, qrels=qrels, documents={record.id: self.documents[record.id] for record in records}
        )


def check_collection(collection: JudgedCollection, *, skip_unknown: bool = False) -> JudgedCollection:
    """The collection with only judged questions, in order.

    Raises BadCollection for judgements of an unknown question or document (``skip_unknown``: they are left out and
    noted), and if no question is left.
    """
    questions = {question.id for question in collection.questions}
    documents = set(collection.documents.values())
    faults = [f"the qrels name the question {name!r}, which is absent" for name in collection.qrels.keys() - questions]
    document_faults = [
        f"the qrels of question {question!r} name the document {document!r}, which is absent"
        for question, grades in collection.qrels.items()
        for document in grades
        if question in questions and document not in documents
    ]
    faults = sorted(faults) + document_faults
    if faults and not skip_unknown:
        raise BadCollection(collection.name, faults)
    qrels = {
        question: {document: grade for document, grade in grades.items() if document in documents}
        for question, grades in collection.qrels.items()
        if question in questions
    }
    judged_questions = tuple(question for question in collection.questions if qrels.get(question.id))
    if not judged_questions:
        raise BadCollection(collection.name, ["no question was judged"])
    notes = [f"left out {len(faults)} judgements of what is not there"] if faults else []
    unjudged_count = len(collection.questions) - len(judged_questions)
    notes += [f"left out {unjudged_count} questions that nobody judged"] if unjudged_count else []
    qrels_of_judged = {question.id: qrels[question.id] for question in judged_questions}
    return replace(collection, questions=judged_questions, qrels=qrels_of_judged, notes=(*collection.notes, *notes))


@dataclass(slots=True)
class Faults:
    """The faults of one file, by line."""

    path: Path
    messages: list[str] = field(default_factory=list)

    def add(self, line: int, fault: str) -> None:
        self.messages.append(f"line {line}: {fault}")

    def refuse(self) -> None:
        """Raises BadCollection if there is a fault."""
        if self.messages:
            raise BadCollection(str(self.path), self.messages)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, numbered from 1; decompressed if the name ends in ``.gz``.

    Raises SondeError if the file cannot be read as UTF-8 text.
    """
    try:
        with _open(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SondeError(f"{path} is not a whole gzip file.") from error
    except OSError as error:
        raise SondeError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SondeError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}.") from error


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return cast(TextIO, gzip.open(path, "rt", encoding="utf-8-sig"))
    return path.open(encoding="utf-8-sig")


def json_lines(path: Path, kind: type[M], faults: Faults) -> Iterator[tuple[int, M]]:
    """One object per line as ``kind``; an invalid line is a fault and is skipped."""
    for number, line in lines(path):
        try:
            value: object = json.loads(line)
            yield number, kind.model_validate(value)
        except ValidationError as error:
            messages = (f"{'.'.join(map(str, fault['loc'])) or 'line'}: {fault['msg']}" for fault in error.errors())
            faults.add(number, ", ".join(messages))
        except (ValueError, RecursionError) as error:
            faults.add(number, f"is not JSON ({error})")


def half_of(collection: JudgedCollection, half: Half, path: Path) -> JudgedCollection:
    """The questions of one half, over all records; additional ids in the split are ignored.

    Raises BadCollection for a question that is in no half (nor aside), for malformed lines and for an empty half.
    """
    halves = read_halves(path)
    ids = {question.id for question in collection.questions}
    if missing_ids := sorted(ids - halves.keys()):
        raise BadCollection(str(path), [f"the question {name!r} is in no half" for name in missing_ids])
    half_ids = {question for question in ids if halves[question] == half}
    if not half_ids:
        raise BadCollection(str(path), [f"no question is in the half {half}"])
    return collection.with_questions(half_ids)


def read_halves(path: Path) -> dict[str, Half | None]:
    """``query-id, half``, tab-separated: train (or tune), test, or aside (None). Raises BadCollection for malformed
    lines.
    """
    faults = Faults(path)
    halves: dict[str, Half | None] = {}
    for number, line in lines(path):
        question, _, half = line.partition("\t")
        if number == 1 and question == "query-id":
            continue
        if half in _NAMES:
            halves[question] = _NAMES[half]
        else:
            faults.add(number, f"{half!r} is not train, test or aside")
    faults.refuse()
    return halves
