"""How a question was understood: each part with its position in the text, its source and its confidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from core.geo import WORLD, BBox
from core.record import ProvenanceKind, Resolution
from core.timespan import TimeSpan, enclosing_span
from reading.acronyms import AcronymCandidate
from reading.concepts import Label
from reading.conditions import OfferKind
from reading.kinds import Platform, asks_companion
from reading.names import ContactCandidate, NameCandidate
from reading.sentences import Range
from search_api.search.ranking.candidates import AreaName, Level, Target
from search_api.search.request import SearchRequest


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A part of the question (character offsets, end exclusive); ``source`` is the reader that found it."""

    text: str
    start: int
    end: int
    source: str
    confidence: float


@dataclass(frozen=True, slots=True)
class QueryPlace:
    mention: TextSpan
    name: str
    kind: str
    bbox: BBox
    country: str | None = None
    estimated: bool = False
    record_count: int = 0


@dataclass(frozen=True, slots=True)
class QueryRelation:
    """``distance_km``: of "within 100 km of" and "20 km north of", None for other relations."""

    mention: TextSpan
    relation: str
    distance_km: float | None = None


@dataclass(frozen=True, slots=True)
class QueryTime:
    mention: TextSpan
    span: TimeSpan
    kind: str


@dataclass(frozen=True, slots=True)
class QueryMonths:
    """Months of any year ("in winter"), 1 to 12: a preference."""

    mention: TextSpan
    months: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QueryScale:
    mention: TextSpan
    metres: float | None = None
    scale_denominator: int | None = None
    time_step: str | None = None
    level: str | None = None


@dataclass(frozen=True, slots=True)
class QueryKind:
    mention: TextSpan
    kind: ProvenanceKind


@dataclass(frozen=True, slots=True)
class QueryIdentifier:
    """``known``: whether any record has it; None if not checked."""

    mention: TextSpan
    kind: str
    value: str
    known: bool | None = None


@dataclass(frozen=True, slots=True)
class QueryExclusion:
    """What hits must not be about: ``subject``, a kind of data, a place, or a time."""

    mention: TextSpan
    subject: str
    kind: ProvenanceKind | None = None
    platform: Platform | None = None
    bbox: BBox | None = None
    span: TimeSpan | None = None


@dataclass(frozen=True, slots=True)
class QueryOffer:
    """A format or licence that hits had better have; ``value`` as in :class:`reading.conditions.OfferMention`."""

    mention: TextSpan
    kind: OfferKind
    value: str


ACRONYM_LIST, CATALOGUE = "acronyms", "catalogue"
"""The sources of acronyms: the list that ships, and what the records define."""

_SIGNS = re.compile(r"[\W_]+")
_SPACE = re.compile(r"\s+")
_WORD = 3  # letters of a part that is searched as a word

NameMatch = Literal["exact", "beginning", "spelling", "unknown"]
"""How a name in the question occurs in the catalogue; ``unknown``: not at all."""


@dataclass(frozen=True, slots=True)
class QueryName:
    """The name of a product, platform, instrument or project, or the beginning of one.

    ``keys``: its forms in the index. ``count``: the number of records that have it; ``share``: of all records.
    ``listed_share``: of the records that mention it, the share that list it among their own names: where few do, the
    list says little. ``in_abstracts``: only words of abstracts begin with it. ``is_contact``: it is a person or an
    organisation of records, whose ``keys`` are its last name alone; ``may_be_person``: else only an organisation;
    ``is_person``: no organisation has the name. ``is_preference``: it is a format, a unit or an organisation, so the
    topic does not contain it.
    """

    mention: TextSpan
    how: NameMatch
    keys: tuple[str, ...]
    count: int
    share: float
    listed_share: float = 1.0
    in_abstracts: bool = False
    is_contact: bool = False
    may_be_person: bool = True
    is_person: bool = False
    is_preference: bool = False


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word of the catalogue that is spelt nearly like one of the question."""

    text: str
    record_count: int


@dataclass(frozen=True, slots=True)
class UnknownWord:
    """A word of the topic in small letters that no record has, and the words that are spelt nearly alike."""

    text: str
    near: tuple[NearWord, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term of a vocabulary; ``mention.source`` is the vocabulary's name.

    ``synonyms`` (in all languages) and ``narrower`` extend the question, most likely first.
    """

    mention: TextSpan
    uri: str
    synonyms: tuple[Label, ...]
    narrower: tuple[Label, ...]

    @property
    def is_acronym(self) -> bool:
        """Whether its synonyms are the other forms of an acronym."""
        return self.mention.source in (ACRONYM_LIST, CATALOGUE)


