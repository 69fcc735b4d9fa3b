"""Counts of rate limits in Redis with one round trip for each request, where limits' own storage takes three."""

from __future__ import annotations

import time
from typing import Any

from flask import g
from limits.storage import RedisStorage

_MARK = "counted+"
_COUNT = b"""
local count = redis.call("incrby", KEYS[1], ARGV[2])
if count == tonumber(ARGV[2]) then
    redis.call("expire", KEYS[1], ARGV[1])
end
return {count, redis.call("ttl", KEYS[1])}
"""


class CountedStorage(RedisStorage):
    """Counting a request also tells count and end of its window, so that its answer's headers need no further call.

    Inside a request of Flask only.
    """

    STORAGE_SCHEME = [_MARK + scheme for scheme in ("redis", "rediss", "redis+unix")]

    def __init__(self, uri: str, **options: Any) -> None:
        super().__init__(uri.removeprefix(_MARK), **options)

    def initialize_storage(self, _uri: str) -> None:
        super().initialize_storage(_uri)
        self._count = self.get_connection().register_script(_COUNT)

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        count, left_s = self._count([self.prefixed_key(key)], [expiry, amount])
        _counted()[key] = int(count), time.time() + max(int(left_s), 0)
        return int(count)

    def get(self, key: str) -> int:
        known = _counted().get(key)
        return super().get(key) if known is None else known[0]

    def get_expiry(self, key: str) -> float:
        known = _counted().get(key)
        return super().get_expiry(key) if known is None else known[1]


def counted(address: str) -> str:
    """The address that makes limits use this storage; of another kind of storage its own."""
    return _MARK + address if address.startswith("redis") else address


def _counted() -> dict[str, tuple[int, float]]:
    """Count and end of each window that this request was counted in."""
    if "counted" not in g:
        g.counted = {}
    found: dict[str, tuple[int, float]] = g.counted
    return found
