"""The rules that count now, arranged for a question: immutable, made once for each change of the rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

import structlog
from pydantic import ValidationError

from core.place import Place
from reading.vocabulary.concept import Concept, Label, NamedVocabulary
from reading.vocabulary.vocabulary import term_key
from search_api.curation.changes import KeptRule, RuleKey
from search_api.curation.rules import Block, Boost, OwnPlace, Pin, Rule, Synonyms
from search_api.ranking.pinned import Pinned

log = structlog.get_logger(__name__)

VOCABULARY = "curation"
_NO_SYNONYMS = NamedVocabulary(VOCABULARY, ())
MOST_PINS = 20
"""Of one question."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What stewards decided about one question: the records put first, in order, and those that are no hits."""

    pins: tuple[Pinned, ...] = ()
    blocked: frozenset[str] = frozenset()
    boosts: Mapping[str, float] = field(default_factory=dict)


NOTHING_DECIDED = Decided()


@dataclass(frozen=True)
class Curated:
    """Rules by kind. ``places`` by the key of their name; ``vocabulary``: the synonyms as one vocabulary.

    ``longest``: by the first word of a place's key, the words of the longest such key.
    """

    pins: tuple[Pin, ...] = ()
    blocks: tuple[Block, ...] = ()
    boosts: tuple[Boost, ...] = ()
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    vocabulary: NamedVocabulary = _NO_SYNONYMS
    longest: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, kept: Iterable[KeptRule], today: date) -> Curated:
        """A rule that this version cannot read is left out, and logged."""
        rules: defaultdict[type[Rule], list[Rule]] = defaultdict(list)
        for one in kept:
            if (rule := _read(one)) is not None and rule.holds_on(today):
                rules[type(rule)].append(rule)
        every = [rule for found in rules.values() for rule in found]
        pins = sorted((rule for rule in every if isinstance(rule, Pin)), key=lambda pin: (pin.order, pin.id or ""))
        places = _places(rule for rule in every if isinstance(rule, OwnPlace))
        return cls(
            tuple(pins),
            tuple(rule for rule in every if isinstance(rule, Block)),
            tuple(rule for rule in every if isinstance(rule, Boost)),
            places,
            NamedVocabulary(VOCABULARY, tuple(_concept(rule) for rule in every if isinstance(rule, Synonyms))),
            _longest(places),
        )

    def decided(self, question: str) -> Decided:
        if not (self.pins or self.blocks or self.boosts):
            return NOTHING_DECIDED
        key = term_key(question)
        blocked = frozenset(one.record for one in self.blocks if one.words is None or _meant(one, one.words, key))
        pins: dict[str, Pinned] = {}
        for pin in self.pins:
            if pin.record not in blocked and len(pins) < MOST_PINS and _meant(pin, pin.words, key):
                pinned = Pinned(pin.id or "", pin.record, pin.words, pin.reason, pin.valid_until)
                pins.setdefault(pin.record, pinned)
        boosts: defaultdict[str, float] = defaultdict(float)
        for boost in self.boosts:
            boosts[boost.source] += boost.boost
        return Decided(tuple(pins.values()), blocked, boosts)


NOTHING_CURATED = Curated()


def drafted(live: Iterable[KeptRule], draft: Iterable[KeptRule]) -> list[KeptRule]:
    """The live rules as they would be with the draft: its rules replace those of the same id, or take them away."""
    rules: dict[RuleKey, KeptRule] = {one.key.live(): one for one in live}
    rules |= {one.key.live(): one for one in draft}
    return [one for one in rules.values() if one.content is not None]


def _meant(rule: Pin | Block, words: str, question: str) -> bool:
    """``question``: its key. Case, accents and plurals do not matter."""
    key = term_key(words)
    return key == question or (rule.match == "part" and f" {key} " in f" {question} ")


def _read(kept: KeptRule) -> Rule | None:
    try:
        return kept.rule
    except ValidationError as error:
        log.warning("curation.unreadable_rule", rule=kept.key.document, problems=error.error_count())
        return None


def _places(rules: Iterable[OwnPlace]) -> Mapping[str, tuple[Place, ...]]:
    found: defaultdict[str, list[Place]] = defaultdict(list)
    for rule in rules:
        for key in sorted(rule.keys):
            found[key].append(rule.place)
    return {key: tuple(places) for key, places in found.items()}


def _longest(keys: Iterable[str]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for key in keys:
        first = key.partition(" ")[0]
        found[first] = max(1 + key.count(" "), found.get(first, 0))
    return found


def _concept(rule: Synonyms) -> Concept:
    return Concept(f"{VOCABULARY}:{rule.id}", tuple(Label(words, rule.language) for words in rule.words))
