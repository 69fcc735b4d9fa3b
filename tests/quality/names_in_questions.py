"""``python -m tests.quality.names_in_questions``: how a filled index answers names of people, and words in capitals.

Reads the index of the settings (``SONDE_INDEX__PREFIX``) and writes nothing to it. The people and organisations are
drawn from the contacts of its records with a fixed seed; a name is found if one of its records is in the first ten.
For words in capitals, the figure is the share of a good question's first five hits that stay when the word is added.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from elasticsearch.helpers import scan

from core.names import folded_words
from es_gateway.client import Elasticsearch
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import default_config
from search_api.search.request import SearchRequest
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.models import Models
from sonde.wiring.search import search_pipeline

_SEED = 46
_PEOPLE, _ORGANISATIONS = 80, 40
_PERSON = re.compile(r"(?!.*(?i:data|support|project|team|group))[^\W\d_]+,? (?:[^\W\d_][\w.'’-]* ?){1,3}")

QUESTIONS = (
    "soil moisture Oklahoma",
    "sea ice thickness Beaufort Sea",
    "precipitation radar Front Range Colorado",
    "ozone profiles Greenland",
    "aerosol size distribution Southern Ocean",
    "lightning Alabama",
    "snow depth Alaska",
    "tropical cyclone best track",
    "sea surface temperature monthly reanalysis",
    "carbon dioxide flux tundra",
    "radiosonde soundings Taiwan",
    "wind profiler Kansas",
    "cloud droplet concentration stratocumulus Chile",
    "zooplankton Chukchi Sea",
    "permafrost active layer North Slope",
    "ocean salinity moorings Bering Strait",
    "vegetation map Seward Peninsula",
    "river discharge Lena",
    "fire emissions wildfire smoke",
    "mesoscale convective systems Argentina",
)
WORDS = ("PDF", "CSV", "NetCDF", "NOAA", "NASA", "UTC", "GPS", "ASCII", "USGS", "GMT")
OTHER_WORDS = ("HDF", "GRIB", "EXCEL", "NSF", "UCAR", "NCEP", "LST", "ISO", "FTP", "PI")
FURTHER_WORDS = ("GIF", "ZIP", "MATLAB", "DOE", "NWS", "EPA", "ECMWF", "UTM", "AGL", "PST", "DBZ", "JPL")
"""Of the same kinds, for figures on words that nothing was tuned on."""


def forms_of(name: str) -> tuple[str, ...]:
    """The usual ways to type a person's name: as written, first name first, last name first, initials, last name."""
    if "," in name:
        last, _, first = (part.strip() for part in name.partition(","))
    else:
        words = name.removesuffix(" Jr.").split()
        first, last = " ".join(words[:-1]), words[-1]
    initial = first[:1]
    return (name, f"{first} {last}", f"{last}, {initial}.", f"{initial}. {last}", last.lower())


def contact_records(client: Elasticsearch, index: str) -> tuple[Mapping[str, set[str]], Mapping[str, set[str]]]:
    """The records of each person and of each organisation."""
    people, organisations = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    query = {"query": {"exists": {"field": "contacts.role"}}, "_source": ["id", "contacts"]}
    for hit in scan(client, index=index, query=query, size=2_000):
        for contact in hit["_source"]["contacts"]:
            if _PERSON.fullmatch(contact.get("name") or ""):
                people[contact["name"]].add(hit["_source"]["id"])
            if contact.get("organisation"):
                organisations[contact["organisation"]].add(hit["_source"]["id"])
    return people, organisations


def first_ids(pipeline: SearchPipeline, question: str, count: int) -> list[str]:
    return [hit.record.id for hit in pipeline.search(SearchRequest(question, limit=count)).hits]


def show_found(pipeline: SearchPipeline, title: str, expected: Iterable[tuple[str, set[str]]]) -> None:
    found, missed = 0, []
    for typed, records in expected:
        if records.intersection(first_ids(pipeline, typed, 10)):
            found += 1
        else:
            missed.append(typed)
    sys.stdout.write(f"{title}: {found} of {found + len(missed)}; missed: {'; '.join(missed)}\n")


def show_kept(pipeline: SearchPipeline, words: Sequence[str]) -> None:
    first = {question: first_ids(pipeline, question, 5) for question in QUESTIONS}
    shares = []
    for word in words:
        kept = [
            len(set(ids).intersection(first_ids(pipeline, f"{question} {word}", 5))) / len(ids)
            for question, ids in first.items()
            if ids
        ]
        shares.append(sum(kept) / len(kept))
        sys.stdout.write(f"  {word}: {shares[-1]:.2f}\n")
    sys.stdout.write(f"first five kept: {sum(shares) / len(shares):.3f}\n")


def main() -> None:
    settings = load_settings()
    client = elasticsearch_client(settings)
    pipeline, resolver = search_pipeline(client, settings.index.prefix, Models(settings), default_config())
    people, organisations = contact_records(client, resolver.resolve().records.index)
    draw = random.Random(_SEED)
    names = draw.sample(sorted(people), min(_PEOPLE, len(people)))
    by_last_word = defaultdict[str, set[str]](set)
    for name, records in people.items():
        for word in folded_words(name):
            by_last_word[word] |= records
    for number, form in enumerate(("as written", "first last", "Last, F.", "F. Last")):
        show_found(pipeline, f"people, {form}", [(forms_of(name)[number], people[name]) for name in names])
    last_names = [forms_of(name)[-1] for name in names]
    of_last_names = [(last, set.union(*(by_last_word[word] for word in folded_words(last)))) for last in last_names]
    show_found(pipeline, "people, last name", of_last_names)
    sampled = draw.sample(sorted(organisations), min(_ORGANISATIONS, len(organisations)))
    show_found(pipeline, "organisations", [(name, organisations[name]) for name in sampled])
    show_kept(pipeline, WORDS)
    show_kept(pipeline, OTHER_WORDS)
    show_kept(pipeline, FURTHER_WORDS)


if __name__ == "__main__":
    main()
