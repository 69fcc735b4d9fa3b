"""Adds the ids of task, run and the API request that started it to a worker's log lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog
from celery.signals import before_task_publish, task_postrun, task_prerun

from core.json_types import Json
from workers.task_names import HARVEST_TASK

_HEADER = "sonde_request_id"
_BOUND = ("task", "task_id", "run", "request_id")


def name_tasks_in_logs() -> None:
    """For API, worker and beat; idempotent."""
    before_task_publish.connect(_send_along, weak=False, dispatch_uid="sonde-log-publish")
    task_prerun.connect(_begin, weak=False, dispatch_uid="sonde-log-begin")
    task_postrun.connect(_end, weak=False, dispatch_uid="sonde-log-end")


def _send_along(headers: Json | None = None, **_: object) -> None:
    request = structlog.contextvars.get_contextvars().get("request_id")
    if headers is not None and request:
        headers[_HEADER] = request


def _begin(task: Any = None, task_id: str = "", args: Sequence[object] = (), **_: object) -> None:
    known = {"task": task.name, "task_id": task_id}
    if run := _run(task.name, task_id, list(args or ())):
        known["run"] = run
    if request := task.request.get(_HEADER):
        known["request_id"] = str(request)
    structlog.contextvars.bind_contextvars(**known)


def _run(name: str, task_id: str, args: Sequence[object]) -> str | None:
    """A run has the id of the message that started it; later messages carry this id."""
    if name != HARVEST_TASK:
        return None
    return str(args[1]) if len(args) > 1 and args[1] else task_id


def _end(**_: object) -> None:
    structlog.contextvars.unbind_contextvars(*_BOUND)
