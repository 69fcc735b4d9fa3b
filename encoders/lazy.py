"""A part that is made on first use, once, however many threads ask."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """``get`` makes it on first call. A failure is raised to who asked and tried again by the next."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[T] = []

    def get(self) -> T:
        """The part; raises what making it raises (ModelMissing for models)."""
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]

    def preload(self) -> None:
        """Makes it now, so that the first question does not wait."""
        self.get()

    @property
    def loaded(self) -> bool:
        return bool(self._made)
