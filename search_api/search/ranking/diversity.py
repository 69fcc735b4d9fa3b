"""Folds duplicates, and spreads records that are much alike over the list.

With the default numbers: of each ten hits at most three are of one series (titles that differ only in numbers and
dates) and at most five have the same parent. The rest of the family is postponed, but only for a hit with at least .8
of their own score: a question about just this family gets it, in its order. Postponed hits come first in the next ten.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from search_api.search.ranking.numbers import check_positive, check_shares


@dataclass(frozen=True, slots=True)
class DuplicateKey:
    """What makes two records one data set: the same ``identity``, or the same ``signature`` in another source."""

    source: str
    identity: str | None = None
    signature: str | None = None

    @property
    def doi(self) -> str | None:
        return self.identity if self.identity is not None and self.identity.startswith("10.") else None


@dataclass(slots=True)
class _Group:
    members: list[DuplicateKey]
    folded: list[str] = field(default_factory=list)


def deduplicate(ids: Sequence[str], keys: Mapping[str, DuplicateKey]) -> dict[str, list[str]]:
    """The displayed ids in order, each with those folded under it, best first; ``ids`` come best first.

    Two records are one data set if their identity (DOI, else file identifier) is the same, or if their signature is the
    same and nothing contradicts: their sources differ (two equal records of one catalogue are two data sets) and they
    do not have different DOIs.
    """
    identities = Counter([key.identity for key in keys.values()])
    signatures = Counter([key.signature for key in keys.values()])
    by_identity: dict[str, _Group] = {}
    by_signature: dict[str | None, _Group] = {}
    folded_ids: dict[str, list[str]] = {}
    for record in ids:
        key = keys[record]
        group = by_identity.get(key.identity) if key.identity is not None else None
        if group is None and (alike := by_signature.get(key.signature)) is not None and not _opposes(alike, key):
            group = alike
        if group is not None:
            group.members.append(key)
            group.folded.append(record)
        elif identities[key.identity] == signatures[key.signature] == 1:  # nothing can be its duplicate
            folded_ids[record] = []
            continue
        else:
            group = _Group([key])
            folded_ids[record] = group.folded
        if key.identity is not None:
            by_identity.setdefault(key.identity, group)
        if key.signature is not None:
            by_signature.setdefault(key.signature, group)
    return folded_ids


def _opposes(group: _Group, key: DuplicateKey) -> bool:
    """Whether a member is of the same source, or another DOI is known."""
    if any(member.source == key.source for member in group.members):
        return True
    dois = {member.doi for member in group.members} - {None}
    return key.doi is not None and bool(dois) and key.doi not in dois


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
    order: list[int] = []
    while waiting and (first is None or len(order) < first):
        order += _block(waiting, families, scores, rule)
    return order + sorted(waiting)


def _block(
    waiting: list[int], families: Sequence[Sequence[Family]], scores: Sequence[float], rule: Diversity
) -> list[int]:
    """The next ten, removed from ``waiting``."""
    count: Counter[Family] = Counter()
    standing_back: list[int] = []  # in order
    block: list[int] = []
    while len(block) < rule.block and (waiting or standing_back):
        while waiting and any(count[family] >= rule.limit(family[0]) for family in families[waiting[0]]):
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
