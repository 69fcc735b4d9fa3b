"""Granules of a collection in NASA's Common Metadata Repository: its JSON, with the facets of years."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.errors import Unavailable
from core.extent import BBox
from core.json_types import Json
from search_api.catalogue.granules.answers import (
    Granule,
    Granules,
    TimeLine,
    box,
    count,
    counted_by_time,
    listed,
    moment,
    text,
    web_address,
)
from search_api.catalogue.granules.stac import Ask

_DATA = "/data#"


@dataclass(frozen=True, slots=True)
class CmrCollection:
    """CMR's search address, and the concept id of a collection."""

    url: str
    concept: str


def cmr_granules(collection: CmrCollection, asked: Mapping[str, str], ask: Ask, read: int) -> Granules:
    """``asked``: bbox and datetime as for STAC; at most ``read`` granules are read.

    Raises SondeError for no or a wrong answer.
    """
    parameters = {
        "collection_concept_id": collection.concept,
        "page_size": str(read),
        "include_facets": "v2",
        **({"bounding_box": asked["bbox"]} if "bbox" in asked else {}),
        **({"temporal": _temporal(asked["datetime"])} if "datetime" in asked else {}),
    }
    said = ask(f"{collection.url.rstrip('/')}/granules.json", parameters)
    feed = said.get("feed") if isinstance(said, dict) else None
    if not isinstance(feed, dict) or not isinstance(feed.get("entry"), list):
        raise Unavailable("CMR did not answer with granules.")
    granules = [_granule(one) for one in listed(feed, "entry")]
    hits = count(said.get("hits")) if isinstance(said, dict) else None
    matched = hits if hits is not None else (len(granules) if len(granules) < read else None)
    own = counted_by_time(one.start for one in granules)
    if own is not None and matched == len(granules):
        return Granules(tuple(granules), matched, TimeLine(own.interval, own.counts, of_all=True))
    return Granules(tuple(granules), matched, _years(feed) or own)


def _temporal(interval: str) -> str:
    """CMR writes ``start,end``, an open end empty."""
    start, _, end = interval.partition("/") if "/" in interval else (interval, "", interval)
    return ",".join("" if edge == ".." else edge for edge in (start, end))


def _years(feed: Json) -> TimeLine | None:
    facets = feed.get("facets")
    counts = sorted(
        (title, number)
        for one in _nodes(facets if isinstance(facets, dict) else {})
        if (title := text(one.get("title"))).isdigit() and len(title) == 4 and (number := count(one.get("count")))
    )
    return TimeLine("year", tuple(counts), of_all=True) if counts else None


def _nodes(node: Json, deep: int = 6) -> Iterator[Json]:
    for one in listed(node, "children"):
        yield one
        if deep:
            yield from _nodes(one, deep - 1)


def _granule(entry: Json) -> Granule:
    return Granule(
        text(entry.get("id")),
        text(entry.get("title")),
        moment(entry.get("time_start")),
        moment(entry.get("time_end")),
        _box(entry.get("boxes")),
        _href(entry),
    )


def _box(boxes: object) -> BBox | None:
    """CMR writes ``south west north east``."""
    if not isinstance(boxes, list) or not boxes:
        return None
    try:
        south, west, north, east = (float(one) for one in str(boxes[0]).split())
    except ValueError:
        return None
    return box([west, south, east, north])


def _href(entry: Json) -> str:
    links = [one for one in listed(entry, "links") if web_address(one.get("href"))]
    data = [one for one in links if str(one.get("rel")).endswith(_DATA) and not one.get("inherited")]
    return web_address(data[0].get("href")) if data else ""
