"""STAC's Collection Search: which collections lie there and then, and contain a term.

There are few, and their extents are known: no index is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from pydantic import Field

from core.errors import InvalidInput
from core.extent import BBox
from core.folding import folded_phrase
from core.timespan import TimeSpan
from search_api.catalogue.listing.catalogues import Catalogue
from search_api.http.parameter_types import (
    FlatBoxParameter,
    MomentText,
    Parameters,
    Text,
    Tokens,
    read_flat_bbox,
    read_rfc3339,
)
from search_api.protocols.stac.collection_filter import condition_of, description_of
from search_api.search.filtering.cql2 import LONGEST_FILTER, Language, parse

MOST_COLLECTIONS = 1000

_SORTED_BY: dict[str, Callable[[Catalogue], str]] = {
    "id": lambda one: one.id,
    "title": lambda one: folded_phrase(one.title),
}


class CollectionsQuery(Parameters):
    """Collection search by GET."""

    bbox: FlatBoxParameter | None = Field(None, description="west,south,east,north or six numbers.")
    datetime: MomentText | None = Field(None, description="An instant (RFC 3339) or `start/end`; `..`: open end.")
    q: Tokens = Field(default=[], description="Words or phrases, of which a collection contains any.")
    filter: str | None = Field(
        None,
        max_length=LONGEST_FILTER,
        description="CQL2 over /stac/collections-queryables.",
        examples=["title LIKE '%rain%' AND S_INTERSECTS(geometry, BBOX(5,47,15,55))"],
    )
    filter_lang: Language = Field("cql2-text", alias="filter-lang")
    filter_crs: Literal["http://www.opengis.net/def/crs/OGC/1.3/CRS84"] | None = Field(None, alias="filter-crs")
    sortby: Text | None = Field(
        None,
        json_schema_extra={"pattern": "^ *[+-]?(id|title)( *, *[+-]?(id|title))* *$"},
        description="`+title,-id`; a minus means descending.",
    )
    fields_: str | None = Field(
        None, alias="fields", max_length=2000, description="Members: `id,title,-links`; a minus leaves out."
    )
    limit: int = Field(MOST_COLLECTIONS, ge=1, json_schema_extra={"maximum": MOST_COLLECTIONS})
    offset: int = Field(0, ge=0, le=1_000_000, description="From the `next` link.")


def matching(given: CollectionsQuery, collections: Iterable[Catalogue]) -> list[Catalogue]:
    """All that match, in the asked order; by id without one. Raises InvalidInput for an unknown property."""
    area = read_flat_bbox(given.bbox) if given.bbox else None
    span = read_rfc3339(given.datetime) if given.datetime else None
    passes = condition_of(parse(given.filter, given.filter_lang)) if given.filter else None
    found = [
        one
        for one in collections
        if _lies_in(one, area)
        and _is_of(one, span)
        and (not given.q or _says(one, given.q))
        and (passes is None or passes(one))
    ]
    for part in reversed([part.strip() for part in (given.sortby or "id").split(",")]):
        name = part.lstrip("+-").strip()
        if name not in _SORTED_BY:
            raise InvalidInput("sortby", f"sortby: cannot sort by {name!r}; it can by {', '.join(_SORTED_BY)}")
        found.sort(key=_SORTED_BY[name], reverse=part.startswith("-"))
    return found


def _lies_in(one: Catalogue, area: BBox | None) -> bool:
    """A collection without a known extent is said to be worldwide."""
    if area is None or one.box is None:
        return True
    return any(
        ours.west <= theirs.east
        and theirs.west <= ours.east
        and ours.south <= theirs.north
        and theirs.south <= ours.north
        for ours in area.parts()
        for theirs in one.box.parts()
    )


def _is_of(one: Catalogue, span: TimeSpan | None) -> bool:
    """A collection without a known period is said to be of any time."""
    if span is None or one.span is None:
        return True
    begins_before_end = one.span.start_ms is None or span.end_ms is None or one.span.start_ms <= span.end_ms
    ends_after_start = one.span.end_ms is None or span.start_ms is None or one.span.end_ms >= span.start_ms
    return begins_before_end and ends_after_start


def _says(one: Catalogue, terms: Sequence[str]) -> bool:
    text = folded_phrase(" ".join((one.id, one.title, description_of(one), one.said.publisher)))
    return any(folded_phrase(term) in text for term in terms)
