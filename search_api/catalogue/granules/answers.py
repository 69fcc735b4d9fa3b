"""Reads what a granule search answers, of STAC and of NASA's CMR, in one form; nothing of another host is passed on
unread.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from core.errors import SondeError, Unavailable
from core.extent import BBox
from core.json_types import Json
from core.timespan import instant_ms, iso

Interval = Literal["year", "month", "day"]

LONGEST_TEXT = 300
_DIGITS: dict[Interval, int] = {"year": 4, "month": 7, "day": 10}
_MOST_PERIODS = 60


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
    """``matched``: how many there are in all; None if the other side does not say."""

    first: tuple[Granule, ...]
    matched: int | None
    line: TimeLine | None


def timeline_of(starts: Iterable[str]) -> TimeLine | None:
    """By day if these are few, else by month or year; None without any moment."""
    known = [one for one in starts if one]
    intervals: Sequence[Interval] = ("day", "month", "year")
    for interval in intervals:
        counts = Counter(one[: _DIGITS[interval]] for one in known)
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
    try:
        return value if isinstance(value, str) and urlsplit(value).scheme in ("http", "https") else ""
    except ValueError:
        return ""


def box(numbers: object) -> BBox | None:
    """``[w, s, e, n]`` or with heights; None if it is no box."""
    if not isinstance(numbers, list) or len(numbers) not in (4, 6):
        return None
    edges = numbers if len(numbers) == 4 else [numbers[0], numbers[1], numbers[3], numbers[4]]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one) for one in edges):
        return None
    try:
        return BBox(*(float(one) for one in edges))
    except ValueError:
        return None


def objects_in(document: object, name: str) -> list[Json]:
    """The objects of a list; empty if there is none."""
    found = document.get(name) if isinstance(document, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


Ask = Callable[[str, Mapping[str, str]], object]
"""Address and parameters to the JSON of the answer; raises SondeError."""

_COUNTS = "total_count,datetime_frequency"


def stac_granules(collection: str, asked: Mapping[str, str], ask: Ask, read: int) -> Granules:
    """At most ``read`` items are read. ``asked``: bbox and datetime as the parameters of STAC.

    Raises SondeError for no or a wrong answer.
    """
    page = ask(f"{collection}/items", {**asked, "limit": str(read)})
    if not isinstance(page, dict) or not isinstance(page.get("features"), list):
        raise Unavailable("The other side did not answer with items.")
    items = [_stac_granule(one) for one in objects_in(page, "features")]
    matched = count(page.get("numberMatched"))
    if matched is None and isinstance(page.get("context"), dict):
        matched = count(page["context"].get("matched"))
    if matched is None and not any(one.get("rel") == "next" for one in objects_in(page, "links")):
        matched = len(items)
    line = None
    if matched != len(items):
        total, line = _counted(collection, asked, ask)
        matched = matched if matched is not None else total
    own = timeline_of(one.start for one in items)
    if own is not None and matched == len(items):
        own = TimeLine(own.interval, own.counts, of_all=True)
    return Granules(tuple(items), matched, line or own)


def _counted(collection: str, asked: Mapping[str, str], ask: Ask) -> tuple[int | None, TimeLine | None]:
    """Nothing if the API does not count."""
    try:
        said = ask(f"{collection}/aggregate", {**asked, "aggregations": _COUNTS})
    except SondeError:
        return None, None
    found = {str(one.get("name")): one for one in objects_in(said, "aggregations")}
    total = count(found.get("total_count", {}).get("value"))
    buckets = [
        (start, number)
        for one in objects_in(found.get("datetime_frequency"), "buckets")
        if (start := moment(one.get("key"))) and (number := count(one.get("frequency")))
    ]
    if not buckets:
        return total, None
    return total, TimeLine(_interval([start for start, _ in buckets]), _merged(buckets), of_all=True)


def _interval(starts: list[str]) -> Interval:
    if all(start[5:10] == "01-01" for start in starts):
        return "year"
    return "month" if all(start[8:10] == "01" for start in starts) else "day"


def _merged(buckets: list[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    digits = {"year": 4, "month": 7, "day": 10}[_interval([start for start, _ in buckets])]
    found: dict[str, int] = {}
    for start, number in sorted(buckets):
        found[start[:digits]] = found.get(start[:digits], 0) + number
    return tuple(found.items())


def _stac_granule(item: Json) -> Granule:
    properties = item.get("properties")
    said = properties if isinstance(properties, dict) else {}
    start = moment(said.get("start_datetime")) or moment(said.get("datetime"))
    end = moment(said.get("end_datetime")) or moment(said.get("datetime"))
    own = next((href for one in objects_in(item, "links") if one.get("rel") == "self" and (href := _address(one))), "")
    return Granule(
        text(item.get("id")), text(said.get("title")), start, end, box(item.get("bbox")), own or _asset_address(item)
    )


def _address(one: Json) -> str:
    return web_address(one.get("href"))


def _asset_address(item: Json) -> str:
    assets = item.get("assets")
    found = assets.values() if isinstance(assets, dict) else ()
    return next((href for one in found if isinstance(one, dict) and (href := _address(one))), "")


_DATA_RELATION = "/data#"


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
    granules = [_cmr_granule(one) for one in objects_in(feed, "entry")]
    hits = count(said.get("hits")) if isinstance(said, dict) else None
    matched = hits if hits is not None else (len(granules) if len(granules) < read else None)
    own = timeline_of(one.start for one in granules)
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
    for one in objects_in(node, "children"):
        yield one
        if deep:
            yield from _nodes(one, deep - 1)


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
        south, west, north, east = (float(one) for one in str(boxes[0]).split())
    except ValueError:
        return None
    return box([west, south, east, north])


def _data_address(entry: Json) -> str:
    links = [one for one in objects_in(entry, "links") if web_address(one.get("href"))]
    data = [one for one in links if str(one.get("rel")).endswith(_DATA_RELATION) and not one.get("inherited")]
    return web_address(data[0].get("href")) if data else ""
