"""``/insight/measurements`` and ``/insight/alerts``: what runs at night, for stewards."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from flask import Response
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import BaseModel, ConfigDict, Field

from core.json_types import Json
from search_api.http.openapi import WITH_NOT_FOUND, answer_as
from search_api.http.parameters import NoParameters, Parameters
from search_api.http.problems import Problem
from search_api.parts import Parts
from search_api.stewards.insight.measurements import chart
from search_api.stewards.steward import fresh

_GUARDED: ResponseDict = {401: Problem, 403: Problem, **WITH_NOT_FOUND}
_SVG = "image/svg+xml"


class MeasurementsParameters(Parameters):
    """How many, and in which form."""

    limit: int = Field(90, ge=1, le=1000, description="The latest so many.")
    f: Literal["json", "svg"] = Field("json", description="`svg`: a chart of nDCG@10.")


class MeasurementsAnswer(BaseModel):
    """Oldest first: `at`, `questions`, `ndcg_at_10`, `recall_at_100`, `fall`, `judged`, `model`, `version`."""

    model_config = ConfigDict(title="InsightMeasurements")

    measurements: list[Json]


class AlertsAnswer(BaseModel):
    """Saved searches, the last round of matching, and deliveries by channel and state."""

    model_config = ConfigDict(title="InsightAlerts")

    searches: int
    round: Json | None
    deliveries: list[Json]


def nightly_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("nightly", __name__, abp_tags=[Tag(name="insight", description="For stewards: scope curate")])

    @api.get(
        "/insight/measurements",
        summary="How good the answers were, night by night",
        responses={200: answer_as("application/json", MeasurementsAnswer, _SVG), **_GUARDED},
    )
    def measurements(query: MeasurementsParameters) -> Response:
        found = parts.measurements.latest(query.limit)
        if query.f == "json":
            return fresh({"measurements": [asdict(one) for one in found]})
        response = Response(chart(found), mimetype=_SVG)
        response.headers["Cache-Control"] = "no-store"
        return response

    @api.get("/insight/alerts", summary="Saved searches and what was sent", responses={200: AlertsAnswer, **_GUARDED})
    def alerts(query: NoParameters) -> Response:  # noqa: ARG001 - refuses unknown parameters
        done = parts.alerts.notices.round()
        return fresh(
            {
                "searches": parts.alerts.searches.count(),
                "round": None if done is None else asdict(done),
                "deliveries": parts.alerts.notices.counts(),
            }
        )

    return api
