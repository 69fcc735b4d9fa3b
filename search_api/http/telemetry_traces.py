"""Traces: a span for each request, which continues the client's ``traceparent``, and one for each stage.

Uses only the OpenTelemetry API: without a provider (sonde/telemetry sets one) nothing is recorded or sent. The
Elasticsearch client opens its own spans inside these. No span contains a question's text.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, nullcontext

from flask import Flask, Response, g, request
from opentelemetry import propagate, trace

_TRACER = trace.get_tracer("sonde")


def span(name: str) -> AbstractContextManager[object]:
    """A span inside the current one; nothing without a collector, because twenty empty spans a request have a cost."""
    return _TRACER.start_as_current_span(name) if _collected() else nullcontext()


def _collected() -> bool:
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def register(app: Flask) -> None:
    """Registers before all other hooks, so that theirs are inside the span."""

    @app.before_request
    def begin() -> None:
        if not _collected():
            return
        held = ExitStack()
        name = f"{request.method} {request.url_rule or 'unknown'}"
        parent = propagate.extract(dict(request.headers.items(lower=True)))
        span = held.enter_context(
            _TRACER.start_as_current_span(name, context=parent, kind=trace.SpanKind.SERVER, end_on_exit=True)
        )
        span.set_attribute("http.request.method", request.method)
        g.traced = (span, held)

    @app.after_request
    def note(response: Response) -> Response:
        if "traced" in g:
            g.traced[0].set_attribute("http.response.status_code", response.status_code)
            g.traced[0].set_attribute("sonde.request_id", str(g.get("request_id", "")))
        return response

    @app.teardown_request
    def end(_error: BaseException | None) -> None:
        traced = g.pop("traced", None)
        if traced is not None:
            traced[1].close()
