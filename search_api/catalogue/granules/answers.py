"""Reads what a granule search answers, of STAC and of NASA's CMR, in one form; nothing of another host is passed on
unread.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.errors import SondeError, Unavailable
from core.geo import BBox
from core.json_types import Json
from core.timespan import instant_ms, iso
from search_api.formats_out.notations import split_address

Interval = Literal["year", "month", "day"]

LONGEST_TEXT = 300
_DIGITS: dict[Interval, int] = {"year": 4, "month": 7, "day": 10}
_MOST_PERIODS = 60

Ask = Callable[[str, Mapping[str, str]], object]
"""Address and parameters to the JSON of the answer; raises SondeError."""
_COUNTS = "total_count,datetime_frequency"
_DATA_RELATION = "/data#"


@dataclass(frozen=True, slots=True)
class Granule:
    """``start``, ``end``: RFC 3339 in UTC; empty if not said. ``href``: where it is described, else its data."""

    id: str
    title: str = ""
    start: str = ""
    end: str = ""
    box: BBox | None = None
    href: str = ""


@dataclass(frozen=True, slots=True)
class TimeLine:
    """Granules by the year, month or day in which they begin, oldest first. ``of_all``: else of the read ones only."""

    interval: Interval
    counts: tuple[tuple[str, int], ...]
    of_all: bool


@dataclass(frozen=True, slots=True)
class Granules:
    """``matched``: how many there are in all; None if the other host does not say."""

    first: tuple[Granule, ...]
    matched: int | None
    line: TimeLine | None


def timeline_of(starts: Iterable[str]) -> TimeLine | None:
    """By day if these are few, else by month or year; None without any moment."""
    moments = [instant for instant in starts if instant]
    intervals: Sequence[Interval] = ("day", "month", "year")
    for interval in intervals:
        counts = Counter(instant[: _DIGITS[interval]] for instant in moments)
        if counts and (len(counts) <= _MOST_PERIODS or interval == "year"):
            return TimeLine(interval, tuple(sorted(counts.items())), of_all=False)
    return None


def moment(value: object) -> str:
    """RFC 3339 in UTC; empty if it is no moment."""
    try:
        return iso(instant_ms(value)) if isinstance(value, str) else ""
    except ValueError:
        return ""


def text(value: object) -> str:
    """One line; empty if it is no text."""
    return " ".join(value.split())[:LONGEST_TEXT] if isinstance(value, str) else ""


def web_address(value: object) -> str:
    """An absolute address of the web; empty for anything else."""
    return value if isinstance(value, str) and split_address(value).scheme in ("http", "https") else ""


def box(numbers: object) -> BBox | None:
    """``[w, s, e, n]`` or with heights; None if it is no box."""
    if not isinstance(numbers, list) or len(numbers) not in (4, 6):
        return None
    edges = numbers if len(numbers) == 4 else [numbers[0], numbers[1], numbers[3], numbers[4]]
    if not all(isinstance(edge, int | float) and not isinstance(edge, bool) and math.isfinite(edge) for edge in edges):
        return None
    try:
        return BBox(*(float(edge) for edge in edges))
    except ValueError:
        return None


def objects_in(document: object, name: str) -> list[Json]:
    """The objects of a list; empty if there is none."""
    members = document.get(name) if isinstance(document, dict) else None
    return [member for member in members if isinstance(member, dict)] if isinstance(members, list) else []


def count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def stac_granules(collection: str, filters: Mapping[str, str], ask: Ask, limit: int) -> Granules:
    """At most ``limit`` items are read. ``filters``: bbox and datetime as the parameters of STAC.

    Raises SondeError for no or a wrong answer.
    """
    page = ask(f"{collection}/items", {**filters, "limit": str(limit)})
    if not isinstance(page, dict) or not isinstance(page.get("features"), list):
        raise Unavailable("The other side did not answer with items.")
    items = [_stac_granule(granule) for granule in objects_in(page, "features")]
    number_matched = count(page.get("numberMatched"))
    if number_matched is None and isinstance(page.get("context"), dict):
        number_matched = count(page["context"].get("matched"))
    if number_matched is None and not any(granule.get("rel") == "next" for granule in objects_in(page, "links")):
        number_matched = len(items)
    line = None
    if number_matched != len(items):
        total, line = _count_granules(collection, filters, ask)
        number_matched = number_matched if number_matched is not None else total
    timeline = timeline_of(granule.start for granule in items)
    if timeline is not None and number_matched == len(items):
        timeline = TimeLine(timeline.interval, timeline.counts, of_all=True)
    return Granules(tuple(items), number_matched, line or timeline)


def _count_granules(collection: str, filters: Mapping[str, str], ask: Ask) -> tuple[int | None, TimeLine | None]:
    """Nothing if the API does not count."""
    try:
        answer = ask(f"{collection}/aggregate", {**filters, "aggregations": _COUNTS})
    except SondeError:
        return None, None
    by_name = {str(bucket.get("name")): bucket for bucket in objects_in(answer, "aggregations")}
    total = count(by_name.get("total_count", {}).get("value"))
    buckets = [
        (start, number)
        for bucket in objects_in(by_name.get("datetime_frequency"), "buckets")
        if (start := moment(bucket.get("key"))) and (number := count(bucket.get("frequency")))
    ]
    if not buckets:
        return total, None
    return total, TimeLine(_interval([start for start, _ in buckets]), _merge_counts(buckets), of_all=True)


def _interval(starts: list[str]) -> Interval:
    if all(start[5:10] == "01-01" for start in starts):
        return "year"
    return "month" if all(start[8:10] == "01" for start in starts) else "day"


def _merge_counts(buckets: list[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    digits = _DIGITS[_interval([start for start, _ in buckets])]
    counts: Counter[str] = Counter()
    for start, number in sorted(buckets):
        counts[start[:digits]] += number
    return tuple(counts.items())


def _stac_granule(item: Json) -> Granule:
    properties = item.get("properties")
    members = properties if isinstance(properties, dict) else {}
    start = moment(members.get("start_datetime")) or moment(members.get("datetime"))
    end = moment(members.get("end_datetime")) or moment(members.get("datetime"))
    own_link = next(
        (href for link in objects_in(item, "links") if link.get("rel") == "self" and (href := _address(link))), ""
    )
    return Granule(
        text(item.get("id")),
        text(members.get("title")),
        start,
        end,
        box(item.get("bbox")),
        own_link or _asset_address(item),
    )


def _address(link: Json) -> str:
    return web_address(link.get("href"))


def _asset_address(item: Json) -> str:
    assets = item.get("assets")
    values = assets.values() if isinstance(assets, dict) else ()
    return next((href for asset in values if isinstance(asset, dict) and (href := _address(asset))), "")


@dataclass(frozen=True, slots=True)
class CmrCollection:
    """CMR's search address, and the concept id of a collection."""

    url: str
    concept: str


