"""Traces of tasks: each belongs to the trace of the request or task that queued it."""

from __future__ import annotations

from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun
from opentelemetry import context, propagate, trace

from core.json_types import Json
from sonde.settings import TelemetrySettings


def trace_tasks(settings: TelemetrySettings) -> None:
    """For API, worker and beat; idempotent. Does nothing without an endpoint."""
    if settings.otlp_url is None:
        return
    before_task_publish.connect(_send_along, weak=False, dispatch_uid="sonde-trace-publish")
    task_prerun.connect(_begin, weak=False, dispatch_uid="sonde-trace-begin")
    task_postrun.connect(_end, weak=False, dispatch_uid="sonde-trace-end")


def _send_along(headers: Json | None = None, **_: object) -> None:
    if headers is not None:
        propagate.inject(headers)


def _begin(task: Any = None, **_: object) -> None:
    parent = propagate.extract({"traceparent": str(task.request.get("traceparent") or "")})
    span = trace.get_tracer("sonde").start_span(task.name, context=parent, kind=trace.SpanKind.CONSUMER)
    task.request.sonde_span = (span, context.attach(trace.set_span_in_context(span)))


def _end(task: Any = None, state: str | None = None, **_: object) -> None:
    begun = task.request.get("sonde_span")
    if begun is None:
        return
    span, token = begun
    span.set_attribute("celery.state", str(state))
    context.detach(token)
    span.end()
