"""What stewards decided about questions: the active rules, and what they change in one search.

The ranking applies their boosts and the places of pins (:mod:`search_api.search.ranking.rank`).
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Generic, TypeVar

import structlog
from cachetools import LRUCache
from pydantic import ValidationError

from core.errors import SondeError
from core.geo import Place
from core.json_types import Json
from core.ports import Geocoder
from reading.concepts import Concept, Label, NamedVocabulary
from reading.gazetteer import Gazetteer, GazetteerName, longest_names, name_key
from reading.vocabulary import Vocabulary, term_key
from search_api.search.caches import Ticker
from search_api.search.curation_rules import (
    BlockRule,
    BoostRule,
    CurationRule,
    CurationStore,
    Mark,
    PinRule,
    PlaceRule,
    RuleKey,
    StoredRule,
    SynonymRule,
)
from search_api.search.ranking.rank import Pinned
from search_api.search.request import SearchRequest

log = structlog.get_logger(__name__)

VOCABULARY = "curation"
_NO_SYNONYMS = NamedVocabulary(VOCABULARY, ())
MOST_PINS = 20
"""Of one question."""


@dataclass(frozen=True, slots=True)
class CurationDecisions:
    """The rules that apply to one question: pinned records in order, blocked records and sources, boosts by source."""

    pins: tuple[Pinned, ...] = ()
    blocked: frozenset[str] = frozenset()
    blocked_sources: frozenset[str] = frozenset()
    boosts: Mapping[str, float] = field(default_factory=dict)

    def blocks(self, record: str) -> bool:
        return record in self.blocked or record.partition(":")[0] in self.blocked_sources


Worded = TypeVar("Worded", PinRule, BlockRule, BoostRule)


@dataclass(frozen=True, slots=True)
class RulesByWords(Generic[Worded]):
    """Rules by the key of their words, so that a question need not be compared with thousands of rules.

    ``by_question``: rules for questions with exactly these words. ``part``: rules for questions that contain the words.
    ``without_words``: rules that apply to every question.
    """

    by_question: Mapping[str, Sequence[tuple[int, Worded]]] = field(default_factory=dict)
    part: Sequence[tuple[str, int, Worded]] = ()
    without_words: Sequence[tuple[int, Worded]] = ()

    @classmethod
    def of(cls, rules: Iterable[Worded]) -> RulesByWords[Worded]:
        by_question: defaultdict[str, list[tuple[int, Worded]]] = defaultdict(list)
        part: list[tuple[str, int, Worded]] = []
        without_words: list[tuple[int, Worded]] = []
        for place, rule in enumerate(rules):
            if rule.words is None:
                without_words.append((place, rule))
                continue
            by_question[term_key(rule.words)].append((place, rule))
            if rule.match == "part":
                part.append((f" {term_key(rule.words)} ", place, rule))
        return cls(dict(by_question), tuple(part), tuple(without_words))

    def of_question(self, key: str) -> list[Worded]:
        """``key``: of the question. Case, accents and plurals do not matter."""
        matches = dict(self.without_words) | dict(self.by_question.get(key, ()))
        matches |= {place: rule for words, place, rule in self.part if words in f" {key} "}
        return [matches[place] for place in sorted(matches)]


@dataclass(frozen=True)
class ActiveRules:
    """Rules by kind. ``places`` by the key of their name; ``vocabulary``: the synonyms as one vocabulary.

    ``longest``: by the first word of a place's key, the words of the longest such key.
    """

    pins: RulesByWords[PinRule] = field(default_factory=RulesByWords)
    blocks: RulesByWords[BlockRule] = field(default_factory=RulesByWords)
    boosts: RulesByWords[BoostRule] = field(default_factory=RulesByWords)
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    vocabulary: NamedVocabulary = _NO_SYNONYMS
    longest: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, stored: Iterable[StoredRule], today: date) -> ActiveRules:
        """Skips and logs a rule that this version cannot read."""
        rules: defaultdict[type[CurationRule], list[CurationRule]] = defaultdict(list)
        for stored_rule in stored:
            if (rule := _rule_of(stored_rule)) is not None and rule.holds_on(today):
                rules[type(rule)].append(rule)
        all_rules = [rule for of_type in rules.values() for rule in of_type]
        pins = sorted(
            (rule for rule in all_rules if isinstance(rule, PinRule)), key=lambda pin: (pin.order, pin.id or "")
        )
        places = _places(rule for rule in all_rules if isinstance(rule, PlaceRule))
        return cls(
            RulesByWords.of(pins),
            RulesByWords.of(rule for rule in all_rules if isinstance(rule, BlockRule)),
            RulesByWords.of(rule for rule in all_rules if isinstance(rule, BoostRule)),
            places,
            NamedVocabulary(
                VOCABULARY,
                tuple(
                    Concept(f"{VOCABULARY}:{rule.id}", tuple(Label(words, rule.language) for words in rule.words))
                    for rule in all_rules
                    if isinstance(rule, SynonymRule)
                ),
            ),
            longest_names(places),
        )

    def decide(self, question: str) -> CurationDecisions:
        key = term_key(question)
        blocks = self.blocks.of_question(key)
        decisions = CurationDecisions(
            blocked=frozenset(block.record for block in blocks if block.record is not None),
            blocked_sources=frozenset(block.source for block in blocks if block.source is not None),
            boosts=_sum_boosts(self.boosts.of_question(key)),
        )
        pins: dict[str, Pinned] = {}
        for pin in self.pins.of_question(key):
            if not decisions.blocks(pin.record) and len(pins) < MOST_PINS:
                pins.setdefault(pin.record, Pinned(pin.id or "", pin.record, pin.words, pin.reason, pin.valid_until))
        return replace(decisions, pins=tuple(pins.values()))


NO_RULES = ActiveRules()


def with_draft(live: Iterable[StoredRule], draft: Iterable[StoredRule]) -> list[StoredRule]:
    """The live rules with a draft applied: its rules replace or remove those of the same id."""
    rules: dict[RuleKey, StoredRule] = {stored.key.live(): stored for stored in live}
    rules |= {stored.key.live(): stored for stored in draft}
    return [stored for stored in rules.values() if stored.content is not None]


def _rule_of(stored: StoredRule) -> CurationRule | None:
    try:
        return stored.rule
    except ValidationError as error:
        log.warning("curation.unreadable_rule", rule=stored.key.document, problems=error.error_count())
        return None


def _sum_boosts(rules: Iterable[BoostRule]) -> Mapping[str, float]:
    sums: defaultdict[str, float] = defaultdict(float)
    for rule in rules:
        sums[rule.source] += rule.boost
    return dict(sums)


def _places(rules: Iterable[PlaceRule]) -> Mapping[str, tuple[Place, ...]]:
    places_by_key: defaultdict[str, list[Place]] = defaultdict(list)
    for rule in rules:
        for key in sorted(rule.keys):
            places_by_key[key] += [] if rule.place is None else [rule.place]
    return {key: tuple(places) for key, places in places_by_key.items()}


READ_EVERY_S = 5.0
"""A rule applies after at most this many seconds; at once in the process that wrote it."""

_trial_rules: ContextVar[ActiveRules | None] = ContextVar("tried_curation", default=None)


def no_rules() -> ActiveRules:
    """For installations, evaluations and tests without rules."""
    return NO_RULES


@contextmanager
def rules_on_trial(curated: ActiveRules) -> Iterator[None]:
    """Searches of this thread use these rules instead of the live rules."""
    token = _trial_rules.set(curated)
    try:
        yield
    finally:
        _trial_rules.reset(token)


class LiveRules:
    """Call it for the active rules. Thread-safe; keeps the last rules if reading fails."""

    def __init__(self, store: CurationStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._rules = NO_RULES
        self._rule_of: tuple[Mark, date] | None = None
        self._ticker = Ticker(self, READ_EVERY_S, "curation")

    def __call__(self) -> ActiveRules:
        self._ticker.start()
        return _trial_rules.get() or self._rules

    def tick(self) -> None:
        """Reads the rules if they changed, or if a new day began."""
        with self._lock:
            today = datetime.now(UTC).date()
            state = (self._store.mark(), today)
            if state != self._rule_of:
                self._rules = ActiveRules.of(self._store.rules(draft=""), today)
                self._rule_of = state

    def try_tick(self) -> None:
        """Like ``tick``, but only logs a failure; the next tick reads the rules."""
        try:
            self.tick()
        except SondeError as error:
            log.warning("curation.read_failed", error=type(error).__name__)


class CuratedVocabulary:
    """The vocabulary for questions, with the stewards' synonyms first. Thread-safe."""

    def __init__(self, base: Callable[[], Vocabulary], curated: Callable[[], ActiveRules]) -> None:
        self._base = base
        self._curated = curated
        self._lock = threading.Lock()
        self._cache: LRUCache[tuple[int, int], tuple[object, object, Vocabulary]] = LRUCache(4)

    def __call__(self) -> Vocabulary:
        base, curated = self._base(), self._curated().vocabulary
        if not curated.concepts:
            return base
        key = (id(base), id(curated))
        with self._lock:
            if key not in self._cache:  # the entry holds both, so that no other object gets their ids
                self._cache[key] = (base, curated, base.preceded_by(curated))
            return self._cache[key][2]


