"""Which granule search a record has: from its source, or from a link of its metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, quote, urlsplit

from core.record import Record

Kind = Literal["stac", "cmr"]

_ITEMS = re.compile(r"^(?P<collection>https?://[^?#]+/collections/[^/?#]+)(?:/items)?/?$")
_CONCEPT = re.compile(r"^C\d{4,}-[A-Z0-9_]+$")
_CONCEPT_IN_PATH = re.compile(r"/(C\d{4,}-[A-Z0-9_]+)(?=[./?]|$)")
_OF_CMR = ("cmr.earthdata.nasa.gov", "search.earthdata.nasa.gov")


@dataclass(frozen=True, slots=True)
class GranuleSearch:
    """``address``: of a STAC collection (without ``/items``), or a collection's concept id in CMR."""

    kind: Kind
    address: str


def granule_search(record: Record, stac_apis: Mapping[str, str]) -> GranuleSearch | None:
    """None if nothing says where the record's granules are. ``stac_apis``: addresses of harvested STAC APIs by source.

    A collection of a harvested STAC API is searched there, a record with a concept id in CMR. Else a link decides that
    leads to a collection of a STAC API, or to CMR.
    """
    api = stac_apis.get(record.source)
    if api is not None and record.native_format == "stac" and record.type == "series" and record.identifier:
        return GranuleSearch("stac", f"{api.rstrip('/')}/collections/{quote(record.identifier, safe='')}")
    if _CONCEPT.match(record.identifier):
        return GranuleSearch("cmr", record.identifier)
    return next((found for link in record.links if (found := _of_link(link.href))), None)


def _of_link(href: str) -> GranuleSearch | None:
    try:
        split = urlsplit(href)
    except ValueError:
        return None
    if split.hostname in _OF_CMR:
        named = [*parse_qs(split.query).get("p", []), *_CONCEPT_IN_PATH.findall(split.path)]
        concept = next((one for one in named if _CONCEPT.match(one)), None)
        return GranuleSearch("cmr", concept) if concept else None
    items = _ITEMS.match(href)
    if items is None or not ("/stac" in split.path or href.rstrip("/").endswith("/items")):
        return None
    return GranuleSearch("stac", items["collection"])
