"""What the API asks of the workers: jobs in the queue, and schedules that are paused and resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from core.errors import Unavailable
from workers.celery_client import celery_client
from workers.config import WorkerConfig
from workers.pausing import pause, paused_sources, resume
from workers.registry import known_sources
from workers.schedule import next_runs, sync_schedules
from workers.source_config import SourceConfig
from workers.task_names import HARVEST_TASK, READ_TASK

_ANSWER_S = 5


class Jobs:
    """Opens no connection before the first call. Methods raise Unavailable where the broker does not answer."""

    def __init__(self, config: WorkerConfig) -> None:
        self._sources = config.sources
        self._app = _impatient(celery_client(config))

    def known_sources(self) -> Mapping[str, SourceConfig]:
        """The sources of sources.yaml, in its order. Raises SondeError for a file that is wrong."""
        return known_sources(self._sources)

    def harvest(self, source: str) -> str:
        """Queues a harvest; returns the id that its run will have, unless one is already on its way."""
        with _answering():
            return start_harvest(self._app, source)

    def read_document(self, document: str) -> None:
        with _answering():
            self._app.send_task(READ_TASK, args=[document])

    def next_runs(self) -> Mapping[str, str]:
        with _answering():
            return next_runs(self._app)

    def paused(self) -> frozenset[str]:
        with _answering():
            return paused_sources(self._app)

    def pause(self, source: str) -> None:
        self._change(lambda: pause(self._app, source))

    def resume(self, source: str) -> None:
        self._change(lambda: resume(self._app, source))

    def _change(self, change: Callable[[], None]) -> None:
        """The schedules follow at once; beat would bring them in line within a minute anyway."""
        with _answering():
            change()
            sync_schedules(self._app, self.known_sources())


def start_harvest(app: Celery, source: str) -> str:
    """Queues a harvest; returns the id that its run will have, unless one is already on its way."""
    return str(app.send_task(HARVEST_TASK, args=[source, None]).id)


def _impatient(app: Celery) -> Celery:
    """A person waits for the answer: a broker that is down is reported within seconds, and nothing is tried again."""
    limits = {"socket_timeout": _ANSWER_S, "socket_connect_timeout": _ANSWER_S}
    app.conf.redbeat_redis_options = {**app.conf.redbeat_redis_options, **limits}
    app.conf.broker_transport_options = {**app.conf.broker_transport_options, **limits}
    app.conf.task_publish_retry = False
    return app


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except (redis.RedisError, OperationalError) as error:
        raise Unavailable(f"The broker does not answer ({type(error).__name__}). Try again when it does.") from error
