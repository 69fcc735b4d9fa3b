"""A bounded cache in memory of drawn pictures, and of addresses without one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from cachetools import TLRUCache


@dataclass(frozen=True, slots=True)
class Drawn:
    """``picture`` None: the address has none, and ``problem`` says why."""

    picture: bytes | None
    problem: str = ""


class Kept:
    """The last used, at most ``most_bytes`` and ``most_entries``; safe to share between threads."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        good_s: float = 24 * 3600.0,
        bad_s: float = 600.0,
        most_bytes: int = 16 * 1024 * 1024,
        most_entries: int = 2000,
    ) -> None:
        """``clock`` in seconds; a picture is kept for ``good_s``, a failure for ``bad_s``."""
        least = most_bytes // most_entries  # what an entry counts at least, so that there are no more than these

        def until(_: str, drawn: Drawn, now: float) -> float:
            return now + (bad_s if drawn.picture is None else good_s)

        def size(drawn: Drawn) -> int:
            return max(len(drawn.picture or b""), least)

        self._size, self._lock = size, threading.Lock()
        self._entries: TLRUCache[str, Drawn] = TLRUCache(most_bytes, until, clock, size)

    def get(self, address: str) -> Drawn | None:
        """None if nothing is cached, or it has expired."""
        with self._lock:
            return self._entries.get(address)

    def put(self, address: str, drawn: Drawn) -> None:
        """A picture larger than all the room is not kept."""
        with self._lock:
            if self._size(drawn) <= self._entries.maxsize:
                self._entries[address] = drawn
