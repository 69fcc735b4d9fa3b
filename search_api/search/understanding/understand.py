"""Combines the results of ``reading`` for a question into one Interpretation."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, ParamSpec, Protocol, TypeVar

import structlog
from prometheus_client import Counter

from core.geo import BBox
from core.timespan import instant_ms
from reading.acronyms import acronym_candidates, own_acronyms
from reading.conditions import ExclusionMention, OfferMention, read_exclusions, read_offers
from reading.kinds import KindMention, read_kinds
from reading.names import IdentifierMention, contact_candidates, name_candidates, read_identifiers
from reading.places import MAX_RECOGNISED, PlaceMention, PlaceReader
from reading.related_boxes import target_box
from reading.relations import RelationMention, read_relations
from reading.scale import ScaleMention, read_scales
from reading.sentences import Claims, Range, detect_language, has_small_words
from reading.times import MonthsMention, TimeMention, TimeReader, asked_spans, read_months
from reading.translation import ForeignText, Translation
from reading.vocabulary import TermMention, Vocabulary, names_to_add
from search_api.search.ranking.candidates import AreaName
from search_api.search.request import Part
from search_api.search.understanding.interpretation import (
    Interpretation,
    NameCandidates,
    QueryExclusion,
    QueryIdentifier,
    QueryKind,
    QueryMonths,
    QueryOffer,
    QueryPlace,
    QueryRelation,
    QueryScale,
    QueryTerm,
    QueryTime,
    QueryTranslation,
    TextSpan,
)
from search_api.search.understanding.topic import free_ranges, topic_of

StructuredField = Literal["place", "time"]
STRUCTURED_FIELDS: frozenset[StructuredField] = frozenset(("place", "time"))

MOST_READ = 24  # limit for places, and for times, of a question; a longer list is not a question
_MOST_TERMS = 24  # limit for terms of a question; the words of a pasted page are not all expanded
_SURE = 1.0  # found by a fixed pattern


@dataclass(frozen=True, slots=True)
class Understander:
    """Reads questions; fast enough for every request (a few milliseconds).

    If a reader raises, its part is left out (``Interpretation.failed``). Of a very long list of places or times the
    first ``MOST_READ`` are read (``Interpretation.unread``).
    """

    places: PlaceReader
    times: TimeReader
    language: Callable[[str], str | None] = detect_language
    vocabulary: Callable[[], Vocabulary] = Vocabulary
    identifiers: Callable[[str], list[IdentifierMention]] = read_identifiers
    relations: Callable[[str, Sequence[Range]], list[RelationMention]] = read_relations
    scales: Callable[[str], list[ScaleMention]] = read_scales
    kinds: Callable[[str], list[KindMention]] = read_kinds

    def understand(
        self,
        text: str,
        parts: frozenset[Part],
        structured: frozenset[StructuredField] = STRUCTURED_FIELDS,
        contacts: Sequence[TextSpan] = (),
    ) -> Interpretation:
        """What, where and when; a part that is not in ``parts`` is not read and its words stay in the topic.

        ``structured``: whether the words of place and of time leave the topic, as they should where records say
        place and time in numbers; where none does, words are all there is to find them by. ``contacts``: people and
        organisations, whose names are no places and times.
        """
        readers = GuardedReaders()
        language = readers.read("language", None, self.language, text) if text else None
        foreign = self._foreign(text, language, readers) if "terms" in parts else None
        if foreign is not None:
            language = foreign.language
        elif "terms" in parts and language != "en" and not has_small_words(text, language):
            language = None  # by letters alone, "Romanovsky permafrost" is Italian
        translations = foreign.translations if foreign is not None else ()
        interpretation = self._mentions(text, parts, language, readers, contacts, translations)
        located = [relation for relation in interpretation.relations if relation.relation != "global"]
        # A text that only looks like a file identifier may be an ordinary word, so it stays in the topic.
        certain = [identifier for identifier in interpretation.identifiers if identifier.kind != "file_identifier"]
        excluded_places = _excluded_places(text, interpretation.places, interpretation.relations)
        asked_places = [place for place in interpretation.places if not _is_in(place, excluded_places)]
        without_topic: list[_Located] = [
            *(asked_places if "place" in structured else []),
            *([time for time in interpretation.times if not _is_subject(time)] if "time" in structured else []),
        ]
        elsewhere = [*without_topic, *(located if "place" in structured else []), *certain, *interpretation.exclusions]
        claimed = _ranges([*elsewhere, *(exclusion.mention for exclusion in excluded_places)])
        seasons = interpretation.months
        detached = [season for season in seasons if not season.is_attached and "time" in structured]
        if topic_of(text, [*claimed, *_ranges(detached)]):
            without_topic += detached
            claimed += _ranges(detached)
        offers = _offers_outside_topic(text, claimed, interpretation.offers)
        claimed += _ranges(offers)
        terms = readers.mentions("terms", self._terms, text, claimed, language) if "terms" in parts else []
        with_terms = [*claimed, *_ranges([term.mention for term in terms])]
        no_areas: tuple[tuple[BBox, ...], tuple[AreaName, ...]] = ((), ())
        areas, area_names = readers.read(
            "area", no_areas, _areas, text, interpretation.places, interpretation.relations
        )
        topic = readers.read("topic", text, topic_of, text, claimed)
        other_words = readers.read("topic", text, topic_of, text, with_terms)
        return Interpretation(
            text=text,
            thematic=topic,
            language=language,
            places=tuple(_first_of_each(map(_place, asked_places), lambda place: (place.name, place.bbox))),
            relations=tuple(_relation(text, relation) for relation in interpretation.relations),
            areas=areas,
            area_names=area_names,
            times=tuple(_first_of_each(map(_time, interpretation.times), lambda time: (time.span, time.kind))),
            spans=asked_spans(text, [time for time in interpretation.times if time.kind != "recent"]),
            seasons=tuple(_first_of_each(map(_months, seasons), lambda season: season.months)),
            latest=any(time.kind == "recent" for time in interpretation.times),
            scales=tuple(_scale(scale) for scale in interpretation.scales),
            kinds=tuple(_kind(kind) for kind in interpretation.kinds),
            identifiers=tuple(_identifier(text, identifier) for identifier in interpretation.identifiers),
            terms=tuple(_first_of_each(terms, lambda term: (term.uri, term.mention.text.lower()))),
            other_words=other_words,
            possible=_possible(
                text,
                [*claimed, *_ranges(seasons)],
                _ranges([*certain, *translations, *(scale for scale in interpretation.scales if scale.time_step)]),
                _ranges(relation for relation in located if relation.distance_km is not None),
                parts,
                readers,
            ),
            named=" ".join(dict.fromkeys(text[span.start : span.end] for span in without_topic)),
            translation=(
                None if foreign is None else _translation(foreign, text, (topic, other_words), without_topic, contacts)
            ),
            unread=interpretation.unread,
            failed=tuple(readers.failed),
            exclusions=(*map(_exclusion, interpretation.exclusions), *excluded_places),
            offers=tuple(map(_offer, offers)),
        )

    def _mentions(
        self,
        text: str,
        parts: frozenset[Part],
        language: str | None,
        readers: GuardedReaders,
        contacts: Sequence[TextSpan],
        translations: Sequence[Translation],
    ) -> _Mentions:
        limit = MOST_READ + 1  # one more shows that there are more
        identifiers = readers.mentions("identifier", self.identifiers, text)
        places = readers.mentions("place", self.places.read, text, language, limit) if "place" in parts else []
        if translations:
            places = [place for place in places if not _is_term(place, translations)]
        in_south = bool(places) and all(_is_southern(place.place.bbox) for place in places)
        has_times = "time" in parts
        times = readers.mentions("time", self.times.read, text, language, limit, in_south=in_south) if has_times else []
        unread = [name for name, count in (("place", len(places)), ("time", len(times))) if count > MOST_READ]
        kinds = readers.mentions("kind", self.kinds, text) if "kind" in parts else []
        experiments = [kind for kind in kinds if kind.kind == "simulation"]  # "historical runs" name no time
        times = _elsewhere(times[:MOST_READ], [*contacts, *experiments], len(text))
        places = _elsewhere(places[:MOST_READ], [*times, *identifiers, *contacts], len(text))
        ranges, time_ranges = _ranges(places), _ranges(times)
        has_relations = "relation" in parts or "place" in parts
        relations = readers.mentions("relation", self.relations, text, ranges) if has_relations else []
        if "relation" not in parts:  # a distance without its place would be a word of the topic
            relations = [relation for relation in relations if relation.distance_km is not None]
        has_conditions = "conditions" in parts
        months = (
            readers.mentions("time", read_months, text, ranges, time_ranges, language, in_south=in_south)
            if has_times
            else []
        )
        exclusions = (
            readers.mentions("conditions", read_exclusions, text, ranges, [*times, *months], language)
            if has_conditions
            else []
        )
        times = _elsewhere(times, exclusions, len(text))
        scales = readers.mentions("scale", self.scales, text) if "scale" in parts else []
        offers = readers.mentions("conditions", read_offers, text) if has_conditions else []
        return _Mentions(
            identifiers=identifiers,
            times=times,
            months=_elsewhere(months, exclusions, len(text)),
            places=places,
            relations=relations,
            scales=_elsewhere(
                scales, [*exclusions, *(relation for relation in relations if relation.distance_km)], len(text)
            ),
            kinds=_elsewhere(kinds, exclusions, len(text)),
            exclusions=exclusions,
            offers=_elsewhere(offers, [*exclusions, *identifiers, *places], len(text)),
            unread=(*unread, *(("entities",) if "place" in parts and len(text) > MAX_RECOGNISED else ())),
        )

    def _foreign(self, text: str, language: str | None, readers: GuardedReaders) -> ForeignText | None:
        return readers.read("terms", None, self._translate, text, language) if text else None

    def _translate(self, text: str, language: str | None) -> ForeignText | None:
        return self.vocabulary().translator.read(text, language)

    def _terms(self, text: str, claimed: list[Range], language: str | None) -> list[QueryTerm]:
        """Of the first terms, those with another name."""
        mentions = self.vocabulary().find(text, free_ranges(len(text), claimed), language, _MOST_TERMS)
        terms = [_term(mention, language) for mention in mentions]
        return [term for term in terms if term.synonyms or term.narrower]


def _possible(
    text: str,
    claimed: Sequence[Range],
    identifier_ranges: Sequence[Range],
    distances: Sequence[Range],
    parts: frozenset[Part],
    readers: GuardedReaders,
) -> NameCandidates:
    has_names = "names" in parts
    names = readers.mentions("names", name_candidates, text, claimed, distances) if has_names else []
    acronyms = (
        readers.mentions("acronyms", acronym_candidates, text, claimed, own_acronyms()) if "terms" in parts else []
    )
    if identifier_ranges:
        names = [
            name for name in names if not any(name.start < end and start < name.end for start, end in identifier_ranges)
        ]
    contacts = readers.mentions("contacts", contact_candidates, text, claimed) if has_names else []
    return NameCandidates(tuple(names), tuple(contacts), tuple(acronyms), tuple(claimed), has_names)


@dataclass(frozen=True, slots=True)
class _Mentions:
    """The mentions of each reader in one question."""

    identifiers: list[IdentifierMention]
    times: list[TimeMention]
    months: list[MonthsMention]
    places: list[PlaceMention]
    relations: list[RelationMention]
    scales: list[ScaleMention]
    kinds: list[KindMention]
    exclusions: list[ExclusionMention]
    offers: list[OfferMention]
    unread: tuple[str, ...]


class _Located(Protocol):
    """A part of the question."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


