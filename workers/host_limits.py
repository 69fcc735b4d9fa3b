"""The limits of hosts that all workers share, in Redis: the time of the next request, the number of open requests, and
the sources that pause.

If Redis does not answer, these limits block no request. Each process still has its own (indexer/sources/politeness.py).
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import uuid4

import redis
import structlog
from redis.backoff import NoBackoff
from redis.retry import Retry

from core.deadlines import Breaker, BreakerPolicy, CircuitOpen

log = structlog.get_logger(__name__)

# Times are from Redis, in microseconds; a turn more than two hours ahead is left from before a clock was set back.
_LUA_NOW = "local t = redis.call('TIME') local now = t[1] * 1000000 + t[2] "
_FREE_AT = _LUA_NOW + (
    "local free = tonumber(redis.call('get', KEYS[1]) or '0') "
    "if free > now + 7200000000 then free = now end "
    "local mine = math.max(free, now) "
)
_LUA_SET = "redis.call('set', KEYS[1], string.format('%.0f', {0}), 'px', math.ceil(({0} - now) / 1000) + 60000) "
_TAKE = _FREE_AT + "local next = mine + ARGV[1] " + _LUA_SET.format("next") + "return mine - now"
_HOLD = _FREE_AT + "local till = math.max(mine, now + ARGV[1]) " + _LUA_SET.format("till") + "return 1"
_OPEN = _LUA_NOW + (
    "redis.call('zremrangebyscore', KEYS[1], '-inf', string.format('%.0f', now)) "
    "local open = redis.call('zcard', KEYS[1]) "
    "if not redis.call('zscore', KEYS[1], ARGV[1]) and open >= tonumber(ARGV[2]) then return 0 end "
    "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1]) "
    "redis.call('pexpire', KEYS[1], math.ceil(ARGV[3] / 1000) * 2) return 1"
)
_RENEW = _LUA_NOW + (
    "redis.call('pexpire', KEYS[1], math.ceil(ARGV[2] / 1000) * 2) "
    "return redis.call('zadd', KEYS[1], 'XX', 'CH', string.format('%.0f', now + ARGV[2]), ARGV[1])"
)
_LUA_PAUSE = "redis.call('set', KEYS[1], '1', 'px', ARGV[1]) return 1"
_LUA_PAUSE_LEFT = "return redis.call('pttl', KEYS[1])"
_ANSWER_S = 2.0
_POLL_S = (0.02, 0.1)


@dataclass(slots=True)
class RedisHostLimits:
    """Implements indexer.sources.politeness.SharedHostLimits; thread-safe.

    Open requests are renewed every ``heartbeat_s`` and expire ``lease_s`` after their process died. After a failed
    call, Redis is not asked again for ``rest_s``.
    """

    client: redis.Redis
    prefix: str
    lease_s: float = 15.0
    heartbeat_s: float = 5.0
    rest_s: float = 30.0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _open_requests: dict[str, str] = field(default_factory=dict)  # token to key
    _is_renewing: bool = False
    _breaker: Breaker = field(init=False)

    def __post_init__(self) -> None:
        self._breaker = Breaker("Redis", BreakerPolicy(failures=1, pause_s=self.rest_s))

    @classmethod
    def connect(cls, broker_url: str, prefix: str, rest_s: float = 30.0) -> RedisHostLimits:
        """Opens no connection yet."""
        one_retry = Retry(NoBackoff(), 1)  # a connection that Redis closed meanwhile
        client = redis.Redis.from_url(
            broker_url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S, retry=one_retry
        )
        return cls(client, prefix, rest_s=rest_s)

    def take(self, host: str, interval_s: float) -> float:
        """Seconds until the caller's turn. The next turn is ``interval_s`` later."""
        return (self._evaluate(_TAKE, self._key("turn", host), _microseconds(interval_s)) or 0) / 1e6

    def hold(self, host: str, seconds: float) -> None:
        """No turn for ``seconds``, because the host asked for a pause."""
        self._evaluate(_HOLD, self._key("turn", host), _microseconds(seconds))

    def pause(self, source: str, seconds: float) -> None:
        """No process asks the source for ``seconds``."""
        self._evaluate(_LUA_PAUSE, self._key("rest", source), max(1, round(1e3 * seconds)))

    def pause_left_s(self, source: str) -> float:
        """Seconds until the source may be asked again; 0 if it may be asked now."""
        return max(0, self._evaluate(_LUA_PAUSE_LEFT, self._key("rest", source)) or 0) / 1e3

    @contextmanager
    def slot(self, host: str, limit: int) -> Iterator[None]:
        """Holds one of ``limit`` open requests. Requests with different limits are counted separately.

        Otherwise a caller with a low limit could wait forever for callers with a higher one.
        """
        key, token = self._key(f"open:{limit}", host), uuid4().hex
        while self._evaluate(_OPEN, key, token, limit, _microseconds(self.lease_s)) == 0:
            time.sleep(random.uniform(*_POLL_S))  # noqa: S311  # nosec B311
        self._keep(token, key)
        try:
            yield
        finally:
            self._give_back(token, key)

    def _key(self, kind: str, host: str) -> str:
        return f"{self.prefix}:{kind}:{host}"

    def _evaluate(self, script: str, key: str, *values: str | int) -> int | None:
        """The script's answer; None if Redis does not answer now, or did not a moment ago."""
        try:
            with self._breaker.guarding(redis.RedisError):
                return int(self.client.eval(script, 1, key, *values))
        except CircuitOpen:
            return None
        except redis.RedisError as error:
            log.info("turns.kept_alone", reason=str(error), for_s=self.rest_s)
            return None

    def _keep(self, token: str, key: str) -> None:
        with self._lock:
            self._open_requests[token] = key
            if not self._is_renewing:
                self._is_renewing = True
                threading.Thread(target=self._beat, name="turns", daemon=True).start()

    def _give_back(self, token: str, key: str) -> None:
        with self._lock:
            self._open_requests.pop(token, None)
        self._evaluate("return redis.call('zrem', KEYS[1], ARGV[1])", key, token)

    def _beat(self) -> None:
        """Renews the open requests until there are none."""
        while True:
            time.sleep(self.heartbeat_s)
            with self._lock:
                open_requests = list(self._open_requests.items())
                self._is_renewing = bool(open_requests)
            if not open_requests:
                return
            for token, key in open_requests:
                self._evaluate(_RENEW, key, token, _microseconds(self.lease_s))


def _microseconds(seconds: float) -> int:
    return round(1e6 * seconds)
