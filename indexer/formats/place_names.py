"""Names of places in what a document gives as one: codes, numbers and raw JSON are no names."""

from __future__ import annotations

import re

import pycountry

from indexer.formats.json_document import parse_inner_json
from indexer.formats.reader import Refused

_LIKE_NAMES = frozenset({"US", "UK", "EU", "UAE", "USSR", "GDR", "EEA"})
_COUNTRY_CODE = re.compile(r"^[A-Z]{3}$")
_CODE = re.compile(
    r"^(?:[A-Z]{2}|[A-Z]{2}[A-Z0-9]?\d[A-Z0-9]*|[A-Z]{2}-[A-Z0-9]{1,3}|\S*[:/_]\S*\d\S*|c_[0-9a-f]+|Q\d+)$"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SHAPE = re.compile(
    r"^\s*(?:<|\{|\[\s*[\[{\"]|(?:SRID=\d+;)?\s*(?:(?:MULTI)?(?:POINT|POLYGON|LINESTRING)|GEOMETRYCOLLECTION|ENVELOPE|BBOX|BOX2?D?)"
    r"\s*[MZ]{0,2}\s*\(|\w+limit\s*=)",
    re.IGNORECASE,
)
_MOST = 50


def place_names(text: str) -> list[str]:
    """The names; a code of a country (ISO 3166, three letters) by the country's name. Empty for other codes."""
    if text.lstrip()[:1] == "[" and text.rstrip()[-1:] == "]":
        try:
            return _listed(parse_inner_json(text))
        except Refused:
            return [text] if _WORD.search(text) and '"' not in text else []
    if _SHAPE.match(text) or not _WORD.search(text):
        return []
    if _COUNTRY_CODE.match(text) and text not in _LIKE_NAMES:
        country = pycountry.countries.get(alpha_3=text)
        return [text if country is None else getattr(country, "common_name", country.name)]  # NRW is no country
    return [] if _CODE.match(text) and text not in _LIKE_NAMES else [text]


def _listed(value: object) -> list[str]:
    if isinstance(value, str):
        return place_names(value)
    return [name for one in value[:_MOST] for name in _listed(one)] if isinstance(value, list) else []
