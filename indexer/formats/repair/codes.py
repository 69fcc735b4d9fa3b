"""Languages, resource types, kinds of data and places: the words and codes of every standard in Record's form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import pycountry

from core.record import ProvenanceKind
from indexer.formats.json_documents.parsing import parse_inner_json
from indexer.raw import RecordRefused

_WORD = re.compile(r"[^\W\d_]+")
_NOT_A_LANGUAGE = frozenset({"und", "zxx", "mul", "mis"})
_BY_NAME = {
    name.lower(): name
    for name in (
        "dataset", "series", "service", "document", "software", "collection", "nonGeographicDataset", "tile", "model",
        "feature", "featureType", "attribute", "attributeType", "propertyType", "fieldSession", "collectionSession",
        "collectionHardware", "dimensionGroup", "initiative", "sensor", "platform", "map", "sample", "aggregate",
    )
} | {
    "application": "software", "datasetcollection": "collection", "collectionofdatasets": "collection",
    "paper": "document", "publication": "document", "nongeographic": "nonGeographicDataset",
    "repository": "collection", "services": "service", "seriesofdatasets": "series",
}  # fmt: skip
_TYPES_OF_OTHER_STANDARDS = {
    "datasets": "dataset", "data": "dataset", "data set": "dataset", "image": "dataset", "imagery": "dataset",
    "stillimage": "dataset", "geospatial dataset": "dataset", "dataservice": "service", "web services": "service",
    "webservice": "service", "datasetseries": "series", "catalog": "collection", "catalogue": "collection",
    "text": "document", "report": "document", "journalarticle": "document", "article": "document",
    "datapaper": "document", "book": "document", "bookchapter": "document", "conferencepaper": "document",
    "conferenceproceeding": "document", "preprint": "document", "dissertation": "document", "thesis": "document",
    "presentation": "document", "poster": "document", "publication-article": "document", "workflow": "software",
    "computationalnotebook": "software", "softwaresourcecode": "software", "softwareapplication": "software",
    "instrument": "collectionHardware", "physicalobject": "sample", "maps": "map", "collections": "collection",
    "scholarlyarticle": "document", "websites": "service", "interactiveresource": "service",
}  # fmt: skip
_KIND_OF_TERM: dict[str, ProvenanceKind] = {
    "reanalysis": "reanalysis",
    "reanalyses": "reanalysis",
    "reanalysis data": "reanalysis",
    "atmospheric reanalysis": "reanalysis",
    "climate projections": "projection",
    "climate projection": "projection",
    "projections": "projection",
    "model output": "simulation",
    "model outputs": "simulation",
    "climate model output": "simulation",
    "simulation": "simulation",
    "simulations": "simulation",
    "observations": "observation",
    "observational data": "observation",
    "in situ observations": "observation",
    "in-situ observations": "observation",
    "in situ measurements": "observation",
    "in-situ measurements": "observation",
}
_KIND_OF_PLATFORM: tuple[tuple[str, ProvenanceKind], ...] = (  # GCMD's platform categories
    ("model", "simulation"),
    ("earth observation satellite", "observation"),
    ("in situ", "observation"),
    ("aircraft", "observation"),
    ("air-based", "observation"),
    ("water-based", "observation"),
    ("land-based", "observation"),
    ("balloon", "observation"),
    ("ground station", "observation"),
)
_CODES_USED_AS_NAMES = frozenset({"US", "UK", "EU", "UAE", "USSR", "GDR", "EEA"})
_COUNTRY_CODE = re.compile(r"^[A-Z]{3}$")
_CODE = re.compile(
    r"^(?:[A-Z]{2}|[A-Z]{2}[A-Z0-9]?\d[A-Z0-9]*|[A-Z]{2}-[A-Z0-9]{1,3}|\S*[:/_]\S*\d\S*|c_[0-9a-f]+|Q\d+)$"
)
_WORD_OF_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SHAPE = re.compile(
    r"^\s*(?:<|\{|\[\s*[\[{\"]|(?:SRID=\d+;)?\s*(?:(?:MULTI)?(?:POINT|POLYGON|LINESTRING)|GEOMETRYCOLLECTION|ENVELOPE|BBOX|BOX2?D?)"
    r"\s*[MZ]{0,2}\s*\(|\w+limit\s*=)",
    re.IGNORECASE,
)
_EMPTY_WORDS = frozenset({"NaN", "undefined", "[object Object]"})
"""What programs write for a place that they have not; Nan is a province."""
_MAX_LENGTH = 50


@lru_cache(maxsize=4096)
def language(text: str) -> str | None:
    """``en`` for ``eng``, ``eng; USA``, ``en-GB``, ``English`` or a URI with such an end.

    ISO 639-2 where there is no 639-1; None where the text names no language.
    """
    words = _WORD.findall(text.rstrip("/").rpartition("/")[2].rpartition("#")[2])
    if not words:
        return None
    return _by_code(words[0].lower()) or _by_name(words[0])


def _by_code(code: str) -> str | None:
    if code in _NOT_A_LANGUAGE:
        return None
    for field in ("alpha_2", "alpha_3", "bibliographic"):
        entry = pycountry.languages.get(**{field: code})
        if entry is not None:
            return str(getattr(entry, "alpha_2", None) or entry.alpha_3)
    return None


def _by_name(name: str) -> str | None:
    entry = pycountry.languages.get(name=name.capitalize())
    return None if entry is None else str(getattr(entry, "alpha_2", None) or entry.alpha_3)


def scope(type_word: str) -> str | None:
    """The ISO scope code, ignoring blanks and case; None for any other text."""
    return _BY_NAME.get(type_word.replace(" ", "").lower())


def resource_type(type_word: str) -> str | None:
    """The type for a word of any standard, or for a URI that ends with it; None where it is unknown."""
    last = type_word.strip().rstrip("/").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2]
    for name in (last, type_word):
        scope_code = scope(name) or _TYPES_OF_OTHER_STANDARDS.get(name.strip().lower())
        if scope_code is not None:
            return scope_code
    return None


def kind_of_term(term: str) -> ProvenanceKind | None:
    """The kind by a keyword: the last part of a path (``A > B > REANALYSIS``), in any case."""
    return _KIND_OF_TERM.get(term.rpartition(">")[2].strip().lower())


def kind_of_platform(category: str) -> ProvenanceKind | None:
    """The kind by a platform category of NASA's standards (``Models/Analyses``, ``In Situ Land-based Platforms``)."""
    category_lower = category.lower()
    return next((kind for word, kind in _KIND_OF_PLATFORM if word in category_lower), None)


