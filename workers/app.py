"""The Celery app of worker and beat: tasks call one function each. Importing this opens no connection.

A task queues itself again until its work is done, so that no task is longer than a slice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from random import uniform

import structlog
from celery import Celery, Task
from celery.signals import beat_init

from core.errors import SondeError, Unavailable
from indexer.documents.index.update_inherited import update_inherited
from workers.broker import HEADER, AcceptedRuns, AcceptedState
from workers.celery_client import celery_client, limit_memory
from workers.config import (
    ALL_LINKS_TASK,
    DOCUMENTS_TASK,
    EMBED_TASK,
    HARVEST_TASK,
    INHERIT_TASK,
    LINKS_TASK,
    MATCH_TASK,
    MEASURE_TASK,
    PURGE_TASK,
    READ_TASK,
    REMOVE_TASK,
    REPAIR_LIBRARY_TASK,
    REQUEUE_TASK,
    REREAD_TASK,
    SEND_TASK,
    WorkerConfig,
    WorkerParts,
)
from workers.schedule import sync_schedules
from workers.slices import SliceResult, Worker, read_turn, repair_library
from workers.source_config import known_sources

_RETRIES = 5
_LINK_RETRIES = 3

log = structlog.get_logger(__name__)


def create_celery(config: WorkerConfig, parts: Callable[[], WorkerParts]) -> Celery:
    """The app of worker and beat. ``parts`` is called once in each process, at its first task."""
    app = celery_client(config)
    if config.memory_bytes is not None:
        limit_memory(config.memory_bytes)

    @cache
    def worker() -> Worker:
        return Worker.of(config, parts())

    _add_harvest(app, worker, AcceptedRuns.connect(config.broker_url, config.prefix))
    _add_removal(app, worker)
    _add_documents(app, worker)
    _add_library(app, worker)
    _add_links(app, worker)
    _add_alerts(app, worker)
    _add_clockwork(app, config, worker)
    return app


def _add_harvest(app: Celery, worker: Callable[[], Worker], accepted_runs: AcceptedRuns) -> None:
    @app.task(name=HARVEST_TASK, bind=True, max_retries=_RETRIES, shared=False)
    def harvest_source(task: Task[..., None], source_id: str, run_id: str | None = None) -> None:
        own_id = str(task.request.id)
        try:
            result = worker().harvest_slice(source_id, run_id, own_id, task.request.get(HEADER))
        except Unavailable as error:
            is_last = task.request.retries >= _RETRIES
            _store_message(accepted_runs, own_id, str(error), "failed" if is_last else "queued")
            raise task.retry(exc=error, countdown=_pause_s(task)) from error
        except SondeError as error:
            _store_message(accepted_runs, own_id, str(error), "failed")
            raise
        _store_ending(accepted_runs, own_id, source_id, result)
        # The next slice. After a crash before this line, beat finds the lapsed run.
        if result.ending == "continues":
            app.send_task(HARVEST_TASK, args=[source_id, result.run])
        elif result.missing_vectors:
            app.send_task(EMBED_TASK, args=[source_id])
        if result.ending == "ended":
            app.send_task(INHERIT_TASK, args=[source_id])
            if wants_documents(worker(), source_id):
                app.send_task(DOCUMENTS_TASK, args=[source_id])

    @app.task(name=EMBED_TASK, bind=True, max_retries=_RETRIES)
    def embed_records(task: Task[..., None], source_id: str) -> None:
        with _retry_if_unavailable(task):
            has_more = worker().fill_vectors(source_id)
        if has_more:
            app.send_task(EMBED_TASK, args=[source_id])


def _add_removal(app: Celery, worker: Callable[[], Worker]) -> None:
    @app.task(name=REMOVE_TASK, bind=True, max_retries=_RETRIES, shared=False)
    def remove_all(task: Task[..., None], source_id: str) -> None:
        with _retry_if_unavailable(task):
            worker().remove_source(source_id)


def _store_message(accepted_runs: AcceptedRuns, run_id: str, message: str, state: AcceptedState) -> None:
    with suppress(Unavailable):  # the failure itself is logged with its task
        accepted_runs.report_problem(run_id, message, state)


def _store_ending(accepted_runs: AcceptedRuns, run_id: str, source_id: str, result: SliceResult) -> None:
    """Why no run of this name is stored, if that is so."""
    if result.ending == "unknown_source":
        _store_message(accepted_runs, run_id, f"sources.yaml of the worker names no source {source_id!r}.", "failed")
    elif result.ending == "busy":
        _store_message(accepted_runs, run_id, "Another run of this source was under way.", "merged")
    elif result.ending == "continues" and result.run != run_id:
        _store_message(
            accepted_runs, run_id, f"The unfinished run {result.run} of this source continues instead.", "merged"
        )


def _add_documents(app: Celery, worker: Callable[[], Worker]) -> None:
    @app.task(name=DOCUMENTS_TASK, bind=True, max_retries=_RETRIES)
    def read_linked_documents(task: Task[..., None], source_id: str) -> None:
        with _retry_if_unavailable(task):
            has_more = read_slice(worker(), source_id)
        if has_more:
            app.send_task(DOCUMENTS_TASK, args=[source_id])

    @app.task(name=INHERIT_TASK, bind=True, max_retries=_RETRIES)
    def queue_next(task: Task[..., None], source_id: str) -> None:
        with _retry_if_unavailable(task):
            update_inherited(worker().parts.client, worker().config.prefix, source_id)


def wants_documents(worker: Worker, source_id: str) -> bool:
    """Whether the source's entry in sources.yaml says that its links are followed."""
    source = known_sources(worker.config.sources).get(source_id)
    return source is not None and source.documents != "none" and worker.parts.follow_links is not None


