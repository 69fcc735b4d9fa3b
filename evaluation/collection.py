"""A judged collection: records, questions, and relevance judgements."""

from __future__ import annotations

from collections.abc import Collection as Several
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import SondeError
from core.extent import BBox
from core.record import Record

Qrels = Mapping[str, Mapping[str, int]]
"""Question id -> document id -> grade; 0 and below is not relevant, missing means not judged."""

_NAMED = 10


class BadCollection(SondeError):
    """An unusable collection; the message lists the faults, at most ten."""

    def __init__(self, name: str, faults: list[str]) -> None:
        more = [f"and {len(faults) - _NAMED} more"] if len(faults) > _NAMED else []
        super().__init__(f"{name} cannot be used: " + "; ".join([*faults[:_NAMED], *more]) + ".")
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Question:
    """``areas``: the asked places if a person annotated them; else they are read from the text.

    ``kind``: for results by kind. ``goals``: the right documents of which one must be reached, if not any will do.
    """

    id: str
    text: str
    areas: tuple[BBox, ...] = ()
    kind: str = ""
    goals: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Collection:
    """``documents`` maps a record's id to its id in the qrels. ``as_of_ms``: the "now" of its questions.

    ``notes`` list what was left out.
    """

    name: str
    records: tuple[Record, ...]
    questions: tuple[Question, ...]
    qrels: Qrels
    documents: Mapping[str, str]
    as_of_ms: int | None = None
    notes: tuple[str, ...] = ()

    def asking(self, ids: Several[str]) -> Collection:
        """The same records with only the questions with those ids. Raises BadCollection for an unknown id."""
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
        """Only those documents, by their id in the qrels; judgements of other documents are removed."""
        records = tuple(record for record in self.records if self.documents[record.id] in documents)
        kept = {
            question: {document: grade for document, grade in grades.items() if document in documents}
            for question, grades in self.qrels.items()
        }
        return replace(
            self, records=records, qrels=kept, documents={record.id: self.documents[record.id] for record in records}
        )


def checked(collection: Collection, *, skip_unknown: bool = False) -> Collection:
    """The collection with only judged questions, in order.

    Raises BadCollection for judgements of an unknown question or document (``skip_unknown``: they are left out and
    noted), and if no question is left.
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
