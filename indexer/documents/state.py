"""One document in the index of documents: what it is, how far it came, and why not farther."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Literal

State = Literal["queued", "parsing", "embedding", "ready", "failed"]
PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """``reason`` and ``message`` say why it failed. ``hash`` is of its bytes; ``recipe`` of how they were read, so that
    a document is read anew when that changes. ``tables`` holds captions and CSV."""

    id: str
    owner: str
    origin: str
    name: str
    state: State
    record: str | None = None
    source: str | None = None
    media_type: str | None = None
    hash: str | None = None
    bytes: int | None = None
    reason: str | None = None
    message: str | None = None
    attempts: int = 0
    title: str | None = None
    authors: tuple[str, ...] = ()
    affiliations: tuple[str, ...] = ()
    doi: str | None = None
    journal: str | None = None
    published: str | None = None
    front_source: Mapping[str, str] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    pages: int | None = None
    ocr_pages: int | None = None
    blank_pages: int | None = None
    passages: int | None = None
    tables: tuple[Mapping[str, Any], ...] = ()
    cut: int | None = None
    model: str | None = None
    recipe: str | None = None
    created: str | None = None
    updated: str | None = None
    took_ms: Mapping[str, float] = field(default_factory=dict)

    def as_document(self) -> dict[str, Any]:
        """For Elasticsearch, without the id and without what is empty."""
        values = asdict(self)
        values.pop("id")
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v not in (None, (), {})}

    @classmethod
    def of(cls, id: str, source: Mapping[str, Any]) -> DocumentEntry:
        """What ``as_document`` wrote."""
        known = {one.name for one in fields(cls)}
        values: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in source.items() if name in known
        }
        return cls(id=id, **values)


def now_iso() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
