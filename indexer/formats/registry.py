"""Separates the records of a document, and reads each with the format that recognises it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.record import Record
from indexer.formats.format import Format
from indexer.formats.recognition import FORMATS, describe_unknown, recognise
from indexer.formats.splitting.json_members import RecordPart, SplitDocument, UnreadableMember
from indexer.formats.splitting.split import split
from indexer.formats.stated_fields import stated_in
from indexer.raw import PassedOver, PlainText, RawRecord, RecordRefused, SkippedMember


def with_recognition(raw: RawRecord) -> RawRecord:
    """The document with its ``recognition``, which ``reader_tag`` and ``read`` then use."""
    return raw if raw.recognition is not None else replace(raw, recognition=recognise(raw.content))


def reader_tag(raw: RawRecord) -> str:
    """``format/version`` of the reader for this document, ``none/0`` where there is none.

    Together with the hash of the bytes it shows whether a document was read before, without reading it again.
    """
    name = (raw.recognition or recognise(raw.content)).format
    return "none/0" if name is None else f"{name}/{FORMATS[name].version}"


def read(raw: RawRecord, source: str) -> Record:
    """The Record of a document in any known format; also of an envelope (csw, OAI, a graph) with one record in it.

    Raises RecordRefused with the reason: an unknown format, the reader's reason, or several records, which the source
    must separate with ``separate``.
    """
    format, record = _format_and_record(raw)
    return format.read(record, source)


def stated_fields(raw: RawRecord) -> frozenset[str] | None:
    """Those of ``indexer.formats.stated_fields.FIELDS`` that a document states by the paths of its format.

    None if its format names no paths. Raises RecordRefused as ``read``.
    """
    format, record = _format_and_record(raw)
    return None if format.resource is None else stated_in(format.name, format.resource(record))


def _format_and_record(raw: RawRecord) -> tuple[Format, RawRecord]:
    """The format of the document, and the document or the only record in its envelope."""
    recognition = raw.recognition or recognise(raw.content)
    record = raw if recognition.format is not None else _only_record(raw)
    recognition = record.recognition or recognise(record.content)
    if recognition.format is None:
        raise RecordRefused(f"no reader knows this format: {describe_unknown(raw.content)}")
    return FORMATS[recognition.format], replace(record, recognition=recognition)


def _only_record(raw: RawRecord) -> RawRecord:
    """The record inside an envelope; the document itself where it contains none."""
    records = split(raw.content).records if raw.content.strip() else []
    if len(records) > 1:
        raise RecordRefused(f"contains {len(records)} records; expected one")
    if not records:
        return raw
    (record,) = records
    name = record.name or raw.native_id
    return replace(raw, native_id=name, content=record.content, recognition=record.recognition)


@dataclass(frozen=True, slots=True)
class Separation:
    """The records of one document, its members that cannot be read, and those that are no records."""

    records: tuple[RawRecord, ...]
    skipped: tuple[SkippedMember, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()


def separate(raw: RawRecord) -> Separation:
    """The records of one document as ``{its id}#{their own names}``; a document of one record is unchanged.

    A document that cannot be split is returned unchanged too: its reader reports the reason. Every other member of a
    document is accounted for (``report_members``). A plain text, a README for example, is passed over.
    """
    try:
        document = split(raw.content) if raw.content.strip() else SplitDocument([])
    except PlainText as refusal:
        if raw.media_type != "text/plain":
            return Separation((raw,))
        return Separation((), (), (PassedOver(raw.origin, str(refusal), native_id=raw.native_id),))
    except RecordRefused:
        return Separation((raw,))
    skipped_members, passed_over = report_members(document.unreadable, raw.native_id, raw.origin)
    if [record.name for record in document.records] == [""]:
        (record,) = document.records
        is_whole = record.content == raw.content  # else it is the only record of an envelope
        return Separation(
            (replace(raw, recognition=record.recognition if is_whole else None),), skipped_members, passed_over
        )
    if not document.records or (len(document.records) == 1 and not skipped_members):
        return Separation((raw,), (), passed_over if document.records else ())
    records = tuple(
        replace(
            raw,
            native_id=f"{raw.native_id}#{record.name}",
            content=record.content,
            origin=f"{raw.origin}#{record.name}",
            media_type=_media_type(record.content, raw.media_type),
            container=raw.origin if record.name in document.nameless else None,
            recognition=record.recognition,
        )
        for record in with_unique_names(document.records)
    )
    return Separation(records, skipped_members, passed_over)


def report_members(
    members: Sequence[UnreadableMember], native_id: str, origin: str, container: str | None = None
) -> tuple[tuple[SkippedMember, ...], tuple[PassedOver, ...]]:
    """The members without a record, for the report. One without a name may be any record of its ``container``, which
    is the document itself by default.
    """
    skipped_members = tuple(
        SkippedMember(f"{origin}#{member.name}", f"{member.place}: {member.reason}", f"{native_id}#{member.name}")
        if member.name
        else SkippedMember(f"{origin}#{member.place}", member.reason, container=container or origin)
        for member in members
        if not member.passed_over
    )
    passed_over = tuple(
        PassedOver(
            f"{origin}#{member.place}", member.reason, native_id=f"{native_id}#{member.name}" if member.name else None
        )
        for member in members
        if member.passed_over
    )
    return skipped_members, passed_over


def _media_type(part: bytes, whole_type: str | None) -> str | None:
    """Data sets from RDF and web pages become JSON-LD."""
    return "application/ld+json" if part[:1] == b"{" and "json" not in (whole_type or "") else whole_type


def with_unique_names(records: Sequence[RecordPart]) -> Iterator[RecordPart]:
    """Gives each record a unique name that does not depend on the order.

    A record without a name is named by its content. Records with the same name are distinguished by their editions,
    else by their titles. Only records that agree in these are numbered.
    """
    frequency = Counter(record.name for record in records)
    counts: dict[str, int] = {}
    for record in records:
        stem = record.name or _content_hash(record.content)
        if record.name and frequency[record.name] > 1:
            stem = f"{record.name}#{_difference(record)}"
        name = stem
        while name in counts:
            counts[stem] += 1
            name = f"{stem}#{counts[stem]}"
        counts[name] = 1
        yield replace(record, name=name)


def _difference(record: RecordPart) -> str:
    """What distinguishes a record from another one with the same name."""
    raw = RawRecord(record.name, record.content, record.name, recognition=record.recognition)
    try:
        record_read = read(raw, "")
    except RecordRefused:
        return _content_hash(record.content)
    return record_read.edition or _content_hash(record_read.title.encode())


def _content_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def possible_documents(origin: str) -> Iterator[str]:
    """The origins of the documents to which a record can belong: its own, and the text before each ``#`` in it."""
    yield origin
    for index, character in enumerate(origin):
        if character == "#":
            yield origin[:index]
