"""The configured Celery client without tasks: enough to queue them by name. Importing this opens no connection.

It also limits the memory of a worker: a task that asks for too much fails, and what it left behind ends with it.
"""

from __future__ import annotations

import resource
import sys
import time

from celery import Celery
from celery.schedules import crontab
from celery.signals import before_task_publish, worker_process_init
from kombu import Queue as KombuQueue

from core.json_types import Json
from workers.broker import HEADER
from workers.config import (
    ALL_LINKS_TASK,
    EMBED_TASK,
    MATCH_TASK,
    MEASURE_TASK,
    OF_DOCUMENTS_QUEUE,
    OF_LIBRARY_QUEUE,
    PURGE_TASK,
    QUEUES,
    REPAIR_LIBRARY_TASK,
    REQUEUE_TASK,
    REREAD_TASK,
    SEND_TASK,
    WorkerConfig,
)

_KEPT_SHARE = 0.75
_DAY_S = 86_400.0
_SEND_EVERY_S = 60.0


def kept_memory_kib(most_bytes: int) -> int:
    """What a process may keep after a task before Celery replaces it, in the unit that Celery takes."""
    return int(_KEPT_SHARE * most_bytes) // 1024


def limit_memory(most_bytes: int) -> None:
    """Limits the data of each pool process from its start; what does not fit is a MemoryError, not a dead machine.

    Linux alone counts all memory of a process here; models that are mapped from files do not count.
    """

    def limit(**_signal: object) -> None:
        _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit_bytes = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, hard))

    if sys.platform == "linux":
        worker_process_init.connect(limit, weak=False, dispatch_uid="sonde-memory")


def celery_client(config: WorkerConfig) -> Celery:
    """Each queued task carries the time at which it was queued."""
    app = Celery("sonde", broker=config.broker_url)
    app.conf.update(_settings(config))
    before_task_publish.connect(_stamp, weak=False, dispatch_uid="sonde-queued")
    return app


def _stamp(headers: Json | None = None, **_: object) -> None:
    if headers is not None:
        headers[HEADER] = time.time()


def _settings(config: WorkerConfig) -> Json:
    return {
        "task_serializer": "json",
        "result_serializer": "json",
        "accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "worker_prefetch_multiplier": 1,
        "task_time_limit": config.task_limit_s,
        **(
            {} if config.memory_bytes is None else {"worker_max_memory_per_child": kept_memory_kib(config.memory_bytes)}
        ),
        "task_queues": [KombuQueue(name) for name in QUEUES],
        "task_default_queue": "harvest",
        "task_create_missing_queues": False,
        "task_routes": {
            EMBED_TASK: {"queue": "embed"},
            **{name: {"queue": "documents"} for name in OF_DOCUMENTS_QUEUE},
            **{name: {"queue": "library"} for name in OF_LIBRARY_QUEUE},
        },
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": {
            "visibility_timeout": config.visibility_timeout_s,
            "global_keyprefix": f"{config.prefix}:",
        },
        "broker_connection_max_retries": None,  # a worker that gave up would have to be started by hand
        # A running task continues without the broker: if its message is delivered again, the lease blocks the second.
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "timezone": "UTC",
        **_beat(config),
    }


def _beat(config: WorkerConfig) -> Json:
    interval_expiry = {"options": {"expires": max(config.requeue_every_s, config.reread_every_s)}}  # no duplicates
    day_expiry = {"options": {"expires": _DAY_S}}  # a busy hour must not skip a daily or weekly run
    links = {"check-links": {"task": ALL_LINKS_TASK, "schedule": config.links_every_s, **day_expiry}}
    return {
        "beat_scheduler": "workers.schedule:RetryingScheduler",
        "beat_max_loop_interval": 5,
        "redbeat_redis_url": config.broker_url,
        "redbeat_redis_options": {},
        "redbeat_key_prefix": f"{config.prefix}:redbeat:",
        "redbeat_lock_timeout": 30,
        "beat_schedule": {
            "requeue-lapsed": {"task": REQUEUE_TASK, "schedule": config.requeue_every_s, **interval_expiry},
            "tidy-library": {"task": REPAIR_LIBRARY_TASK, "schedule": 2 * config.requeue_every_s, **interval_expiry},
            "purge-removed": {"task": PURGE_TASK, "schedule": _DAY_S, **day_expiry},
            "reread-sources": {"task": REREAD_TASK, "schedule": config.reread_every_s, **interval_expiry},
            **(links if config.links_every_s else {}),
            **_nightly_entries(config),
        },
    }


def _nightly_entries(config: WorkerConfig) -> Json:
    """Matching and sending of saved searches, and the measuring of answers, if the settings want them."""
    entries: Json = {}
    day_expiry = {"options": {"expires": _DAY_S}}
    if config.alerts_hour is not None:
        at_hour = crontab(minute="0", hour=str(config.alerts_hour))
        entries["match-saved-searches"] = {"task": MATCH_TASK, "schedule": at_hour, **day_expiry}
        entries["send-alerts"] = {"task": SEND_TASK, "schedule": _SEND_EVERY_S, "options": {"expires": _SEND_EVERY_S}}
    if config.measure_hour is not None:
        at_hour = crontab(minute="0", hour=str(config.measure_hour))
        entries["measure-answers"] = {"task": MEASURE_TASK, "schedule": at_hour, **day_expiry}
    return entries
