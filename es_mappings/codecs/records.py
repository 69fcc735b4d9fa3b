"""Converts a Record to a document of the records index, and back.

Boxes and spans are stored twice: as ``extent`` and ``time`` for filters, and as short texts (``boxes``: ``w,s,e,n``;
``spans``: ``start/end`` in ms, an open end empty), whose doc values ranking reads without ``_source``.
"""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

import shapely

from core.geo import BBox
from core.json_types import Json, JsonMapping
from core.names import Names, Variable
from core.record import Contact, Dates, Keyword, Link, Provenance, Record, Resolution, Vertical
from core.record_keys import acronyms_of, keys_of, mentioned_keys, series_of, signature_of
from core.timespan import TimeSpan, turns_of
from es_mappings.codecs import cells

_Flat = Contact | Dates | Link | Names | Provenance | Resolution | Variable | Vertical
_MEMBERS = {kind: tuple(member.name for member in fields(kind)) for kind in get_args(_Flat)}


def box_text(box: BBox) -> str:
    """``w,s,e,n`` with at most six decimals (about 10 cm)."""
    return ",".join(f"{edge:.6f}".rstrip("0").rstrip(".") for edge in box.as_list())


def box_from_text(text: str) -> BBox:
    west, south, east, north = map(float, text.split(","))
    return BBox(west, south, east, north)


def span_text(span: TimeSpan) -> str:
    """``start/end`` in ms since 1970, an open end empty."""
    start, end = (("" if edge is None else str(edge)) for edge in (span.start_ms, span.end_ms))
    return f"{start}/{end}"


def span_from_text(text: str) -> TimeSpan:
    start, end = text.split("/")
    return TimeSpan(int(start) if start else None, int(end) if end else None)


def time_range(span: TimeSpan) -> Json:
    """The span as a ``long_range``; an open end is omitted, which Elasticsearch reads as unbounded."""
    edges = {"gte": span.start_ms, "lte": span.end_ms}
    return {name: edge for name, edge in edges.items() if edge is not None}


def envelope(box: BBox) -> Json:
    """GeoJSON-like envelope: upper left, lower right; west > east crosses the antimeridian."""
    return {"type": "envelope", "coordinates": [[box.west, box.north], [box.east, box.south]]}


def to_document(record: Record) -> Json:
    """The document without its vector, harvest notes and empty fields."""
    document: Json = {
        "id": record.id,
        "source": record.source,
        "identifier": record.identifier,
        "identifiers": sorted({text for text in (record.identifier, record.doi) if text}),
        "doi": record.doi,
        "identity": record.identity,
        "edition": record.edition,
        "parent": record.parent,
        "series": series_of(record),
        "signature": signature_of(record),
        "type": record.type,
        "languages": list(record.languages),
        "words": _counted_again(record),
        "title": record.title,
        "title_sort": record.title,
        "alternate_titles": list(record.alternate_titles),
        "abstract": record.abstract,
        "keywords": [
            _without_empty({"term": k.term, "exact": k.term, "vocabulary": k.vocabulary, "uri": k.uri})
            for k in record.keywords
        ],
        "themes": list(record.themes),
        "contacts": [_without_empty(_members(contact)) for contact in record.contacts],
        "vertical": _without_empty(_members(record.vertical)) if record.vertical else None,
        "resolution": _without_empty(_members(record.resolution)),
        "provenance": _without_empty(_members(record.provenance)),
        "licence": record.licence,
        "constraints": list(record.constraints),
        "access": record.access,
        "access_groups": list(record.access_groups),
        "links": [_without_empty(_members(link)) for link in record.links],
        "dates": _without_empty(_members(record.dates)),
        "formats": list(record.formats),
        "names": _names(record),
        "native": {"format": record.native_format},
        "warnings": list(record.warnings),
        "curated": list(record.curated),
        **_where_and_when(record),
        "estimated_boxes": [box_text(box) for box in record.estimated_extents],
        cells.FIELD: cells.to_fields(_other_boxes(record), record.geometry),
        "years": turns_of(record.times),
    }
    return _without_empty(document)


def _counted_again(record: Record) -> list[str]:
    """The mapping copies each text once into the field of all words. There a word of the title counts three times and
    one of a keyword twice: the whole weights of BM25F are counts of a word.
    """
    return [record.title, record.title, *(keyword.term for keyword in record.keywords)]


