"""The workers' queue for the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from sonde.settings import Settings
from sonde.wiring.worker_settings import worker_config

if TYPE_CHECKING:
    from workers.jobs import Jobs


def job_queue(settings: Settings) -> Callable[[], Jobs]:
    """One for the process, made at the first call: only then are Celery and the protocols imported.

    The workers' log lines and traces name the request that queued a job.
    """

    @cache
    def jobs() -> Jobs:
        from sonde.telemetry.task_logs import name_tasks_in_logs
        from sonde.telemetry.task_traces import trace_tasks
        from workers.jobs import Jobs

        name_tasks_in_logs()
        trace_tasks(settings.telemetry)
        return Jobs(worker_config(settings))

    return jobs
