"""The task of the ``documents`` queue: what a source's records link to, read in slices under a lease of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog
from celery import Celery, Task

from core.errors import Unavailable
from workers.registry import known_sources
from workers.slices import Worker

log = structlog.get_logger(__name__)

DOCUMENTS_TASK = "sonde.read_linked_documents"
_RETRIES = 5


def add_documents(app: Celery, worker: Callable[[], Worker], pause_s: Callable[[Task[Any, Any]], float]) -> None:
    """Registers the task; it queues itself again until nothing is left to read."""

    @app.task(name=DOCUMENTS_TASK, bind=True, max_retries=_RETRIES)
    def read_linked_documents(task: Task[Any, Any], source_id: str) -> None:
        try:
            more = read_slice(worker(), source_id)
        except Unavailable as error:
            raise task.retry(exc=error, countdown=pause_s(task)) from error
        if more:
            app.send_task(DOCUMENTS_TASK, args=[source_id])


def wants_documents(worker: Worker, source_id: str) -> bool:
    """Whether the source's entry in sources.yaml says that its links are followed."""
    source = known_sources(worker.config.sources).get(source_id)
    return source is not None and source.documents != "none" and worker.parts.follow_links is not None


def read_slice(worker: Worker, source_id: str) -> bool:
    """One slice; whether there is more. Somebody else at the same source: nothing is done."""
    source = known_sources(worker.config.sources).get(source_id)
    if source is None or worker.parts.follow_links is None:
        return False
    with worker.leases.hold(f"documents:{source_id}") as lease:
        if lease is None:
            return False
        done = worker.parts.follow_links(source, worker.config.slice_s)
    log.info("documents.followed", source=source_id, ready=done.ready, failed=done.failed, more=done.more)
    return done.more