def cmr_granules(collection: CmrCollection, filters: Mapping[str, str], ask: Ask, limit: int) -> Granules:
    """``filters``: bbox and datetime as for STAC; at most ``limit`` granules are read.

    Raises SondeError for no or a wrong answer.
    """
    parameters = {
        "collection_concept_id": collection.concept,
        "page_size": str(limit),
        "include_facets": "v2",
        **({"bounding_box": filters["bbox"]} if "bbox" in filters else {}),
        **({"temporal": _temporal(filters["datetime"])} if "datetime" in filters else {}),
    }
    answer = ask(f"{collection.url.rstrip('/')}/granules.json", parameters)
    feed = answer.get("feed") if isinstance(answer, dict) else None
    if not isinstance(feed, dict) or not isinstance(feed.get("entry"), list):
        raise Unavailable("CMR did not answer with granules.")
    granules = [_cmr_granule(granule) for granule in objects_in(feed, "entry")]
    hits = count(answer.get("hits")) if isinstance(answer, dict) else None
    total = hits if hits is not None else (len(granules) if len(granules) < limit else None)
    timeline = timeline_of(granule.start for granule in granules)
    if timeline is not None and total == len(granules):
        return Granules(tuple(granules), total, TimeLine(timeline.interval, timeline.counts, of_all=True))
    return Granules(tuple(granules), total, _years(feed) or timeline)


def _temporal(interval: str) -> str:
    """CMR writes ``start,end``, an open end empty."""
    start, _, end = interval.partition("/") if "/" in interval else (interval, "", interval)
    return ",".join("" if edge == ".." else edge for edge in (start, end))


def _years(feed: Json) -> TimeLine | None:
    facets = feed.get("facets")
    counts = sorted(
        (title, number)
        for node in _nodes(facets if isinstance(facets, dict) else {})
        if (title := text(node.get("title"))).isdigit() and len(title) == 4 and (number := count(node.get("count")))
    )
    return TimeLine("year", tuple(counts), of_all=True) if counts else None


def _nodes(node: Json, deep: int = 6) -> Iterator[Json]:
    for child in objects_in(node, "children"):
        yield child
        if deep:
            yield from _nodes(child, deep - 1)


def _cmr_granule(entry: Json) -> Granule:
    return Granule(
        text(entry.get("id")),
        text(entry.get("title")),
        moment(entry.get("time_start")),
        moment(entry.get("time_end")),
        _cmr_box(entry.get("boxes")),
        _data_address(entry),
    )


def _cmr_box(boxes: object) -> BBox | None:
    """CMR writes ``south west north east``."""
    if not isinstance(boxes, list) or not boxes:
        return None
    try:
        south, west, north, east = (float(edge) for edge in str(boxes[0]).split())
    except ValueError:
        return None
    return box([west, south, east, north])


def _data_address(entry: Json) -> str:
    links = [link for link in objects_in(entry, "links") if web_address(link.get("href"))]
    data = [link for link in links if str(link.get("rel")).endswith(_DATA_RELATION) and not link.get("inherited")]
    return web_address(data[0].get("href")) if data else ""
