"""If a reader raises, the question is answered without its part, and the answer reports this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import structlog
from prometheus_client import Counter

T = TypeVar("T")

Reader = Literal[
    "language",
    "identifier",
    "time",
    "place",
    "relation",
    "area",
    "scale",
    "kind",
    "names",
    "contacts",
    "acronyms",
    "terms",
    "topic",
]

_FAILED = Counter("sonde_reader_failures_total", "Questions of which a reader failed to read its part", ["reader"])
log = structlog.get_logger(__name__)


@dataclass(slots=True)
class GuardedReaders:
    """Calls the readers of one question; ``failed`` names those that raised, each once, in order."""

    failed: list[Reader] = field(default_factory=list)

    def mentions(self, reader: Reader, reading: Callable[[], list[T]], *, wanted: bool = True) -> list[T]:
        """The reader's mentions; empty if it raises or is not wanted."""
        nothing: list[T] = []
        return self.read(reader, reading, nothing) if wanted else nothing

    def read(self, reader: Reader, reading: Callable[[], T], otherwise: T) -> T:
        """The reader's result, or ``otherwise`` if it raises: a defect in one part must not refuse the question."""
        try:
            return reading()
        except Exception as error:  # noqa: BLE001 - readers are pure: nothing is half done where one stops
            log.error("understanding.reader_failed", reader=reader, error=type(error).__name__)
            _FAILED.labels(reader).inc()
            if reader not in self.failed:
                self.failed.append(reader)
            return otherwise
