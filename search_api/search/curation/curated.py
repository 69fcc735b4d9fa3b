"""The active rules, indexed for questions. Immutable; built again after each change of the rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Generic, TypeVar

import structlog
from pydantic import ValidationError

from core.place import Place
from reading.vocabulary import Concept, Label, NamedVocabulary
from reading.vocabulary.vocabulary import term_key
from search_api.search.curation.rules import (
    BlockRule,
    BoostRule,
    CurationRule,
    PinRule,
    PlaceRule,
    RuleKey,
    StoredRule,
    SynonymRule,
)
from search_api.search.ranking.rank import Pinned

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
    """Rules by the key of their words, so that thousands need not be compared with each question.

    ``unworded``: rules without words, which apply to every question.
    """

    whole: Mapping[str, Sequence[tuple[int, Worded]]] = field(default_factory=dict)
    part: Sequence[tuple[str, int, Worded]] = ()
    unworded: Sequence[tuple[int, Worded]] = ()

    @classmethod
    def of(cls, rules: Iterable[Worded]) -> RulesByWords[Worded]:
        whole: defaultdict[str, list[tuple[int, Worded]]] = defaultdict(list)
        part: list[tuple[str, int, Worded]] = []
        unworded: list[tuple[int, Worded]] = []
        for place, rule in enumerate(rules):
            if rule.words is None:
                unworded.append((place, rule))
                continue
            whole[term_key(rule.words)].append((place, rule))
            if rule.match == "part":
                part.append((f" {term_key(rule.words)} ", place, rule))
        return cls(dict(whole), tuple(part), tuple(unworded))

    def of_question(self, key: str) -> list[Worded]:
        """``key``: of the question. Case, accents and plurals do not matter."""
        matches = dict(self.unworded) | dict(self.whole.get(key, ()))
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
            if (rule := _read(stored_rule)) is not None and rule.holds_on(today):
                rules[type(rule)].append(rule)
        every = [rule for of_type in rules.values() for rule in of_type]
        pins = sorted((rule for rule in every if isinstance(rule, PinRule)), key=lambda pin: (pin.order, pin.id or ""))
        places = _places(rule for rule in every if isinstance(rule, PlaceRule))
        return cls(
            RulesByWords.of(pins),
            RulesByWords.of(rule for rule in every if isinstance(rule, BlockRule)),
            RulesByWords.of(rule for rule in every if isinstance(rule, BoostRule)),
            places,
            NamedVocabulary(
                VOCABULARY,
                tuple(
                    Concept(f"{VOCABULARY}:{rule.id}", tuple(Label(words, rule.language) for words in rule.words))
                    for rule in every
                    if isinstance(rule, SynonymRule)
                ),
            ),
            _longest(places),
        )

    def decided(self, question: str) -> CurationDecisions:
        key = term_key(question)
        blocks = self.blocks.of_question(key)
        decided = CurationDecisions(
            blocked=frozenset(block.record for block in blocks if block.record is not None),
            blocked_sources=frozenset(block.source for block in blocks if block.source is not None),
            boosts=_summed(self.boosts.of_question(key)),
        )
        pins: dict[str, Pinned] = {}
        for pin in self.pins.of_question(key):
            if not decided.blocks(pin.record) and len(pins) < MOST_PINS:
                pins.setdefault(pin.record, Pinned(pin.id or "", pin.record, pin.words, pin.reason, pin.valid_until))
        return replace(decided, pins=tuple(pins.values()))


NO_RULES = ActiveRules()


def with_draft(live: Iterable[StoredRule], draft: Iterable[StoredRule]) -> list[StoredRule]:
    """The live rules with a draft applied: its rules replace or remove those of the same id."""
    rules: dict[RuleKey, StoredRule] = {stored.key.live(): stored for stored in live}
    rules |= {stored.key.live(): stored for stored in draft}
    return [stored for stored in rules.values() if stored.content is not None]


def _read(stored: StoredRule) -> CurationRule | None:
    try:
        return stored.rule
    except ValidationError as error:
        log.warning("curation.unreadable_rule", rule=stored.key.document, problems=error.error_count())
        return None


def _summed(rules: Iterable[BoostRule]) -> Mapping[str, float]:
    sums: defaultdict[str, float] = defaultdict(float)
    for rule in rules:
        sums[rule.source] += rule.boost
    return dict(sums)


def _places(rules: Iterable[PlaceRule]) -> Mapping[str, tuple[Place, ...]]:
    places_by_key: defaultdict[str, list[Place]] = defaultdict(list)
    for rule in rules:
        for key in sorted(rule.keys):
            places_by_key[key].append(rule.place)
    return {key: tuple(places) for key, places in places_by_key.items()}


def _longest(keys: Iterable[str]) -> Mapping[str, int]:
    lengths: dict[str, int] = {}
    for key in keys:
        first = key.partition(" ")[0]
        lengths[first] = max(1 + key.count(" "), lengths.get(first, 0))
    return lengths
