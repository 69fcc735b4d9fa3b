"""Chooses the id of a record whose identifier other documents of its source share (ADR 0018).

Documents with the same content are one record. Documents that differ are all kept: the first keeps the id of the
identifier; each other one permanently takes an id with its edition, or else its native id.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.record import alternative_ids
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


def resolve_id(
    parsed_record: ParsedRecord, native_id: str, stored_entry: LedgerEntry | None, other_documents: OtherDocuments
) -> ResolvedId:
    """The id that the document had before, else the first one that is free or whose holder has the same content."""
    own_id, edition = parsed_record.record.id, parsed_record.record.edition
    kept_id = stored_entry.record if stored_entry is not None and stored_entry.state in _KEEPS_ITS_ID else None
    first = other_documents.owner(own_id)
    if kept_id is not None and kept_id in alternative_ids(own_id, edition, native_id):
        resolved_id = _if_free(parsed_record, kept_id, first, other_documents)
        if resolved_id is not None:
            return resolved_id
    if first is None or _is_same(
        parsed_record.content, first := _read_again(parsed_record.content, first, other_documents)
    ):
        return ResolvedId(parsed_record, first)
    if edition == first.entry.edition:
        edition = None  # it does not distinguish the documents
    ids = alternative_ids(own_id, edition, native_id)
    resolved_ids = (_if_free(parsed_record, id, first, other_documents) for id in ids)
    return next(
        (candidate for candidate in resolved_ids if candidate is not None),
        ResolvedId(_with_reason(parsed_record, ids[-1], first), None),
    )


def _if_free(
    parsed_record: ParsedRecord, id: str, first: Owner | None, other_documents: OtherDocuments
) -> ResolvedId | None:
    """The place under this id; None if another document with other content has it."""
    renamed_record, owner = _with_reason(parsed_record, id, first), other_documents.owner(id)
    if owner is None or _is_same(
        renamed_record.content, owner := _read_again(renamed_record.content, owner, other_documents)
    ):
        return ResolvedId(renamed_record, owner)
    return None


def _is_same(content: Content, owner: Owner) -> bool:
    """Whether the two are one record. The catalogue's own document replaces a pushed one."""
    return owner.entry.record_hash == content.record_hash or owner.entry.last_seen_run == PUSHED


def _read_again(content: Content, owner: Owner, other_documents: OtherDocuments) -> Owner:
    """The owner with its document read by the current readers, if that can make a difference."""
    if owner.read or _is_same(content, owner):
        return owner
    entry_again = other_documents.read_again(owner.entry)
    if entry_again is None:
        return owner
    return replace(owner, entry=replace(owner.entry, record_hash=entry_again.record_hash, edition=entry_again.edition))


def _with_reason(parsed_record: ParsedRecord, id: str, first: Owner | None) -> ParsedRecord:
    renamed_record = with_id(parsed_record, id)
    return replace(renamed_record, content=replace(renamed_record.content, conflict=_reason(parsed_record, id, first)))


def _reason(parsed_record: ParsedRecord, id: str, first: Owner | None) -> str:
    other_origin = "another document that is gone" if first is None else repr(first.entry.origin)
    own_edition, first_edition = parsed_record.record.edition, None if first is None else first.entry.edition
    difference = (
        "the content differs"
        if own_edition == first_edition
        else f"edition {_edition_text(own_edition)}, the other {_edition_text(first_edition)}"
    )
    shared_note = f"{parsed_record.record.identifier!r} is also the identifier of {other_origin}"
    return f"{shared_note}; both are kept, this one as {id!r} ({difference})"


def _edition_text(edition: str | None) -> str:
    return "not given" if edition is None else repr(edition)
