"""``/insight``: what is asked and what runs at night, for stewards; ``/opened``: signed links that count openings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, timedelta
from typing import Literal

from flask import Response
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import BaseModel, Field

from core.errors import InvalidInput
from core.json_types import Json
from search_api.catalogue.listing import LONGEST_ID
from search_api.http.access.guard import audit, caller, uncached
from search_api.http.openapi import WITH_NOT_FOUND, answer_as, text_answer
from search_api.http.parameters import NoParameters, Parameters
from search_api.http.problems import Problem
from search_api.http.responses import Addresses
from search_api.parts import Parts
from search_api.search.query_log import normal_question, subject_hash
from search_api.stewards.insight import Interval, QuestionRow, QuestionSlice, QuestionView, chart, judged_collection

_GUARDED: ResponseDict = {401: Problem, 403: Problem, **WITH_NOT_FOUND}
_ZIP = "application/zip"


class SliceParameters(Parameters):
    language: str | None = Field(None, pattern=r"^[a-z]{2}$", description="ISO 639-1.")
    place: str | None = Field(None, max_length=200, description="A place that was read from them.")
    decade: int | None = Field(None, ge=-10_000, le=10_000, description="A decade that they asked for: 1990.")
    since: date | None = None
    until: date | None = Field(None, lt=date.max, description="Included.")

    def slice(self) -> QuestionSlice:
        end = None if self.until is None else (self.until + timedelta(days=1)).isoformat()
        since = None if self.since is None else self.since.isoformat()
        return QuestionSlice(self.language, self.place, self.decade, since, end)


class QueriesParameters(SliceParameters):
    view: QuestionView = Field("asked", description="Most asked; asked and not found; asked and not opened; slow.")
    limit: int = Field(50, ge=1, le=500)


class SummaryParameters(SliceParameters):
    """Which questions, in which steps of time."""

    interval: Interval = "day"


class CollectionParameters(SliceParameters):
    view: QuestionView = "asked"
    limit: int = Field(100, ge=1, le=500)


class DeleteParameters(Parameters):
    """Whose questions, or which one; one of both."""

    subject: str | None = Field(None, max_length=200, description="Owner of a key or token.")
    question: str | None = Field(None, max_length=2000)


class RecordPath(BaseModel):
    record: str = Field(max_length=LONGEST_ID, description="Its id.")


class LinkPath(BaseModel):
    link: str = Field(max_length=1000)


class QueriesAnswer(BaseModel, title="InsightQueries"):
    """Questions that at least five people asked; the others are only counted."""

    questions: list[Json]
    hidden: Json


class SummaryAnswer(BaseModel, title="InsightSummary"):
    """Sums over all questions."""

    keep: str = Field(description="What is kept of a question: off, counts or full.")
    asked: int
    over_time: list[Json]
    by: Json


class RecordInsightAnswer(BaseModel, title="InsightRecord"):
    """What a steward looks at beside a record."""

    completeness: float = Field(description="0 to 1, as in the quality report of its source.")
    missing: list[str]
    repaired: list[str]
    broken_links: list[str] = Field(description="Of its links, those that failed at the last check.")
    questions: list[Json] = Field(description="Questions of five people or more whose askers opened it.")
    hidden: Json


class DeletedAnswer(BaseModel, title="InsightDeleted"):
    """How many questions were deleted."""

    deleted: int


def insight_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("insight", __name__, abp_tags=[Tag(name="insight", description="For stewards: scope curate")])
    reader, log = parts.questions, parts.queries

    @api.get("/insight/queries", summary="What is asked", responses={200: QueriesAnswer, **_GUARDED})
    def queries(query: QueriesParameters) -> Response:
        answer = reader.questions(query.view, query.slice(), query.limit)
        hidden = {"questions": answer.hidden_questions, "asked": answer.hidden_asked}
        return uncached({"questions": _rows_json(parts, answer.rows), "hidden": hidden})

    @api.get(
        "/insight/summary",
        summary="How much is asked: over time, by language, place and decade",
        responses={200: SummaryAnswer, **_GUARDED},
    )
    def summary(query: SummaryParameters) -> Response:
        return uncached({"keep": log.policy.detail, **reader.summary(query.slice(), query.interval)})

    @api.get(
        "/insight/collection",
        summary="Questions and what they found, for `sonde judge`",
        description="A zip of queries.jsonl, run.trec and corpus.jsonl; people grade it with `sonde judge run.trec`.",
        responses={200: text_answer(_ZIP), **_GUARDED},
    )
    def collection(query: CollectionParameters) -> Response:
        rows = reader.questions(query.view, query.slice(), query.limit).rows
        records = reader.shown([row.question for row in rows])
        response = uncached(Response(judged_collection(records, parts.texts), mimetype=_ZIP))
        response.headers["Content-Disposition"] = 'attachment; filename="questions.zip"'
        return response

    @api.get(
        "/insight/records/<record>",
        summary="One record: completeness, broken links, and which questions led to it",
        responses={200: RecordInsightAnswer, **_GUARDED},
    )
    def of_record(path: RecordPath) -> Response:
        record = parts.records.record(path.record).record
        quality, questions = parts.record_quality(record.id), reader.leading_to(record.id)
        broken = parts.broken_links(record.source)
        return uncached(
            {
                "completeness": quality.completeness,
                "missing": list(quality.missing),
                "repaired": list(quality.repaired),
                "broken_links": [link.href for link in record.links if link.href.partition("#")[0] in broken],
                "questions": _rows_json(parts, questions.rows),
                "hidden": {"questions": questions.hidden_questions, "asked": questions.hidden_asked},
            }
        )

    @api.delete(
        "/insight/queries",
        summary="Delete a person's questions, or one question",
        responses={200: DeletedAnswer, **_GUARDED},
    )
    def delete(query: DeleteParameters) -> Response:
        if (query.subject is None) == (query.question is None):
            raise InvalidInput("subject", "subject: name a subject or a question")
        log.tick()  # what waits is deleted too
        if query.subject is not None:
            count = log.delete({"term": {"who": subject_hash(log.policy.secret, query.subject)}})
        else:
            count = log.delete({"term": {"question": normal_question(query.question or "")}})
        audit("queries.deleted", "queries", subject=caller().subject, count=count)
        return uncached({"deleted": count})

    return api


def _rows_json(parts: Parts, rows: Sequence[QuestionRow]) -> list[Json]:
    """The questions, with the opened records that the steward may see."""
    visible = parts.records.visible({record for row in rows for record in row.records})
    return [
        {**asdict(row), "records": {record: count for record, count in row.records.items() if record in visible}}
        for row in rows
    ]


def opened_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("opened", __name__, abp_tags=[Tag(name="search", description="Ranked search")])

    @api.get(
        "/opened/<link>",
        summary="Go to a hit, and count that it was opened (no cookie)",
        responses={303: None, 401: Problem, 403: Problem, **WITH_NOT_FOUND},
    )
    def follow(path: LinkPath) -> Response:
        response = uncached(Response(status=303))
        response.headers["Location"] = Addresses.of(parts.http).record_page(parts.queries.add_opening(path.link))
        return response

    @api.post(
        "/opened/<link>",
        summary="Count that a hit was opened; for pages that show it themselves",
        responses={204: None, 401: Problem, 403: Problem, **WITH_NOT_FOUND},
    )
    def note(path: LinkPath) -> Response:
        parts.queries.add_opening(path.link)
        return Response(status=204)

    return api


_SVG = "image/svg+xml"


class MeasurementsParameters(Parameters):
    limit: int = Field(90, ge=1, le=1000, description="The latest so many.")
    f: Literal["json", "svg"] = Field("json", description="`svg`: a chart of nDCG@10.")


class MeasurementsAnswer(BaseModel, title="InsightMeasurements"):
    """Oldest first: `at`, `questions`, `ndcg_at_10`, `recall_at_100`, `fall`, `judged`, `model`, `version`."""

    measurements: list[Json]


class AlertsAnswer(BaseModel, title="InsightAlerts"):
    """Saved searches, the last round of matching, and deliveries by channel and state."""

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
        latest = parts.measurements.latest(query.limit)
        if query.f == "json":
            return uncached({"measurements": [asdict(measurement) for measurement in latest]})
        return uncached(Response(chart(latest), mimetype=_SVG))

    @api.get("/insight/alerts", summary="Saved searches and what was sent", responses={200: AlertsAnswer, **_GUARDED})
    def alerts(query: NoParameters) -> Response:  # noqa: ARG001 - refuses unknown parameters
        last_round = parts.alerts.notices.round()
        return uncached(
            {
                "searches": parts.alerts.searches.count(),
                "round": None if last_round is None else asdict(last_round),
                "deliveries": parts.alerts.notices.counts(),
            }
        )

    return api
