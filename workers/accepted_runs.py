"""Runs that somebody asked for and no worker has stored yet: kept in the broker, so that each can be looked up.

A worker may be busy or away, or Elasticsearch may accept no writes: the run then has no document of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, get_args

import redis

from core.errors import Unavailable

_KEPT_S = 7 * 86_400
_BROKER_S = 5.0

AcceptedState = Literal["queued", "failed", "merged"]


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

    def accept(self, run: str, source: str, now: str) -> None:
        with _answering():
            self.broker.hset(self._key(run), mapping={"source": source, "accepted": now, "state": "queued"})
            self.broker.expire(self._key(run), _KEPT_S)

    def tell(self, run: str, message: str, state: AcceptedState) -> None:
        """What a worker met that could not store the run; does nothing for a run that nobody asked for."""
        with _answering():
            if self.broker.exists(self._key(run)):
                self.broker.hset(self._key(run), mapping={"message": message, "state": state})

    def find(self, run: str) -> AcceptedRun | None:
        with _answering():
            found = {_text(name): _text(value) for name, value in self.broker.hgetall(self._key(run)).items()}
        if not found:
            return None
        states: tuple[AcceptedState, ...] = get_args(AcceptedState)
        state = next((known for known in states if known == found.get("state")), states[0])
        return AcceptedRun(run, found["source"], found["accepted"], state, found.get("message", ""))

    def _key(self, run: str) -> str:
        return f"{self.prefix}:accepted:{run}"


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        raise Unavailable(f"The broker does not answer ({type(error).__name__}).") from error
