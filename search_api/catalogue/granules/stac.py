"""Granules of a STAC collection: the first items, and counts where the API has STAC's Aggregation extension."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.errors import SondeError, Unavailable
from core.json_types import Json
from search_api.catalogue.granules.answers import (
    Granule,
    Granules,
    Interval,
    TimeLine,
    box,
    count,
    counted_by_time,
    listed,
    moment,
    text,
    web_address,
)

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
    items = [_granule(one) for one in listed(page, "features")]
    matched = count(page.get("numberMatched"))
    if matched is None and isinstance(page.get("context"), dict):
        matched = count(page["context"].get("matched"))
    if matched is None and not any(one.get("rel") == "next" for one in listed(page, "links")):
        matched = len(items)
    line = None
    if matched != len(items):
        total, line = _counted(collection, asked, ask)
        matched = matched if matched is not None else total
    own = counted_by_time(one.start for one in items)
    if own is not None and matched == len(items):
        own = TimeLine(own.interval, own.counts, of_all=True)
    return Granules(tuple(items), matched, line or own)


def _counted(collection: str, asked: Mapping[str, str], ask: Ask) -> tuple[int | None, TimeLine | None]:
    """Nothing if the API does not count."""
    try:
        said = ask(f"{collection}/aggregate", {**asked, "aggregations": _COUNTS})
    except SondeError:
        return None, None
    found = {str(one.get("name")): one for one in listed(said, "aggregations")}
    total = count(found.get("total_count", {}).get("value"))
    buckets = [
        (start, number)
        for one in listed(found.get("datetime_frequency"), "buckets")
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


def _granule(item: Json) -> Granule:
    properties = item.get("properties")
    said = properties if isinstance(properties, dict) else {}
    start = moment(said.get("start_datetime")) or moment(said.get("datetime"))
    end = moment(said.get("end_datetime")) or moment(said.get("datetime"))
    own = next((href for one in listed(item, "links") if one.get("rel") == "self" and (href := _href(one))), "")
    return Granule(text(item.get("id")), text(said.get("title")), start, end, box(item.get("bbox")), own or _data(item))


def _href(one: Json) -> str:
    return web_address(one.get("href"))


def _data(item: Json) -> str:
    assets = item.get("assets")
    found = assets.values() if isinstance(assets, dict) else ()
    return next((href for one in found if isinstance(one, dict) and (href := _href(one))), "")
