"""Fixed windows of requests, counted in Redis with one round trip a request, or in this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import redis
import structlog
from cachetools import TLRUCache
from redis.backoff import NoBackoff
from redis.retry import Retry

from core.breaker import Breaker, BreakerPolicy, CircuitOpen
from core.json_types import Json

log = structlog.get_logger(__name__)

_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_MOST_KEPT = 100_000
_PAUSE_S = 5.0
_COUNT = """
local found = {}
for place, key in ipairs(KEYS) do
    local count = redis.call("incrby", key, ARGV[1])
    if count == tonumber(ARGV[1]) then
        redis.call("expire", key, ARGV[1 + place])
    end
    found[2 * place - 1], found[2 * place] = count, redis.call("ttl", key)
end
return found
"""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most ``amount`` requests in a window of ``unit``."""

    amount: int
    unit: str

    @classmethod
    def of(cls, text: str) -> Rate:
        """Of ``1200/minute``."""
        amount, _, unit = text.partition("/")
        return cls(int(amount), unit)

    @property
    def window_s(self) -> int:
        return _SECONDS[self.unit]

    def __str__(self) -> str:
        return f"{self.amount} per 1 {self.unit}"


@dataclass(frozen=True, slots=True)
class Counted:
    """The state of one window after a request was counted; ``left_s``: seconds to its end."""

    rate: Rate
    count: int
    left_s: float

    @property
    def remaining(self) -> int:
        return max(0, self.rate.amount - self.count)

    @property
    def is_over(self) -> bool:
        return self.count > self.rate.amount


class Windows(Protocol):
    """Counts a request of some cost under each key, in the window of its rate."""

    def count(self, keys: Mapping[str, Rate], cost: int) -> Sequence[Counted]: ...


class OwnWindows:
    """Windows of this process, the ``_MOST_KEPT`` most recently used."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: TLRUCache[str, tuple[float, list[int]]] = TLRUCache(
            _MOST_KEPT, lambda _key, window, _now: window[0], timer=clock
        )

    def count(self, keys: Mapping[str, Rate], cost: int) -> Sequence[Counted]:
        with self._lock:
            return [self._counted(key, rate, cost) for key, rate in keys.items()]

    def _counted(self, key: str, rate: Rate, cost: int) -> Counted:
        window = self._kept.get(key)
        if window is None:
            self._kept[key] = window = (self._clock() + rate.window_s, [0])
        window[1][0] += cost
        return Counted(rate, window[1][0], window[0] - self._clock())


class SharedWindows:
    """Windows in Redis, so that all processes count together; while it is down, each process counts alone."""

    def __init__(self, address: str, prefix: str, options: Mapping[str, str | int]) -> None:
        given: Json = {**options, "retry": Retry(NoBackoff(), 1)}  # a connection that was closed while idle
        self._count = redis.Redis.from_url(address, **given).register_script(_COUNT)
        self._prefix = prefix
        self._own = OwnWindows()
        self._breaker = Breaker("The broker", BreakerPolicy(failures=1, pause_s=_PAUSE_S))

    def count(self, keys: Mapping[str, Rate], cost: int) -> Sequence[Counted]:
        try:
            with self._breaker.guarding(redis.RedisError):
                told = self._count(
                    [f"{self._prefix}:{key}" for key in keys], [cost, *(rate.window_s for rate in keys.values())]
                )
        except CircuitOpen:
            return self._own.count(keys, cost)
        except redis.RedisError as error:
            log.warning("limits.counted_alone", reason=type(error).__name__)
            return self._own.count(keys, cost)
        pairs = zip(told[::2], told[1::2], strict=True)
        return [Counted(rate, int(n), max(0, int(left))) for rate, (n, left) in zip(keys.values(), pairs, strict=True)]
