"""Which reader reads what; the way in for the harvest."""

from __future__ import annotations

from collections.abc import Mapping

from core.record import Record
from indexer.formats import (
    ckan,
    datacite,
    dcat,
    dif,
    dublin_core,
    echo10,
    eml,
    fgdc,
    geoblacklight,
    iso19115_3,
    iso19139,
    ogc_record,
    schema_org,
    stac,
    umm_c,
)
from indexer.formats.detect import detect
from indexer.formats.reader import Reader, Refused
from indexer.formats.split import split
from indexer.formats.what_it_is import what_it_is
from indexer.raw import RawRecord

_ISO19139 = Reader(iso19139.READER_VERSION, iso19139.read)

READERS: Mapping[str, Reader] = {
    "iso19139": _ISO19139,
    "iso19115-2": _ISO19139,
    "iso19115-3": Reader(iso19115_3.READER_VERSION, iso19115_3.read),
    "fgdc": Reader(fgdc.READER_VERSION, fgdc.read),
    "dublin-core": Reader(dublin_core.READER_VERSION, dublin_core.read),
    "dcat": Reader(dcat.READER_VERSION, dcat.read),
    "datacite": Reader(datacite.READER_VERSION, datacite.read),
    "stac": Reader(stac.READER_VERSION, stac.read),
    "ogc-record": Reader(ogc_record.READER_VERSION, ogc_record.read),
    "ckan": Reader(ckan.READER_VERSION, ckan.read),
    "geoblacklight": Reader(geoblacklight.READER_VERSION, geoblacklight.read),
    "schema.org": Reader(schema_org.READER_VERSION, schema_org.read),
    "eml": Reader(eml.READER_VERSION, eml.read),
    "dif": Reader(dif.READER_VERSION, dif.read),
    "echo10": Reader(echo10.READER_VERSION, echo10.read),
    "umm-c": Reader(umm_c.READER_VERSION, umm_c.read),
}


def reader_tag(content: bytes) -> str:
    """``format/version`` of the reader that would read this, ``none/0`` where there is none.

    Together with the hash of the bytes it says whether a document was read before, without reading it.
    """
    name = detect(content)
    return "none/0" if name is None else f"{name}/{READERS[name].version}"


def read(raw: RawRecord, source: str) -> Record:
    """The Record of a document in any known format, also of an envelope (csw, OAI, a graph) with one record in it.

    Raises Refused with the reason: an unknown format, what the reader says, or several records, which a source has
    to part with ``split``.
    """
    name = detect(raw.content)
    if name is None:
        raw, name = _the_only_one(raw)
    return READERS[name].read(raw, source)


def _the_only_one(raw: RawRecord) -> tuple[RawRecord, str]:
    parts = split(raw.content) if raw.content.strip() else []
    if len(parts) > 1:
        raise Refused(f"it holds {len(parts)} records, not one: its source has to part them")
    inner = parts[0][1] if parts else b""
    name = detect(inner)
    if name is None:
        raise Refused(f"no reader knows this format: {what_it_is(raw.content)}")
    return RawRecord(parts[0][0] or raw.native_id, inner, raw.origin, raw.media_type, raw.modified), name
