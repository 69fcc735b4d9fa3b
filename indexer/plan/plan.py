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
from indexer.raw import RawRecord, Skipped, skipped_id
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
    ``keep_bytes``: the native bytes are new. ``entry`` is the ledger's next state of the document, ``displaced`` that
    of the document that held the record until now.
    """

    outcome: Outcome
    entry: LedgerEntry
    write: bool = False
    vector: VectorNeed = "none"
    keep_bytes: bool = False
    displaced: LedgerEntry | None = None


def unchanged(document: Document, stored: LedgerEntry | None) -> bool:
    """Whether the same reader already read or refused the same bytes, so that parsing can be skipped."""
    return stored is not None and stored.state in ("current", "refused") and stored.raw_hash == document.raw_hash


def plan_unread(stored: LedgerEntry, moment: RunMoment) -> Decision:
    """The document is unchanged: same, or refused again for the same reason."""
    if stored.state != "current":
        return Decision("refused", stored.seen(moment.run, moment.now))
    reason = stored.reason if stored.claims is not None else None
    return Decision("same", replace(stored, reason=reason).seen(moment.run, moment.now))


def plan_refused(document: Document, reason: str, stored: LedgerEntry | None, moment: RunMoment) -> Decision:
    """The document cannot be read; the last good version, if there is one, stays in service."""
    if stored is not None and stored.held:
        before, container = stored, None
    else:
        first, container = _first(document, moment), document.container
        before = replace(first, first_seen=_since(stored, moment))
    entry = replace(before, state="refused", reason=reason, origin=document.origin, raw_hash=document.raw_hash)
    return Decision("refused", replace(entry, container=container).seen(moment.run, moment.now))


def plan_skipped(
    source: str, skipped: Skipped, own: LedgerEntry | None, stored: LedgerEntry | None, moment: RunMoment
) -> Decision:
    """A member that the source could not give. ``own`` is the entry of the document it was before, if that is known;
    its record stays in service. ``stored`` is the entry of the same failure in an earlier run.
    """
    if own is not None and own.held is not None:
        entry = replace(own, state="refused", reason=skipped.reason, origin=skipped.origin, raw_hash="")
        entry = replace(entry, container=skipped.container)
    else:
        entry = LedgerEntry(source, skipped_id(skipped.origin), "skipped", skipped.origin, reason=skipped.reason)
        entry = replace(entry, first_seen=_since(stored, moment), container=skipped.container)
    return Decision("refused", entry.seen(moment.run, moment.now))


def _since(stored: LedgerEntry | None, moment: RunMoment) -> str | None:
    """When this entry began, if it never ended; a removed one begins anew."""
    return stored.first_seen if stored is not None and stored.state in ("refused", "skipped") else moment.now


def plan(
    document: Document, content: Content, stored: LedgerEntry | None, owner: Owner | None, moment: RunMoment
) -> Decision:
    """For a parsed document: new, changed, moved, same, or a duplicate.

    ``owner`` is None if no other document holds the record. An owner that this run has seen keeps it, and this document
    becomes its duplicate; an owner that it has not seen (yet) loses it, and the record has moved.
    """
    entry = _current(document, content, moment)
    if owner is not None and owner.seen:
        return Decision("duplicate", _duplicate(entry, owner.entry))
    before = owner.entry if owner is not None else stored
    if before is None or before.held != content.record:
        return Decision("new", replace(entry, embedding_model=None), write=True, vector="embed", keep_bytes=True)
    entry = replace(entry, first_seen=before.first_seen, embedding_model=before.embedding_model)
    changed = before.record_hash != content.record_hash
    vector = _vector(content, before, moment) if changed else "none"
    if owner is not None:
        given_up = replace(owner.entry, state="moved", reason=f"now {document.origin}")
        return Decision("moved", entry, write=changed, vector=vector, keep_bytes=True, displaced=given_up)
    return Decision("changed" if changed else "same", entry, write=changed, vector=vector, keep_bytes=True)


def not_committed(decision: Decision, stored: LedgerEntry | None, moment: RunMoment) -> LedgerEntry | None:
    """The entry of a document that Elasticsearch refused: seen, so not swept; without hash, so tried again."""
    if stored is None or stored.state == "removed":
        return None
    return replace(stored, raw_hash="", origin=decision.entry.origin).seen(moment.run, moment.now)


def _vector(content: Content, before: LedgerEntry, moment: RunMoment) -> VectorNeed:
    stands = before.text_hash == content.text_hash and before.embedding_model == moment.model
    return "keep" if stands else "embed"


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
    raw: RawRecord, stored: LedgerEntry | None, source: str, of_source: Callable[[], SourceGroups]
) -> RawRecord:
    """The document with its groups; unchanged if the configuration names them.

    Raises Conflict for a document without stored groups in a source whose restricted documents share no group.
    """
    if raw.access_groups is not None:
        return raw
    if stored is not None and stored.access_groups:
        return replace(raw, access_groups=tuple(stored.access_groups))
    known = of_source()
    if known.any and not known.shared:
        raise Conflict(
            f"sources.yaml does not say who may see {source}, and its records are restricted to different groups. "
            f"Name the groups in the entry of {source} (access: {{restricted_to: [...]}}), or write "
            "access: {public: true}."
        )
    return replace(raw, access_groups=known.shared)
