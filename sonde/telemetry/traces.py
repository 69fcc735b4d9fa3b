"""Sends traces to an OTLP endpoint, if configured; across API, workers and Elasticsearch."""

from __future__ import annotations

from sonde import __version__
from sonde.settings import TelemetrySettings


def start_traces(settings: TelemetrySettings, service: str) -> None:
    """Call this once in a process, before its first span; does nothing without an endpoint."""
    if settings.otlp_url is None:
        return
    # Only now: a process without an endpoint starts without the exporter.
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    provider = TracerProvider(
        resource=Resource.create({"service.name": service, "service.version": __version__}),
        sampler=ParentBased(TraceIdRatioBased(settings.share)),
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{settings.otlp_url}/v1/traces")))
    trace.set_tracer_provider(provider)
