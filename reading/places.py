"""Finds the places in a text, each with its box: the gazetteer, an entity recogniser and written coordinates.

Coordinates are read first, then names of the gazetteer (longest match), then the recogniser's other entities.
``place_context`` chooses between places with the same name. Mentions never overlap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.geo import Entity, Place
from core.ports import EntityRecogniser, Geocoder, PlaceTagger
from reading.coordinates import WrittenBox, written_boxes
from reading.gazetteer import Gazetteer, NameWord, name_key, words
from reading.namesakes import NameContext, RecordDensity, inside, no_density, resolve
from reading.place_context import after_feature, part_of
from reading.place_names import NameMatch, NameMatcher
from reading.sentences import Claims, sentences

Source = Literal["gazetteer", "entities", "coordinates"]

_PLACE_LABELS = frozenset(("GPE", "LOC", "NORP", "FAC"))
_OTHER_LABELS = frozenset(("PERSON", "ORG", "PRODUCT", "WORK_OF_ART"))  # cast doubt on a city inside them
_DOUBTED_KINDS = frozenset(("city", "region"))
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
    """Reads places from questions and passages. Works with the gazetteer alone if there is no recogniser.

    In a passage the recogniser contradicts and adds; in a question it only adds names for the geocoder.

    ``geocoder`` looks up entities that the gazetteer does not know (a remote one, if configured). ``density``: of the
    catalogue's records, decides between namesakes. ``tagger`` judges names for which the rules have no evidence.
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
        self._matcher = NameMatcher(gazetteer, tagger)
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
        matches = [m for m in self._matcher.find(text, language, max_mentions) if claims.is_free((m.start, m.end))]
        entities = self._entities(text if max_mentions is None else text[:MAX_RECOGNISED], matches)
        # The rules read a question better than the recogniser; in other languages it knows too little to contradict.
        if max_mentions is None and language in (None, "en"):
            matches = [m for m in matches if not _is_doubtful(m, entities) or _alone(m, text)]
        for match in matches:
            claims.block((match.start, match.end))
        further = self._further(text, entities.all[:max_mentions], claims)
        mentions = _from_matches(text, matches, [match[1] for match in further], entities, self._density)
        mentions += [_from_box(box) for box in boxes]
        mentions += [_from_entity(entity, places) for entity, places in further]
        return sorted(mentions, key=lambda mention: mention.start)[:max_mentions]

    def _entities(self, text: str, matches: Sequence[NameMatch]) -> Entities:
        """The recogniser takes 4 ms of a question and 30 of a passage, so it only reads the sentences where its
        entities can matter: beside a match, or where they have a place.
        """
        if self._recogniser is None:
            return Entities([])
        if self._geocoder is not None:
            return Entities(self._recogniser.entities(text))
        matter = sorted({*self._matcher.spelt_at(text), *(match.start for match in matches)})
        entities: list[Entity] = []
        for begin, sentence in _sentences_with(text, matter):
            own = (replace(e, start=begin + e.start, end=begin + e.end) for e in self._recogniser.entities(sentence))
            entities += own
        return Entities(entities)

    def _further(self, text: str, entities: Sequence[Entity], claims: Claims) -> list[tuple[Entity, tuple[Place, ...]]]:
        """Entities where nothing was found yet, with their places."""
        further = []
        for entity in entities:
            if entity.label not in _PLACE_LABELS or after_feature(text[: entity.start]):
                continue
            if claims.is_free((entity.start, entity.end)):
                places = self._geocode(entity)
                if places:
                    further.append((entity, places))
        return further

    def _geocode(self, entity: Entity) -> tuple[Place, ...]:
        name = self._gazetteer.named(name_key(entity.text))
        if name is None:
            return tuple(self._geocoder.lookup(entity.text)) if self._geocoder else ()
        is_known = name.places[0].kind not in _DOUBTED_KINDS or entity.text[:1].isupper()
        return name.places if is_known and not name.is_word else ()


