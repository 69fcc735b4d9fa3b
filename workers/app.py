"""The Celery app: its settings, its tasks as addresses, its clockwork. Importing this opens no connection."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import uniform
from typing import Any

from celery import Celery, Task
from celery.signals import beat_init
from kombu import Queue as KombuQueue

from core.errors import Unavailable
from workers.config import QUEUES, WorkerConfig
from workers.documents import DOCUMENTS_TASK, INHERIT_TASK, TIDY_TASK, add_documents, wants_documents
from workers.documents import TASKS as DOCUMENTS_TASKS
from workers.links import ALL_LINKS_TASK, LINKS_TASK, add_links
from workers.parts import WorkerParts
from workers.queued import stamp_tasks
from workers.registry import known_sources
from workers.schedule import HARVEST_TASK, sync_schedules
from workers.slices import SliceResult, Worker

EMBED_TASK = "sonde.embed_records"
REQUEUE_TASK = "sonde.requeue_lapsed"
REREAD_TASK = "sonde.reread_sources"
PURGE_TASK = "sonde.purge_removed"

_PATIENT = (*DOCUMENTS_TASKS, LINKS_TASK, ALL_LINKS_TASK)
_RETRIES = 5
_DAY_S = 86_400.0


def create_celery(config: WorkerConfig, parts: Callable[[], WorkerParts]) -> Celery:
    """The app of worker and beat. ``parts`` is called once in each process, at its first task."""
    app = Celery("sonde", broker=config.broker_url)
    app.conf.update(_settings(config))
    stamp_tasks()

    @cache
    def worker() -> Worker:
        return Worker.of(config, parts())

    _add_harvest(app, worker)
    _add_embed(app, worker)
    add_documents(app, worker, _pause_s)
    add_links(app, worker, _pause_s)
    _add_clockwork(app, config, worker)
    return app


def start_harvest(app: Celery, source_id: str) -> str:
    """Puts a harvest in the queue; returns the id its run will have, unless one is already on its way."""
    return str(app.send_task(HARVEST_TASK, args=[source_id, None]).id)


def _add_harvest(app: Celery, worker: Callable[[], Worker]) -> None:
    @app.task(name=HARVEST_TASK, bind=True, max_retries=_RETRIES)
    def harvest_source(task: Task[Any, Any], source_id: str, run_id: str | None = None) -> None:
        try:
            result = worker().harvest_slice(source_id, run_id, str(task.request.id))
        except Unavailable as error:
            raise task.retry(exc=error, countdown=_pause_s(task)) from error
        _go_on(app, source_id, result)
        if result.ending == "ended":
            app.send_task(INHERIT_TASK, args=[source_id])
        if result.ending == "ended" and wants_documents(worker(), source_id):
            app.send_task(DOCUMENTS_TASK, args=[source_id])


def _go_on(app: Celery, source_id: str, result: SliceResult) -> None:
    """Queues what follows; a crash before this leaves a lapsed run, which beat finds."""
    if result.ending == "continues":
        app.send_task(HARVEST_TASK, args=[source_id, result.run])
    elif result.missing_vectors:
        app.send_task(EMBED_TASK, args=[source_id])


def _add_embed(app: Celery, worker: Callable[[], Worker]) -> None:
    @app.task(name=EMBED_TASK, bind=True, max_retries=_RETRIES)
    def embed_records(task: Task[Any, Any], source_id: str) -> None:
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


def _pause_s(task: Task[Any, Any]) -> float:
    """Exponential with full jitter, at most five minutes: the one owner of retries over minutes.

    Seconds are owned by ``es_gateway.retry``; a dead worker's run by ``requeue_lapsed``.
    """
    return uniform(1.0, min(300.0, 10.0 * 2**task.request.retries))  # noqa: S311  # nosec B311: jitter, not a secret


def _settings(config: WorkerConfig) -> dict[str, Any]:
    return {
        "task_serializer": "json",
        "result_serializer": "json",
        "accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "worker_prefetch_multiplier": 1,
        "task_time_limit": config.task_limit_s,
        "task_queues": [KombuQueue(name) for name in QUEUES],
        "task_default_queue": "harvest",
        "task_create_missing_queues": False,
        "task_routes": {EMBED_TASK: {"queue": "embed"}, **{name: {"queue": "documents"} for name in _PATIENT}},
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": {
            "visibility_timeout": config.visibility_timeout_s,
            "global_keyprefix": f"{config.prefix}:",
        },
        "broker_connection_max_retries": None,  # a worker that gave up would have to be started by hand
        # What is in hand goes on without the broker: should its message be given again, the lease lets nobody in.
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "timezone": "UTC",
        **_beat(config),
    }


def _beat(config: WorkerConfig) -> dict[str, Any]:
    unless_late = {"options": {"expires": max(config.requeue_every_s, config.reread_every_s)}}  # no pile while busy
    rarely = {"options": {"expires": _DAY_S}}  # a busy hour must not cost a day or a week
    links = {"check-links": {"task": ALL_LINKS_TASK, "schedule": config.links_every_s, **rarely}}
    return {
        "beat_scheduler": "workers.patient_beat:PatientScheduler",
        "beat_max_loop_interval": 5,
        "redbeat_redis_url": config.broker_url,
        "redbeat_redis_options": {},
        "redbeat_key_prefix": f"{config.prefix}:redbeat:",
        "redbeat_lock_timeout": 30,
        "beat_schedule": {
            "requeue-lapsed": {"task": REQUEUE_TASK, "schedule": config.requeue_every_s, **unless_late},
            "tidy-library": {"task": TIDY_TASK, "schedule": 2 * config.requeue_every_s, **unless_late},
            "purge-removed": {"task": PURGE_TASK, "schedule": _DAY_S, **rarely},
            "reread-sources": {"task": REREAD_TASK, "schedule": config.reread_every_s, **unless_late},
            **(links if config.links_every_s else {}),
        },
    }
