"""Metrics, traces and log events of every request, and metrics of a process's memory.

Traces use only the OpenTelemetry API: without a provider (sonde/telemetry sets one) nothing is recorded or sent. The
Elasticsearch client opens its own spans inside these. No span contains a question's text.
"""

from __future__ import annotations

import time
import uuid
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import cache
from http import HTTPMethod

import structlog
from flask import Flask, Response, g, request
from opentelemetry import propagate, trace
from prometheus_client import Counter, Gauge, Histogram

log = structlog.get_logger(__name__)

_SECONDS = Histogram("sonde_http_request_seconds", "Time to answer", ["endpoint", "method", "status"])
_LOADED = Gauge(
    "sonde_model_load_seconds",
    "How long a model that is loaded now took to load",
    ["role", "model"],
    multiprocess_mode="livemax",
)
_CACHE = Counter("sonde_cache_requests_total", "Looks into a memory, and whether it was there", ["cache", "outcome"])
_TRACER = trace.get_tracer("sonde")


def record_loading(role: str, model: str, seconds: float) -> None:
    """Records that a model is now in this process's memory."""
    _LOADED.labels(role, model).set(seconds)


def count_cache_lookup(name: str, *, hit: bool) -> None:
    _lookups(name, "hit" if hit else "miss").inc()


@cache
def _lookups(name: str, outcome: str) -> Counter:
    return _CACHE.labels(name, outcome)


def span(name: str) -> AbstractContextManager[object]:
    """A span inside the current one; nothing without a collector, because twenty empty spans a request have a cost."""
    return _TRACER.start_as_current_span(name) if _is_collecting() else nullcontext()


def _is_collecting() -> bool:
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def watch(app: Flask) -> None:
    """Each request has an id and a span, is timed and logged as one event, without the question's text.

    Registers before all other hooks, so that theirs are inside the span.
    """

    @app.before_request
    def begin() -> None:
        if _is_collecting():
            g.trace = _begin_span()
        g.started = time.perf_counter()
        g.request_id = request.headers.get("X-Request-Id", "")[:64] or uuid.uuid4().hex
        structlog.contextvars.bind_contextvars(request_id=g.request_id)

    @app.after_request
    def finish(response: Response) -> Response:
        took = time.perf_counter() - g.get("started", time.perf_counter())
        endpoint = request.endpoint or "unknown"
        method = request.method if request.method in HTTPMethod.__members__ else "unknown"  # a client may invent any
        _SECONDS.labels(endpoint, method, response.status_code).observe(took)
        response.headers["X-Request-Id"] = g.get("request_id", "")
        log.info("request.answered", path=request.path, status=response.status_code, took_ms=round(took * 1000, 1))
        if "trace" in g:
            g.trace[0].set_attribute("http.response.status_code", response.status_code)
            g.trace[0].set_attribute("sonde.request_id", str(g.get("request_id", "")))
        return response

    @app.teardown_request
    def end(_error: BaseException | None) -> None:
        structlog.contextvars.unbind_contextvars("request_id")
        current = g.pop("trace", None)
        if current is not None:
            current[1].close()


def _begin_span() -> tuple[trace.Span, ExitStack]:
    """The request's span, which continues the client's ``traceparent``, and what ends it."""
    open_spans = ExitStack()
    name = f"{request.method} {request.url_rule or 'unknown'}"
    parent = propagate.extract(dict(request.headers.items(lower=True)))
    span = open_spans.enter_context(
        _TRACER.start_as_current_span(name, context=parent, kind=trace.SpanKind.SERVER, end_on_exit=True)
    )
    span.set_attribute("http.request.method", request.method)
    return span, open_spans
