"""The names that questions for the tagger are made of: places, topics, people and organisations."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from core.geo import Place
from core.record import Record
from reading.acronyms import own_acronyms
from reading.gazetteer import Gazetteer, GazetteerName, name_key
from reading.namesakes import is_centre_inside
from reading.vocabulary import own_vocabulary
from training.examples import is_held_out

Half = Literal["learnt", "measured"]
"""Names and wordings of one half are not in the other."""
MEASURED_SHARE = 0.25

_AREA_KINDS = ("sea", "named_region", "river_basin", "island", "continent")
_PERSON = re.compile(r"[^\W\d_][\w.'’-]*,?(?: [^\W\d_][\w.'’-]*){1,3}")
_INSTITUTION_LENGTH = 60
_TOPIC_LENGTH = 30
_MOST_NAMES = 4


def of_half(texts: Iterable[str], half: Half) -> list[str]:
    """Those of the half, each once, in order."""
    return [text for text in dict.fromkeys(texts) if is_held_out(text, MEASURED_SHARE) is (half == "measured")]


@dataclass(frozen=True, slots=True)
class CatalogueNames:
    """What a catalogue's own records name; empty without a catalogue."""

    topics: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    organisations: tuple[str, ...] = ()
    licences: tuple[tuple[str, str], ...] = field(default=())
    """Source and licence of the records, for the card."""

    @classmethod
    def of_records(cls, records: Iterable[Record], licences: Sequence[tuple[str, str]] = ()) -> CatalogueNames:
        topics, people, organisations = set(), set(), set()
        for record in records:
            topics |= {keyword.term.rpartition(">")[2].strip() for keyword in record.keywords}
            people |= {contact.name for contact in record.contacts if contact.name and _PERSON.fullmatch(contact.name)}
            organisations |= {c.organisation for c in record.contacts if c.organisation}
        return cls(
            tuple(sorted(topic for topic in topics if 3 < len(topic) < _TOPIC_LENGTH)),
            tuple(sorted(people - organisations)),
            tuple(sorted(name for name in organisations if len(name) < _INSTITUTION_LENGTH)),
            tuple(licences),
        )


class GazetteerNames:
    """Places of the gazetteer by kind; a large city is drawn more often than a small one."""

    def __init__(self, gazetteer: Gazetteer, half: Half) -> None:
        self._gazetteer = gazetteer
        self._half: Half = half

    def city(self, chance: random.Random) -> Place:
        """Most of them by importance."""
        cities = self._cities
        if chance.random() < 0.75:
            return chance.choices(cities, self._importances)[0]
        return chance.choice(cities)

    def any_city(self, chance: random.Random) -> Place:
        """All are equally likely: most are little towns with the name of a person."""
        return chance.choice(self._cities)

    def outer(self, city: Place, chance: random.Random) -> str:
        """A region around the city, or its country."""
        regions = [r for r in self._regions_of.get(city.country, ()) if is_centre_inside(city.bbox, r.bbox)]
        if regions and chance.random() < 0.7:
            return chance.choice(regions).name
        countries = self._countries_of.get(city.country)
        return chance.choice(countries).name if countries else city.name

    def named(self, kind: str, chance: random.Random) -> str:
        """``region``, ``country``, ``area`` or ``adjective``; some in another language."""
        if kind == "adjective":
            return chance.choice(self._adjectives)
        place = chance.choice(self._by_kind[kind])
        other_names = self._other_names.get(place.name)
        return chance.choice(other_names) if other_names and chance.random() < 0.3 else place.name

    @cached_property
    def _names(self) -> dict[str, GazetteerName]:
        named = ((key, self._gazetteer.named(key)) for key in sorted(self._gazetteer.keys()))
        return {key: name for key, name in named if name is not None}

    @cached_property
    def _by_kind(self) -> dict[str, list[Place]]:
        places = {name.places[0].name: name.places[0] for name in self._names.values() if not name.is_adjective}
        by_kind: dict[str, list[Place]] = defaultdict(list)
        for name in of_half(places, self._half):
            if len(name) > 2:
                by_kind["area" if places[name].kind in _AREA_KINDS else places[name].kind].append(places[name])
        return by_kind

    @cached_property
    def _cities(self) -> list[Place]:
        return [place for place in self._by_kind["city"] if not self._is_word(place.name)]

    def _is_word(self, name: str) -> bool:
        entry = self._names.get(name_key(name))
        return entry is not None and entry.is_word and name.isascii() and len(name) < 5

    @cached_property
    def _importances(self) -> list[float]:
        return [place.importance**3 for place in self._cities]

    @cached_property
    def _regions_of(self) -> dict[str | None, list[Place]]:
        return _by_country(self._by_kind["region"])

    @cached_property
    def _countries_of(self) -> dict[str | None, list[Place]]:
        return _by_country(self._by_kind["country"])

    @cached_property
    def _adjectives(self) -> list[str]:
        keys = (key for key, name in self._names.items() if name.is_adjective and key.isascii())
        return [key.title() for key in of_half(keys, self._half)]

    @cached_property
    def _other_names(self) -> dict[str, list[str]]:
        """Name -> the same place in other languages; the gazetteer has these in lower case."""
        other_names: dict[str, list[str]] = defaultdict(list)
        for key, name in self._names.items():
            place = name.places[0]
            is_large = place.kind in (*_AREA_KINDS, "country")
            if is_large and not name.is_adjective and not name.is_word and key.isascii() and len(key) > 3:
                other_names[place.name].append(key.title())
        return {name: keys[:_MOST_NAMES] for name, keys in other_names.items()}


def _by_country(places: Iterable[Place]) -> dict[str | None, list[Place]]:
    by_country: dict[str | None, list[Place]] = defaultdict(list)
    for place in places:
        by_country[place.country].append(place)
    return by_country


def topics_by_language(gazetteer: Gazetteer, catalogue: CatalogueNames, half: Half) -> dict[str, list[str]]:
    """Labels of Sonde's vocabulary and the catalogue's keywords; none is a place's name."""
    labels: dict[str, set[str]] = defaultdict(set)
    for concept in own_vocabulary().concepts:
        for label in concept.labels:
            labels[label.language or "en"].add(label.text)
    labels["en"] |= set(catalogue.topics)
    return {
        language: of_half(sorted(text for text in texts if gazetteer.named(name_key(text)) is None), half)
        for language, texts in labels.items()
    }


def acronyms() -> list[str]:
    """Instruments, models and quantities."""
    return sorted({sense.acronym for sense in own_acronyms().senses if sense.field != "agency"})


def agencies() -> list[str]:
    """Acronyms and names of organisations."""
    senses = [sense for sense in own_acronyms().senses if sense.field == "agency"]
    return sorted({text for sense in senses for text in (sense.acronym, sense.expansion)})
