"""Counts matches: all of them with the second request, when the first shows that the window cannot hold them.

Otherwise the count would wait for the candidates, in a request of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.json_types import Json
from search_api.search.retrieval.arms import Arm, Scored
from search_api.search.retrieval.filters import Clause


@dataclass(frozen=True, slots=True)
class Nearness:
    """The cosines that decide what is a hit by meaning alone: at least ``min_score``.

    If no candidate reaches ``answer_score`` and none contains every word, the question is about something else, and the
    nearest records are not hits either.
    """

    min_score: float
    answer_score: float = -1.0


def overflowing(arms: Sequence[Arm], first: Sequence[Scored], window: int) -> bool:
    """Whether an arm that finds records by a condition found more than the window holds."""
    pairs = zip(arms, first, strict=True)
    return any(len(scored.scores) >= window for arm, scored in pairs if arm.draws is None)


def counting_body(query: Clause, most: int | bool) -> Json:
    """Counts the records that match, and stops at ``most``; True: counts all."""
    return {"query": {"bool": {"filter": [query]}}, "size": 0, "track_total_hits": most}


def matches_clause(matching: Clause, drawn: Collection[str]) -> Clause:
    """The records that match by their words, place, time or names, and those that the question drew."""
    either = [matching, {"ids": {"values": sorted(drawn)}}] if drawn else [matching]
    return {"bool": {"should": either, "minimum_should_match": 1}}


def matches_body(filters: Sequence[Clause], matching: Clause, drawn: Collection[str]) -> Json:
    """Counts the records that match and pass the filters."""
    query = {"bool": {"filter": [*filters, matches_clause(matching, drawn)]}}
    return {"query": query, "size": 0, "track_total_hits": True}
