"""Shows a data set of several catalogues once, under the best of its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


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
    identities = Counter(one.identity for one in keys.values())
    signatures = Counter(one.signature for one in keys.values())
    by_identity: dict[str, _Group] = {}
    by_signature: dict[str, _Group] = {}
    folded: dict[str, list[str]] = {}
    for record in ids:
        one = keys[record]
        group = by_identity.get(one.identity) if one.identity is not None else None
        if group is None and one.signature is not None:
            group = _unless_opposed(by_signature.get(one.signature), one)
        if group is not None:
            group.members.append(one)
            group.folded.append(record)
        elif identities[one.identity] == signatures[one.signature] == 1:  # nothing can be its duplicate
            folded[record] = []
            continue
        else:
            group = _Group([one])
            folded[record] = group.folded
        if one.identity is not None:
            by_identity.setdefault(one.identity, group)
        if one.signature is not None:
            by_signature.setdefault(one.signature, group)
    return folded


def _unless_opposed(group: _Group | None, one: DuplicateKey) -> _Group | None:
    if group is None or any(member.source == one.source for member in group.members):
        return None
    dois = {member.doi for member in group.members} - {None}
    return group if one.doi is None or not dois or one.doi in dois else None
