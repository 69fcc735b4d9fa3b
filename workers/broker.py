"""What the broker stores besides tasks: ages of queues, signs of life of workers and beat, accepted runs."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, get_args

import redis

from core.errors import Unavailable
from workers.config import QUEUES, Queue

_EVERY_S = 20.0
_EXPIRES_S = 65
_EARLIEST_S = 1e9  # a worker of an older version writes 1 as its sign of life
_BROKER_S = 5.0
_RETENTION_S = 7 * 86_400

HEADER = "sonde_queued"
"""Each message carries this header: when its task was queued, in seconds since 1970 by the sender's clock."""

LATE_S = 1800.0
"""A task that waits longer has no worker, or one that is held up; the chart's alert SondeTasksWait says the same."""
AcceptedState = Literal["queued", "failed", "merged"]


@contextmanager
def broker_errors(*more_errors: type[Exception]) -> Iterator[None]:
    """Raises Unavailable if the broker does not answer; ``more_errors``: further errors that mean the same."""
    errors: tuple[type[Exception], ...] = (redis.RedisError, *more_errors)
    try:
        yield
    except errors as error:
        raise Unavailable(f"The broker does not answer ({type(error).__name__}). Try again when it does.") from error


@dataclass(frozen=True, slots=True)
class QueueAge:
    """``age_s``: since the oldest waiting task was queued; 0 without one, None if its message does not say."""

    queue: Queue
    waiting: int
    age_s: float | None


def queue_ages(broker: redis.Redis, prefix: str) -> list[QueueAge]:
    """Every queue of this installation. Raises redis.RedisError if the broker does not answer."""
    return [_age(broker, f"{prefix}:{queue}", queue) for queue in QUEUES]


def _age(broker: redis.Redis, name: str, queue: Queue) -> QueueAge:
    waiting_count, oldest_message = (
        int(broker.llen(name)),
        broker.lindex(name, -1),
    )  # pushed on the left, taken from the right
    now = time.time()
    since = now if oldest_message is None else queued_at(oldest_message)
    return QueueAge(queue, waiting_count, None if since is None else max(0.0, now - since))


def queued_at(message: str | bytes) -> float | None:
    """When a message of the broker's list was queued; None if unknown."""
    try:
        queued_s = json.loads(message)["headers"][HEADER]
    except (ValueError, KeyError, TypeError):
        return None
    return float(queued_s) if isinstance(queued_s, int | float) else None


def publish_heartbeats(broker_url: str, prefix: str, queues: Sequence[str]) -> None:
    """From now on this process leaves a sign for each of its queues; the signs lapse a minute after its end."""
    broker = redis.Redis.from_url(broker_url, socket_timeout=_BROKER_S, socket_connect_timeout=_BROKER_S)
    threading.Thread(target=_renew_heartbeats, args=(broker, prefix, queues), name="sonde-signs", daemon=True).start()


def queues_without_worker(broker: redis.Redis, prefix: str) -> list[str]:
    """Queues for which no worker has left a sign. Raises redis.RedisError."""
    return [queue for queue in QUEUES if not broker.exists(_heartbeat_key(prefix, queue))]


def broker_clocks(broker: redis.Redis, prefix: str) -> dict[str, float]:
    """Seconds since 1970 by the broker's clock, and by that of the last worker of each queue. Raises redis.RedisError.

    A sign of life holds its worker's time; how long ago that was, the broker says by what is left until it lapses.
    """
    with broker.pipeline(transaction=False) as asked:
        asked.time()
        for queue in QUEUES:
            asked.get(_heartbeat_key(prefix, queue))
            asked.pttl(_heartbeat_key(prefix, queue))
        (seconds, micros), *signs = asked.execute()
    times = {"the broker": seconds + micros / 1e6}
    for queue, written, left_ms in zip(QUEUES, signs[::2], signs[1::2], strict=True):
        if written is not None and float(written) > _EARLIEST_S:
            times[f"the worker of {queue}"] = float(written) + _EXPIRES_S - left_ms / 1000
    return times


def beat_ticks(broker: redis.Redis, prefix: str) -> bool:
    """RedBeat renews its lock at each tick and lets it lapse after 30 s without one. Raises redis.RedisError."""
    return bool(broker.exists(f"{prefix}:redbeat::lock"))


def _renew_heartbeats(broker: redis.Redis, prefix: str, queues: Sequence[str]) -> None:
    pause = threading.Event()
    while True:
        try:
            for queue in queues:
                broker.set(_heartbeat_key(prefix, queue), time.time(), ex=_EXPIRES_S)
        except redis.RedisError:
            pass  # everybody else notices a broker that is down
        pause.wait(_EVERY_S)


def _heartbeat_key(prefix: str, queue: str) -> str:
    return f"{prefix}:worker:{queue}"


@dataclass(frozen=True, slots=True)
class AcceptedRun:
    """``message``: why it has not begun, if a worker tried. ``failed``: no worker tries again. ``merged``: its source
    had an unfinished run already.
    """

    id: str
    source: str
    accepted: str  # ISO 8601, UTC
    state: AcceptedState = "queued"
    message: str = ""


@dataclass(frozen=True, slots=True)
class AcceptedRuns:
    """Those of one prefix, for a week. Methods raise core.errors.Unavailable if the broker does not answer."""

    broker: redis.Redis
    prefix: str

    @classmethod
    def connect(cls, broker_url: str, prefix: str) -> AcceptedRuns:
        """Opens no connection yet."""
        return cls(redis.Redis.from_url(broker_url, socket_timeout=_BROKER_S, socket_connect_timeout=_BROKER_S), prefix)

    def accept(self, run_id: str, source: str, accepted_at: str) -> None:
        with broker_errors():
            self.broker.hset(self._key(run_id), mapping={"source": source, "accepted": accepted_at, "state": "queued"})
            self.broker.expire(self._key(run_id), _RETENTION_S)

    def report_problem(self, run_id: str, message: str, state: AcceptedState) -> None:
        """Stores why a worker could not store the run; ignores a run that was not accepted."""
        with broker_errors():
            if self.broker.exists(self._key(run_id)):
                self.broker.hset(self._key(run_id), mapping={"message": message, "state": state})

    def find(self, run_id: str) -> AcceptedRun | None:
        with broker_errors():
            fields = {_text(name): _text(value) for name, value in self.broker.hgetall(self._key(run_id)).items()}
        if not fields:
            return None
        states: tuple[AcceptedState, ...] = get_args(AcceptedState)
        state = next((known_state for known_state in states if known_state == fields.get("state")), states[0])
        return AcceptedRun(run_id, fields["source"], fields["accepted"], state, fields.get("message", ""))

    def _key(self, run_id: str) -> str:
        return f"{self.prefix}:accepted:{run_id}"


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
