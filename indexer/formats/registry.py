"""Reads a document with the format that recognises it; the harvest calls this module."""

from __future__ import annotations

from core.record import Record
from indexer.formats.recognition import FORMATS, detect, what_it_is
from indexer.formats.refused import Refused
from indexer.formats.splitting.split import split
from indexer.raw import RawRecord


def reader_tag(content: bytes) -> str:
    """``format/version`` of the reader for this document, ``none/0`` where there is none.

    Together with the hash of the bytes it shows whether a document was read before, without reading it again.
    """
    name = detect(content)
    return "none/0" if name is None else f"{name}/{FORMATS[name].version}"


def read(raw: RawRecord, source: str) -> Record:
    """The Record of a document in any known format; also of an envelope (csw, OAI, a graph) with one record in it.

    Raises Refused with the reason: an unknown format, the reader's reason, or several records, which the source must
    separate with ``split``.
    """
    name = detect(raw.content)
    if name is None:
        raw, name = _the_only_one(raw)
    return FORMATS[name].read(raw, source)


def _the_only_one(raw: RawRecord) -> tuple[RawRecord, str]:
    parts = split(raw.content) if raw.content.strip() else []
    if len(parts) > 1:
        raise Refused(f"it holds {len(parts)} records, not one: its source has to part them")
    inner = parts[0][1] if parts else b""
    name = detect(inner)
    if name is None:
        raise Refused(f"no reader knows this format: {what_it_is(raw.content)}")
    return RawRecord(parts[0][0] or raw.native_id, inner, raw.origin, raw.media_type, raw.modified), name
