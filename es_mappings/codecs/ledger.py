"""The ledger's entry for one document of a source and the document's original bytes, to their stored forms and back."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Literal

from core.json_types import Json, JsonMapping
from core.record import record_id

_FACTS = ("source", "format", "media_type", "origin", "hash")
_LEVEL = 3  # half the time of the default level for a fifth more bytes, on the NCAR archive


class NativeUnreadable(ValueError):
    """The stored bytes are damaged."""


@dataclass(frozen=True, slots=True)
class Native:
    """A document as its catalogue published it. ``hash``: of ``content``; ``origin``: its file or address."""

    content: bytes
    format: str = ""
    source: str | None = None
    media_type: str | None = None
    origin: str | None = None
    hash: str | None = None


def native_to_document(native: Native) -> Json:
    """Empty fields are left out."""
    facts = {name: value for name in _FACTS if (value := getattr(native, name)) is not None}
    return {**facts, "content_zlib": base64.b64encode(zlib.compress(native.content, _LEVEL)).decode("ascii")}


def native_from_document(source: JsonMapping, *, most_bytes: int = 0) -> Native:
    """The document that ``to_document`` wrote, at most ``most_bytes`` of it (0: all). Raises NativeUnreadable."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(base64.b64decode(source["content_zlib"]), most_bytes)
    except (zlib.error, binascii.Error, KeyError) as error:
        raise NativeUnreadable(f"The original metadata cannot be read ({type(error).__name__}).") from error
    return Native(content, **{name: source[name] for name in _FACTS if name in source})


EntryState = Literal["current", "refused", "skipped", "duplicate", "moved", "removed"]
STATES_IN_INDEX: tuple[EntryState, ...] = ("current", "refused")
"""States whose ``record``, if any, is in the records index."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One native document of one source, as the last harvest found it.

    A ``refused`` entry keeps the record and hashes of the last valid version, which stays in the index; its
    ``raw_hash`` is the hash of the invalid bytes. ``embedding_model`` is None if the record has no vector yet.
    """

    source: str
    native_id: str
    state: EntryState
    origin: str
    raw_hash: str = ""
    record: str | None = None
    record_hash: str | None = None
    text_hash: str | None = None
    embedding_model: str | None = None
    reason: str | None = None
    warnings: int = 0
    first_seen: str | None = None  # ISO 8601, UTC
    last_seen: str | None = None
    last_seen_run: str | None = None
    removed_at: str | None = None
    edition: str | None = None
    claims: str | None = None  # the id that its identifier gives, if another document of the source has this id
    container: str | None = None  # for an unreadable part without an id: the document that contains it
    access_groups: Sequence[str] | None = None  # groups that may see the record, also after its removal; None: all

    @property
    def key(self) -> str:
        return entry_key(self.source, self.native_id)

    @property
    def record_in_index(self) -> str | None:
        """The id of the record that this entry holds in the index, if any."""
        return self.record if self.state in STATES_IN_INDEX else None

    def with_last_seen(self, run: str, now: str) -> LedgerEntry:
        return replace(self, last_seen=now, last_seen_run=run)


def entry_key(source: str, native_id: str) -> str:
    return record_id(source, native_id)


def to_document(entry: LedgerEntry) -> Json:
    """Without unknown fields."""
    return {name: value for name, value in asdict(entry).items() if value is not None}


def from_document(source: JsonMapping) -> LedgerEntry:
    """The entry that ``to_document`` wrote; unknown members are ignored."""
    return LedgerEntry(**{name: value for name, value in source.items() if name in _FIELD_NAMES})


_FIELD_NAMES = frozenset(field.name for field in fields(LedgerEntry))
