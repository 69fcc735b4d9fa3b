"""Chooses the id of a record whose identifier other documents of its source share (ADR 0018).

Documents with the same content are one record. Documents that differ are all kept: the first keeps the id of the
identifier; each other one permanently takes an id with its edition, or else its native id.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.record import ids_apart
from es_mappings.codecs.ledger import LedgerEntry
from indexer.plan.parsed_record import ParsedRecord, with_id
from indexer.plan.plan import Content, Owner
from indexer.store.ledger import PUSHED

_KEEPS_ITS_ID = ("current", "refused", "removed")


@dataclass(frozen=True, slots=True)
class ResolvedId:
    """The record under its id, and the other document with the same record, if there is one."""

    parsed: ParsedRecord
    owner: Owner | None


@dataclass(frozen=True, slots=True)
class OtherDocuments:
    """Looks up the other documents of the source.

    ``owner``: the other document that holds a record. ``read_again``: the content of a holder's stored document, read
    by the current readers; None if it is no longer stored.
    """

    owner: Callable[[str], Owner | None]
    read_again: Callable[[LedgerEntry], Content | None]


def resolve_id(parsed: ParsedRecord, native_id: str, stored: LedgerEntry | None, others: OtherDocuments) -> ResolvedId:
    """The id that the document had before, else the first one that is free or whose holder has the same content."""
    stated, edition = parsed.record.id, parsed.record.edition
    kept = stored.record if stored is not None and stored.state in _KEEPS_ITS_ID else None
    first = others.owner(stated)
    if kept is not None and kept in ids_apart(stated, edition, native_id):
        resolved = _if_free(parsed, kept, first, others)
        if resolved is not None:
            return resolved
    if first is None or _same(parsed.content, first := _read(parsed.content, first, others)):
        return ResolvedId(parsed, first)
    if edition == first.entry.edition:
        edition = None  # it does not distinguish the documents
    ids = ids_apart(stated, edition, native_id)
    resolved_ids = (_if_free(parsed, id, first, others) for id in ids)
    return next(
        (each for each in resolved_ids if each is not None), ResolvedId(_with_reason(parsed, ids[-1], first), None)
    )


def _if_free(parsed: ParsedRecord, id: str, first: Owner | None, others: OtherDocuments) -> ResolvedId | None:
    """The place under this id; None if another document with other content has it."""
    named, owner = _with_reason(parsed, id, first), others.owner(id)
    if owner is None or _same(named.content, owner := _read(named.content, owner, others)):
        return ResolvedId(named, owner)
    return None


def _same(content: Content, owner: Owner) -> bool:
    """Whether the two are one record. The catalogue's own document replaces a pushed one."""
    return owner.entry.record_hash == content.record_hash or owner.entry.last_seen_run == PUSHED


def _read(content: Content, owner: Owner, others: OtherDocuments) -> Owner:
    """The owner with its document read by the current readers, if that can make a difference."""
    if owner.read or _same(content, owner):
        return owner
    entry_read = others.read_again(owner.entry)
    if entry_read is None:
        return owner
    return replace(owner, entry=replace(owner.entry, record_hash=entry_read.record_hash, edition=entry_read.edition))


def _with_reason(parsed: ParsedRecord, id: str, first: Owner | None) -> ParsedRecord:
    named = with_id(parsed, id)
    return replace(named, content=replace(named.content, conflict=_reason(parsed, id, first)))


def _reason(parsed: ParsedRecord, id: str, first: Owner | None) -> str:
    other = "another document that is gone" if first is None else repr(first.entry.origin)
    own, its = parsed.record.edition, None if first is None else first.entry.edition
    difference = (
        "the content differs" if own == its else f"edition {_edition_text(own)}, the other {_edition_text(its)}"
    )
    same = f"{parsed.record.identifier!r} is also the identifier of {other}"
    return f"{same}; both are kept, this one as {id!r} ({difference})"


def _edition_text(edition: str | None) -> str:
    return "not given" if edition is None else repr(edition)
