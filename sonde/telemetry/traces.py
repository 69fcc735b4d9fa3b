"""Traces to an OTLP endpoint, where the settings name one; across API, workers and Elasticsearch."""

from __future__ import annotations

from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun
from opentelemetry import context, propagate, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

from sonde import __version__
from sonde.settings import TelemetrySettings


def start_traces(settings: TelemetrySettings, service: str) -> None:
    """Once in a process, before its first span; nothing happens without an endpoint."""
    if settings.otlp_url is None:
        return
    provider = TracerProvider(
        resource=Resource.create({"service.name": service, "service.version": __version__}),
        sampler=ParentBased(TraceIdRatioBased(settings.share)),
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{settings.otlp_url}/v1/traces")))
    trace.set_tracer_provider(provider)
    _follow_tasks()


def _follow_tasks() -> None:
    """A task belongs to the trace of whoever queued it."""
    before_task_publish.connect(_send_along, weak=False)
    task_prerun.connect(_begin, weak=False)
    task_postrun.connect(_end, weak=False)


def _send_along(headers: dict[str, Any] | None = None, **_: object) -> None:
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
