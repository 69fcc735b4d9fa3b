"""The desk that the API's harvest views call: the queue, the schedules in Redis, sources.yaml, the quality report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from core.errors import Conflict, NotFound, SondeError, Unavailable
from es_gateway.client import Elasticsearch
from indexer.quality import measure
from indexer.quality_page import page
from search_api.harvests.desk import Clockwork, ConfiguredSource, Quality
from sonde.settings import Settings
from sonde.task_logs import name_tasks_in_logs
from sonde.worker_settings import worker_config
from workers.app import create_celery, start_harvest
from workers.lease import Leases
from workers.parts import WorkerParts
from workers.pausing import pause, paused_sources, resume
from workers.registry import known_sources
from workers.schedule import next_runs, sync_schedules
from workers.source_config import SourceConfig

_ANSWER_S = 5


class Desk:
    """One per API process; opens no connection before it is asked. Safe to share between threads."""

    def __init__(self, settings: Settings, client: Elasticsearch) -> None:
        self._settings = settings
        self._client = client

    def sources(self) -> tuple[ConfiguredSource, ...]:
        return tuple(_configured(one) for one in self._known().values())

    def clockwork(self) -> Clockwork:
        with _answering():
            return Clockwork(next_runs(self._app), paused_sources(self._app))

    def start(self, source: str) -> str:
        """Raises NotFound for a source that sources.yaml does not name, Conflict while it is being harvested."""
        self._named(source)
        with _answering():
            if self._leases.is_held(source):
                raise Conflict(f"{source} is being harvested now; wait until this run has ended.")
            return start_harvest(self._app, source)

    def pause(self, source: str) -> None:
        """Raises NotFound for a source that sources.yaml does not name."""
        self._named(source)
        self._hold(lambda: pause(self._app, source))

    def resume(self, source: str) -> None:
        """Raises NotFound for an unknown source, Conflict for one that sources.yaml itself pauses."""
        if self._named(source).paused:
            raise Conflict(f"{source} is paused in sources.yaml; take `paused: true` out there.")
        self._hold(lambda: resume(self._app, source))

    def quality(self, source: str) -> Quality:
        """Raises NotFound where there is no record of the source and the file does not name it either."""
        found = measure(self._client, self._settings.index.prefix, source)
        if not found.records and not found.refused and source not in self._known():
            raise NotFound(f"There is no source {source!r}.")
        return Quality(found.as_dict(), page(found))

    def _hold(self, change: Callable[[], None]) -> None:
        """The schedules follow at once; beat would bring them in line within a minute anyway."""
        with _answering():
            change()
            sync_schedules(self._app, self._known())

    def _known(self) -> dict[str, SourceConfig]:
        return known_sources(self._settings.harvest.sources)

    def _named(self, source: str) -> SourceConfig:
        known = self._known()
        if source not in known:
            raise NotFound(f"sources.yaml names no source {source!r}; it names: {', '.join(known) or 'none'}.")
        return known[source]

    @cached_property
    def _app(self) -> Celery:
        app = create_celery(worker_config(self._settings), _no_worker)
        limits = {"socket_timeout": _ANSWER_S, "socket_connect_timeout": _ANSWER_S}
        app.conf.redbeat_redis_options = {**app.conf.redbeat_redis_options, **limits}
        app.conf.broker_transport_options = {**app.conf.broker_transport_options, **limits}
        name_tasks_in_logs()  # the request that began a run stands in the worker's lines too
        app.conf.task_publish_retry = False  # a person waits: they try again themselves
        return app

    @cached_property
    def _leases(self) -> Leases:
        return Leases.connect(self._settings.broker_url, self._settings.index.prefix)


def _no_worker() -> WorkerParts:
    raise SondeError("The API runs no tasks.")


def _configured(source: SourceConfig) -> ConfiguredSource:
    schedule = source.schedule
    return ConfiguredSource(
        id=source.id,
        title=source.title or source.id,
        type=source.type,
        cron=schedule.cron if schedule else None,
        interval=schedule.interval if schedule else None,
        paused_by_file=source.paused,
    )


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except (redis.RedisError, OperationalError) as error:
        raise Unavailable(f"The broker does not answer ({type(error).__name__}). Try again when it does.") from error
