"""The members of a document: those that are records, and those from which no record can be read, with the reason.

Each member is one of them, so that a report accounts for all that a document holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from indexer.raw import Recognition


@dataclass(frozen=True, slots=True)
class RecordPart:
    """A record of a document, as a separate document.

    ``name`` is its native id; empty: the document has no identifier, and the source's name for it is used.
    """

    name: str
    content: bytes
    recognition: Recognition | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class UnreadableMember:
    """A member that gives no record. ``place`` names it for people, ``name`` is the identifier that it still has.

    ``passed_over``: it is no record (a person in a graph, a mark of deletion, a second copy); it has a name only if the
    record of that name may have become it.
    """

    place: str
    reason: str
    name: str = ""
    passed_over: bool = False


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """All members of one document; ``nameless`` are the names of records that their own text does not name."""

    records: list[RecordPart]
    unreadable: list[UnreadableMember] = field(default_factory=list)
    nameless: frozenset[str] = frozenset()


def pass_over_references(members: Iterable[UnreadableMember], names: Iterable[str]) -> list[UnreadableMember]:
    """A member that only names a record which is read elsewhere in the document is no lost record."""
    known_names = frozenset(names) - {""}
    return [replace(member, passed_over=True, name="") if member.name in known_names else member for member in members]
