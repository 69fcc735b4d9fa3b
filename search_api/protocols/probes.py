"""For the operator and the cluster: health, readiness, metrics."""

from __future__ import annotations

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from search_api.http.problems import Problem
from search_api.parts import Parts


class Health(BaseModel):
    """Alive."""

    status: str = "ok"


class ReadinessAnswer(BaseModel, title="Readiness"):
    """Ready or not, each dependency with its problem; notes request an action although nothing is wrong."""

    status: str
    dependencies: dict[str, str]
    notes: list[str]


def operations_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("operations", __name__, abp_tags=[Tag(name="operations", description="For operators")])

    @api.get("/healthz", summary="Alive", responses={200: Health})
    def healthz() -> Response:
        return jsonify(status="ok")

    @api.get("/readyz", summary="Ready to answer", responses={200: ReadinessAnswer, 503: ReadinessAnswer})
    def readyz() -> tuple[Response, int]:
        report = parts.readiness()
        body = jsonify(
            status="ready" if report.ready else "not ready", dependencies=report.dependencies, notes=report.notes
        )
        return body, 200 if report.ready else 503

    @api.get(
        "/metrics",
        summary="Prometheus metrics (scope admin)",
        responses={200: {"content": {"text/plain": {}}}, 401: Problem, 403: Problem},
    )
    def metrics() -> Response:
        return Response(parts.metrics(), content_type=CONTENT_TYPE_LATEST)

    return api
