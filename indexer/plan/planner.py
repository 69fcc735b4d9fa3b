"""Compares a batch of documents with the ledger: looks up stored entries, parses if necessary, and calls ``plan``.

Also chooses the id of a record whose identifier other documents of its source share (ADR 0018): documents with the same
content are one record. Documents that differ are all kept: the first keeps the id of the identifier; each other one
permanently takes an id with its edition, or else its native id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Literal

from core.record import Overlay, alternative_ids
from es_gateway.client import Elasticsearch
from es_mappings.codecs.ledger import LedgerEntry, entry_key
from indexer.formats.registry import with_recognition
from indexer.plan.parsed_record import Item, ParsedRecord, identify, overlaid, overlay_tag, overlays_of, parse, with_id
from indexer.plan.plan import (
    Content,
    Document,
    Owner,
    RunMoment,
    is_unchanged,
    plan,
    plan_refused,
    plan_skipped,
    plan_unread,
    with_access_groups,
)
from indexer.plan.readers import Readers
from indexer.raw import PassedOver, RawPage, RawRecord, RecordRefused, SkippedMember, skipped_id
from indexer.store.ledger import PUSHED, Ledger, SourceGroups, kept_document

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


_NO_BYTES = b""


@dataclass(frozen=True, slots=True)
class _ReadDocument:
    """A document, its ledger entry, and the result of reading: a digest, a refusal, or None if unread."""

    raw: RawRecord
    document: Document
    stored: LedgerEntry | None
    result: ParsedRecord | RecordRefused | None

    @property
    def parsed(self) -> ParsedRecord | None:
        return self.result if isinstance(self.result, ParsedRecord) else None


@dataclass(slots=True)
class Planner:
    """Remembers which document holds which record in this slice, because a search sees only refreshed data."""

    client: Elasticsearch
    prefix: str
    source: str
    readers: Readers
    _overlays: Mapping[str, Overlay] = field(default_factory=dict)
    _holder_of: dict[str, Owner] = field(default_factory=dict)
    _first_fill: bool = False
    _groups: SourceGroups | None = None
    still_restricted: list[str] = field(default_factory=list)
    """Origins of the last batch's documents that stay restricted although the configuration names no groups."""
    _hash_by_native_id: dict[bytes, bytes] = field(
        default_factory=dict
    )  # what this slice met: native id to content, hashed

    def begin(self) -> None:
        """Refreshes what earlier slices wrote. If the source has no entries yet, owners are not looked up."""
        self._ledger.refresh()
        self._first_fill = self._ledger.is_empty(self.source)

    def plan(self, batch: RawPage, moment: RunMoment) -> list[Item]:
        """One item per document, in order; then documents that the source reports as unchanged; skipped members come
        last, as refused, and members that are no records any more.
        """
        self.still_restricted.clear()
        self._overlays = overlays_of(self.client, self.prefix, self.source)
        records_and_repeats = [(raw, self._repeat_of(raw.native_id, raw.content)) for raw in batch.records]
        records = [raw for raw, repeat in records_and_repeats if repeat != "same"]
        conflicting = {id(raw) for raw, repeat in records_and_repeats if repeat == "other"}
        skips = [
            skipped_member
            for skipped_member in batch.skipped
            if self._repeat_of(skipped_id(skipped_member.origin), _NO_BYTES) is None
        ]
        natives = [raw.native_id for raw in records] + list(batch.unchanged)
        natives += [
            id
            for skipped_member in skips
            for id in (skipped_id(skipped_member.origin), skipped_member.native_id)
            if id is not None
        ]
        passed_by_id = {
            skipped_member.native_id: skipped_member
            for skipped_member in batch.passed_over
            if skipped_member.native_id not in {None, *natives}
        }
        natives += [id for id in passed_by_id if id is not None]
        stored_entries = self._ledger.entries([entry_key(self.source, native) for native in natives])
        overlaid = self._overlaid(batch.unchanged, stored_entries)
        reads = self._read([*records, *overlaid.values()], stored_entries)
        owners = self._owners_before(reads)
        items = [self._decide(read_document, owners, moment) for read_document in reads]
        unsent = [native for native in batch.unchanged if native not in overlaid]
        items += [item for native in unsent if (item := self._unsent(native, stored_entries, moment)) is not None]
        items = [replace(item, is_repeat=True) if id(item.raw) in conflicting else item for item in items]
        items += [self._skipped_item(skipped_member, stored_entries, moment) for skipped_member in skips]
        return items + [
            item
            for skipped_member in passed_by_id.values()
            if (item := self._keep_record_of_member(skipped_member, stored_entries, moment)) is not None
        ]

    def _repeat_of(self, native_id: str, content: bytes) -> Literal["same", "other"] | None:
        """Whether this slice already met this document: a listing that is walked again gives it once more."""
        key, now = _short_hash(native_id.encode(errors="surrogatepass")), _short_hash(content)
        earlier_hash = self._hash_by_native_id.get(key)
        self._hash_by_native_id[key] = now
        return None if earlier_hash is None else "same" if earlier_hash == now else "other"

    @property
    def _ledger(self) -> Ledger:
        return Ledger(self.client, self.prefix)

    def _overlaid(self, unsent: Sequence[str], stored_entries: Mapping[str, LedgerEntry]) -> dict[str, RawRecord]:
        """Of the documents that the source does not send again, those with an overlay, which may be newer than they."""
        documents: dict[str, RawRecord] = {}
        for native in unsent if self._overlays else ():
            entry = stored_entries.get(entry_key(self.source, native))
            if entry is not None and entry.state == "current" and entry.record in self._overlays:
                raw = kept_document(self.client, self.prefix, entry)
                documents |= {} if raw is None else {native: raw}
        return documents

    def _read(self, documents: Sequence[RawRecord], stored_entries: Mapping[str, LedgerEntry]) -> list[_ReadDocument]:
        identified = [self._identify(raw, stored_entries) for raw in documents]
        changed = [known.raw for known in identified if not is_unchanged(known.document, known.stored)]
        results = iter(self.readers.read(changed))
        return [
            known if is_unchanged(known.document, known.stored) else replace(known, result=next(results))
            for known in identified
        ]

    def _identify(self, raw: RawRecord, stored_entries: Mapping[str, LedgerEntry]) -> _ReadDocument:
        """The document, not read yet."""
        entry = stored_entries.get(entry_key(self.source, raw.native_id))
        has_no_groups = raw.access_groups is None
        raw = with_recognition(with_access_groups(raw, entry, self.source, self._groups_of_source))
        if has_no_groups and raw.access_groups:
            self.still_restricted.append(raw.origin)
        overlay = self._overlays.get(entry.record) if entry is not None and entry.record is not None else None
        document = identify(raw, self.source, self.readers.lists, overlay_tag(overlay))
        return _ReadDocument(raw, document, entry, None)

    def _groups_of_source(self) -> SourceGroups:
        if self._groups is None:
            self._groups = self._ledger.groups_of(self.source)
        return self._groups

    def _owners_before(self, reads: Sequence[_ReadDocument]) -> dict[str, LedgerEntry]:
        """The holders of these records before this slice; looked up only for documents that do not hold them
        themselves.
        """
        if self._first_fill:
            return {}
        unowned = [
            read_document.parsed.record.id
            for read_document in reads
            if read_document.parsed is not None
            and (read_document.stored is None or read_document.stored.record_in_index != read_document.parsed.record.id)
        ]
        return self._ledger.holders(self.source, [id for id in unowned if id not in self._holder_of])

    def _decide(self, read_document: _ReadDocument, owners: Mapping[str, LedgerEntry], moment: RunMoment) -> Item:
        match read_document.result, read_document.stored:
            case None, LedgerEntry() as stored_entry:
                item = Item(read_document.raw, stored_entry, plan_unread(stored_entry, moment))
            case ParsedRecord() as parsed_record, stored_entry:
                resolved_id = self._resolve_id(parsed_record, read_document, owners, moment)
                with_overlay = overlaid(resolved_id.parsed, self._overlays.get(resolved_id.parsed.record.id))
                decision = plan(read_document.document, with_overlay.content, stored_entry, resolved_id.owner, moment)
                item = Item(read_document.raw, stored_entry, decision, with_overlay)
            case refusal, stored_entry:
                item = Item(
                    read_document.raw,
                    stored_entry,
                    plan_refused(read_document.document, str(refusal), stored_entry, moment),
                )
        entry = item.decision.entry
        if entry.record_in_index is not None:
            self._holder_of[entry.record_in_index] = Owner(
                _owner_and_hash(entry), seen=True, read=item.parsed is not None
            )
        return item

    def _resolve_id(
        self,
        parsed_record: ParsedRecord,
        read_document: _ReadDocument,
        owners: Mapping[str, LedgerEntry],
        moment: RunMoment,
    ) -> ResolvedId:
        def owner(record: str) -> Owner | None:
            return self._owner(record, read_document, owners, moment)

        if moment.run == PUSHED:  # the address gives the record's id
            return ResolvedId(parsed_record, owner(parsed_record.record.id))
        return resolve_id(
            parsed_record, read_document.raw.native_id, read_document.stored, OtherDocuments(owner, self._read_again)
        )

    def _read_again(self, entry: LedgerEntry) -> Content | None:
        raw = kept_document(self.client, self.prefix, entry)
        try:
            if raw is None:
                return None
            return with_id(parse(raw, self.source, self.readers.lists), entry.record or entry.key).content
        except RecordRefused:
            return None

    def _owner(
        self, record: str, read_document: _ReadDocument, owners: Mapping[str, LedgerEntry], moment: RunMoment
    ) -> Owner | None:
        """The other document that holds this record, if any."""
        key = entry_key(self.source, read_document.raw.native_id)
        holder = self._holder_of.get(record)
        if holder is not None:
            return holder if holder.entry.key != key else None
        earlier_entry = owners.get(record) or self._find_owner(record, read_document)
        if earlier_entry is None or earlier_entry.key == key:
            return None
        return Owner(earlier_entry, seen=earlier_entry.last_seen_run == moment.run)

    def _find_owner(self, record: str, read_document: _ReadDocument) -> LedgerEntry | None:
        """The holder, before this slice, of a record that is not the one of the document's own identifier."""
        is_own_id = read_document.parsed is not None and read_document.parsed.record.id == record
        if (
            self._first_fill
            or is_own_id
            or (read_document.stored is not None and read_document.stored.record_in_index == record)
        ):
            return None
        return self._ledger.holders(self.source, [record]).get(record)

    def _unsent(self, native_id: str, stored_entries: Mapping[str, LedgerEntry], moment: RunMoment) -> Item | None:
        """None if another document took its record during this run; the next run handles it."""
        entry = stored_entries.get(entry_key(self.source, native_id))
        if entry is None or entry.state not in ("current", "refused"):
            return None
        return Item(RawRecord(native_id, _NO_BYTES, entry.origin), entry, plan_unread(entry, moment))

    def _skipped_item(
        self, skipped_member: SkippedMember, stored_entries: Mapping[str, LedgerEntry], moment: RunMoment
    ) -> Item:
        earlier_entry = stored_entries.get(entry_key(self.source, skipped_id(skipped_member.origin)))
        own_entry = (
            stored_entries.get(entry_key(self.source, skipped_member.native_id))
            if skipped_member.native_id is not None
            else None
        )
        decision = plan_skipped(self.source, skipped_member, own_entry, earlier_entry, moment)
        raw = RawRecord(decision.entry.native_id, _NO_BYTES, skipped_member.origin)
        if decision.entry.record_in_index is not None:
            self._holder_of[decision.entry.record_in_index] = Owner(_owner_and_hash(decision.entry), seen=True)
            return Item(raw, own_entry, decision)
        return Item(raw, earlier_entry, decision)

    def _keep_record_of_member(
        self, passed_over: PassedOver, stored_entries: Mapping[str, LedgerEntry], moment: RunMoment
    ) -> Item | None:
        """A member that is no record now, although it holds one: that one stays, unless another document gives it."""
        own_entry = stored_entries.get(entry_key(self.source, passed_over.native_id or ""))
        if own_entry is None or own_entry.record_in_index is None:
            return None
        holder = self._holder_of.get(own_entry.record_in_index)
        if holder is not None and holder.entry.key != own_entry.key:
            return None
        decision = plan_skipped(
            self.source, SkippedMember(own_entry.origin, passed_over.reason), own_entry, None, moment
        )
        self._holder_of[own_entry.record_in_index] = Owner(_owner_and_hash(decision.entry), seen=False)
        return Item(RawRecord(own_entry.native_id, _NO_BYTES, own_entry.origin), own_entry, decision)


def _short_hash(content: bytes) -> bytes:
    return blake2b(content, digest_size=12).digest()


def _owner_and_hash(entry: LedgerEntry) -> LedgerEntry:
    """What must stay in memory for 100,000 documents: the owner and hash, not the content."""
    return replace(entry, raw_hash="", text_hash=None)
