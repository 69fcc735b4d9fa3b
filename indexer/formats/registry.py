"""Which reader reads what; the way in for the harvest."""

from __future__ import annotations

from collections.abc import Mapping

from core.record import Record
from indexer.formats import fgdc, iso19115_3
from indexer.formats import iso19139 as iso
from indexer.formats.detect import detect
from indexer.formats.reader import Reader, Refused
from indexer.formats.xml import what_it_is
from indexer.raw import RawRecord

_ISO19139 = Reader(iso.READER_VERSION, iso.read)

READERS: Mapping[str, Reader] = {
    "iso19139": _ISO19139,
    "iso19115-2": _ISO19139,
    "iso19115-3": Reader(iso19115_3.READER_VERSION, iso19115_3.read),
    "fgdc": Reader(fgdc.READER_VERSION, fgdc.read),
}


def reader_tag(content: bytes) -> str:
    """``format/version`` of the reader that would read this, ``none/0`` where there is none.

    Together with the hash of the bytes it says whether a document was read before, without reading it.
    """
    name = detect(content)
    return "none/0" if name is None else f"{name}/{READERS[name].version}"


def read(raw: RawRecord, source: str) -> Record:
    """The Record of a document in any known format. Raises Refused with the reason."""
    name = detect(raw.content)
    if name is None:
        raise Refused(f"no reader knows this format: {what_it_is(raw.content)}")
    return READERS[name].read(raw, source)
