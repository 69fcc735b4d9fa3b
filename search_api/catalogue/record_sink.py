"""The port for pushed records; its implementation uses the indexer, which this package does not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from core.record import Record

Check = Callable[[str], None]
"""Called with the record's full id before it is written, under the lock; an exception stops the write."""


def unchecked(record: str) -> None:
    """Writes without a condition."""


class RecordSink(Protocol):
    """Writes single documents to a source and deletes them. ``id``: a full record id, or the name within the source.

    Both raise core.errors.Conflict if the source or the record is being written by another process, Unavailable, and
    the errors of ``check``.
    """

    def put(
        self, source: str, id: str, content: bytes, media_type: str | None, check: Check = unchecked
    ) -> tuple[str, bool]:
        """The record's full id, and whether it is new; searchable when this returns.

        Raises InvalidInput (parameter ``body``) if the body is not one record of a known format.
        """
        ...

    def delete(self, source: str, id: str, check: Check = unchecked) -> None:
        """Raises NotFound."""
        ...

    def read(self, source: str, content: bytes, media_type: str | None) -> Record:
        """What the document describes, without writing it; ``identifier`` is empty if it names none.

        Raises InvalidInput (parameter ``body``).
        """
        ...

    def holds(self, source: str, id: str) -> bool:
        """Whether the record exists, even if the caller may not see it."""
        ...
