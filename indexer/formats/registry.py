"""Reads a document with the format that recognises it; the harvest calls this module."""

from __future__ import annotations

from dataclasses import replace

from core.record import Record
from indexer.formats.recognition import FORMATS, describe_unknown, recognise
from indexer.formats.refused import Refused
from indexer.formats.splitting.split import split
from indexer.raw import RawRecord


def recognised(raw: RawRecord) -> RawRecord:
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

    Raises Refused with the reason: an unknown format, the reader's reason, or several records, which the source must
    separate with ``separate``.
    """
    recognition = raw.recognition or recognise(raw.content)
    record = raw if recognition.format is not None else _only_record(raw)
    recognition = record.recognition or recognise(record.content)
    if recognition.format is None:
        raise Refused(f"no reader knows this format: {describe_unknown(raw.content)}")
    return FORMATS[recognition.format].read(replace(record, recognition=recognition), source)


def _only_record(raw: RawRecord) -> RawRecord:
    """The record inside an envelope; the document itself where it contains none."""
    records = split(raw.content).records if raw.content.strip() else []
    if len(records) > 1:
        raise Refused(f"contains {len(records)} records; expected one")
    if not records:
        return raw
    (record,) = records
    name = record.name or raw.native_id
    return replace(raw, native_id=name, content=record.content, recognition=record.recognition)
