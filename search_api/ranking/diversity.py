"""Siblings of one series spread over the answer, so that they do not fill its first page. Pure.

The rule, by the numbers that ship: of each ten hits at most three are of one series (titles that differ only in numbers
and dates) and at most five under one parent. The others of the family stand back, but only for a hit worth at least .8
of their own score: who asks for just this family gets it, in its order. Those that stood back are the first in line for
the next ten.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from search_api.ranking.numbers import check_positive, check_shares


@dataclass(frozen=True, slots=True)
class Diversity:
    """``block`` hits hold at most so many of one family of each kind; ``least_share`` of a score is enough to pass."""

    block: int
    most: Mapping[str, int]
    least_share: float

    def __post_init__(self) -> None:
        check_positive(block=self.block, **self.most)
        check_shares(least_share=self.least_share)

    def limit(self, kind: str) -> int:
        return self.most.get(kind, self.block)


Family = tuple[str, Hashable]
"""Kind ("series" or "parent") and which one."""


def diversify(
    families: Sequence[Sequence[Family]], scores: Sequence[float], rule: Diversity, *, first: int | None = None
) -> list[int]:
    """Positions in the order to show; ``families`` and ``scores`` (not below 0) come best first.

    A permutation that depends on nothing but these, so pages of it never overlap. Only its ``first`` places are
    worked out where that is given; the rest follows as it was. Raises ValueError where the lengths differ.
    """
    if len(families) != len(scores):
        raise ValueError("families and scores differ in length")
    waiting = list(range(len(scores)))  # a heap: positions, the best on top
    shown: list[int] = []
    while waiting and (first is None or len(shown) < first):
        shown += _block(waiting, families, scores, rule)
    return shown + sorted(waiting)


def _block(
    waiting: list[int], families: Sequence[Sequence[Family]], scores: Sequence[float], rule: Diversity
) -> list[int]:
    """The next ten, taken out of ``waiting``."""
    count: Counter[Family] = Counter()
    standing_back: list[int] = []  # in their order
    block: list[int] = []
    while len(block) < rule.block and (waiting or standing_back):
        while waiting and any(count[one] >= rule.limit(one[0]) for one in families[waiting[0]]):
            if standing_back and scores[waiting[0]] < rule.least_share * scores[standing_back[0]]:
                break
            standing_back.append(heapq.heappop(waiting))
        block.append(_next(waiting, standing_back, scores, rule))
        count.update(families[block[-1]])
    for position in standing_back:
        heapq.heappush(waiting, position)
    return block


def _next(waiting: list[int], standing_back: list[int], scores: Sequence[float], rule: Diversity) -> int:
    """The best that may pass, or the best of those that stood back where nothing is worth it."""
    if not standing_back:
        return heapq.heappop(waiting)
    if waiting and scores[waiting[0]] >= rule.least_share * scores[standing_back[0]]:
        return heapq.heappop(waiting)
    return standing_back.pop(0)
