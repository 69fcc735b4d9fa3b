"""Logs and traces of tasks: each line names its task, run and request, each trace continues that of its request.

Tasks of housekeeping that come every few seconds are left out of the logs as long as they succeed.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import structlog
from celery.signals import before_task_publish, task_postrun, task_prerun
from opentelemetry import context, propagate, trace

from core.json_types import Json
from sonde.settings import TelemetrySettings
from workers.config import HARVEST_TASK, REPAIR_LIBRARY_TASK, REQUEUE_TASK, REREAD_TASK, SEND_TASK

_TASKS = frozenset((REQUEUE_TASK, REREAD_TASK, REPAIR_LIBRARY_TASK, SEND_TASK))
_LOGGERS = ("celery.beat", "celery.worker.strategy", "celery.app.trace")
"""They say that a task is due, that it is received, and how it ended."""
_REQUEST_ID_HEADER = "sonde_request_id"
_TASK_VARIABLES = ("task", "task_id", "run", "request_id")


def is_worth_a_line(record: logging.LogRecord) -> bool:
    """False for a task of housekeeping that went well."""
    if record.levelno > logging.INFO:
        return True
    names = [record.args.get("name")] if isinstance(record.args, dict) else list(record.args or ())
    return not any(isinstance(name, str) and name in _TASKS for name in names)


def silence_housekeeping() -> None:
    """For worker and beat; idempotent."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(is_worth_a_line)


def name_tasks_in_logs() -> None:
    """For API, worker and beat; idempotent."""
    before_task_publish.connect(_add_request_id, weak=False, dispatch_uid="sonde-log-publish")
    task_prerun.connect(_bind_ids, weak=False, dispatch_uid="sonde-log-begin")
    task_postrun.connect(_unbind_ids, weak=False, dispatch_uid="sonde-log-end")


def _add_request_id(headers: Json | None = None, **_: object) -> None:
    request = structlog.contextvars.get_contextvars().get("request_id")
    if headers is not None and request:
        headers[_REQUEST_ID_HEADER] = request


def _bind_ids(task: Any = None, task_id: str = "", args: Sequence[object] = (), **_: object) -> None:
    ids = {"task": task.name, "task_id": task_id}
    if run := _run(task.name, task_id, list(args or ())):
        ids["run"] = run
    if request := task.request.get(_REQUEST_ID_HEADER):
        ids["request_id"] = str(request)
    structlog.contextvars.bind_contextvars(**ids)


def _run(name: str, task_id: str, args: Sequence[object]) -> str | None:
    """A run has the id of the message that started it; later messages carry this id."""
    if name != HARVEST_TASK:
        return None
    return str(args[1]) if len(args) > 1 and args[1] else task_id


def _unbind_ids(**_: object) -> None:
    structlog.contextvars.unbind_contextvars(*_TASK_VARIABLES)


def trace_tasks(settings: TelemetrySettings) -> None:
    """For API, worker and beat; idempotent. Does nothing without an endpoint."""
    if settings.otlp_url is None:
        return
    before_task_publish.connect(_add_traceparent, weak=False, dispatch_uid="sonde-trace-publish")
    task_prerun.connect(_start_span, weak=False, dispatch_uid="sonde-trace-begin")
    task_postrun.connect(_end_span, weak=False, dispatch_uid="sonde-trace-end")


def _add_traceparent(headers: Json | None = None, **_: object) -> None:
    if headers is not None:
        propagate.inject(headers)


def _start_span(task: Any = None, **_: object) -> None:
    parent = propagate.extract({"traceparent": str(task.request.get("traceparent") or "")})
    span = trace.get_tracer("sonde").start_span(task.name, context=parent, kind=trace.SpanKind.CONSUMER)
    task.request.sonde_span = (span, context.attach(trace.set_span_in_context(span)))


def _end_span(task: Any = None, state: str | None = None, **_: object) -> None:
    started = task.request.get("sonde_span")
    if started is None:
        return
    span, token = started
    span.set_attribute("celery.state", str(state))
    context.detach(token)
    span.end()
