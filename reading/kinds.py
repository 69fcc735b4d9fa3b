"""What kind of product a text speaks of: observation, simulation, projection, reanalysis or derived.

For a question ``read_kinds`` names each word with its place; for a record ``infer_kind`` weighs title, abstract and
lineage. Words for both stand in ``kind_words``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from core.record import ProvenanceKind
from reading.kind_words import ASIDES, ASKED, VOTES, Platform
from reading.spans import Claims, lowered

_TITLE_WEIGHT, _ABSTRACT_WEIGHT, _LINEAGE_WEIGHT = 2.0, 1.0, 1.0
_OPENING_CHARACTERS = 400  # an abstract says early what the data are, later what they are good for
_OPENING_WEIGHT = 1.5
_LONGEST_CHARACTERS = 2_000
_LEAST_SCORE = 0.9


@dataclass(frozen=True, slots=True)
class KindMention:
    """A word that asks for a kind of product (offsets, end exclusive); ``confidence`` 0..1.

    ``platform`` says where an observation is made from, where the word tells.
    """

    text: str
    start: int
    end: int
    kind: ProvenanceKind
    confidence: float
    platform: Platform | None = None


def read_kinds(text: str) -> list[KindMention]:
    """Every word of kind in a question, in its order, none overlapping."""
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
    """The kind of data a record describes and how sure its text makes us (0..1); ``unknown`` and 0.0 without a sign.

    Each expression counts once, where it weighs most: title 2, opening of the abstract 1.5, rest and lineage 1. What
    stands in an aside ("used to evaluate models", "driven by ERA5") describes other data and does not count.
    Confidence is the winner's share of all votes, less where there are few; ties go to the kind named first in
    reanalysis, projection, derived, simulation, observation.
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
    """How much an expression weighs at its best place; 0.0 where it stands nowhere."""
    if pattern.search(title):
        return _TITLE_WEIGHT
    match = pattern.search(abstract)
    if match is not None:
        return _OPENING_WEIGHT if match.start() < _OPENING_CHARACTERS else _ABSTRACT_WEIGHT
    return _LINEAGE_WEIGHT if pattern.search(lineage) else 0.0
