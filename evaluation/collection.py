"""A judged collection: records, questions, and who was judged relevant to what."""

from __future__ import annotations

from collections.abc import Collection as Several
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import SondeError
from core.extent import BBox
from core.record import Record

Qrels = Mapping[str, Mapping[str, int]]
"""Question id -> document id -> grade; 0 and below is not relevant, what is absent was not judged."""

_NAMED = 10


class BadCollection(SondeError):
    """A collection that cannot be measured with; the message names each fault, the first ten of many."""

    def __init__(self, name: str, faults: list[str]) -> None:
        more = [f"and {len(faults) - _NAMED} more"] if len(faults) > _NAMED else []
        super().__init__(f"{name} cannot be used: " + "; ".join([*faults[:_NAMED], *more]) + ".")
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Question:
    """``areas``: the places asked for where a person wrote them down; else they are read from the text.

    ``kind``: for results by kind. ``goals``: the right documents that must be reached, where it is not any of them.
    """

    id: str
    text: str
    areas: tuple[BBox, ...] = ()
    kind: str = ""
    goals: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Collection:
    """``documents`` maps a record's id to the id that the qrels use. ``as_of_ms``: the "now" of its questions.

    ``notes`` say what was left out when it was read.
    """

    name: str
    records: tuple[Record, ...]
    questions: tuple[Question, ...]
    qrels: Qrels
    documents: Mapping[str, str]
    as_of_ms: int | None = None
    notes: tuple[str, ...] = ()

    def asking(self, ids: Several[str]) -> Collection:
        """The same records with the questions of those ids only. Raises BadCollection for an id that is not here."""
        unknown = sorted(set(ids) - {question.id for question in self.questions})
        if unknown:
            raise BadCollection(self.name, [f"no question has the id {name!r}" for name in unknown])
        return replace(
            self,
            questions=tuple(question for question in self.questions if question.id in ids),
            qrels={question: grades for question, grades in self.qrels.items() if question in ids},
        )

    def first(self, count: int) -> Collection:
        """Only the first ``count`` questions."""
        return self.asking([question.id for question in self.questions[:count]])

    def holding(self, documents: Several[str]) -> Collection:
        """Only those documents, by their id in the qrels; every judgement of another one goes with it."""
        records = tuple(record for record in self.records if self.documents[record.id] in documents)
        kept = {
            question: {document: grade for document, grade in grades.items() if document in documents}
            for question, grades in self.qrels.items()
        }
        return replace(
            self, records=records, qrels=kept, documents={record.id: self.documents[record.id] for record in records}
        )


def checked(collection: Collection, *, skip_unknown: bool = False) -> Collection:
    """The collection with the questions that were judged, in their order.

    Raises BadCollection for judgements of a question or a document that is not there (``skip_unknown``: they are left
    out and noted), and where no question is left.
    """
    questions = {question.id for question in collection.questions}
    known = set(collection.documents.values())
    faults = [f"the qrels name the question {name!r}, which is absent" for name in collection.qrels.keys() - questions]
    lost = [
        f"the qrels of question {question!r} name the document {document!r}, which is absent"
        for question, grades in collection.qrels.items()
        for document in grades
        if question in questions and document not in known
    ]
    faults = sorted(faults) + lost
    if faults and not skip_unknown:
        raise BadCollection(collection.name, faults)
    qrels = {
        question: {document: grade for document, grade in grades.items() if document in known}
        for question, grades in collection.qrels.items()
        if question in questions
    }
    judged = tuple(question for question in collection.questions if qrels.get(question.id))
    if not judged:
        raise BadCollection(collection.name, ["no question was judged"])
    notes = [f"left out {len(faults)} judgements of what is not there"] if faults else []
    unjudged = len(collection.questions) - len(judged)
    notes += [f"left out {unjudged} questions that nobody judged"] if unjudged else []
    kept = {question.id: qrels[question.id] for question in judged}
    return replace(collection, questions=judged, qrels=kept, notes=(*collection.notes, *notes))