class CuratedGazetteer(Gazetteer):
    """A gazetteer with the stewards' places first; a snapshot keeps the rules of its moment."""

    def __init__(self, base: Gazetteer, curated: Callable[[], ActiveRules]) -> None:
        super().__init__()
        self._base = base
        self._curated = curated

    def preload(self) -> Gazetteer:
        self._base.preload()
        return self

    def snapshot(self) -> Gazetteer:
        base, rules = self._base.snapshot(), self._curated()
        return CuratedGazetteer(base, lambda: rules) if rules.places else base

    def named(self, key: str) -> GazetteerName | None:
        curated, base = self._curated().places.get(key), self._base.named(key)
        if curated is None:
            return base
        known_places = base.places if base else ()
        if not curated:  # the stewards removed the catalogue's own place
            known_places = tuple(place for place in known_places if not place.record_count)
            return replace(base, places=known_places) if base and known_places else None
        return GazetteerName((*curated, *known_places))

    def abbreviation(self, text: str) -> GazetteerName | None:
        curated = self._curated().places.get(name_key(text))
        return None if curated else self._base.abbreviation(text)

    def longest(self, first: str) -> int:
        return max(self._base.longest(first), self._curated().longest.get(first, 0))

    def keys(self) -> list[str]:
        return sorted({*self._base.keys(), *self._curated().places})


