"""The error for a document that gives no record."""

from __future__ import annotations

from core.errors import SondeError


class RecordRefused(SondeError):
    """The document gives no record; the message says what is wrong with it."""

    @property
    def reason(self) -> str:
        return str(self)