@dataclass(frozen=True, slots=True)
class QueryTranslation:
    """In English: the topic, its other words, and the words of place and time.

    ``ranges``: the parts of the question that are not written so in English.
    """

    topic: str
    other_words: str
    named: str
    ranges: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class NameCandidates:
    """Parts of which only the index can tell whether they are names, contacts or acronyms.

    ``claimed``: the ranges that are not of the topic. ``is_looked_up``: whether the index is asked for names at all.
    """

    names: tuple[NameCandidate, ...] = ()
    contacts: tuple[ContactCandidate, ...] = ()
    acronyms: tuple[AcronymCandidate, ...] = ()
    claimed: tuple[Range, ...] = ()
    is_looked_up: bool = False


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The question and its parts. ``thematic`` is the text without the words of place and time.

    ``named`` are those words; ``areas`` the target boxes of the ranking (places shaped by their relation) and
    ``area_names`` their names; ``spans`` the asked periods; ``other_words`` is the topic
    without the words of its ``terms``. ``unread``: the parts that were not read to their end (``place``, ``time``,
    ``entities``). ``failed``: the readers that raised; their parts are empty.
    ``outside_topic``: formats, people and organisations of the catalogue, which are no part of the topic; nor are
    ``exclusions`` and ``offers``. ``is_title``: a record has this title.
    ``translation``: into English, of a question in another language; :meth:`in_english` puts it into the other fields,
    and what was asked into ``foreign_topic``.
    ``unknown_words``: of the topic, which no record contains. ``corrected``: words as typed, in small
    letters, and as the question was answered.
    """

    text: str
    thematic: str
    language: str | None = None
    places: tuple[QueryPlace, ...] = ()
    relations: tuple[QueryRelation, ...] = ()
    areas: tuple[BBox, ...] = ()
    area_names: tuple[AreaName, ...] = ()
    times: tuple[QueryTime, ...] = ()
    spans: tuple[TimeSpan, ...] = ()
    seasons: tuple[QueryMonths, ...] = ()
    latest: bool = False
    scales: tuple[QueryScale, ...] = ()
    kinds: tuple[QueryKind, ...] = ()
    identifiers: tuple[QueryIdentifier, ...] = ()
    names: tuple[QueryName, ...] = ()
    terms: tuple[QueryTerm, ...] = ()
    other_words: str = ""
    possible: NameCandidates = NameCandidates()
    named: str = ""
    unread: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    outside_topic: tuple[TextSpan, ...] = ()
    exclusions: tuple[QueryExclusion, ...] = ()
    offers: tuple[QueryOffer, ...] = ()
    is_title: bool = False
    unknown_words: tuple[UnknownWord, ...] = ()
    corrected: tuple[tuple[str, str], ...] = ()
    translation: QueryTranslation | None = None
    foreign_topic: str = ""

    @property
    def topic_language(self) -> str | None:
        """Of ``thematic``."""
        return "en" if self.foreign_topic else self.language

    def in_english(self) -> Interpretation:
        """The same with its topic in English, if it was translated."""
        if self.translation is None:
            return self
        return replace(
            self,
            thematic=self.translation.topic,
            other_words=self.translation.other_words,
            named=self.translation.named,
            foreign_topic=self.thematic,
        )

    @property
    def is_translated(self) -> bool:
        """Whether the topic is written otherwise in English."""
        return bool(self.foreign_topic) and self.foreign_topic.lower() != self.thematic.lower()

    @property
    def english_text(self) -> str:
        """The whole question in English; empty if nothing was translated."""
        if not self.foreign_topic:
            return ""
        names = [*(place.name for place in self.places), *(time.mention.text for time in self.times)]
        return " ".join([self.thematic, *names])

    @property
    def span(self) -> TimeSpan | None:
        """Around all asked periods."""
        return enclosing_span(self.spans) if self.spans else None

    @property
    def months(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(month for season in self.seasons for month in season.months))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Words of the topic that no record contains, in small letters."""
        return tuple(word.text for word in self.unknown_words)

    @property
    def contacts(self) -> tuple[TextSpan, ...]:
        """People and organisations."""
        return tuple(name.mention for name in self.names if name.is_contact)

    @property
    def is_contacts_only(self) -> bool:
        """Whether the topic is only people and organisations."""
        return self.is_names_only and all(name.is_contact for name in self.names)

    @property
    def checkable_words(self) -> str:
        """The topic without places, which are still in it if no record gives its place in numbers, and contacts."""
        words = self.thematic
        for text in (*(place.mention.text for place in self.places), *(contact.text for contact in self.contacts)):
            words = words.replace(text, " ")
        return words

    @property
    def has_contact_read_otherwise(self) -> bool:
        """Whether a place or a time was read within the name of a contact, or a part of it was translated."""
        mentions = [*(place.mention for place in self.places), *(time.mention for time in self.times)]
        ranges = [(mention.start, mention.end) for mention in mentions]
        ranges += self.translation.ranges if self.translation is not None else ()
        return any(start < contact.end and contact.start < end for contact in self.contacts for start, end in ranges)

    @property
    def degraded(self) -> tuple[str, ...]:
        """The parts that could not be read, as ``sonde:degraded`` names them."""
        return tuple(f"understanding.{reader}" for reader in self.failed)

    @property
    def topic_words(self) -> int:
        """How many words the topic has."""
        return len(self.thematic.split())

    @property
    def is_names_only(self) -> bool:
        """Whether the topic is only names, known or not: what such a code means to a model is noise."""
        names = [name.mention for name in self.names]
        acronym_ranges = {(term.mention.start, term.mention.end) for term in self.terms if term.is_acronym}
        return (
            bool(names) and not any((name.start, name.end) in acronym_ranges for name in names) and self._is_all(names)
        )

    @property
    def other_forms(self) -> tuple[QueryTerm, ...]:
        """The acronyms of a topic that says nothing else, and the words of acronyms; empty for a longer topic."""
        forms = tuple(term for term in self.terms if term.is_acronym)
        return forms if self._is_all([term.mention for term in forms] + [name.mention for name in self.names]) else ()

    def _is_all(self, spans: Sequence[TextSpan]) -> bool:
        """Whether the topic has no word besides these."""
        remaining_text = self.thematic
        for span in sorted(spans, key=lambda span: -len(span.text)):
            remaining_text = remaining_text.replace(span.text, " ")
        return not any(letter.isalnum() for letter in remaining_text)

    @property
    def split_topic(self) -> str:
        """The topic with unknown names as the words that they are made of: ``NOAA.NMFS_3`` as ``NOAA NMFS``."""
        topic = self.thematic
        for name in self.names:
            if name.how == "unknown":
                words = [part for part in _SIGNS.split(name.mention.text) if part.isalpha() and len(part) >= _WORD]
                topic = topic.replace(name.mention.text, " ".join(words) or name.mention.text)
        return topic

    @property
    def written_out(self) -> tuple[str, str]:
        """The text without what is outside its topic, and the topic, both with acronyms as words, which a model knows
        better than their letters.
        """
        text, thematic = (
            self._without_unknown(self.english_text or self._without_parts_outside_topic()),
            self._without_unknown(self.thematic),
        )
        for term in self.terms:
            if term.is_acronym and len(term.mention.text.split()) == 1:
                words = term.synonyms[0].text
                text, thematic = text.replace(term.mention.text, words), thematic.replace(term.mention.text, words)
        return text, thematic

    def _without_unknown(self, text: str) -> str:
        """Without the words that no record contains, if others are left: a model still finds something near them."""
        if not self.unknown:
            return text
        words = "|".join(re.escape(word) for word in self.unknown)
        remaining = _SPACE.sub(" ", re.sub(rf"\b(?:{words})\b", " ", text, flags=re.IGNORECASE)).strip()
        return remaining if any(letter.isalnum() for letter in remaining) else text

    def _without_parts_outside_topic(self) -> str:
        text = self.text
        spans = [*self.outside_topic, *(exclusion.mention for exclusion in self.exclusions)]
        spans += [offer.mention for offer in self.offers]
        for span in sorted(spans, key=lambda span: -span.start):
            text = text[: span.start] + text[span.end :]
        return _SPACE.sub(" ", text).strip() if spans else text

    @property
    def is_empty(self) -> bool:
        """Whether the question has no topic, place, period, newest or identifier ("the of and")."""
        return not (self.thematic or self.places or self.times or self.identifiers or self.exclusions)

    @property
    def is_stopwords_only(self) -> bool:
        """Whether the question has text but asks for nothing. An empty text or ``*`` lists everything instead."""
        return self.is_empty and self.text.strip() not in ("", "*")


