"""Folds duplicates and twins, and spreads records that are much alike over the list.

With the default numbers: of each ten hits at most three are of one series (titles that differ only in numbers and
dates) and at most five have the same parent. The rest of the family is postponed, but only for a hit with at least .8
of their own score: a question about just this family gets it, in its order. Postponed hits come first in the next ten.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.record_keys import TwinKey
from core.versions import doi_stem
from search_api.search.ranking.numbers import check_positive, check_shares

_DOI = "10."


@dataclass(frozen=True, slots=True)
class DuplicateKey:
    """What makes two records one data set: the same ``identity``, the same ``signature`` in another source, or the same
    ``twin.data_set`` with other marks.
    """

    source: str
    identity: str | None = None
    signature: str | None = None
    twin: TwinKey | None = None

    @property
    def names(self) -> list[str]:
        """What a duplicate has too."""
        values = {"identity": self.identity, "signature": self.signature, "twin": self.data_set}
        return [_name(kind, value) for kind, value in values.items() if value is not None]

    @property
    def data_set(self) -> str | None:
        """Of its twins."""
        return None if self.twin is None else self.twin.data_set

    @property
    def doi(self) -> str | None:
        return self.identity if self.identity is not None and self.identity.startswith(_DOI) else None


def _name(kind: str, value: str) -> str:
    return f"{kind} {value}"


@dataclass(slots=True, eq=False)
class _Group:
    members: list[DuplicateKey] = field(default_factory=list)
    folded: list[str] = field(default_factory=list)


def deduplicate(ids: Sequence[str], keys: Mapping[str, DuplicateKey]) -> dict[str, list[str]]:
    """The displayed ids in order, each with those folded under it, best first; ``ids`` come best first.

    Two records are one data set if their identity (DOI, else file identifier) is the same, or if their signature is the
    same and nothing contradicts: their sources differ (two equal records of one catalogue are two data sets) and they
    do not have different DOIs. So are other formats and versions of one data set, each once.
    """
    identities = _repeated([key.identity for key in keys.values()])
    signatures = _repeated([key.signature for key in keys.values()])
    data_sets = _repeated([key.twin.data_set if key.twin is not None else None for key in keys.values()])
    if not (identities or signatures or data_sets):
        return {record: [] for record in ids}
    groups = _Groups()
    folded_ids: dict[str, list[str]] = {}
    for record in ids:
        key = keys[record]
        data_set = key.twin.data_set if key.twin is not None else None
        if key.identity not in identities and key.signature not in signatures and data_set not in data_sets:
            folded_ids[record] = []  # nothing can be its duplicate
            continue
        group = groups.of(key)
        if group is None:
            group = _Group()
            folded_ids[record] = group.folded
        else:
            group.folded.append(record)
        groups.add(key, group)
    return folded_ids


_MOST_VERSIONS = 8


def possible_versions(ids: Iterable[str], keys: Mapping[str, DuplicateKey]) -> dict[str, list[str]]:
    """What may be another version of each id, among ``keys``: by its title, or by a DOI that differs at its end.

    Only ids that have some. ``core.versions`` decides, with the records.
    """
    own_keys = {record: keys[record] for record in ids if record in keys}
    by_title: dict[str, list[tuple[str, TwinKey]]] = {key.twin.title: [] for key in own_keys.values() if key.twin}
    for record, key in keys.items():  # hundreds for each search
        if key.twin is not None and key.twin.title in by_title:
            by_title[key.twin.title].append((record, key.twin))
    versions: dict[str, list[str]] = {}
    for record, key in own_keys.items():
        others: dict[str, None] = {}
        if key.doi is not None and (family := doi_stem(key.doi)) is not None:
            others = {other: None for other, one in keys.items() if (one.doi or "").startswith(family[0])}
        if (own := key.twin) is not None:
            for other, twin in by_title[own.title]:  # equal titles are versions only of one data set
                if twin.marks != own.marks or (own.data_set is not None and twin.data_set == own.data_set):
                    others[other] = None
        others.pop(record, None)
        if others:
            versions[record] = list(others)[:_MOST_VERSIONS]
    return versions


def _repeated(values: Sequence[str | None]) -> frozenset[str]:
    return frozenset([value for value, count in Counter(values).items() if count > 1 and value is not None])


class _Groups:
    """The groups so far, by the names of their members."""

    def __init__(self) -> None:
        self._by_name: defaultdict[str, list[_Group]] = defaultdict(list)

    def of(self, key: DuplicateKey) -> _Group | None:
        """The first group that the record belongs to: by identity, else by signature, else as a twin."""
        if key.identity is not None and (same := self._by_name[_name("identity", key.identity)]):
            return same[0]
        alike = self._by_name[_name("signature", key.signature)][:1] if key.signature is not None else []
        twins = self._by_name[_name("twin", key.data_set)] if key.data_set is not None else []
        fitting = [group for group in alike if not _contradicts(group, key)]
        return next(iter(fitting + [group for group in twins if not _has_marks(group, key)]), None)

    def add(self, key: DuplicateKey, group: _Group) -> None:
        group.members.append(key)
        for name in key.names:
            if group not in self._by_name[name]:
                self._by_name[name].append(group)


def _has_marks(group: _Group, key: DuplicateKey) -> bool:
    """Whether a member has the same version and format: two equal titles of one catalogue are two data sets."""
    return any(
        member.twin is not None and key.twin is not None and member.twin.marks == key.twin.marks
        for member in group.members
    )


def _contradicts(group: _Group, key: DuplicateKey) -> bool:
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
    postponed: list[int] = []  # in order
    block: list[int] = []
    while len(block) < rule.block and (waiting or postponed):
        while waiting and count and _is_full(families[waiting[0]], count, rule):
            if postponed and scores[waiting[0]] < rule.least_share * scores[postponed[0]]:
                break
            postponed.append(heapq.heappop(waiting))
        block.append(_next(waiting, postponed, scores, rule))
        count.update(families[block[-1]])
    for position in postponed:
        heapq.heappush(waiting, position)
    return block


def _is_full(families: Sequence[Family], count: Mapping[Family, int], rule: Diversity) -> bool:
    """Whether the block has as many as it may of one of these families."""
    for family in families:  # noqa: SIM110 - of each hit of the page: a generator takes twice the time
        if count[family] >= rule.most.get(family[0], rule.block):
            return True
    return False


def _next(waiting: list[int], postponed: list[int], scores: Sequence[float], rule: Diversity) -> int:
    """The best hit that may pass, or the best postponed one if no other is good enough."""
    if not postponed:
        return heapq.heappop(waiting)
    if waiting and scores[waiting[0]] >= rule.least_share * scores[postponed[0]]:
        return heapq.heappop(waiting)
    return postponed.pop(0)
