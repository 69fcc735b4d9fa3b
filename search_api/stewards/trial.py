"""Tries a draft on questions before it counts: what moves up, what falls, and what judgements say of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.deadlines import without_deadline
from search_api.search.curation.curated import Curated
from search_api.search.curation.live import trying
from search_api.search.pipeline import SearchPipeline
from search_api.search.request import SearchRequest

DEPTH = 10
Grades = Mapping[str, int]
"""By record."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A record's rank now and with the draft, from 1; None: not among the first ones."""

    record: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Tried:
    """``moved``: the records whose rank differs. The two nDCG are None without judgements of the question."""

    question: str
    moved: tuple[Moved, ...]
    ndcg_before: float | None = None
    ndcg_after: float | None = None


def try_draft(
    pipeline: SearchPipeline, draft: Curated, questions: Sequence[str], judged: Mapping[str, Grades]
) -> list[Tried]:
    """In the order of the questions. Raises as a search does."""
    return [_tried(pipeline, draft, question, judged.get(question)) for question in questions]


def _tried(pipeline: SearchPipeline, draft: Curated, question: str, grades: Grades | None) -> Tried:
    with without_deadline():
        before = _first(pipeline, question)
        with trying(draft):
            after = _first(pipeline, question)
    moved = differences(before, after)
    if not grades:
        return Tried(question, moved)
    return Tried(question, moved, ndcg(before, grades), ndcg(after, grades))


def _first(pipeline: SearchPipeline, question: str) -> list[str]:
    return [record for record, _ in pipeline.ordered(SearchRequest(question, limit=DEPTH)).served()[:DEPTH]]


def differences(before: Sequence[str], after: Sequence[str]) -> tuple[Moved, ...]:
    """What moves up first."""
    ranks = [{record: rank for rank, record in enumerate(each, 1)} for each in (before, after)]
    pairs = [Moved(one, ranks[0].get(one), ranks[1].get(one)) for one in dict.fromkeys((*after, *before))]
    beyond = max(len(before), len(after)) + 1
    moved = [one for one in pairs if one.before != one.after]
    return tuple(sorted(moved, key=lambda one: (one.after or beyond) - (one.before or beyond)))


def ndcg(ranked: Sequence[str], grades: Grades) -> float:
    """Of the first ``DEPTH``; gains are the grades, discounted by log2(rank + 1); 0 without a relevant record."""
    best = _dcg(sorted((max(grade, 0) for grade in grades.values()), reverse=True)[:DEPTH])
    return _dcg([max(grades.get(record, 0), 0) for record in ranked[:DEPTH]]) / best if best else 0.0


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
