"""Logs as events: stable names and scalar fields, for people on a terminal or as JSON for collectors; and traces."""

from __future__ import annotations

import logging
import sys
import time

import structlog
from structlog.tracebacks import ExceptionDictTransformer

from sonde import __version__
from sonde.settings import LogSettings, TelemetrySettings

# structlog's own formatters show local variables too, which include keys, tokens and people's questions.
_TRACEBACKS = structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False))


def configure_logs(settings: LogSettings) -> None:
    """To standard error, so that standard output has only results."""
    level = getattr(logging, settings.level)
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if settings.format == "json"
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *((_TRACEBACKS,) if settings.format == "json" else (structlog.processors.StackInfoRenderer(), _escape)),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.WriteLogger(sys.stderr),  # the current one: tests and pagers replace it
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_of_libraries(settings))
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler])
    logging.getLogger("celery").setLevel(level)  # "ready" and the result of each task


def printable(text: str) -> str:
    """With control characters as escapes: a path of a request must not move the cursor or begin a line of its own."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def _escape(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    return {
        name: printable(value) if isinstance(value, str) and name != "stack" else value for name, value in event.items()
    }


class _WithTime(logging.Formatter):
    """Times as in our own log lines: UTC, ISO 8601."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return printable(super().formatMessage(record))

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"


def _of_libraries(settings: LogSettings) -> logging.Formatter:
    """Formats the log records of libraries: for collectors as JSON too, with the same ids as our lines."""
    if settings.format != "json":
        return _WithTime("%(asctime)s [%(levelname)s] %(name)s: %(message)s")
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _TRACEBACKS,
            structlog.processors.JSONRenderer(),
        ],
    )


def start_traces(settings: TelemetrySettings, service: str) -> None:
    """Sends traces to an OTLP endpoint, if there is one. Call this once in a process, before its first span."""
    if settings.otlp_url is None:
        return
    # Only now: a process without an endpoint starts without the exporter.
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({"service.name": service, "service.version": __version__})
    provider = TracerProvider(resource=resource)  # samples as OTEL_TRACES_SAMPLER says
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{settings.otlp_url}/v1/traces")))
    trace.set_tracer_provider(provider)
