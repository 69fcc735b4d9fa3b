"""``POST /curation/try``: what a draft changes on given questions, before it is published."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from flask import Response
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import BaseModel, Field

from core.deadlines import without_deadline
from core.errors import InvalidInput
from core.json_types import Json
from search_api.http.access.guard import uncached
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.http.parameters import Parameters
from search_api.http.problems import Problem
from search_api.parts import Parts
from search_api.search.curation import ActiveRules, rules_on_trial, with_draft
from search_api.search.flow import SearchPipeline
from search_api.search.request import SearchRequest
from search_api.stewards.curation.view import DRAFT_NAME
from search_api.stewards.insight import QuestionSlice

DEPTH = 10
Grades = Mapping[str, int]
"""Grade by record."""


@dataclass(frozen=True, slots=True)
class RankChange:
    """A record's rank now and with the draft, from 1; None: not among the first ten."""

    record: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class TrialResult:
    """``moved``: the records whose rank differs. nDCG is None without judgements of the question."""

    question: str
    moved: tuple[RankChange, ...]
    ndcg_before: float | None = None
    ndcg_after: float | None = None


def _compare(pipeline: SearchPipeline, draft: ActiveRules, question: str, grades: Grades | None) -> TrialResult:
    with without_deadline():
        before = _rank(pipeline, question)
        with rules_on_trial(draft):
            after = _rank(pipeline, question)
    changes = differences(before, after)
    if not grades:
        return TrialResult(question, changes)
    return TrialResult(question, changes, ndcg(before, grades), ndcg(after, grades))


def _rank(pipeline: SearchPipeline, question: str) -> list[str]:
    return [record for record, _ in pipeline.rank_all(SearchRequest(question, limit=DEPTH)).ids_with_scores()[:DEPTH]]


def differences(before: Sequence[str], after: Sequence[str]) -> tuple[RankChange, ...]:
    """The greatest rise first."""
    ranks = [{record: rank for rank, record in enumerate(ranked_ids, 1)} for ranked_ids in (before, after)]
    pairs = [
        RankChange(record, ranks[0].get(record), ranks[1].get(record)) for record in dict.fromkeys((*after, *before))
    ]
    last_rank = max(len(before), len(after)) + 1
    changes = [record for record in pairs if record.before != record.after]
    return tuple(sorted(changes, key=lambda record: (record.after or last_rank) - (record.before or last_rank)))


def ndcg(ranked_ids: Sequence[str], grades: Grades) -> float:
    """Of the first ``DEPTH``; gains are the grades, discounted by log2(rank + 1); 0 without a relevant record."""
    best = _dcg(sorted((max(grade, 0) for grade in grades.values()), reverse=True)[:DEPTH])
    return _dcg([max(grades.get(record, 0), 0) for record in ranked_ids[:DEPTH]]) / best if best else 0.0


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


MOST_QUESTIONS = 50
_RESPONSES: ResponseDict = {401: Problem, 403: Problem, **WITH_NOT_FOUND}


class TryParameters(Parameters):
    draft: str = Field(pattern=DRAFT_NAME, description="Name of the draft.")


class JudgedPair(BaseModel, extra="forbid"):
    """A judgement, as `sonde judge` gives them: 0 not relevant to 3 exactly what was asked for."""

    question: str = Field(min_length=1, max_length=500)
    record: str = Field(max_length=450)
    grade: int = Field(ge=0, le=3)


class TryBody(BaseModel, extra="forbid"):
    """Questions, judged or not, and those of the query log; together at most 50."""

    questions: list[str] = Field(default_factory=list, max_length=MOST_QUESTIONS)
    judgements: list[JudgedPair] = Field(default_factory=list, max_length=5_000)
    recent: int = Field(0, ge=0, le=MOST_QUESTIONS, description="And so many of the last week's most asked.")


class TryAnswer(BaseModel, title="CurationTried"):
    """Each question with the records that move among its first ten; the mean nDCG@10 of the judged ones."""

    questions: list[Json]
    ndcg_before: float | None
    ndcg_after: float | None


def curation_try_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("curation_try", __name__, abp_tags=[Tag(name="curation", description="For stewards")])
    desk = parts.curation

    @api.post("/curation/try", summary="What a draft would change", responses={200: TryAnswer, **_RESPONSES})
    def attempt(query: TryParameters, body: TryBody) -> Response:
        grades: dict[str, dict[str, int]] = {}
        for judgement in body.judgements:
            grades.setdefault(judgement.question, {})[judgement.record] = judgement.grade
        today = datetime.now(UTC).date()
        week = QuestionSlice(since=(today - timedelta(days=7)).isoformat())
        recent = parts.questions.questions("asked", week, body.recent).rows if body.recent else ()
        questions = list(dict.fromkeys((*body.questions, *grades, *(row.question for row in recent))))
        if not 1 <= len(questions) <= MOST_QUESTIONS:
            raise InvalidInput("questions", f"questions: give 1 to {MOST_QUESTIONS}, judged and recent ones included")
        rules = with_draft(desk.store.rules(draft=""), desk.draft(query.draft))
        draft = ActiveRules.of(rules, today)
        results = [_compare(parts.search, draft, question, grades.get(question)) for question in questions]
        return uncached(_trial_json(results))

    return api


def _trial_json(results: list[TrialResult]) -> Json:
    return {
        "questions": [asdict(result) for result in results],
        "ndcg_before": _mean([result.ndcg_before for result in results]),
        "ndcg_after": _mean([result.ndcg_after for result in results]),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    """Of the judged questions; None without one."""
    measured = [value for value in values if value is not None]
    return sum(measured) / len(measured) if measured else None
