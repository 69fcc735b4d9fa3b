"""A part of a document that is retrieved and cited alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.extent import BBox
from core.timespan import TimeSpan

PassageKind = Literal["text", "table", "caption"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Text of at most min(512, the embedder's limit) tokens. ``owner`` is ``public`` or a user."""

    id: str
    document: str
    ordinal: int
    text: str
    record: str | None = None
    owner: str = "public"
    kind: PassageKind = "text"
    section_path: tuple[str, ...] = ()
    section_role: str | None = None
    first_page: int | None = None
    last_page: int | None = None


@dataclass(frozen=True, slots=True)
class WhereWhen:
    """Places and times in the passage itself, and its language: distinct, in text order."""

    places: tuple[str, ...] = ()
    boxes: tuple[BBox, ...] = ()
    spans: tuple[TimeSpan, ...] = ()
    language: str | None = None
