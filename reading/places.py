"""Finds the places in a text, each with its box: the gazetteer, a geocoder and written coordinates.

Coordinates are read first, then names of the gazetteer (longest match), then names that only a geocoder knows.
``place_context`` chooses between places with the same name. Mentions never overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.geo import Entity, Place
from core.ports import EntityRecogniser, Geocoder, PlaceTagger
from reading.coordinates import WrittenBox, written_boxes
from reading.gazetteer import Gazetteer, NameWord, name_key, words
from reading.namesakes import NameContext, RecordDensity, is_centre_inside, no_density, resolve
from reading.place_context import after_feature, part_of
from reading.place_names import NameMatch, NameMatcher
from reading.sentences import Claims

Source = Literal["gazetteer", "entities", "coordinates"]

_PLACE_LABELS = frozenset(("GPE", "LOC", "NORP", "FAC"))
_LARGE_KINDS = frozenset(("continent", "country", "sea", "named_region", "river_basin"))
_QUALIFYING_MARKS = (", ", ",", " (", " ")  # between a place and the larger one that contains it
_CLOSE_CALL = 0.1  # two places with a smaller difference in importance are hard to distinguish
_MOST_ALTERNATIVES = 5
MAX_RECOGNISED = 240
"""Characters of a question that the recogniser reads: it needs .1 ms per word, and a character can be a word."""


@dataclass(frozen=True, slots=True)
class PlaceMention:
    """A place at these character offsets of the text (end exclusive).

    ``alternatives`` are the other places with that name, most likely first; ``confidence`` is 0..1.
    """

    text: str
    start: int
    end: int
    place: Place
    alternatives: tuple[Place, ...]
    confidence: float
    source: Source


class PlaceReader:
    """Reads places from questions and passages, by the rules of the gazetteer's names.

    ``recogniser`` and ``geocoder``: a remote geocoder, if one is configured, looks up the recogniser's names that the
    gazetteer does not know. ``density``: of the catalogue's records, decides between namesakes. ``tagger`` judges names
    for which the rules have no evidence.
    """

    def __init__(
        self,
        gazetteer: Gazetteer,
        recogniser: EntityRecogniser | None = None,
        geocoder: Geocoder | None = None,
        density: RecordDensity = no_density,
        tagger: PlaceTagger | None = None,
    ) -> None:
        self._gazetteer = gazetteer
        self._tagger = tagger
        self._recogniser = recogniser
        self._geocoder = geocoder
        self._density = density

    def read(self, text: str, language: str | None = None, max_mentions: int | None = None) -> list[PlaceMention]:
        """Mentions in text order, without overlaps.

        ``max_mentions``: only this many are read, and the recogniser sees the first ``MAX_RECOGNISED`` characters. This
        limits the cost of a question. ``language`` (ISO 639-1) says whether capitals mean names: in German all nouns
        have them.
        """
        boxes = written_boxes(text)
        claims = Claims(len(text))
        for box in boxes:
            claims.block((box.start, box.end))
        matcher = NameMatcher(self._gazetteer.snapshot(), self._tagger)
        matches = [m for m in matcher.find(text, language, max_mentions) if claims.is_free((m.start, m.end))]
        for match in matches:
            claims.block((match.start, match.end))
        geocoded = self._geocoded(text if max_mentions is None else text[:MAX_RECOGNISED], claims, max_mentions)
        mentions = _from_matches(text, matches, [places for _, places in geocoded], self._density)
        mentions += [_from_box(box) for box in boxes]
        mentions += [_from_entity(entity, places) for entity, places in geocoded]
        return sorted(mentions, key=lambda mention: mention.start)[:max_mentions]

    def _geocoded(self, text: str, claims: Claims, most: int | None) -> list[tuple[Entity, tuple[Place, ...]]]:
        """Names that the gazetteer does not know, with their places; the rules decided on those that it knows."""
        if self._recogniser is None or self._geocoder is None:
            return []
        entities = sorted(self._recogniser.entities(text), key=lambda entity: entity.start)[:most]
        geocoded = []
        for entity in entities:
            is_free = claims.is_free((entity.start, entity.end)) and not after_feature(text[: entity.start])
            is_known = self._gazetteer.named(name_key(entity.text)) is not None
            if entity.label in _PLACE_LABELS and is_free and not is_known:
                geocoded.append((entity, tuple(self._geocoder.lookup(entity.text))))
        return [(entity, places) for entity, places in geocoded if places]


def _from_matches(
    text: str,
    matches: list[NameMatch],
    context: list[tuple[Place, ...]],
    density: RecordDensity,
) -> list[PlaceMention]:
    text_words = words(text)
    contexts = [_context_of(text, matches, number, text_words) for number in range(len(matches))]
    places_by_match = resolve([match.places for match in matches], contexts, context, density)
    mentions = []
    skip = False
    for number, (match, places) in enumerate(zip(matches, places_by_match, strict=True)):
        if skip:
            skip = False
            continue
        start, place = _narrow(match, places[0], text_words)
        end = match.end
        if contexts[number].comma and _qualifies(places[0], places_by_match[number + 1][0]):
            end, skip = matches[number + 1].end, True
        confidence = _confidence(match, places, is_qualified=skip)
        alternatives = places[1 : 1 + _MOST_ALTERNATIVES]
        mentions.append(PlaceMention(text[start:end], start, end, place, alternatives, confidence, "gazetteer"))
    return mentions


def _context_of(text: str, matches: list[NameMatch], number: int, text_words: list[NameWord]) -> NameContext:
    """The words next to a name: one before ("of" skipped: "state of Georgia") and one after; and the comma."""
    match = matches[number]
    following = matches[number + 1] if number + 1 < len(matches) else None
    comma = following is not None and text[match.end : following.start] in _QUALIFYING_MARKS
    if following is not None and following.is_adjective:
        comma = False  # "los Andes chilenos" are no town of Chile
    word_before = match.first - 1
    if word_before > 0 and text_words[word_before].folded == "of":
        word_before -= 1
    numbers = (word_before, match.last + 1)
    return NameContext(
        frozenset(text_words[position].folded for position in numbers if 0 <= position < len(text_words)), comma
    )


def _narrow(match: NameMatch, place: Place, text_words: list[NameWord]) -> tuple[int, Place]:
    """The start of the mention and its place, including a direction before the name ("northern Italy")."""
    if match.first == 0:
        return match.start, place
    word_before = text_words[match.first - 1]
    if match.start - word_before.end != 1:
        return match.start, place
    direction, start = word_before.folded, word_before.start
    if match.first > 1 and word_before.start - text_words[match.first - 2].end == 1:
        compound_direction = text_words[match.first - 2].folded + direction  # north-eastern, south west
        if part_of(place, compound_direction):
            direction, start = compound_direction, text_words[match.first - 2].start
    part = part_of(place, direction)
    return (start, part) if part else (match.start, place)


def _qualifies(place: Place, outer: Place) -> bool:
    """Whether the name after the comma only locates this place ("Paris, Texas")."""
    if place.kind not in ("city", "region", "island", "named_region") or outer.kind not in (
        "country",
        "region",
        "continent",
    ):
        return False
    return is_centre_inside(place.bbox, outer.bbox) and (place.country == outer.country or outer.kind == "continent")


def _confidence(match: NameMatch, places: tuple[Place, ...], *, is_qualified: bool) -> float:
    """The confidence that a place is meant, and this one."""
    best = places[0]
    score = 0.6
    score += 0.15 if match.after_preposition else 0.0
    score += 0.1 if best.kind in _LARGE_KINDS else 0.0
    score += 0.05 if match.capital else 0.0
    score += 0.05 if match.last > match.first else 0.0
    score += 0.15 if is_qualified else 0.0
    score -= 0.15 if match.is_adjective else 0.0
    score -= 0.05 if best.estimated else 0.0
    is_close_call = len(places) > 1 and not is_qualified and _close_call(best, places[1])
    return round(min(0.99, max(0.05, score - (0.15 if is_close_call else 0.0))), 2)


def _close_call(best: Place, second: Place) -> bool:
    """Whether the two are hard to distinguish, and it matters: the island and the region of Sicily are one place."""
    is_same_area = is_centre_inside(best.bbox, second.bbox) or is_centre_inside(second.bbox, best.bbox)
    return not is_same_area and abs(best.importance - second.importance) < _CLOSE_CALL


def _from_box(box: WrittenBox) -> PlaceMention:
    place = Place(box.text, "coordinates", box.bbox, importance=1.0, source="coordinates")
    return PlaceMention(box.text, box.start, box.end, place, (), 0.95, "coordinates")


def _from_entity(entity: Entity, places: tuple[Place, ...]) -> PlaceMention:
    alternatives = places[1 : 1 + _MOST_ALTERNATIVES]
    return PlaceMention(entity.text, entity.start, entity.end, places[0], alternatives, 0.55, "entities")