P = ParamSpec("P")
T = TypeVar("T")
M = TypeVar("M", PlaceMention, TimeMention, MonthsMention, ScaleMention, KindMention, OfferMention)


def _elsewhere(mentions: Sequence[M], other_mentions: Sequence[_Located], length: int) -> list[M]:
    """The mentions that share no character with the others."""
    if not (mentions and other_mentions):
        return list(mentions)
    claims = Claims(length)
    for mention in other_mentions:
        claims.block((mention.start, mention.end))
    return [mention for mention in mentions if claims.is_free((mention.start, mention.end))]


def _first_of_each(parts: Iterable[T], meaning: Callable[[T], Hashable]) -> list[T]:
    """Of parts that mean the same, the first."""
    first: dict[Hashable, T] = {}
    for part in parts:
        first.setdefault(meaning(part), part)
    return list(first.values())


_SUBJECT_BEFORE_MS = instant_ms("1800-01-01")


def _is_subject(time: TimeMention) -> bool:
    """Whether a time is also what the data are about, so that the topic keeps it: Holocene, Little Ice Age."""
    return time.kind == "period" and (time.span.start_ms is None or time.span.start_ms < _SUBJECT_BEFORE_MS)


def _ranges(mentions: Iterable[_Located]) -> list[Range]:
    return [(mention.start, mention.end) for mention in mentions]


