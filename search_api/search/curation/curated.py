"""The rules that count now, arranged for a question: immutable, made once for each change of the rules."""

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
from search_api.search.curation.changes import KeptRule, RuleKey
from search_api.search.curation.rules import Block, Boost, OwnPlace, Pin, Rule, Synonyms
from search_api.search.ranking.pinned import Pinned

log = structlog.get_logger(__name__)

VOCABULARY = "curation"
_NO_SYNONYMS = NamedVocabulary(VOCABULARY, ())
MOST_PINS = 20
"""Of one question."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What stewards decided about one question: the records put first, in order, and those that are no hits.

    ``blocked_sources``: none of their records is one. ``boosts`` by source.
    """

    pins: tuple[Pinned, ...] = ()
    blocked: frozenset[str] = frozenset()
    blocked_sources: frozenset[str] = frozenset()
    boosts: Mapping[str, float] = field(default_factory=dict)

    def blocks(self, record: str) -> bool:
        return record in self.blocked or record.partition(":")[0] in self.blocked_sources


Worded = TypeVar("Worded", Pin, Block, Boost)


@dataclass(frozen=True, slots=True)
class ByWords(Generic[Worded]):
    """Rules by the key of their words, in their order: found among thousands without a look at each one's words.

    ``unworded``: those without words, which hold for every question.
    """

    whole: Mapping[str, Sequence[tuple[int, Worded]]] = field(default_factory=dict)
    part: Sequence[tuple[str, int, Worded]] = ()
    unworded: Sequence[tuple[int, Worded]] = ()

    @classmethod
    def of(cls, rules: Iterable[Worded]) -> ByWords[Worded]:
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
        found = dict(self.unworded) | dict(self.whole.get(key, ()))
        found |= {place: rule for words, place, rule in self.part if words in f" {key} "}
        return [found[place] for place in sorted(found)]


@dataclass(frozen=True)
class Curated:
    """Rules by kind. ``places`` by the key of their name; ``vocabulary``: the synonyms as one vocabulary.

    ``longest``: by the first word of a place's key, the words of the longest such key.
    """

    pins: ByWords[Pin] = field(default_factory=ByWords)
    blocks: ByWords[Block] = field(default_factory=ByWords)
    boosts: ByWords[Boost] = field(default_factory=ByWords)
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
            ByWords.of(pins),
            ByWords.of(rule for rule in every if isinstance(rule, Block)),
            ByWords.of(rule for rule in every if isinstance(rule, Boost)),
            places,
            NamedVocabulary(VOCABULARY, tuple(_concept(rule) for rule in every if isinstance(rule, Synonyms))),
            _longest(places),
        )

    def decided(self, question: str) -> Decided:
        key = term_key(question)
        blocks = self.blocks.of_question(key)
        decided = Decided(
            blocked=frozenset(block.record for block in blocks if block.record is not None),
            blocked_sources=frozenset(block.source for block in blocks if block.source is not None),
            boosts=_summed(self.boosts.of_question(key)),
        )
        pins: dict[str, Pinned] = {}
        for pin in self.pins.of_question(key):
            if not decided.blocks(pin.record) and len(pins) < MOST_PINS:
                pins.setdefault(pin.record, Pinned(pin.id or "", pin.record, pin.words, pin.reason, pin.valid_until))
        return replace(decided, pins=tuple(pins.values()))


NOTHING_CURATED = Curated()


def drafted(live: Iterable[KeptRule], draft: Iterable[KeptRule]) -> list[KeptRule]:
    """The live rules as they would be with the draft: its rules replace those of the same id, or take them away."""
    rules: dict[RuleKey, KeptRule] = {one.key.live(): one for one in live}
    rules |= {one.key.live(): one for one in draft}
    return [one for one in rules.values() if one.content is not None]


def _read(kept: KeptRule) -> Rule | None:
    try:
        return kept.rule
    except ValidationError as error:
        log.warning("curation.unreadable_rule", rule=kept.key.document, problems=error.error_count())
        return None


def _summed(rules: Iterable[Boost]) -> Mapping[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for rule in rules:
        found[rule.source] += rule.boost
    return dict(found)


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
