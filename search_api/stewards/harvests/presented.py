"""Sources and runs as the JSON of ``/harvest``, and the page of the quality report."""

from __future__ import annotations

from dataclasses import asdict

from core.json_types import Json
from core.timespan import instant_ms
from es_mappings.codecs.runs import RunReport, to_document
from search_api.catalogue.harvest_runs import BRIEF
from search_api.stewards.harvests.control import WaitingRun
from search_api.stewards.harvests.overview import Overview, SourceState

_SILENT_MS = 180_000
"""A running run without an update for this long has lost its worker; beat restarts it."""


def overview_body(overview: Overview, now_ms: int) -> Json:
    return {
        "sources": [source_body(one, now_ms) for one in overview.sources],
        "sonde:degraded": list(overview.degraded),
    }


def source_body(state: SourceState, now_ms: int) -> Json:
    """``trend``: the last runs, oldest first."""
    configured = state.configured
    return {
        "id": state.id,
        "title": state.title,
        "type": configured.type if configured else None,
        "configured": configured is not None,
        "schedule": {"cron": configured.cron, "interval": configured.interval}
        if configured and (configured.cron or configured.interval)
        else None,
        "paused": state.paused_by is not None,
        "pausedBy": state.paused_by,
        "nextRun": state.next_run,
        "lastRun": run_body(state.runs[0], now_ms) if state.runs else None,
        "trend": [run_body(one, now_ms) for one in reversed(state.runs)],
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


def whole_run(run: RunReport, now_ms: int) -> Json:
    """With refusals (each with its reason), failures, warnings by kind and times by stage."""
    empty: Json = {"refusals": [], "failures": [], "warnings": [], "took_ms": {}}
    detail = {name: value for name, value in to_document(run).items() if name not in (*BRIEF, "position")}
    return {**run_body(run, now_ms), "since": run.since, "heartbeat": run.heartbeat, **empty, **detail}
