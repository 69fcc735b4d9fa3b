"""Decides what to do with one document; pure. ``indexer.write.commit`` carries it out.

Three hashes save work: of the bytes with the reader's version (same: not parsed), of the record (same: not written),
of the embedded text (same, by the same model: not embedded, the vector stays).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from core.errors import Conflict
from es_mappings.codecs.ledger import LedgerEntry
from indexer.raw import RawRecord, SkippedMember, skipped_id
from indexer.store.ledger import SourceGroups

Outcome = Literal["new", "changed", "moved", "same", "refused", "duplicate"]
VectorNeed = Literal["embed", "keep", "none"]


@dataclass(frozen=True, slots=True)
class RunMoment:
    """The current run, its clock, and the model of the index's vectors."""

    run: str
    now: str  # ISO 8601, UTC
    model: str


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of a document before parsing. ``raw_hash`` includes the reader's version."""

    source: str
    native_id: str
    origin: str
    raw_hash: str
    container: str | None = None  # if the document has no name of its own: the document that holds it


@dataclass(frozen=True, slots=True)
class Content:
    """The result of parsing: the record's id and hashes, its number of warnings, and its access groups.

    ``wanted_id``: the id of the document's identifier, if another document has it; ``conflict`` names that document.
    """

    record: str
    record_hash: str
    text_hash: str
    warnings: int = 0
    access_groups: tuple[str, ...] = ()
    edition: str | None = None
    wanted_id: str | None = None
    conflict: str | None = None


@dataclass(frozen=True, slots=True)
class Owner:
    """Another document with the same record, and whether this run has already seen it.

    ``read``: this run read it, so its hash is from the current readers.
    """

    entry: LedgerEntry
    seen: bool
    read: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """An outcome and its consequences.

    ``write``: the record is written to the index; ``vector`` says whether it is embedded or keeps its vector.
    ``keep_bytes``: the native bytes are new. ``entry`` is the ledger's next state of the document,
    ``displaced_entry`` that of the document that held the record until now.
    """

    outcome: Outcome
    entry: LedgerEntry
    write: bool = False
    vector: VectorNeed = "none"
    keep_bytes: bool = False
    displaced_entry: LedgerEntry | None = None


def is_unchanged(document: Document, stored_entry: LedgerEntry | None) -> bool:
    """Whether the same reader already read or refused the same bytes, so that parsing can be skipped."""
    return (
        stored_entry is not None
        and stored_entry.state in ("current", "refused")
        and stored_entry.raw_hash == document.raw_hash
    )


def plan_unread(stored_entry: LedgerEntry, moment: RunMoment) -> Decision:
    """The document is unchanged: same, or refused again for the same reason."""
    if stored_entry.state != "current":
        return Decision("refused", stored_entry.with_last_seen(moment.run, moment.now))
    reason = stored_entry.reason if stored_entry.claims is not None else None
    return Decision("same", replace(stored_entry, reason=reason).with_last_seen(moment.run, moment.now))


def plan_refused(document: Document, reason: str, stored_entry: LedgerEntry | None, moment: RunMoment) -> Decision:
    """The document cannot be read; the last good version, if there is one, stays in service."""
    if stored_entry is not None and stored_entry.record_in_index:
        kept_entry, container = stored_entry, None
    else:
        first, container = _first(document, moment), document.container
        kept_entry = replace(first, first_seen=_since(stored_entry, moment))
    entry = replace(kept_entry, state="refused", reason=reason, origin=document.origin, raw_hash=document.raw_hash)
    return Decision("refused", replace(entry, container=container).with_last_seen(moment.run, moment.now))


def plan_skipped(
    source: str,
    skipped_member: SkippedMember,
    own_entry: LedgerEntry | None,
    stored_entry: LedgerEntry | None,
    moment: RunMoment,
) -> Decision:
    """A member that the source could not give.

    ``own_entry`` is the entry of the document that it was before, if that is known; its record stays in service.
    ``stored_entry`` is the entry of the same failure in an earlier run.
    """
    if own_entry is not None and own_entry.record_in_index is not None:
        entry = replace(
            own_entry, state="refused", reason=skipped_member.reason, origin=skipped_member.origin, raw_hash=""
        )
        entry = replace(entry, container=skipped_member.container)
    else:
        entry = LedgerEntry(
            source, skipped_id(skipped_member.origin), "skipped", skipped_member.origin, reason=skipped_member.reason
        )
        entry = replace(entry, first_seen=_since(stored_entry, moment), container=skipped_member.container)
    return Decision("refused", entry.with_last_seen(moment.run, moment.now))