def read_slice(worker: Worker, source_id: str) -> bool:
    """Reads one slice of a source's linked documents; whether there is more.

    Does nothing while another worker reads the same source.
    """
    source = known_sources(worker.config.sources).get(source_id)
    if source is None or worker.parts.follow_links is None:
        return False
    with worker.leases.hold(f"documents:{source_id}") as lease:
        if lease is None:
            return False
        result = worker.parts.follow_links(source, worker.config.slice_s)
    log.info("documents.followed", source=source_id, ready=result.ready, failed=result.failed, more=result.more)
    return result.more


def _add_library(app: Celery, worker: Callable[[], Worker]) -> None:
    def queue(document: str) -> None:
        app.send_task(READ_TASK, args=[document])

    @app.task(name=READ_TASK, bind=True, max_retries=_RETRIES)
    def read_document(task: Task[..., None], _document: str) -> None:
        with _retry_if_unavailable(task):
            next_document = read_turn(worker())
        if next_document is not None:
            queue(next_document)

    @app.task(name=REPAIR_LIBRARY_TASK)
    def tidy_library() -> None:
        repair_library(worker(), queue)


def _add_links(app: Celery, worker: Callable[[], Worker]) -> None:
    @app.task(name=LINKS_TASK, bind=True, max_retries=_LINK_RETRIES)
    def check_links(task: Task[..., None], source_id: str) -> None:
        with _retry_if_unavailable(task):
            has_more = check_slice(worker(), source_id)
        if has_more:
            app.send_task(LINKS_TASK, args=[source_id])

    @app.task(name=ALL_LINKS_TASK)
    def check_all_links() -> None:
        for source in known_sources(worker().config.sources):
            app.send_task(LINKS_TASK, args=[source])


def check_slice(worker: Worker, source_id: str) -> bool:
    """Checks one slice of a source's links; whether there is more.

    Skips an unknown source, and one that another worker checks.
    """
    if worker.parts.check_links is None or source_id not in known_sources(worker.config.sources):
        return False
    with worker.leases.hold(f"links:{source_id}") as lease:
        if lease is None:
            return False
        report = worker.parts.check_links(source_id, worker.config.slice_s)
    return report.state == "running"


def _add_alerts(app: Celery, worker: Callable[[], Worker]) -> None:
    @app.task(name=MATCH_TASK, bind=True, max_retries=_RETRIES)
    def match_saved_searches(task: Task[..., None]) -> None:
        with _retry_if_unavailable(task):
            has_more = match_slice(worker())
        if has_more is not None:
            app.send_task(MATCH_TASK if has_more else SEND_TASK)

    @app.task(name=SEND_TASK)
    def send_alerts() -> None:
        """Comes again each minute, so it needs no retry."""
        if send_slice(worker()):
            app.send_task(SEND_TASK)

    @app.task(name=MEASURE_TASK, bind=True, max_retries=_RETRIES)
    def measure_answers(task: Task[..., None]) -> None:
        measure = worker().parts.measure
        if measure is not None:
            with _retry_if_unavailable(task):
                measure()


def match_slice(worker: Worker) -> bool | None:
    """Whether there is more to match; None if nothing was done."""
    if worker.parts.alerts is None:
        return None
    with worker.leases.hold("alerts:match") as lease:
        return None if lease is None else worker.parts.alerts.match(worker.config.slice_s)


def send_slice(worker: Worker) -> bool:
    """Whether more is due. Does nothing while another worker sends."""
    if worker.parts.alerts is None:
        return False
    with worker.leases.hold("alerts:send") as lease:
        return lease is not None and worker.parts.alerts.send(worker.config.slice_s)


def _add_clockwork(app: Celery, config: WorkerConfig, worker: Callable[[], Worker]) -> None:
    @app.task(name=REQUEUE_TASK)
    def requeue_lapsed() -> None:
        for run in worker().lapsed_runs():
            app.send_task(HARVEST_TASK, args=[run.source, run.id])

    @app.task(name=REREAD_TASK)
    def reread_sources() -> None:
        sync_schedules(app, known_sources(config.sources))

    @app.task(name=PURGE_TASK)
    def purge_removed() -> None:
        worker().purge_removed()

    def at_start(**_: object) -> None:
        sync_schedules(app, known_sources(config.sources))

    beat_init.connect(at_start, weak=False, dispatch_uid=f"sonde-schedules-{config.prefix}")


@contextmanager
def _retry_if_unavailable(task: Task[..., None]) -> Iterator[None]:
    """Queues the task again, after a pause, if a server does not answer."""
    try:
        yield
    except Unavailable as error:
        raise task.retry(exc=error, countdown=_pause_s(task)) from error


def _pause_s(task: Task[..., None]) -> float:
    """Exponential with full jitter, at most five minutes: the one owner of retries over minutes.

    Seconds are owned by ``es_gateway.client.retry``; a dead worker's run by ``requeue_lapsed``.
    """
    return uniform(1.0, min(300.0, 10.0 * 2**task.request.retries))  # noqa: S311  # nosec B311: jitter, not a secret
