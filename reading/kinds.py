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

_TITLE_WEIGHT, _ABSTRACT_WEIGHT, _LINEAGE_WEIGHT = 2.0, 1.0, 1.0
_OPENING_CHARACTERS = 400  # an abstract first describes the data, later their use
_OPENING_WEIGHT = 1.5
_LONGEST_CHARACTERS = 2_000
_LEAST_SCORE = 0.9


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
    texts = tuple(_without_asides(text) for text in (title, abstract, lineage or ""))
    scores = {kind: sum(vote * _weight(pattern, *texts) for pattern, vote in votes) for kind, votes in VOTES.items()}
    best = max(scores, key=lambda kind: scores[kind])
    if scores[best] < _LEAST_SCORE:
        return "unknown", 0.0
    share = scores[best] / sum(scores.values())
    return best, round(share * (1.0 - math.exp(-scores[best])), 2)


def _without_asides(text: str) -> str:
    return ASIDES.sub(" ", lowered(text[:_LONGEST_CHARACTERS]))


def _weight(pattern: re.Pattern[str], title: str, abstract: str, lineage: str) -> float:
    """The weight of an expression at its best place; 0.0 if it does not occur."""
    if pattern.search(title):
        return _TITLE_WEIGHT
    match = pattern.search(abstract)
    if match is not None:
        return _OPENING_WEIGHT if match.start() < _OPENING_CHARACTERS else _ABSTRACT_WEIGHT
    return _LINEAGE_WEIGHT if pattern.search(lineage) else 0.0