def _is_term(place: PlaceMention, translations: Sequence[Translation]) -> bool:
    """Whether its words are terms of the field in another language: *corrientes* is no city."""
    around = [term for term in translations if term.start <= place.start and place.end <= term.end]
    return any(place.text.islower() or len(place.text) < term.end - term.start for term in around)


def _is_southern(box: BBox) -> bool:
    """Whether nearly all of it lies south of the equator: Brazil, but not Africa."""
    return -box.south > 4.0 * max(box.north, 0.0) and box.south < 0.0


def _excluded_places(
    text: str, places: Sequence[PlaceMention], relations: Sequence[RelationMention]
) -> tuple[QueryExclusion, ...]:
    """The places that the question is not about: "outside Europe", "but not Alaska"."""
    exclusions = []
    for relation in relations:
        for number, index in enumerate(relation.arguments if relation.relation == "outside" else ()):
            place = places[index]
            start = place.start if number else min(relation.start, place.start)
            span = TextSpan(text[start : place.end], start, place.end, place.source, place.confidence)
            exclusions.append(QueryExclusion(span, place.place.name, bbox=place.place.bbox))
    return tuple(exclusions)


def _is_in(place: PlaceMention, exclusions: Sequence[QueryExclusion]) -> bool:
    return any(span.mention.start <= place.start and place.end <= span.mention.end for span in exclusions)