def _since(stored_entry: LedgerEntry | None, moment: RunMoment) -> str | None:
    """When this entry began, if it never ended; a removed entry begins again."""
    return (
        stored_entry.first_seen
        if stored_entry is not None and stored_entry.state in ("refused", "skipped")
        else moment.now
    )


def plan(
    document: Document, content: Content, earlier_entry: LedgerEntry | None, owner: Owner | None, moment: RunMoment
) -> Decision:
    """For a parsed document: new, changed, moved, same, or a duplicate.

    ``owner`` is None if no other document holds the record. An owner that this run has seen keeps it, and this document
    becomes its duplicate; an owner that it has not seen (yet) loses it, and the record has moved.
    """
    entry = _current(document, content, moment)
    if owner is not None and owner.seen:
        return Decision("duplicate", _duplicate(entry, owner.entry))
    last_entry = owner.entry if owner is not None else earlier_entry
    if last_entry is None or last_entry.record_in_index != content.record:
        return Decision("new", replace(entry, embedding_model=None), write=True, vector="embed", keep_bytes=True)
    entry = replace(entry, first_seen=last_entry.first_seen, embedding_model=last_entry.embedding_model)
    is_changed = last_entry.record_hash != content.record_hash
    vector = _vector(content, last_entry, moment) if is_changed else "none"
    if owner is not None:
        released_entry = replace(owner.entry, state="moved", reason=f"now {document.origin}")
        return Decision(
            "moved", entry, write=is_changed, vector=vector, keep_bytes=True, displaced_entry=released_entry
        )
    return Decision("changed" if is_changed else "same", entry, write=is_changed, vector=vector, keep_bytes=True)


def uncommitted_entry(
    entry: LedgerEntry, stored_entry: LedgerEntry | None, reason: str, moment: RunMoment
) -> LedgerEntry:
    """The entry of a document that Elasticsearch refused: seen, so not swept; without hash, so tried again."""
    if stored_entry is None or stored_entry.state == "removed":
        first_seen = _since(stored_entry, moment)
        kept_entry = LedgerEntry(entry.source, entry.native_id, "refused", "", reason=reason, first_seen=first_seen)
    else:
        kept_entry = stored_entry
    return replace(kept_entry, raw_hash="", origin=entry.origin).with_last_seen(moment.run, moment.now)


def _vector(content: Content, earlier_entry: LedgerEntry, moment: RunMoment) -> VectorNeed:
    is_same_vector = earlier_entry.text_hash == content.text_hash and earlier_entry.embedding_model == moment.model
    return "keep" if is_same_vector else "embed"


def _first(document: Document, moment: RunMoment) -> LedgerEntry:
    return LedgerEntry(
        source=document.source,
        native_id=document.native_id,
        state="current",
        origin=document.origin,
        raw_hash=document.raw_hash,
        first_seen=moment.now,
        last_seen=moment.now,
        last_seen_run=moment.run,
    )


def _current(document: Document, content: Content, moment: RunMoment) -> LedgerEntry:
    return replace(
        _first(document, moment),
        record=content.record,
        record_hash=content.record_hash,
        text_hash=content.text_hash,
        warnings=content.warnings,
        access_groups=list(content.access_groups) or None,
        edition=content.edition,
        claims=content.wanted_id,
        reason=content.conflict,
    )


def _duplicate(entry: LedgerEntry, owner: LedgerEntry) -> LedgerEntry:
    return replace(entry, state="duplicate", reason=f"says the same as {owner.origin!r}, and is indexed once")


STAYS_RESTRICTED = (
    "access: sources.yaml does not say who may see it, so it stays restricted; write access: {public: true} to open it"
)


def with_access_groups(
    raw: RawRecord, stored_entry: LedgerEntry | None, source: str, of_source: Callable[[], SourceGroups]
) -> RawRecord:
    """The document with its groups; unchanged if the configuration names them.

    Raises Conflict for a document without stored groups in a source whose restricted documents share no group.
    """
    if raw.access_groups is not None:
        return raw
    if stored_entry is not None and stored_entry.access_groups:
        return replace(raw, access_groups=tuple(stored_entry.access_groups))
    source_groups = of_source()
    if source_groups.any and not source_groups.shared:
        raise Conflict(
            f"sources.yaml does not say who may see {source}, and its records are restricted to different groups. "
            f"Name the groups in the entry of {source} (access: {{restricted_to: [...]}}), or write "
            "access: {public: true}."
        )
    return replace(raw, access_groups=source_groups.shared)
