"""The settings of the workers, and their queue for the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from sonde.settings import Settings
from workers.config import WorkerConfig


def worker_config(settings: Settings) -> WorkerConfig:
    return WorkerConfig(
        broker_url=settings.broker_url,
        prefix=settings.index.prefix,
        sources=settings.harvest.sources,
        slice_s=settings.harvest.slice_s,
        batch=settings.harvest.batch,
        max_removal_share=settings.harvest.max_removal_share,
        links_every_s=86_400.0 * settings.harvest.check_links_every_d,
        measure_hour=(settings.alerts.hour + 1) % 24 if settings.evaluation.queries is not None else None,
        memory_bytes=settings.worker.memory_mib * 1024 * 1024,
        alerts_hour=settings.alerts.hour if settings.alerts.secret is not None else None,
    )


if TYPE_CHECKING:
    from workers.jobs import Jobs


def job_queue(settings: Settings) -> Callable[[], Jobs]:
    """One for the process, made at the first call: only then are Celery and the protocols imported.

    The workers' log lines and traces name the request that queued a job.
    """

    @cache
    def jobs() -> Jobs:
        from sonde.telemetry.tasks import name_tasks_in_logs, trace_tasks
        from workers.jobs import Jobs

        name_tasks_in_logs()
        trace_tasks(settings.telemetry)
        return Jobs(worker_config(settings))

    return jobs