def _sentences_with(text: str, positions: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The sentences that have one of these ascending positions, with their own."""
    end = 0
    for sentence in sentences(text):
        begin = text.index(sentence, end)
        end = begin + len(sentence)
        if bisect_left(positions, begin) < bisect_left(positions, end):
            yield begin, sentence


class Entities:
    """The recogniser's entities, without overlaps, by position."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        self.all = sorted(entities, key=lambda entity: entity.start)
        self._starts = [entity.start for entity in self.all]

    def in_range(self, start: int, end: int) -> list[Entity]:
        """Those that share at least one character with the range."""
        first = max(0, bisect_right(self._starts, start) - 1)
        return [e for e in self.all[first : bisect_left(self._starts, end)] if e.start < end and start < e.end]


def _is_doubtful(match: NameMatch, entities: Entities) -> bool:
    """Whether a city or region is part of a person's or an organisation's name, without a preposition before it."""
    if match.after_preposition or match.places[0].kind not in _DOUBTED_KINDS:
        return False
    return any(
        entity.label in _OTHER_LABELS and entity.start <= match.start and match.end <= entity.end
        for entity in entities.in_range(match.start, match.end)
    )


def _alone(match: NameMatch, text: str) -> bool:
    """Whether the text is only the name."""
    return not text[: match.start].strip() and not text[match.end :].strip()


def _from_matches(
    text: str,
    matches: list[NameMatch],
    context: list[tuple[Place, ...]],
    entities: Entities,
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
        confidence = _confidence(match, places, _is_confirmed(match, entities), is_qualified=skip)
        alternatives = places[1 : 1 + _MOST_ALTERNATIVES]
        mentions.append(PlaceMention(text[start:end], start, end, place, alternatives, confidence, "gazetteer"))
    return mentions


def _context_of(text: str, matches: list[NameMatch], number: int, text_words: list[NameWord]) -> NameContext:
    """The words next to a name: one before ("of" skipped: "state of Georgia") and one after; and the comma."""
    match = matches[number]
    comma = number + 1 < len(matches) and text[match.end : matches[number + 1].start] in _QUALIFYING_MARKS
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
    if place.kind not in ("city", "region", "island") or outer.kind not in ("country", "region", "continent"):
        return False
    return inside(place.bbox, outer.bbox) and (place.country == outer.country or outer.kind == "continent")


def _is_confirmed(match: NameMatch, entities: Entities) -> bool:
    return any(entity.label in _PLACE_LABELS for entity in entities.in_range(match.start, match.end))


def _confidence(match: NameMatch, places: tuple[Place, ...], is_confirmed: bool, *, is_qualified: bool) -> float:
    """The confidence that a place is meant, and this one."""
    best = places[0]
    score = 0.6
    score += 0.15 if match.after_preposition else 0.0
    score += 0.1 if best.kind in _LARGE_KINDS else 0.0
    score += 0.05 if match.capital else 0.0
    score += 0.05 if match.last > match.first else 0.0
    score += 0.1 if is_confirmed else 0.0
    score += 0.15 if is_qualified else 0.0
    score -= 0.15 if match.is_adjective else 0.0
    score -= 0.05 if best.estimated else 0.0
    is_close_call = len(places) > 1 and not is_qualified and _close_call(best, places[1])
    return round(min(0.99, max(0.05, score - (0.15 if is_close_call else 0.0))), 2)


def _close_call(best: Place, second: Place) -> bool:
    """Whether the two are hard to distinguish, and it matters: the island and the region of Sicily are one place."""
    is_same_area = inside(best.bbox, second.bbox) or inside(second.bbox, best.bbox)
    return not is_same_area and abs(best.importance - second.importance) < _CLOSE_CALL


def _from_box(box: WrittenBox) -> PlaceMention:
    place = Place(box.text, "coordinates", box.bbox, importance=1.0, source="coordinates")
    return PlaceMention(box.text, box.start, box.end, place, (), 0.95, "coordinates")


def _from_entity(entity: Entity, places: tuple[Place, ...]) -> PlaceMention:
    alternatives = places[1 : 1 + _MOST_ALTERNATIVES]
    return PlaceMention(entity.text, entity.start, entity.end, places[0], alternatives, 0.55, "entities")
