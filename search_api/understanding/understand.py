"""Composes what ``reading`` finds in a question into one Interpretation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.extent import BBox
from core.timespan import TimeSpan
from reading.identifiers import IdentifierMention, read_identifiers
from reading.kinds import KindMention, read_kinds
from reading.language import detect_language
from reading.places import PlaceMention, PlaceReader
from reading.relations import RelationMention, read_relations
from reading.scale import ScaleMention, read_scales
from reading.spans import Range
from reading.targets import target_box
from reading.times import TimeMention, TimeReader
from reading.vocabulary.vocabulary import TermMention, Vocabulary
from search_api.request import Part
from search_api.understanding.interpretation import (
    Found,
    IdentifierFound,
    Interpretation,
    KindFound,
    PlaceFound,
    RelationFound,
    ScaleFound,
    TermFound,
    TimeFound,
)
from search_api.understanding.terms import widened_by
from search_api.understanding.topic import free_ranges, topic_of

Leaving = Literal["place", "time"]
BOTH_LEAVE: frozenset[Leaving] = frozenset(("place", "time"))

_MOST_TERMS = 24  # of a question; a pasted page is not widened word by word
_SURE = 1.0  # found by a fixed pattern


@dataclass(frozen=True, slots=True)
class Understander:
    """Reads questions; cheap enough for every request (a few milliseconds)."""

    places: PlaceReader
    times: TimeReader
    language: Callable[[str], str | None] = detect_language
    vocabulary: Callable[[], Vocabulary] = Vocabulary

    def understand(self, text: str, parts: frozenset[Part], leaving: frozenset[Leaving] = BOTH_LEAVE) -> Interpretation:
        """What, where and when; a part that is not in ``parts`` is not read and its words stay in the topic.

        ``leaving``: whether the words of place and of time leave the topic, as they should where records say place and
        time in numbers; where none does, words are all there is to find them by.
        """
        language = self.language(text) if text else None
        identifiers = read_identifiers(text)
        times = self.times.read(text, language) if "time" in parts else []
        places = self.places.read(text, language) if "place" in parts else []
        places = [place for place in places if not _within(place, [*times, *identifiers])]
        relations = read_relations(text, [(place.start, place.end) for place in places]) if "relation" in parts else []
        scales = read_scales(text) if "scale" in parts else []
        kinds = read_kinds(text) if "kind" in parts else []
        asked = [time for time in times if time.kind != "recent"]
        located = [relation for relation in relations if relation.relation != "global"]
        # What only looks like a file identifier may be an ordinary word, so it stays in the topic.
        certain = [one for one in identifiers if one.kind != "file_identifier"]
        gone: list[Any] = [*(places if "place" in leaving else []), *(times if "time" in leaving else [])]
        elsewhere = [*gone, *(located if "place" in leaving else []), *certain]
        taken = [(one.start, one.end) for one in elsewhere]
        terms = self._terms(text, taken, language) if "terms" in parts else []
        return Interpretation(
            text=text,
            thematic=topic_of(text, taken),
            language=language,
            places=tuple(_place(one) for one in places),
            relations=tuple(_relation(text, one) for one in relations),
            areas=_areas(places, relations),
            times=tuple(_time(one) for one in times),
            span=_span(asked),
            latest=any(time.kind == "recent" for time in times),
            scales=tuple(_scale(one) for one in scales),
            kinds=tuple(_kind(one) for one in kinds),
            identifiers=tuple(_identifier(text, one) for one in identifiers),
            terms=tuple(terms),
            beside_terms=topic_of(text, [*taken, *((one.found.start, one.found.end) for one in terms)]),
            named=" ".join(one.text for one in gone),
        )

    def _terms(self, text: str, taken: list[Range], language: str | None) -> list[TermFound]:
        """Of the first terms, those that there is another name for."""
        mentions = self.vocabulary().find(text, free_ranges(len(text), taken), language)
        terms = [_term(mention, language) for mention in mentions[:_MOST_TERMS]]
        return [term for term in terms if term.synonyms or term.narrower]


def _within(place: PlaceMention, others: Sequence[Any]) -> bool:
    return any(place.start < other.end and other.start < place.end for other in others)


def _areas(places: Sequence[PlaceMention], relations: Sequence[RelationMention]) -> tuple[BBox, ...]:
    """The boxes that are meant: each place shaped by the relations before it, the nearest word first.

    Places that a ``between`` joins give one box; ``outside`` says where not to look, which aims at nothing.
    """
    areas: list[BBox] = []
    joined: set[int] = set()
    for index, place in enumerate(places):
        if index in joined:
            continue
        own = sorted((r for r in relations if index in r.arguments), key=lambda r: r.start, reverse=True)
        if any(relation.relation == "outside" for relation in own):
            continue
        boxes: tuple[BBox, ...] = (place.place.bbox,)
        for relation in own:
            if relation.relation == "between":
                joined.update(relation.arguments)
                boxes = tuple(places[argument].place.bbox for argument in relation.arguments)
            shaped = target_box(relation.relation, boxes)
            boxes = (shaped,) if shaped is not None else boxes
        areas.extend(box for box in boxes if box not in areas)
    return tuple(areas)


def _span(times: Sequence[TimeMention]) -> TimeSpan | None:
    """The first time named; several are kept in the interpretation, but one period is asked for."""
    return times[0].span if times else None


def _found(mention: PlaceMention | TimeMention | KindMention, source: str) -> Found:
    return Found(mention.text, mention.start, mention.end, source, mention.confidence)


def _place(one: PlaceMention) -> PlaceFound:
    place = one.place
    return PlaceFound(_found(one, one.source), place.name, place.kind, place.bbox, place.country, place.estimated)


def _relation(text: str, one: RelationMention) -> RelationFound:
    return RelationFound(Found(text[one.start : one.end], one.start, one.end, "pattern", _SURE), one.relation)


def _time(one: TimeMention) -> TimeFound:
    return TimeFound(_found(one, "pattern"), one.span, one.kind)


def _scale(one: ScaleMention) -> ScaleFound:
    found = Found(one.text, one.start, one.end, "pattern", _SURE)
    return ScaleFound(found, one.metres, one.scale_denominator, one.time_step, one.level)


def _kind(one: KindMention) -> KindFound:
    return KindFound(_found(one, "pattern"), one.kind)


def _term(one: TermMention, language: str | None) -> TermFound:
    found = Found(one.text, one.start, one.end, one.vocabulary, one.confidence)
    return TermFound(found, one.uri, *widened_by(one, language))


def _identifier(text: str, one: IdentifierMention) -> IdentifierFound:
    return IdentifierFound(Found(text[one.start : one.end], one.start, one.end, "pattern", _SURE), one.kind, one.value)