def _names(record: Record) -> Json:
    variables = [_without_empty(_members(variable)) for variable in record.names.variables]
    return _without_empty(
        {
            **_members(record.names),
            "variables": variables,
            "keys": list(keys_of(record)),
            "mentioned": list(mentioned_keys(record)),
            "acronyms": list(acronyms_of(record)),
            "version": record.edition,
        }
    )


def where_and_when(record: Record) -> Json:
    """Only the fields of place and time, which a passage copies from its record."""
    return _without_empty(_where_and_when(record))


def _where_and_when(record: Record) -> Json:
    shapes = [envelope(box) for box in _other_boxes(record)]
    if record.geometry is not None:
        shapes = [dict(record.geometry), *shapes]
    return {
        "extent": shapes,
        "boxes": [box_text(box) for box in record.extents],
        "geometry": dict(record.geometry) if record.geometry is not None else None,
        "time": [time_range(span) for span in record.times],
        "spans": [span_text(span) for span in record.times],
    }


def _other_boxes(record: Record) -> list[BBox]:
    """The boxes that say more than the geometry does."""
    return [box for box in record.extents if record.geometry is None or not _is_box_of(box, record.geometry)]


def _is_box_of(box: BBox, geometry: JsonMapping) -> bool:
    """Whether the box only repeats the outline of the polygon, which then suffices for filters."""
    bounds = shapely.bounds(cells.shape_of(geometry))
    return all(abs(a - b) < 1e-6 for a, b in zip(box.as_list(), bounds, strict=True))


def _members(value: _Flat) -> Json:
    """Of a dataclass without others inside; ``dataclasses.asdict`` copies every text and list in it."""
    return {name: getattr(value, name) for name in _MEMBERS[type(value)]}


def _without_empty(document: JsonMapping) -> Json:
    return {name: value for name, value in document.items() if value not in (None, "", [], {}, ())}


def from_document(source: JsonMapping) -> Record:
    texts: Json = {name: source[name] for name in _TEXTS if source.get(name) is not None}
    texts |= {name: tuple(source.get(name, ())) for name in _LISTS_OF_TEXTS}
    return Record(
        id=source["id"],
        source=source["source"],
        identifier=source["identifier"],
        title=source.get("title", ""),
        type=source["type"],
        keywords=tuple(Keyword(k["term"], k.get("vocabulary"), k.get("uri")) for k in source.get("keywords", ())),
        contacts=tuple(Contact(**contact) for contact in source.get("contacts", ())),
        extents=tuple(box_from_text(text) for text in source.get("boxes", ())),
        estimated_extents=tuple(box_from_text(text) for text in source.get("estimated_boxes", ())),
        vertical=_vertical(source.get("vertical")),
        times=tuple(span_from_text(text) for text in source.get("spans", ())),
        resolution=Resolution(**source.get("resolution", {})),
        provenance=_provenance(source.get("provenance", {})),
        links=tuple(Link(**link) for link in source.get("links", ())),
        dates=Dates(**source.get("dates", {})),
        names=_names_from(source.get("names", {})),
        native_format=source.get("native", {}).get("format", ""),
        **texts,
    )


_TEXTS = ("abstract", "geometry", "licence", "access", "edition", "doi", "parent")
_LISTS_OF_TEXTS = (
    "alternate_titles", "languages", "themes", "constraints", "access_groups", "formats", "warnings", "curated"
)  # fmt: skip
_LISTS_OF_NAMES = ("short_names", "platforms", "instruments", "projects", "written")


def _names_from(source: JsonMapping) -> Names:
    lists = {name: tuple(source.get(name, ())) for name in _LISTS_OF_NAMES}
    variables = tuple(Variable(**variable) for variable in source.get("variables", ()))
    return Names(**lists, variables=variables, processing_level=source.get("processing_level"))


def _vertical(source: JsonMapping | None) -> Vertical | None:
    if source is None:
        return None
    return Vertical(source.get("minimum"), source.get("maximum"), source.get("unit"))


def _provenance(source: JsonMapping) -> Provenance:
    lists = {name: tuple(source.get(name, ())) for name in ("derived_from", "generated_by", "attributed_to")}
    return Provenance(source.get("lineage"), source.get("kind", "unknown"), source.get("kind_source"), **lists)