def agreed_kind(stated_kinds: Iterable[ProvenanceKind | None]) -> ProvenanceKind | None:
    """The one kind that is stated; None where none is, or where several contradict each other.

    A reanalysis is model output made from observations, so its metadata often state all three.
    """
    kinds = {kind for kind in stated_kinds if kind is not None}
    if "reanalysis" in kinds:
        return "reanalysis"
    return kinds.pop() if len(kinds) == 1 else None


def place_names(text: str) -> list[str]:
    """The names; a code of a country (ISO 3166, three letters) by the country's name. Empty for other codes."""
    if text.strip() in _EMPTY_WORDS:
        return []
    if text.lstrip()[:1] == "[" and text.rstrip()[-1:] == "]":
        try:
            return _names_in_list(parse_inner_json(text))
        except RecordRefused:
            return [text] if _WORD_OF_LETTERS.search(text) and '"' not in text else []
    if _SHAPE.match(text) or not _WORD_OF_LETTERS.search(text):
        return []
    if _COUNTRY_CODE.match(text) and text not in _CODES_USED_AS_NAMES:
        country = pycountry.countries.get(alpha_3=text)
        return [text if country is None else getattr(country, "common_name", country.name)]  # NRW is no country
    return [] if _CODE.match(text) and text not in _CODES_USED_AS_NAMES else [text]


def _names_in_list(value: object) -> list[str]:
    if isinstance(value, str):
        return place_names(value)
    return [name for item in value[:_MAX_LENGTH] for name in _names_in_list(item)] if isinstance(value, list) else []
