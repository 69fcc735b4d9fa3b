"""The kind of product in a text: observation, simulation, projection, reanalysis or derived.

For a question ``read_kinds`` finds each word with its position; for a record ``infer_kind`` weighs title, abstract and
lineage. ``kind_words`` has the words for both.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from core.record import ProvenanceKind
from reading.kind_words import ASIDES, ASKED, VOTES, Platform
from reading.spans import Claims, lowered

_TITLE_WEIGHT, _REST_WEIGHT = 2.0, 1.0
_OPENING_CHARACTERS = 400  # an abstract first describes the data, later their use
_OPENING_WEIGHT = 1.5
_LONGEST_CHARACTERS = 2_000
_LEAST_SCORE = 0.9
_EDGE = "\0"  # neither a word nor white space: no expression goes on behind it


@dataclass(frozen=True, slots=True)
class KindMention:
    """A word for a kind of product (offsets, end exclusive); ``confidence`` 0..1.

    ``platform`` is where an observation is made from, if the word implies it.
    """

    text: str
    start: int
    end: int
    kind: ProvenanceKind
    confidence: float
    platform: Platform | None = None


def read_kinds(text: str) -> list[KindMention]:
    """Every word for a kind in a question, in order, without overlaps."""
    low = lowered(text)
    found: list[KindMention] = []
    claims = Claims(len(text))
    for asked in ASKED:
        for match in asked.pattern.finditer(low):
            place = match.span()
            if claims.claim(place):
                found.append(KindMention(text[slice(*place)], *place, asked.kind, asked.confidence, asked.platform))
    return sorted(found, key=lambda mention: mention.start)


def infer_kind(title: str, abstract: str, lineage: str | None) -> tuple[ProvenanceKind, float]:
    """The kind of data in a record, and the confidence (0..1); ``unknown`` and 0.0 without evidence.

    Each expression counts once, where it weighs most: title 2, beginning of the abstract 1.5, rest and lineage 1.
    Asides ("used to evaluate models", "driven by ERA5") describe other data and do not count. Confidence is the
    winner's share of all votes, lower if there are few; ties go to the first of reanalysis, projection, derived,
    simulation, observation.
    """
    texts = _Texts.of(title, abstract, lineage or "")
    scores = {kind: sum(vote * texts.weight(pattern) for pattern, vote in votes) for kind, votes in VOTES.items()}
    best = max(scores, key=lambda kind: scores[kind])
    if scores[best] < _LEAST_SCORE:
        return "unknown", 0.0
    share = scores[best] / sum(scores.values())
    return best, round(share * (1.0 - math.exp(-scores[best])), 2)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Title, abstract and lineage one behind the other, so that an expression's first place is its best one."""

    text: str
    title_end: int
    opening_end: int

    @classmethod
    def of(cls, *texts: str) -> _Texts:
        title, abstract, lineage = (_without_asides(text) for text in texts)
        start = len(title) + len(_EDGE)
        return cls(_EDGE.join((title, abstract, lineage)), start, start + min(len(abstract), _OPENING_CHARACTERS))

    def weight(self, pattern: re.Pattern[str]) -> float:
        """The weight of an expression at its best place; 0.0 if it does not occur."""
        match = pattern.search(self.text)
        if match is None:
            return 0.0
        if match.start() < self.title_end:
            return _TITLE_WEIGHT
        return _OPENING_WEIGHT if match.start() < self.opening_end else _REST_WEIGHT


def _without_asides(text: str) -> str:
    return ASIDES.sub(" ", lowered(text[:_LONGEST_CHARACTERS]))
