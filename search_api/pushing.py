"""What the views of pushed records call; who implements it knows the indexer, which this room does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Check = Callable[[str], None]
"""Told the record's whole id before it is written, while nobody else can; what it raises ends the writing."""


def unchecked(record: str) -> None:
    """For who writes whatever was there."""


class RecordSink(Protocol):
    """Takes single documents into a source and out of it. ``id``: a whole record id, or the name within the source.

    Both raise core.errors.Conflict while the source or the record is being written by somebody else, Unavailable, and
    what ``check`` raises.
    """

    def put(
        self, source: str, id: str, content: bytes, media_type: str | None, check: Check = unchecked
    ) -> tuple[str, bool]:
        """The record's whole id, and whether it is new; in service when this returns.

        Raises InvalidInput (parameter ``body``) for what is not one record of a known format.
        """
        ...

    def delete(self, source: str, id: str, check: Check = unchecked) -> None:
        """Raises NotFound."""
        ...
