"""Counts matches: all of them with the second request, when the first shows that the window cannot hold them.

Otherwise the count would wait for the candidates, in a request of its own. What decides it is known after the first
request: whether words found more than the window, and, since each arm gives its best first, how near meaning comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from search_api.retrieval import knn
from search_api.retrieval.arms import Arm, Scored
from search_api.retrieval.filters import Clause


@dataclass(frozen=True, slots=True)
class Nearness:
    """The cosines that decide what is a hit by meaning alone: at least ``min_score``.

    If no candidate reaches ``answer_score`` and none contains every word, the question is about something else, and the
    nearest records are not hits either.
    """

    min_score: float
    answer_score: float = -1.0


@dataclass(frozen=True, slots=True)
class Matches:
    """What is counted: the records that match by words, and by meaning from cosine ``least`` if it is not None."""

    least: float | None


def foreseen(arms: Sequence[Arm], first: Sequence[Scored], nearness: Nearness | None, window: int) -> Matches | None:
    """None if nothing is beyond the window, or if the second request decides what matches."""
    pairs = [(arm.signal, scored.scores) for arm, scored in zip(arms, first, strict=True)]
    least = None
    if nearness is not None:
        cosines = {signal: scores.values() for signal, scores in pairs if signal in ("dense", "passage_dense")}
        if max((cosine for found in cosines.values() for cosine in found), default=-1.0) < nearness.answer_score:
            return None
        near = cosines.get("dense", ())
        if len(near) >= window and min(near) >= nearness.min_score:
            least = nearness.min_score
    return Matches(least) if least is not None or overflowing(arms, first, window) else None


def overflowing(arms: Sequence[Arm], first: Sequence[Scored], window: int) -> bool:
    """Whether an arm other than meaning's found more than the window holds."""
    pairs = zip(arms, first, strict=True)
    return any(len(scored.scores) >= window for arm, scored in pairs if arm.signal in ("bm25", "names", None))


def counting_body(query: Clause, most: int | bool) -> Json:
    """Counts the records that match, and stops at ``most``; True: counts all."""
    return {"query": {"bool": {"filter": [query]}}, "size": 0, "track_total_hits": most}


def matches_body(filters: Sequence[Clause], matching: Clause, ids: Sequence[str], meaning: Json) -> Json:
    """Counts the records that match, with those of ``ids``. ``meaning``: as of ``near_section``, or empty."""
    either = [matching, {"ids": {"values": list(ids)}}]
    query = {"bool": {"filter": [*filters, {"bool": {"should": either, "minimum_should_match": 1}}]}}
    return {**counting_body(query, True), **meaning}


def near_section(vector: NDArray[np.float32], most: int, least: float, filters: Sequence[Clause]) -> Json:
    """At most ``most`` records from cosine ``least``, beside a query."""
    nearest = knn.nearest(vector, most, filters)
    # As few candidates as hits: it is a count, or a list in an order that no other signal measures.
    return {"knn": {**nearest, "num_candidates": nearest["k"], "similarity": least}}
