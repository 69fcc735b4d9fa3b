"""A passage beside its record on a page of hits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PassageFound:
    """The best passage of a record."""

    id: str
    text: str
    section_path: tuple[str, ...] = ()
    first_page: int | None = None
