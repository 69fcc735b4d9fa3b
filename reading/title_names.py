"""Names of places in the titles of a catalogue's records: words with capitals whose small boxes agree.

Stations, lakes and sites of campaigns are in no gazetteer, but each of their records has a box. A name needs three
records, and four of five of all records that have it in their title must lie at one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from core.geo import BBox, Place
from reading.gazetteer import fold

SOURCE = "catalogue"
MOST_NAMES = 3_000
_LEAST_RECORDS = 3
_LEAST_SHARE = 0.8
_SMALL_DEG = 3.0
_NEAR_DEG = 1.0
_LONGEST_NAME = 3
_LEAST_LETTERS = 4
_MARGIN_DEG = 0.05
_READ_CHARACTERS = 1_000
_MOST_KEYS = 400_000
_BRACKETS = re.compile(r"\[[^\]]*\]|\([^)]*\)")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*|\S")
_LOWER_CASE_WORD = re.compile(r"(?<![\w'\u2019.-])[^\W\d_A-Z][^\W\d_]{2,}")
_LOCATED = re.compile(r"\b(?:at|near|in|around|from|north of|south of|east of|west of) (?:the )?([A-Z][^\W\d_]+)")
_FEATURES = frozenset((
    "bay", "bight", "camp", "canyon", "cape", "cove", "creek", "fjord", "forest", "glacier", "gulf", "harbor",
    "harbour", "hill", "hills", "ice", "inlet", "island", "islands", "lagoon", "lake", "lakes", "mount", "mountain",
    "mountains", "observatory", "pass", "peak", "peninsula", "plateau", "point", "pond", "ranch", "reef", "reservoir",
    "ridge", "river", "shelf", "sound", "station", "strait", "valley", "volcano",
))  # fmt: skip
"""Words that are part of a name and none alone."""


@dataclass(frozen=True, slots=True)
class TitledBox:
    """A record as the names need it; ``text`` is its title and description, for the words that are no names."""

    title: str
    text: str
    boxes: Sequence[BBox]


@dataclass(slots=True)
class _NameRecords:
    """The records with a name in the title: their small boxes (west, south, east, north), and how many are large."""

    name: str
    small: list[tuple[float, float, float, float]] = field(default_factory=list)
    large_count: int = 0


def title_places(records: Iterable[TitledBox]) -> list[Place]:
    """At most ``MOST_NAMES``, those with most records first."""
    records_by_key: dict[str, _NameRecords] = {}
    ordinary: set[str] = set()
    located: set[str] = set()
    for record in records:
        text = record.text[:_READ_CHARACTERS]
        ordinary.update(fold(word) for word in _LOWER_CASE_WORD.findall(text))
        located.update(fold(word) for word in _LOCATED.findall(text))
        if not record.boxes or len(records_by_key) > _MOST_KEYS:
            continue
        small_box = _small_box(record.boxes)
        for key, name in dict(_names(record.title)).items():
            name_records = records_by_key.setdefault(key, _NameRecords(name))
            if small_box is None:
                name_records.large_count += 1
            else:
                name_records.small.append(small_box)
    places = [
        place
        for key, name_records in records_by_key.items()
        if _is_proper(key, ordinary, located) and (place := _place(name_records)) is not None
    ]
    parts = _later_parts(places)
    whole_names = [place for place in places if place.record_count > parts.get(place.name, 0)]
    return sorted(whole_names, key=lambda place: (-place.record_count, place.name))[:MOST_NAMES]


def _later_parts(places: Sequence[Place]) -> dict[str, int]:
    """The records of the longer name by each of its ends: "Kong" is no name where all of it is Hong Kong."""
    parts: dict[str, int] = {}
    for place in places:
        words = place.name.split()
        for first in range(1, len(words)):
            for end in range(first + 1, len(words) + 1):
                part = " ".join(words[first:end])
                parts[part] = parts.get(part, 0) + place.record_count
    return parts


def _names(title: str) -> Iterator[tuple[str, str]]:
    """Key and spelling of each run of one to three words with a capital; brackets hold people and formats."""
    words = _WORD.findall(_BRACKETS.sub(" | ", title))
    for first in range(len(words)):
        run: list[str] = []
        for word in islice(words, first, first + _LONGEST_NAME):
            if not (word[0].isupper() and word[1:] and not word.isupper()):
                break
            run.append(word)
            if len(run) > 1 or fold(word) not in _FEATURES:
                yield " ".join(fold(part) for part in re.split(r"\W+", " ".join(run))), " ".join(run)


def _is_proper(key: str, ordinary: set[str], located: set[str]) -> bool:
    """Whether no word is an ordinary one in this catalogue, and its first is somewhere "at" or "in" it.

    A word of a feature may be ordinary, but a name has another word, and with a feature needs no preposition.
    """
    words = key.split()
    proper_words = [word for word in words if word not in _FEATURES]
    if not proper_words or any(len(word) < _LEAST_LETTERS or word in ordinary for word in proper_words):
        return False
    return len(proper_words) < len(words) or words[0] in located


def _small_box(boxes: Sequence[BBox]) -> tuple[float, float, float, float] | None:
    """None for a large area, several ones, or one across the antimeridian."""
    box = boxes[0]
    if len(boxes) > 1 or box.west > box.east or max(box.east - box.west, box.north - box.south) > _SMALL_DEG:
        return None
    return box.west, box.south, box.east, box.north


def _place(name_records: _NameRecords) -> Place | None:
    """The area of the boxes near their median, if nearly all are."""
    record_count = len(name_records.small) + name_records.large_count
    if len(name_records.small) < _LEAST_RECORDS:
        return None
    boxes = np.array(name_records.small)
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    median = np.median(centres, axis=0)
    scale = np.array([max(0.1, np.cos(np.radians(median[1]))), 1.0])
    near = np.hypot(*((centres - median) * scale).T) <= _NEAR_DEG
    if near.sum() < max(_LEAST_RECORDS, _LEAST_SHARE * record_count):
        return None
    # The middle of the edges, because one record with a larger area must not make the place larger.
    west, south, east, north = (float(edge) for edge in np.median(boxes[near], axis=0))
    return Place(
        name_records.name,
        "named_region",
        _grown(west, south, east, north),
        importance=0.35 if " " not in name_records.name else 0.5,
        estimated=True,
        source=SOURCE,
        record_count=int(near.sum()),
    )


def _grown(west: float, south: float, east: float, north: float) -> BBox:
    edges = (
        max(-180.0, west - _MARGIN_DEG),
        max(-90.0, south - _MARGIN_DEG),
        min(180.0, east + _MARGIN_DEG),
        min(90.0, north + _MARGIN_DEG),
    )
    return BBox(*(round(edge, 4) for edge in edges))