def target_of(request: SearchRequest, interpretation: Interpretation, now_ms: int) -> Target:
    """The ranking target: parameters if given, else what the question says.

    ``spatial=off`` and ``temporal=off`` leave place and time out; ``now_ms`` is the time of the question.
    """
    filters = request.filters
    boxes, names = interpretation.areas, interpretation.area_names
    if filters.area is not None:
        boxes, names = (filters.area,), ((AreaName(filters.area_name),) if filters.area_name else ())
    if not boxes and request.spatial == "hausdorff" and _level(interpretation) == "global":
        boxes = (WORLD,)  # in the distance mode the whole world is a valid box
    spans = (filters.span,) if filters.span is not None else interpretation.spans
    topological = filters.relation in ("within", "contains", "disjoint", "intersects")
    scale = _resolution(interpretation)
    return Target(
        boxes=boxes if request.spatial != "off" else (),
        relation=filters.relation if topological else None,
        spans=spans if request.temporal else (),
        months=interpretation.months if request.temporal and filters.span is None else (),
        latest=interpretation.latest and request.temporal,
        resolution=scale,
        level=_level(interpretation),
        kind=interpretation.kinds[0].kind if interpretation.kinds else None,
        places=names,
        now_ms=now_ms,
        spatial=request.spatial,
        asks_companion=asks_companion(interpretation.text),
    )


def _resolution(interpretation: Interpretation) -> Resolution:
    """The first of each that the question names."""
    return Resolution(
        next((s.metres for s in interpretation.scales if s.metres is not None), None),
        next((s.scale_denominator for s in interpretation.scales if s.scale_denominator is not None), None),
        next((s.time_step for s in interpretation.scales if s.time_step is not None), None),
    )


def _level(interpretation: Interpretation) -> Level | None:
    """The first scale word that gives the size of an area ("high resolution" does not)."""
    levels = get_args(Level)
    return cast(Level | None, next((scale.level for scale in interpretation.scales if scale.level in levels), None))