def _offers_outside_topic(text: str, claimed: Sequence[Range], offers: list[OfferMention]) -> list[OfferMention]:
    """None if the question would have no topic without them: "netcdf" asks for NetCDF itself."""
    return offers if topic_of(text, [*claimed, *_ranges(offers)]) else []


_ROUGH_KINDS = ("sea", "named_region", "river_basin")
_INSIDE = ("in", "within", "over", "global")


def _areas(
    text: str, places: Sequence[PlaceMention], relations: Sequence[RelationMention]
) -> tuple[tuple[BBox, ...], tuple[AreaName, ...]]:
    """The target boxes: each place shaped by the relations before it, nearest word first. With each its name: the
    place's, or as typed if it lies beside it ("north of Italy").

    Places joined by ``between`` give one box; ``outside`` excludes a place, so it gives none.
    """
    names: dict[BBox, AreaName] = {}
    joined_indices: set[int] = set()
    relations_by_place: defaultdict[int, list[RelationMention]] = defaultdict(list)
    for relation in relations:
        for argument in relation.arguments:
            relations_by_place[argument].append(relation)
    for index, place in enumerate(places):
        if index in joined_indices:
            continue
        own_relations = sorted(relations_by_place[index], key=lambda r: r.start, reverse=True)
        if any(relation.relation == "outside" for relation in own_relations):
            continue
        boxes: tuple[BBox, ...] = (place.place.bbox,)
        for relation in own_relations:
            if relation.relation == "between":
                joined_indices.update(relation.arguments)
                boxes = tuple(places[argument].place.bbox for argument in relation.arguments)
            target = target_box(relation.relation, boxes, relation.distance_km)
            boxes = (target,) if target is not None else boxes
        shaping = [relation for relation in own_relations if relation.relation not in _INSIDE]
        for box in boxes:
            name = AreaName(place.place.name, is_rough=place.place.kind in _ROUGH_KINDS)
            names.setdefault(box, _described(text, places, shaping, place.start) if shaping else name)
    return tuple(names), tuple(names.values())


def _described(text: str, places: Sequence[PlaceMention], relations: Sequence[RelationMention], start: int) -> AreaName:
    """The words of the relations and of their last place."""
    ends = [places[argument].end for relation in relations for argument in relation.arguments]
    begin = min(start, *(relation.start for relation in relations))
    return AreaName(text[begin : max(*ends, *(relation.end for relation in relations))], is_described=True)