class CuratedGeocoder:
    """A geocoder with the stewards' places first."""

    def __init__(self, geocoder: Geocoder, curated: Callable[[], ActiveRules]) -> None:
        self._geocoder = geocoder
        self._curated = curated

    def lookup(self, name: str) -> list[Place]:
        curated = self._curated().places.get(name_key(name), ())
        return [*curated, *self._geocoder.lookup(name)] if curated else self._geocoder.lookup(name)


def blocked_clauses(rules: CurationDecisions) -> list[Json]:
    """What the blocked records match; empty if none is blocked."""
    clauses: list[Json] = [{"ids": {"values": sorted(rules.blocked)}}] if rules.blocked else []
    return clauses + ([{"terms": {"source": sorted(rules.blocked_sources)}}] if rules.blocked_sources else [])


def curated_request(request: SearchRequest, rules: CurationDecisions) -> SearchRequest:
    """With a filter, so that counts and facets leave the blocked records out too, and with the pinned records."""
    if rules.pins:
        request = replace(request, pinned=tuple(pin.record for pin in rules.pins))
    blocked = blocked_clauses(rules)
    if not blocked:
        return request
    expression = (*request.filters.expression, {"bool": {"must_not": blocked}})
    return replace(request, filters=replace(request.filters, expression=expression))
