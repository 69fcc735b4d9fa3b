"""One document: what it is, whose, how far it came, and why not farther; and where its file lies. No I/O."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, Protocol

from core.json_types import JsonMapping

State = Literal["waiting", "queued", "parsing", "embedding", "ready", "failed", "deleted"]
"""``waiting``: known by its reference, without a file. ``deleted``: marked, what is left of it is being taken away."""

Follow = Literal["none", "pdf", "landing"]
"""Which links of a record are followed to documents: to PDFs, or to landing pages too."""

PUBLIC = "public"
"""The owner of what everybody may read; no caller may bear this name."""

UNREAD: tuple[State, ...] = ("queued", "parsing", "embedding")
"""States of a document on its way: a worker has it, or will."""


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """``reason`` and ``message`` say why it failed. ``hash`` is of its bytes; ``recipe`` of how they were read, so that
    a document is read anew when that changes; ``version`` is of the Sonde that read it. ``attempts`` counts how often
    that version began to read these bytes. ``done`` of ``total``: pages read while it is ``parsing``, passages embedded
    while it is ``embedding``. ``coverage`` is the share of its words that were kept (0..1), ``warnings`` name pages
    where it was low. ``tables`` holds captions and CSV. ``origin`` is where it came from: a path, an address to fetch
    it from, or ``upload:`` and ``import:`` with a name of its own."""

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
    tables: tuple[JsonMapping, ...] = ()
    cut: int | None = None
    model: str | None = None
    recipe: str | None = None
    version: str | None = None
    done: int | None = None
    total: int | None = None
    coverage: float | None = None
    warnings: tuple[str, ...] = ()
    created: str | None = None
    updated: str | None = None
    took_ms: Mapping[str, float] = field(default_factory=dict)


def now_iso() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def document_id(owner: str, record: str | None, content_hash: str) -> str:
    """The same bytes for the same owner and record are the same document. ``content_hash``: SHA-256 in hex."""
    return hashlib.sha256("\n".join((owner, record or "", content_hash)).encode()).hexdigest()[:32]


def owner_routing(owner: str) -> str:
    """Where a user's passages are put among the shards; Elasticsearch reads a comma in a routing as two of them."""
    return hashlib.sha256(owner.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class FileKey:
    """Names one uploaded file: its owner's folder and its document."""

    owner: str
    document: str


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that is there. ``folder`` is ``owner_routing`` of its owner; ``age_s`` since it was written."""

    folder: str
    document: str
    age_s: float


class FileStore(Protocol):
    """Where uploaded files lie. What is written is there whole or not at all, also after a power cut."""

    def put(self, key: FileKey, data: Iterable[bytes]) -> None:
        """Replaces what was there. Raises core.errors.Unavailable where it cannot be kept."""
        ...

    def get(self, key: FileKey) -> bytes | None:
        """None where there is no such file."""
        ...

    def delete(self, key: FileKey) -> None:
        """To delete what is not there does no harm."""
        ...

    def files(self) -> Iterator[StoredFile]:
        """All of them, and what was left half-written."""
        ...

    def discard(self, found: StoredFile) -> None:
        """Deletes one that ``files`` named."""
        ...
