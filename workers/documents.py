"""The tasks of the ``documents`` queue: linked documents of records, read in slices, and users' own documents."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from celery import Celery, Task

from core.errors import Unavailable
from indexer.documents.inherit_again import inherit_again
from workers.registry import known_sources
from workers.slices import Worker
from workers.task_names import DOCUMENTS_TASK, INHERIT_TASK, READ_TASK, REPAIR_LIBRARY_TASK

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

    @app.task(name=READ_TASK, bind=True, max_retries=_RETRIES)
    def read_document(task: Task[..., None], document: str) -> None:
        try:
            read_one(worker(), document)
        except Unavailable as error:
            raise task.retry(exc=error, countdown=pause_s(task)) from error

    @app.task(name=INHERIT_TASK, bind=True, max_retries=_RETRIES)
    def pass_on(task: Task[..., None], source_id: str) -> None:
        try:
            inherit_again(worker().parts.client, worker().config.prefix, source_id)
        except Unavailable as error:
            raise task.retry(exc=error, countdown=pause_s(task)) from error

    @app.task(name=REPAIR_LIBRARY_TASK)
    def tidy_library() -> None:
        repair_library(worker(), lambda document: app.send_task(READ_TASK, args=[document]))


def read_one(worker: Worker, document: str) -> None:
    """Reads a user's document under a lease, so that a message delivered twice reads it once."""
    if worker.parts.library is None:
        return
    with worker.leases.hold(_lease(document)) as lease:
        if lease is None:
            return
        worker.leases.taken_up(_lease(document))
        worker.parts.library.read(document)


def repair_library(worker: Worker, send: Callable[[str], object]) -> None:
    """Repairs the library after a crash or a dead worker. Queues a document at most once until a worker takes it."""
    if worker.parts.library is None:
        return

    def again(document: str) -> bool:
        if not worker.leases.mark_requeued(_lease(document), worker.config.visibility_timeout_s):
            return False
        send(document)
        return True

    worker.parts.library.repair_library(lambda document: worker.leases.is_held(_lease(document)), again)


def _lease(document: str) -> str:
    return f"document:{document}"


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
