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
    identities = Counter([key.identity for key in keys.values()])
    signatures = Counter([key.signature for key in keys.values()])
    by_identity: dict[str, _Group] = {}
    by_signature: dict[str | None, _Group] = {}
    folded: dict[str, list[str]] = {}
    for record in ids:
        key = keys[record]
        group = by_identity.get(key.identity) if key.identity is not None else None
        if group is None and (alike := by_signature.get(key.signature)) is not None and not _opposes(alike, key):
            group = alike
        if group is not None:
            group.members.append(key)
            group.folded.append(record)
        elif identities[key.identity] == signatures[key.signature] == 1:  # nothing can be its duplicate
            folded[record] = []
            continue
        else:
            group = _Group([key])
            folded[record] = group.folded
        if key.identity is not None:
            by_identity.setdefault(key.identity, group)
        if key.signature is not None:
            by_signature.setdefault(key.signature, group)
    return folded


def _opposes(group: _Group, key: DuplicateKey) -> bool:
    """Whether a member is of the same source, or another DOI is known."""
    if any(member.source == key.source for member in group.members):
        return True
    dois = {member.doi for member in group.members} - {None}
    return key.doi is not None and bool(dois) and key.doi not in dois
