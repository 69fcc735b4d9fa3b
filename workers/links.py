"""The task that checks the links of records, with low priority, in the ``documents`` queue, under its own lease."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from celery import Celery, Task

from core.errors import Unavailable
from workers.registry import known_sources
from workers.slices import Worker
from workers.task_names import ALL_LINKS_TASK, LINKS_TASK

log = structlog.get_logger(__name__)

_RETRIES = 3


def add_links(app: Celery, worker: Callable[[], Worker], pause_s: Callable[[Task[..., None]], float]) -> None:
    """Registers the tasks; the task of one source queues itself again until all its links are checked."""

    @app.task(name=LINKS_TASK, bind=True, max_retries=_RETRIES)
    def check_links(task: Task[..., None], source_id: str) -> None:
        try:
            more = check_slice(worker(), source_id)
        except Unavailable as error:
            raise task.retry(exc=error, countdown=pause_s(task)) from error
        if more:
            app.send_task(LINKS_TASK, args=[source_id])

    @app.task(name=ALL_LINKS_TASK)
    def check_all_links() -> None:
        for source in known_sources(worker().config.sources):
            app.send_task(LINKS_TASK, args=[source])


def check_slice(worker: Worker, source_id: str) -> bool:
    """Checks one slice; whether there is more. Skips an unknown source, and one that another worker checks."""
    if worker.parts.check_links is None or source_id not in known_sources(worker.config.sources):
        return False
    with worker.leases.hold(f"links:{source_id}") as lease:
        if lease is None:
            return False
        report = worker.parts.check_links(source_id, worker.config.slice_s)
    return report.state == "running"
