"""A bounded cache in memory of drawn pictures, and of addresses without one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Drawn:
    """``picture`` None: the address has none, and ``problem`` says why."""

    picture: bytes | None
    problem: str = ""


class Kept:
    """The most recently used entries, at most ``most_bytes`` and ``most_entries``; thread-safe."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        good_s: float = 24 * 3600.0,
        bad_s: float = 600.0,
        most_bytes: int = 16 * 1024 * 1024,
        most_entries: int = 2000,
    ) -> None:
        """``clock`` in seconds; a picture is cached for ``good_s``, a failure for ``bad_s``."""
        self._clock = clock
        self._life_s = {True: good_s, False: bad_s}
        self._most_bytes, self._most_entries = most_bytes, most_entries
        self._entries: OrderedDict[str, tuple[float, Drawn]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, address: str) -> Drawn | None:
        """None if nothing is cached, or it has expired."""
        with self._lock:
            found = self._entries.get(address)
            if found is None:
                return None
            if found[0] <= self._clock():
                self._drop(address)
                return None
            self._entries.move_to_end(address)
            return found[1]

    def put(self, address: str, drawn: Drawn) -> None:
        with self._lock:
            self._drop(address)
            self._entries[address] = (self._clock() + self._life_s[drawn.picture is not None], drawn)
            self._bytes += _size(drawn)
            while self._bytes > self._most_bytes or len(self._entries) > self._most_entries:
                self._drop(next(iter(self._entries)))

    def _drop(self, address: str) -> None:
        gone = self._entries.pop(address, None)
        if gone is not None:
            self._bytes -= _size(gone[1])


def _size(drawn: Drawn) -> int:
    return len(drawn.picture or b"")
