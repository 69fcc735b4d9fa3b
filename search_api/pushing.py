"""What the views of pushed records call; who implements it knows the indexer, which this room does not."""

from __future__ import annotations

from typing import Protocol


class RecordSink(Protocol):
    """Takes single documents into a source and out of it. ``id``: a whole record id, or the name within the source.

    Both raise core.errors.Conflict while the source or the record is being written by somebody else, and Unavailable.
    """

    def put(self, source: str, id: str, content: bytes, media_type: str | None) -> tuple[str, bool]:
        """The record's whole id, and whether it is new; in service when this returns.

        Raises InvalidInput (parameter ``body``) for what is not one record of a known format.
        """
        ...

    def delete(self, source: str, id: str) -> None:
        """Raises NotFound."""
        ...
