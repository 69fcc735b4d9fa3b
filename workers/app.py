"""The Celery app of worker and beat: the tasks as addresses. Importing this opens no connection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from random import uniform

from celery import Celery, Task
from celery.signals import beat_init

from core.errors import SondeError, Unavailable
from workers.accepted_runs import AcceptedRuns, AcceptedState
from workers.alerts import add_alerts
from workers.celery_client import celery_client
from workers.config import WorkerConfig
from workers.documents import add_documents, wants_documents
from workers.library import add_library
from workers.links import add_links
from workers.memory_limit import limit_memory
from workers.parts import WorkerParts
from workers.registry import known_sources
from workers.schedule import sync_schedules
from workers.slices import SliceResult, Worker
from workers.task_names import (
    DOCUMENTS_TASK,
    EMBED_TASK,
    HARVEST_TASK,
    INHERIT_TASK,
    PURGE_TASK,
    REQUEUE_TASK,
    REREAD_TASK,
)

_RETRIES = 5


def create_celery(config: WorkerConfig, parts: Callable[[], WorkerParts]) -> Celery:
    """The app of worker and beat. ``parts`` is called once in each process, at its first task."""
    app = celery_client(config)
    if config.memory_bytes is not None:
        limit_memory(config.memory_bytes)

    @cache
    def worker() -> Worker:
        return Worker.of(config, parts())

    _add_harvest(app, worker, AcceptedRuns.connect(config.broker_url, config.prefix))
    _add_embed(app, worker)
    add_documents(app, worker, _pause_s)
    add_library(app, worker, _pause_s)
    add_links(app, worker, _pause_s)
    add_alerts(app, worker, _pause_s)
    _add_clockwork(app, config, worker)
    return app


def _add_harvest(app: Celery, worker: Callable[[], Worker], accepted: AcceptedRuns) -> None:
    @app.task(name=HARVEST_TASK, bind=True, max_retries=_RETRIES, shared=False)
    def harvest_source(task: Task[..., None], source_id: str, run_id: str | None = None) -> None:
        try:
            result = worker().harvest_slice(source_id, run_id, str(task.request.id))
        except Unavailable as error:
            tried_again = task.request.retries < _RETRIES
            _tell(accepted, str(task.request.id), str(error), "queued" if tried_again else "failed")
            raise task.retry(exc=error, countdown=_pause_s(task)) from error
        except SondeError as error:
            _tell(accepted, str(task.request.id), str(error), "failed")
            raise
        _tell_ending(accepted, str(task.request.id), source_id, result)
        _go_on(app, source_id, result)
        if result.ending == "ended":
            app.send_task(INHERIT_TASK, args=[source_id])
        if result.ending == "ended" and wants_documents(worker(), source_id):
            app.send_task(DOCUMENTS_TASK, args=[source_id])


def _tell(accepted: AcceptedRuns, run: str, message: str, state: AcceptedState) -> None:
    with suppress(Unavailable):  # the failure itself is logged with its task
        accepted.tell(run, message, state)


def _tell_ending(accepted: AcceptedRuns, run: str, source_id: str, result: SliceResult) -> None:
    """Why no run of this name is stored, if that is so."""
    if result.ending == "unknown_source":
        _tell(accepted, run, f"sources.yaml of the worker names no source {source_id!r}.", "failed")
    elif result.ending == "busy":
        _tell(accepted, run, "Another run of this source was under way.", "merged")
    elif result.ending == "continues" and result.run != run:
        _tell(accepted, run, f"The unfinished run {result.run} of this source continues instead.", "merged")


def _go_on(app: Celery, source_id: str, result: SliceResult) -> None:
    """Queues the next slice. After a crash before this line, beat finds the lapsed run."""
    if result.ending == "continues":
        app.send_task(HARVEST_TASK, args=[source_id, result.run])
    elif result.missing_vectors:
        app.send_task(EMBED_TASK, args=[source_id])


def _add_embed(app: Celery, worker: Callable[[], Worker]) -> None:
    @app.task(name=EMBED_TASK, bind=True, max_retries=_RETRIES)
    def embed_records(task: Task[..., None], source_id: str) -> None:
        try:
            more = worker().fill_vectors(source_id)
        except Unavailable as error:
            raise task.retry(exc=error, countdown=_pause_s(task)) from error
        if more:
            app.send_task(EMBED_TASK, args=[source_id])


def _add_clockwork(app: Celery, config: WorkerConfig, worker: Callable[[], Worker]) -> None:
    @app.task(name=REQUEUE_TASK)
    def requeue_lapsed() -> None:
        for run in worker().lapsed():
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


def _pause_s(task: Task[..., None]) -> float:
    """Exponential with full jitter, at most five minutes: the one owner of retries over minutes.

    Seconds are owned by ``es_gateway.client.retry``; a dead worker's run by ``requeue_lapsed``.
    """
    return uniform(1.0, min(300.0, 10.0 * 2**task.request.retries))  # noqa: S311  # nosec B311: jitter, not a secret
