"""What every format's reader looks like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.errors import SondeError
from core.record import Record
from indexer.raw import RawRecord


class Refused(SondeError):
    """A document that gives no record; the message says what is wrong with it."""

    @property
    def reason(self) -> str:
        return str(self)


class Read(Protocol):
    """Turns one document into a Record of ``source``; what was repaired or left out stands in ``warnings``."""

    def __call__(self, raw: RawRecord, source: str) -> Record:
        """Raises Refused."""
        ...


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader and its version: a new version reads again what did not change."""

    version: int
    read: Read
