"""Requests of the API to the workers: queue jobs, pause and resume schedules."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from celery import Celery
from kombu.exceptions import OperationalError

from workers.broker import broker_errors
from workers.celery_client import celery_client
from workers.config import HARVEST_TASK, READ_TASK, REMOVE_TASK, WorkerConfig
from workers.schedule import next_runs, pause, paused_sources, resume, sync_schedules
from workers.source_config import SourceConfig, known_sources, remove_entry

_ANSWER_S = 5


class Jobs:
    """Opens no connection before the first call. Methods raise Unavailable if the broker does not answer."""

    def __init__(self, config: WorkerConfig) -> None:
        self._sources = config.sources
        self._app = _failing_fast(celery_client(config))

    def known_sources(self) -> Mapping[str, SourceConfig]:
        """The sources of sources.yaml, in its order. Raises SondeError for an invalid file."""
        return known_sources(self._sources)

    def harvest(self, source: str) -> str:
        """Queues a harvest; returns the id of its future run, unless one is already queued."""
        with broker_errors(OperationalError):
            return start_harvest(self._app, source)

    def read_document(self, document: str) -> None:
        with broker_errors(OperationalError):
            self._app.send_task(READ_TASK, args=[document])

    def remove(self, source: str) -> None:
        """Takes the source's entry out of sources.yaml, and queues the removal of everything stored of it.

        Raises Conflict if the file cannot be written here.
        """
        if source in self.known_sources():
            remove_entry(self._sources, source)
        self.resume(source)  # a later source of this name is not paused
        with broker_errors(OperationalError):
            self._app.send_task(REMOVE_TASK, args=[source])

    def next_runs(self) -> Mapping[str, str]:
        with broker_errors(OperationalError):
            return next_runs(self._app)

    def paused(self) -> frozenset[str]:
        with broker_errors(OperationalError):
            return paused_sources(self._app)

    def pause(self, source: str) -> None:
        self._change(lambda: pause(self._app, source))

    def resume(self, source: str) -> None:
        self._change(lambda: resume(self._app, source))

    def _change(self, change: Callable[[], None]) -> None:
        """Updates the schedules at once; beat would do it within a minute anyway."""
        with broker_errors(OperationalError):
            change()
            sync_schedules(self._app, self.known_sources())


def start_harvest(app: Celery, source: str) -> str:
    """Queues a harvest; returns the id of its future run, unless one is already queued."""
    return str(app.send_task(HARVEST_TASK, args=[source, None]).id)


def _failing_fast(app: Celery) -> Celery:
    """A person waits for the answer: a broker that is down is reported within seconds, without retries."""
    limits = {"socket_timeout": _ANSWER_S, "socket_connect_timeout": _ANSWER_S}
    app.conf.redbeat_redis_options = {**app.conf.redbeat_redis_options, **limits}
    app.conf.broker_transport_options = {**app.conf.broker_transport_options, **limits}
    app.conf.task_publish_retry = False
    return app
