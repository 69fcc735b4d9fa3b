"""The same data set of several catalogues shown once, under the best of its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Likeness:
    """What tells that two records are one data set: the same ``identity``, or the same ``signature`` elsewhere."""

    source: str
    identity: str | None = None
    signature: str | None = None

    @property
    def doi(self) -> str | None:
        return self.identity if self.identity is not None and self.identity.startswith("10.") else None


@dataclass(slots=True)
class _Group:
    leader: str
    sources: set[str]
    dois: set[str]
    folded: list[str] = field(default_factory=list)


def fold(ids: Sequence[str], likeness: Mapping[str, Likeness]) -> dict[str, list[str]]:
    """The ids that are shown, in order, each with those folded under it, best first; ``ids`` come best first.

    Two records are one data set where their identity (DOI, else file identifier) is the same, or where their signature
    is the same and nothing speaks against it: they are of different sources (one catalogue that says the same twice
    means two things) and do not have different DOIs.
    """
    by_identity: dict[str, _Group] = {}
    by_signature: dict[str, _Group] = {}
    groups: list[_Group] = []
    for record in ids:
        one = likeness[record]
        group = by_identity.get(one.identity) if one.identity is not None else None
        if group is None and one.signature is not None:
            group = _unless_opposed(by_signature.get(one.signature), one)
        if group is None:
            group = _Group(record, set(), set())
            groups.append(group)
        else:
            group.folded.append(record)
        group.sources.add(one.source)
        group.dois |= {one.doi} if one.doi is not None else set()
        if one.identity is not None:
            by_identity.setdefault(one.identity, group)
        if one.signature is not None:
            by_signature.setdefault(one.signature, group)
    return {group.leader: group.folded for group in groups}


def _unless_opposed(group: _Group | None, one: Likeness) -> _Group | None:
    if group is None or one.source in group.sources:
        return None
    return group if one.doi is None or not group.dois or one.doi in group.dois else None
