"""The members of a document: those that are records, and those from which no record can be read, with the reason.

Each member is one of them, so that a report accounts for all that a document holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

Part = tuple[str, bytes]
"""Native id and content. An empty id means that the document has no identifier: the source's name for it is used."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A member that gives no record. ``place`` names it for people, ``name`` is the identifier that it still has.

    ``passed_over``: it is no record (a person in a graph, a mark of deletion, a second copy); it has a name only if the
    record of that name may have become it.
    """

    place: str
    reason: str
    name: str = ""
    passed_over: bool = False


@dataclass(frozen=True, slots=True)
class Members:
    """All members of one document; ``nameless`` are the ids of parts that their own text does not name."""

    parts: list[Part]
    unread: list[Unread] = field(default_factory=list)
    nameless: frozenset[str] = frozenset()

    @property
    def refused(self) -> list[Unread]:
        return [one for one in self.unread if not one.passed_over]


def references_passed_over(unread: Iterable[Unread], names: Iterable[str]) -> list[Unread]:
    """A member that only names a record which is read elsewhere in the document is no lost record."""
    known = frozenset(names) - {""}
    return [replace(one, passed_over=True, name="") if one.name in known else one for one in unread]
