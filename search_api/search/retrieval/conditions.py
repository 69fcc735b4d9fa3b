"""What a question leaves out as filters, and the formats and licences that it prefers as clauses."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from core.geo import BBox
from core.record import ProvenanceKind, Record
from es_mappings.codecs.records import time_range
from reading.kinds import Platform
from reading.related_boxes import target_box
from reading.relations import KM_PER_DEGREE
from search_api.search.ranking.signals.signal import Reason
from search_api.search.retrieval.clauses import Clause, area_clause
from search_api.search.understanding.interpretation import QueryExclusion, QueryOffer

_TITLE_AND_KEYWORDS = ("title", "keywords.term")
_MODELLED: tuple[ProvenanceKind, ...] = ("simulation", "projection", "reanalysis")
"""What "without model data" leaves out."""
_PLATFORM_WORDS: dict[Platform, tuple[str, ...]] = {
    "satellite": ("satellite", "remote sensing", "imagery", "radiances", "MODIS", "Landsat", "AVHRR", "GOES", "VIIRS"),
    "airborne": ("aircraft", "airborne"),
    "in_situ": (),
}

_MARGIN_SHARE, _MOST_MARGIN_KM = 0.1, 100.0  # of an excluded place's height
_PUBLIC = ("CC0%", "PDDL%", "CC-PDDC%", "public domain%")
_OPEN = ("CC0%", "CC-BY-_.%", "CC-BY-SA%", "PDDL%", "OD%", "OGL%", "etalab%", "DL-DE%")
"""Patterns of the licences that are open by the Open Definition, as SPDX writes them."""
_WORDED = {"open": _OPEN, "public domain": _PUBLIC}


def exclusion_clauses(exclusions: Sequence[QueryExclusion]) -> tuple[Clause, ...]:
    """One filter, which a record about something excluded does not pass; a record that says nothing of it passes."""
    excluded = [clause for exclusion in exclusions for clause in _clauses_of(exclusion)]
    return ({"bool": {"must_not": excluded}},) if excluded else ()


def _clauses_of(exclusion: QueryExclusion) -> list[Clause]:
    if exclusion.span is not None:
        return [{"range": {"time": {**time_range(exclusion.span), "relation": "within"}}}]
    if exclusion.bbox is not None:
        return [area_clause(_with_margin(exclusion.bbox), "within")]
    if exclusion.kind in _MODELLED:
        kinds = _MODELLED if exclusion.kind == "simulation" else (exclusion.kind,)
        return [{"terms": {"provenance.kind": list(kinds)}}]
    if exclusion.kind == "derived":
        return [{"term": {"provenance.kind": "derived"}}]
    words = () if exclusion.platform is None else _PLATFORM_WORDS[exclusion.platform]
    return [_about(form) for text in dict.fromkeys((exclusion.subject, *words)) for form in (text, _other_number(text))]


def _with_margin(box: BBox) -> BBox:
    """A little larger: the boxes of records about a place stick out of its own."""
    margin_km = min(_MOST_MARGIN_KM, _MARGIN_SHARE * box.height_deg * KM_PER_DEGREE)
    return target_box("within_distance", (box,), margin_km) or box


def _other_number(text: str) -> str:
    """*radar* as *radars*, *buoys* as *buoy*: titles are not stemmed."""
    return text[:-1] if text.endswith("s") else f"{text}s"


def _about(text: str) -> Clause:
    """Records with these words in the title or a keyword; an abstract also mentions what the data are not."""
    return {"multi_match": {"query": text, "type": "phrase", "fields": list(_TITLE_AND_KEYWORDS)}}


def exclusion_reasons(exclusions: Sequence[QueryExclusion]) -> list[Reason]:
    """What no hit is about, because the question leaves it out."""
    subjects = dict.fromkeys(exclusion.subject for exclusion in exclusions)
    return [
        Reason(f"is not about {subject}, which the question leaves out", "left_out", {"subject": subject})
        for subject in subjects
    ]


def offer_clause(offer: QueryOffer) -> Clause:
    """Records in the format, or with the licence."""
    field = "formats" if offer.kind == "format" else "licence"
    wildcards = [pattern.replace("_", "?").replace("%", "*") for pattern in _patterns(offer)]
    return {"bool": {"should": [{"wildcard": {field: {"value": wildcard}}} for wildcard in wildcards]}}


def offer_filter(offer: QueryOffer) -> str:
    """The same as CQL2 text, for a caller who wants it as a filter."""
    queryable = "formats" if offer.kind == "format" else "license"
    return " OR ".join(f"{queryable} LIKE '{pattern}'" for pattern in _patterns(offer))


def offer_reasons(record: Record, offers: Sequence[QueryOffer]) -> list[Reason]:
    """Whether the record has each format and licence that the question prefers."""
    return [_offer_reason(offer, has_it=has_offer(record, offer)) for offer in offers]


def has_offer(record: Record, offer: QueryOffer) -> bool:
    """Whether the record states the format or licence."""
    values = record.formats if offer.kind == "format" else (record.licence or "",)
    wildcards = [pattern.replace("_", "?").replace("%", "*").lower() for pattern in _patterns(offer)]
    return any(fnmatchcase(value.lower(), wildcard) for value in values for wildcard in wildcards)


def _offer_reason(offer: QueryOffer, *, has_it: bool) -> Reason:
    text = f"{'has' if has_it else 'does not state'} the {offer.kind} asked for ({offer_name(offer)})"
    return Reason(text, "has_offer" if has_it else "lacks_offer", {"kind": offer.kind, "value": offer.value})


def offer_name(offer: QueryOffer) -> str:
    """For a reader: NETCDF, CC-BY, open, public domain."""
    return offer.value if offer.value in _WORDED else offer.value.upper()


def _patterns(offer: QueryOffer) -> tuple[str, ...]:
    """With ``%`` for any text and ``_`` for one character."""
    if offer.kind == "format":
        return (f"%{offer.value}%",)
    if offer.value in ("CC", "CC0"):
        return (f"{offer.value}%",)
    return _WORDED.get(offer.value) or (offer.value, f"{offer.value}-_.%")
