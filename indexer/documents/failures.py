"""The named reasons why a document could not be read, so that a person can act on them."""

from __future__ import annotations

from typing import Literal

from core.errors import SondeError

Reason = Literal[
    "encrypted",
    "damaged",
    "empty",
    "no_text",
    "too_large",
    "too_many_pages",
    "unsupported",
    "out_of_time",
    "out_of_memory",
    "crashed",
    "interrupted",
    "unreachable",
    "not_stored",
    "file_lost",
    "record_gone",
    "over_quota",
]
MAY_PASS: frozenset[Reason] = frozenset(
    ("out_of_time", "out_of_memory", "crashed", "interrupted", "unreachable", "not_stored")
)
"""Reasons that can pass, so a retry can help; the others are permanent properties of the document."""


class DocumentRefused(SondeError):
    """The document is not read; ``reason`` is for machines, the message for people."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason
