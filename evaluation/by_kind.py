"""A run by the kinds of its questions: how many have a right answer among the first ten, and how many have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.collection import Collection, Question
from evaluation.metrics import HEADLINE, Measured
from evaluation.trec import Run

K = 10


@dataclass(frozen=True, slots=True)
class KindResult:
    """``success_at_10``: share with a right answer (or a goal, where a question has goals) among the first ten.

    ``first``: share with one at the top. ``empty``: questions without any answer.
    """

    kind: str
    questions: int
    success_at_10: float
    first: float
    ndcg_at_10: float
    empty: int


def by_kind(run: Run, collection: Collection, measured: Measured) -> list[KindResult]:
    """Each kind in the order of the questions, then ``all``; empty where no question has a kind."""
    kinds = list(dict.fromkeys(question.kind for question in collection.questions if question.kind))
    rows = [(kind, [one for one in collection.questions if one.kind == kind]) for kind in kinds]
    rows += [("all", list(collection.questions))] if kinds else []
    return [_row(kind, asked, run, collection, measured) for kind, asked in rows]


def _row(kind: str, asked: Sequence[Question], run: Run, collection: Collection, measured: Measured) -> KindResult:
    count = len(asked)
    return KindResult(
        kind=kind,
        questions=count,
        success_at_10=sum(reached(one, run, collection, K) for one in asked) / count,
        first=sum(reached(one, run, collection, 1) for one in asked) / count,
        ndcg_at_10=sum(measured.by_question[one.id][HEADLINE] for one in asked) / count,
        empty=sum(not run.get(one.id) for one in asked),
    )


def reached(question: Question, run: Run, collection: Collection, k: int) -> bool:
    """Whether one of its goals, or where it has none any right document, is among the first ``k``."""
    right = question.goals or {name for name, grade in collection.qrels[question.id].items() if grade > 0}
    return any(document in right for document, _ in run.get(question.id, ())[:k])
