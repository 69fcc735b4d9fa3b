"""``/harvest``: for stewards, the state of each source, its runs, and the control to start and pause them.

All of it needs the scope ``admin``: refusals name files and addresses inside a catalogue's network, and the counts
of a source include records that a reader may not see.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import BaseModel, Field

from core.json_types import Json
from core.timespan import instant_ms
from es_mappings.codecs.runs import RunReport, to_document
from search_api.catalogue.harvest_runs import BRIEF
from search_api.http.access.guard import audit, caller, needs, uncached
from search_api.http.openapi import WITH_NOT_FOUND, text_answer
from search_api.http.parameters import Parameters, Text
from search_api.http.problems import Problem
from search_api.http.responses import JSON, Addresses, link
from search_api.parts import Parts
from search_api.search.order import read_position, write_position
from search_api.stewards.harvests import HarvestControl, Harvests, Overview, SourceState, WaitingRun

_GUARDED: ResponseDict = {401: Problem, 403: Problem, **WITH_NOT_FOUND}
_STARTING: ResponseDict = {409: Problem, **_GUARDED}
_CSP = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"


class SourcePath(BaseModel):
    """A source in sources.yaml, or one that was harvested earlier."""

    source: str = Field(max_length=200, description="Id of the source.", examples=["samples"])


class RunPath(BaseModel):
    run: str = Field(max_length=200, description="Id of the run.")


class RunsParameters(Parameters):
    source: Text | None = Field(None, description="Only those of this source.")
    state: Literal["running", "complete", "failed", "interrupted", "refused_removal"] | None = None
    limit: int = Field(20, ge=1, le=100)
    cursor: str | None = Field(None, max_length=2000, description="From the `next` link.")


class StartBody(BaseModel, extra="forbid"):
    """What to harvest now."""

    source: Text = Field(min_length=1, description="Id of a source of sources.yaml.")


class PauseBody(BaseModel, extra="forbid"):
    """Whether the schedule of a source is paused."""

    paused: bool


class QualityParameters(Parameters):
    f: Literal["json", "html"] | None = Field(None, description="Default: the `Accept` header decides.")


class SourcesAnswer(BaseModel, title="HarvestSources"):
    """Each source with its schedule, its last run, and the trend of its last twenty runs, oldest first."""

    sources: list[Json]


class SourceAnswer(BaseModel, title="HarvestSource"):
    """One source."""

    id: str
    title: str


class HoldingsAnswer(BaseModel, title="HarvestHoldings"):
    """What is stored of a source. ``configured``: whether it has an entry in sources.yaml."""

    source: str
    configured: bool
    records: int
    documents: int
    tombstones: int = Field(description="Removed records that could be restored.")
    runs: int


class RunsAnswer(BaseModel, title="HarvestRuns"):
    """Runs, newest first; follow ``next``."""

    runs: list[Json]
    links: list[Json]


class RunAnswer(BaseModel, title="HarvestRun"):
    """One run: its counts, what was refused and why, what failed, warnings by kind, times by stage."""

    id: str
    source: str
    state: str


class StartedAnswer(BaseModel, title="HarvestStarted"):
    """The queued run. Until a worker begins it, its state is `queued`."""

    run: str
    source: str


def harvest_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("harvest", __name__, abp_tags=[Tag(name="harvest", description="For stewards: scope admin")])
    harvests, control = parts.harvests, parts.harvests.control

    @api.get("/harvest/sources", summary="Where each source stands", responses={200: SourcesAnswer, **_GUARDED})
    @needs("admin")
    def sources() -> Response:
        return uncached(overview_body(harvests.overview(), parts.now_ms()))

    @api.get("/harvest/sources/<source>", summary="One source", responses={200: SourceAnswer, **_GUARDED})
    @needs("admin")
    def source(path: SourcePath) -> Response:
        return _source(harvests, path.source, parts.now_ms())

    @api.patch(
        "/harvest/sources/<source>", summary="Pause or resume a source", responses={200: SourceAnswer, **_STARTING}
    )
    @needs("admin")
    def pause(path: SourcePath, body: PauseBody) -> Response:
        (control.pause if body.paused else control.resume)(path.source)
        audit("harvest.paused" if body.paused else "harvest.resumed", path.source, subject=caller().subject)
        return _source(harvests, path.source, parts.now_ms())

    @api.get(
        "/harvest/sources/<source>/quality",
        summary="How complete a source's metadata are, what is missing, repaired and refused",
        responses={200: text_answer(JSON, "text/html"), **_GUARDED},
    )
    @needs("admin")
    def quality(path: SourcePath, query: QualityParameters) -> Response:
        report = control.quality(path.source)
        best = request.accept_mimetypes.best_match([JSON, "text/html"], default=JSON)
        if (query.f or best) in ("html", "text/html"):
            return _page(report.html)
        return uncached(report.report)

    @api.get("/harvest/runs", summary="Runs, the youngest first", responses={200: RunsAnswer, **_GUARDED})
    @needs("admin")
    def runs(query: RunsParameters) -> Response:
        scope = f"runs {query.source} {query.state}"
        after = read_position(query.cursor, scope, ("number", "text")) if query.cursor is not None else None
        page = harvests.runs.page(query.source, query.state, query.limit, after)
        addresses = Addresses.of(parts.http)
        links = [link("self", addresses.this(), JSON)]
        if page.after is not None:
            links.append(link("next", addresses.page(write_position(page.after, scope)), JSON))
        return uncached({"runs": [run_body(run, parts.now_ms()) for run in page.runs], "links": links})

    @api.post("/harvest/runs", summary="Harvest a source now", responses={202: StartedAnswer, **_STARTING})
    @needs("admin")
    def start(body: StartBody) -> tuple[Response, int]:
        run = control.start(body.source)
        audit("harvest.started", body.source, subject=caller().subject)
        response = uncached({"run": run, "source": body.source})
        response.headers["Location"] = Addresses.of(parts.http).to(f"/harvest/runs/{run}")
        return response, 202

    @api.get("/harvest/runs/<run>", summary="One run, whole", responses={200: RunAnswer, **_GUARDED})
    @needs("admin")
    def one_run(path: RunPath) -> Response:
        run = harvests.run(path.run)
        return uncached(waiting_run(run) if isinstance(run, WaitingRun) else run_details(run, parts.now_ms()))

    _add_removal(api, control)
    return api


def _add_removal(api: APIBlueprint, control: HarvestControl) -> None:
    @api.get(
        "/harvest/sources/<source>/holdings",
        summary="What removing a source would remove",
        responses={200: HoldingsAnswer, **_GUARDED},
    )
    @needs("admin")
    def holdings(path: SourcePath) -> Response:
        return uncached(dict(control.holdings(path.source)))

    @api.delete(
        "/harvest/sources/<source>",
        summary="Remove a source: its entry, its records and everything stored of them",
        responses={202: HoldingsAnswer, **_STARTING},
    )
    @needs("admin")
    def remove(path: SourcePath) -> tuple[Response, int]:
        removed_holdings = control.remove(path.source)
        audit("harvest.source_removed", path.source, subject=caller().subject)
        return uncached(dict(removed_holdings)), 202


def _source(harvests: Harvests, source: str, now_ms: int) -> Response:
    body = overview_body(harvests.source(source), now_ms)
    return uncached({**body["sources"][0], "sonde:degraded": body["sonde:degraded"]})


def _page(html: str) -> Response:
    """The report for people; only its own style may run in it."""
    return uncached(Response(html, mimetype="text/html", headers={"Content-Security-Policy": _CSP}))


_SILENT_MS = 180_000
"""A running run without an update for this long has lost its worker; the scheduler restarts it."""


def overview_body(overview: Overview, now_ms: int) -> Json:
    return {
        "sources": [source_body(state, now_ms) for state in overview.sources],
        "sonde:degraded": list(overview.degraded),
    }


def source_body(state: SourceState, now_ms: int) -> Json:
    """``trend``: the last runs, oldest first."""
    configured_source = state.configured
    return {
        "id": state.id,
        "title": state.title,
        "type": configured_source.type if configured_source else None,
        "configured": configured_source is not None,
        "schedule": {"cron": configured_source.cron, "interval": configured_source.interval}
        if configured_source and (configured_source.cron or configured_source.interval)
        else None,
        "paused": state.paused_by is not None,
        "pausedBy": state.paused_by,
        "nextRun": state.next_run,
        "lastRun": run_body(state.runs[0], now_ms) if state.runs else None,
        "trend": [run_body(run, now_ms) for run in reversed(state.runs)],
    }


def run_body(run: RunReport, now_ms: int) -> Json:
    """``full``: requests everything, not only changes. ``silent``: running, but without updates."""
    silent = run.state == "running" and now_ms - instant_ms(run.heartbeat) > _SILENT_MS
    return {
        "id": run.id,
        "source": run.source,
        "state": run.state,
        "silent": silent,
        "started": run.started,
        "finished": run.finished,
        "full": run.since is None,
        "total": run.total,
        "message": run.message,
        "counts": asdict(run.counts),
    }


def waiting_run(run: WaitingRun) -> Json:
    """In the form of a run, as far as it has begun."""
    message = run.message or "No worker has begun it yet."
    return {"id": run.id, "source": run.source, "state": run.state, "accepted": run.accepted, "message": message}


def run_details(run: RunReport, now_ms: int) -> Json:
    """With refusals (each with its reason), failures, warnings by kind and times by stage."""
    empty: Json = {"refusals": [], "failures": [], "warnings": [], "took_ms": {}}
    detail = {name: value for name, value in to_document(run).items() if name not in (*BRIEF, "position")}
    return {**run_body(run, now_ms), "since": run.since, "heartbeat": run.heartbeat, **empty, **detail}
