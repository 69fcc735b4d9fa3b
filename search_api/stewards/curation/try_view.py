"""``POST /curation/try``: a draft on given questions, before it counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from flask import Response
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import BaseModel, ConfigDict, Field

from core.errors import InvalidInput
from core.json_types import Json
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.http.parameters import Parameters
from search_api.http.problems import Problem
from search_api.parts import Parts
from search_api.search.curation.curated import Curated, drafted
from search_api.stewards.curation.view import DRAFT_NAME
from search_api.stewards.insight.questions import Slice
from search_api.stewards.steward import fresh
from search_api.stewards.trial import Tried, try_draft

MOST_QUESTIONS = 50
_RESPONSES: ResponseDict = {401: Problem, 403: Problem, **WITH_NOT_FOUND}


class TryParameters(Parameters):
    """Which draft."""

    draft: str = Field(pattern=DRAFT_NAME, description="Name of the draft.")


class JudgedPair(BaseModel):
    """A judgement, as `sonde judge` gives them: 0 not relevant to 3 exactly what was asked for."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1, max_length=500)
    record: str = Field(max_length=450)
    grade: int = Field(ge=0, le=3)


class TryBody(BaseModel):
    """Questions, judged or not, and those of the query log; together at most 50."""

    model_config = ConfigDict(extra="forbid")

    questions: list[str] = Field(default_factory=list, max_length=MOST_QUESTIONS)
    judgements: list[JudgedPair] = Field(default_factory=list, max_length=5_000)
    recent: int = Field(0, ge=0, le=MOST_QUESTIONS, description="And so many of the last week's most asked.")


class TryAnswer(BaseModel):
    """Each question with the records that move among its first ten; the mean nDCG@10 of the judged ones."""

    model_config = ConfigDict(title="CurationTried")

    questions: list[Json]
    ndcg_before: float | None
    ndcg_after: float | None


def curation_try_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("curation_try", __name__, abp_tags=[Tag(name="curation", description="For stewards")])
    desk = parts.curation

    @api.post("/curation/try", summary="What a draft would change", responses={200: TryAnswer, **_RESPONSES})
    def attempt(query: TryParameters, body: TryBody) -> Response:
        judged: dict[str, dict[str, int]] = {}
        for one in body.judgements:
            judged.setdefault(one.question, {})[one.record] = one.grade
        today = datetime.now(UTC).date()
        week = Slice(since=(today - timedelta(days=7)).isoformat())
        recent = parts.questions.questions("asked", week, body.recent).rows if body.recent else ()
        questions = list(dict.fromkeys((*body.questions, *judged, *(row.question for row in recent))))
        if not 1 <= len(questions) <= MOST_QUESTIONS:
            raise InvalidInput("questions", f"questions: give 1 to {MOST_QUESTIONS}, judged and recent ones included")
        rules = drafted(desk.store.rules(draft=""), desk.draft(query.draft))
        draft = Curated.of(rules, today)
        return fresh(_body(try_draft(parts.search, draft, questions, judged)))

    return api


def _body(tried: list[Tried]) -> Json:
    befores = [one.ndcg_before for one in tried if one.ndcg_before is not None]
    afters = [one.ndcg_after for one in tried if one.ndcg_after is not None]
    return {
        "questions": [_question(one) for one in tried],
        "ndcg_before": sum(befores) / len(befores) if befores else None,
        "ndcg_after": sum(afters) / len(afters) if afters else None,
    }


def _question(one: Tried) -> Json:
    return {
        "question": one.question,
        "moved": [{"record": each.record, "before": each.before, "after": each.after} for each in one.moved],
        "ndcg_before": one.ndcg_before,
        "ndcg_after": one.ndcg_after,
    }
