"""An output format and the endpoints that offer it; and what several formats write in the same way: addresses,
licences, moments, shapes, names, XML texts and spreadsheet cells.

Each module of a format ends with its ``FORMAT`` (or several); ``search_api.formats_out.formats`` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, quote, urlsplit

import shapely
from lxml import etree
from shapely.geometry import LineString, Polygon, shape
from shapely.geometry.base import BaseGeometry

from core.json_types import Json, JsonMapping
from core.names import Variable
from core.record import Keyword, Record
from core.timespan import TimeSpan, instant_ms, iso

Element = etree._Element


@dataclass(frozen=True, slots=True)
class ResultPage:
    """One page of a search. ``entries``: each record with its address. ``following``: the next page's address."""

    title: str
    address: str
    matched: int
    entries: Sequence[tuple[Record, str]]
    following: str | None = None


@dataclass(frozen=True, slots=True)
class About:
    """The description of a feed's catalogue; ``publisher`` and ``mail`` are the service's."""

    title: str
    address: str
    publisher: str
    mail: str | None = None


@dataclass(frozen=True, slots=True)
class FeedPage:
    """One page of the feed ``/dcat``; ``first`` and ``following`` are addresses of pages."""

    about: About
    address: str
    first: str
    following: str | None
    matched: int
    entries: Sequence[tuple[Record, str]]


@dataclass(frozen=True, slots=True)
class DcatFeed:
    """The format in ``/dcat?f=``, if it has its own ``name``."""

    name: str
    write: Callable[[FeedPage], str]


@dataclass(frozen=True, slots=True)
class OaiFormat:
    """The format in OAI-PMH: its ``metadataPrefix``, XML schema and namespace, and a record's metadata."""

    prefix: str
    schema: str
    namespace: str
    write: Callable[[Record, str], Element]


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """One output format. It is available at each endpoint for which it has a writer.

    ``record(record, address)``: ``/collections/{catalogue}/items/{id}?f={name}``, with an alternate link in every
    record that it is ``offered`` for. ``results``: ``/search?f={name}``. ``oai``: ``/oai``. ``feed``: ``/dcat``.
    """

    name: str
    media_type: str
    title: str
    record: Callable[[Record, str], str] | None = None
    results: Callable[[ResultPage], str] | None = None
    oai: OaiFormat | None = None
    feed: DcatFeed | None = None
    offered: Callable[[Record], bool] = lambda _record: True


def xml_text(element: Element) -> str:
    return etree.tostring(element, xml_declaration=True, encoding="UTF-8", pretty_print=True).decode("utf-8")


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s]")
_SAFE_IN_IRI = "/:?#[]@!$&'()*+,;=-._~%"
_CC = re.compile(r"^CC-(BY(?:-NC)?(?:-SA|-ND)?)-(\d\.\d)$")
_PAGES = {
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "PDM-1.0": "https://creativecommons.org/publicdomain/mark/1.0/",
}
_SPDX = re.compile(r"^(MIT|(Apache|ODbL|ODC-By|PDDL|OGL-UK|OGL-Canada|DL-DE-BY|DL-DE-ZERO|etalab)-\d\.\d)$")
EARLIEST_MS = instant_ms("0001-01-01")
LATEST_MS = instant_ms("9999-12-31", at_end=True)
EXPRESSIBLE = TimeSpan(EARLIEST_MS, LATEST_MS)
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?\s?\d[\d.,\s]*(?:[eE][+-]?\d{1,3})?\s?[%‰]?|[+-]?[.,]\d+|-{1,3}")
NameKind = Literal["platform", "instrument", "project", "variable"]
_PATH_STEP = re.compile(r"\s*[>|]\s*")
_VOCABULARIES: dict[NameKind, tuple[str, ...]] = {  # in a vocabulary's title
    "platform": ("platform",),
    "instrument": ("instrument",),
    "project": ("project",),
    "variable": ("variable", "parameter", "science keyword", "standard name"),
}


def legal_xml(text: str) -> str:
    """The text without characters that XML 1.0 forbids."""
    return _NOT_XML.sub("", text)


def add_child(parent: etree._Element, tag: str, text: str | None = None, **attributes: str) -> etree._Element:
    """Appends a child to ``parent``."""
    element = etree.SubElement(parent, tag, {name: legal_xml(value) for name, value in attributes.items()})
    if text is not None:
        element.text = legal_xml(text)
    return element


def iri(text: str | None) -> str | None:
    """The text as an absolute IRI with illegal characters percent-encoded; None if it is not an address."""
    if text is None or not _SCHEME.match(text.strip()):
        return None
    return quote(text.strip(), safe=_SAFE_IN_IRI)


