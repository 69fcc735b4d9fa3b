"""The tasks of linked documents of records, read in slices; and of what their passages inherit."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from celery import Celery, Task

from core.errors import Unavailable
from indexer.documents.index.update_inherited import update_inherited
from workers.registry import known_sources
from workers.slices import Worker
from workers.task_names import DOCUMENTS_TASK, INHERIT_TASK

log = structlog.get_logger(__name__)

_RETRIES = 5


def add_documents(app: Celery, worker: Callable[[], Worker], pause_s: Callable[[Task[..., None]], float]) -> None:
    """Registers the tasks. The task of a source queues itself again until nothing is left to read."""

    @app.task(name=DOCUMENTS_TASK, bind=True, max_retries=_RETRIES)
    def read_linked_documents(task: Task[..., None], source_id: str) -> None:
        try:
            more = read_slice(worker(), source_id)
        except Unavailable as error:
            raise task.retry(exc=error, countdown=pause_s(task)) from error
        if more:
            app.send_task(DOCUMENTS_TASK, args=[source_id])

    @app.task(name=INHERIT_TASK, bind=True, max_retries=_RETRIES)
    def pass_on(task: Task[..., None], source_id: str) -> None:
        try:
            update_inherited(worker().parts.client, worker().config.prefix, source_id)
        except Unavailable as error:
            raise task.retry(exc=error, countdown=pause_s(task)) from error


def wants_documents(worker: Worker, source_id: str) -> bool:
    """Whether the source's entry in sources.yaml says that its links are followed."""
    source = known_sources(worker.config.sources).get(source_id)
    return source is not None and source.documents != "none" and worker.parts.follow_links is not None


def read_slice(worker: Worker, source_id: str) -> bool:
    """Reads one slice; whether there is more. Does nothing while another worker reads the same source."""
    source = known_sources(worker.config.sources).get(source_id)
    if source is None or worker.parts.follow_links is None:
        return False
    with worker.leases.hold(f"documents:{source_id}") as lease:
        if lease is None:
            return False
        done = worker.parts.follow_links(source, worker.config.slice_s)
    log.info("documents.followed", source=source_id, ready=done.ready, failed=done.failed, more=done.more)
    return done.more