def _translation(
    foreign: ForeignText,
    text: str,
    topics: tuple[str, str],
    named: Sequence[_Located],
    contacts: Sequence[TextSpan],
) -> QueryTranslation:
    """Places by their names in the gazetteer, contacts by theirs."""
    names = [
        mention.place.name if isinstance(mention, PlaceMention) else text[mention.start : mention.end]
        for mention in named
    ]
    topic, other_words = (_in_english(foreign, part, [contact.text for contact in contacts]) for part in topics)
    return QueryTranslation(topic, other_words, " ".join(names), tuple(_ranges(foreign.translations)))


def _in_english(foreign: ForeignText, topic: str, names: Sequence[str]) -> str:
    parts = re.split(f"({'|'.join(map(re.escape, names))})", topic) if names else [topic]
    return " ".join(part if part in names else foreign.in_english(part) for part in parts if part.strip())


def _text_span(mention: PlaceMention | TimeMention | KindMention, source: str) -> TextSpan:
    return TextSpan(mention.text, mention.start, mention.end, source, mention.confidence)


def _sure_span(text: str, part: _Located) -> TextSpan:
    return TextSpan(text[part.start : part.end], part.start, part.end, "pattern", _SURE)


def _place(mention: PlaceMention) -> QueryPlace:
    place = mention.place
    source = place.source if place.record_count else mention.source
    return QueryPlace(
        _text_span(mention, source),
        place.name,
        place.kind,
        place.bbox,
        place.country,
        place.estimated,
        place.record_count,
    )


def _relation(text: str, relation: RelationMention) -> QueryRelation:
    return QueryRelation(_sure_span(text, relation), relation.relation, relation.distance_km)


def _time(time: TimeMention) -> QueryTime:
    return QueryTime(_text_span(time, "pattern"), time.span, time.kind)


def _months(season: MonthsMention) -> QueryMonths:
    return QueryMonths(TextSpan(season.text, season.start, season.end, "pattern", _SURE), season.months)


def _scale(scale: ScaleMention) -> QueryScale:
    span = TextSpan(scale.text, scale.start, scale.end, "pattern", _SURE)
    return QueryScale(span, scale.metres, scale.scale_denominator, scale.time_step, scale.level)


def _exclusion(exclusion: ExclusionMention) -> QueryExclusion:
    span = TextSpan(exclusion.text, exclusion.start, exclusion.end, "pattern", _SURE)
    return QueryExclusion(span, exclusion.subject, exclusion.kind, exclusion.platform, span=exclusion.span)


def _offer(offer: OfferMention) -> QueryOffer:
    return QueryOffer(TextSpan(offer.text, offer.start, offer.end, "pattern", _SURE), offer.kind, offer.value)


def _kind(kind: KindMention) -> QueryKind:
    return QueryKind(_text_span(kind, "pattern"), kind.kind)


def _term(term: TermMention, language: str | None) -> QueryTerm:
    span = TextSpan(term.text, term.start, term.end, term.vocabulary, term.confidence)
    return QueryTerm(span, term.uri, *names_to_add(term, language))


def _identifier(text: str, identifier: IdentifierMention) -> QueryIdentifier:
    return QueryIdentifier(_sure_span(text, identifier), identifier.kind, identifier.value)


Reader = Literal[
    "language", "identifier", "time", "place", "relation", "area", "scale", "kind", "conditions", "names", "contacts",
    "acronyms", "terms", "topic",
]  # fmt: skip

_FAILED = Counter("sonde_reader_failures_total", "Questions of which a reader failed to read its part", ["reader"])
log = structlog.get_logger(__name__)


@dataclass(slots=True)
class GuardedReaders:
    """Calls the readers of one question; ``failed`` names those that raised, each once, in order."""

    failed: list[Reader] = field(default_factory=list)

    def mentions(self, reader: Reader, reading: Callable[P, list[T]], *args: P.args, **more: P.kwargs) -> list[T]:
        """The mentions that ``reading`` gives of these arguments; none if it raises."""
        return self.read(reader, [], reading, *args, **more)

    def read(self, reader: Reader, otherwise: T, reading: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        """What ``reading`` gives of these arguments, or ``otherwise`` if it raises: a defect of one must not refuse the
        question.
        """
        try:
            return reading(*args, **more)
        except Exception as error:  # noqa: BLE001 - readers are pure: nothing is half done where one stops
            log.error("understanding.reader_failed", reader=reader, error=type(error).__name__)
            _FAILED.labels(reader).inc()
            if reader not in self.failed:
                self.failed.append(reader)
            return otherwise