def split_address(text: str) -> SplitResult:
    """As ``urlsplit``; without any part for a text that is no address, such as ``http://[host]/data``."""
    try:
        return urlsplit(text)
    except ValueError:
        return urlsplit("")


def licence_url(licence: str | None) -> str | None:
    """The address of a licence that is an address or an SPDX identifier; None for other texts."""
    if licence is None or (address := iri(licence)) is not None:
        return None if licence is None else iri(licence)
    if match := _CC.match(licence):
        return f"https://creativecommons.org/licenses/{match[1].lower()}/{match[2]}/"
    return _PAGES.get(licence) or (f"https://spdx.org/licenses/{licence}" if _SPDX.match(licence) else address)


def nearest_rfc3339(instant: int) -> int:
    """The nearest moment that RFC 3339 can express."""
    return min(max(instant, EARLIEST_MS), LATEST_MS)


def rfc3339_moment(text: str | None) -> str | None:
    """The start of an ISO 8601 date of any precision as a date-time; None if it is not a date or out of range."""
    try:
        instant = instant_ms(text) if text else None
    except ValueError:
        return None
    return iso(instant) if instant is not None and instant == nearest_rfc3339(instant) else None


def enclosing_rfc3339(start_ms: int | None, end_ms: int | None) -> tuple[str | None, str | None]:
    """The narrowest interval around both ends that RFC 3339 can express; None is an open end.

    The last ice age becomes an interval without a start; its end remains if RFC 3339 can express it.
    """
    start = None if start_ms is None or start_ms < EARLIEST_MS else nearest_rfc3339(start_ms)
    end = None if end_ms is None or end_ms > LATEST_MS else nearest_rfc3339(end_ms)
    return (None if start is None else iso(start), None if end is None else iso(end))


def without_empty(members: Json) -> Json:
    """Without members that are None or an empty text, list or object."""
    return {name: value for name, value in members.items() if value not in (None, "", [], {})}


def spreadsheet_safe(text: str) -> str:
    """With an apostrophe before it if a spreadsheet would run it as a formula. A number, or a dash for none, stays."""
    return f"'{text}" if text.startswith(_FORMULAS) and _NUMBER.fullmatch(text) is None else text


def degrees(value: float) -> str:
    """Six decimals, a decimetre, as metadata have at most; ``:g`` would cut -93.123456."""
    return f"{value:.12g}"


def wkt(geometry: JsonMapping | None) -> str | None:
    """None for None and for an invalid geometry."""
    place = geometry_of(geometry)
    return None if place is None else str(shapely.to_wkt(place, rounding_precision=12, trim=True))


def rings(geometry: JsonMapping | None) -> list[str]:
    """The outer rings as ``latitude longitude`` pairs."""
    place = geometry_of(geometry)
    polygons = [] if place is None else [part for part in simple_parts(place) if isinstance(part, Polygon)]
    return [
        " ".join(f"{degrees(lat)} {degrees(lon)}" for lon, lat, *_ in polygon.exterior.coords) for polygon in polygons
    ]


def geometry_of(geometry: JsonMapping | None) -> BaseGeometry | None:
    if geometry is None:
        return None
    try:
        flat = shapely.force_2d(shape(dict(geometry)))
    except (ValueError, TypeError, KeyError, AttributeError, shapely.errors.ShapelyError):
        return None
    return None if flat.is_empty else flat


def simple_parts(geometry: BaseGeometry) -> Iterator[BaseGeometry]:
    for part in shapely.get_parts(geometry):
        if isinstance(part, Polygon | LineString):
            yield part
        elif len(shapely.get_parts(part)) > 1:
            yield from simple_parts(part)


def names_beside_keywords(record: Record, kind: NameKind) -> Iterator[str]:
    """A keyword says a name, alone or as a step of its path, if its vocabulary's title names the kind."""
    names = record.names
    names_by_kind: dict[NameKind, tuple[str, ...]] = {
        "platform": names.platforms,
        "instrument": names.instruments,
        "project": names.projects,
        "variable": tuple(keyword.name for keyword in names.variables),
    }
    in_keywords = {
        step.casefold()
        for keyword in record.keywords
        if _names_kind(keyword, kind)
        for step in _PATH_STEP.split(keyword.term)
    }
    return (name for name in names_by_kind[kind] if name.casefold() not in in_keywords)


def variable_label(variable: Variable) -> str:
    """``rain (rainfall_rate)``: the name, with CF's standard name behind it if it looks like one."""
    standard = variable.standard_name
    return f"{variable.name} ({standard})" if standard and "_" in standard else variable.name


def _names_kind(keyword: Keyword, kind: NameKind) -> bool:
    vocabulary = (keyword.vocabulary or "").casefold()
    by_path = kind == "variable" and keyword.term.casefold().startswith("earth science")
    return by_path or any(word in vocabulary for word in _VOCABULARIES[kind])
