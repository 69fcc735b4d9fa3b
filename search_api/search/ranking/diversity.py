"""Spreads siblings of one series over the answer, so that they do not fill its first page. Pure.

With the default numbers: of each ten hits at most three are of one series (titles that differ only in numbers and
dates) and at most five have the same parent. The rest of the family is postponed, but only for a hit with at least .8
of their own score: a question about just this family gets it, in its order. Postponed hits come first in the next ten.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from search_api.search.ranking.numbers import check_positive, check_shares


@dataclass(frozen=True, slots=True)
class Diversity:
    """``block`` hits contain at most this many of one family of each kind; a hit may pass with ``least_share`` of a
    score.
    """

    block: int
    most: Mapping[str, int]
    least_share: float

    def __post_init__(self) -> None:
        check_positive(block=self.block, **self.most)
        check_shares(least_share=self.least_share)

    def limit(self, kind: str) -> int:
        return self.most.get(kind, self.block)


Family = tuple[str, Hashable]
"""Kind ("series" or "parent") and name of the family."""


def diversify(
    families: Sequence[Sequence[Family]], scores: Sequence[float], rule: Diversity, *, first: int | None = None
) -> list[int]:
    """Positions in display order; ``families`` and ``scores`` (not below 0) come best first.

    A permutation that depends only on these, so pages of it never overlap. With ``first`` only that many places are
    computed and the rest is unchanged. Raises ValueError if the lengths differ.
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
    """The next ten, removed from ``waiting``."""
    count: Counter[Family] = Counter()
    standing_back: list[int] = []  # in order
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
    """The best hit that may pass, or the best postponed one if no other is good enough."""
    if not standing_back:
        return heapq.heappop(waiting)
    if waiting and scores[waiting[0]] >= rule.least_share * scores[standing_back[0]]:
        return heapq.heappop(waiting)
    return standing_back.pop(0)
