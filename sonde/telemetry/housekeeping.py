"""Keeps tasks that come every few seconds out of the logs of worker and beat, as long as they go well."""

from __future__ import annotations

import logging

from workers.task_names import REPAIR_LIBRARY_TASK, REQUEUE_TASK, REREAD_TASK, SEND_TASK

_TASKS = frozenset((REQUEUE_TASK, REREAD_TASK, REPAIR_LIBRARY_TASK, SEND_TASK))
_LOGGERS = ("celery.beat", "celery.worker.strategy", "celery.app.trace")
"""They say that a task is due, that it is received, and how it ended."""


def is_worth_a_line(record: logging.LogRecord) -> bool:
    """False for a task of housekeeping that went well."""
    if record.levelno > logging.INFO:
        return True
    named = [record.args.get("name")] if isinstance(record.args, dict) else list(record.args or ())
    return not any(isinstance(each, str) and each in _TASKS for each in named)


def quiet_housekeeping() -> None:
    """For worker and beat; idempotent."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(is_worth_a_line)
