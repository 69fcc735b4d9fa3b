"""What is cited: a record or a document as an entry of a bibliography."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.document import DocumentEntry
from core.record import Contact, Record

Kind = Literal["article", "report", "dataset", "software", "misc"]

_AUTHORS = ("author", "originator", "principalInvestigator", "creator", "owner", "pointOfContact", "publisher")
"""Roles that may be named as authors; the first that the record has counts."""

_KINDS: dict[str, Kind] = {"software": "software", "service": "misc", "document": "report"}
_KEY = re.compile(r"[^A-Za-z0-9]+")
_DATE = re.compile(r"^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


@dataclass(frozen=True, slots=True)
class Party:
    """A person or, if ``is_organisation``, an organisation; the name as written."""

    name: str
    is_organisation: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """``key`` is unique for the record or document; ``published`` is ISO 8601 in the precision known."""

    key: str
    kind: Kind
    title: str
    address: str
    authors: tuple[Party, ...] = ()
    publisher: str | None = None
    journal: str | None = None
    published: str | None = None
    doi: str | None = None

    @property
    def date(self) -> tuple[int, ...]:
        """Year, month and day as far as known; empty without a year."""
        match = _DATE.match(self.published or "")
        return tuple(int(part) for part in match.groups() if part) if match is not None else ()

    @property
    def link(self) -> str:
        return f"https://doi.org/{self.doi}" if self.doi else self.address


@dataclass(frozen=True, slots=True)
class CitationFormat:
    """``write`` takes any number of citations."""

    name: str
    media_type: str
    title: str
    ending: str
    write: Callable[[Sequence[Citation]], str]


def of_record(record: Record, address: str) -> Citation:
    """``address`` is cited where there is no DOI."""
    role = next((one for one in _AUTHORS if any(contact.role == one for contact in record.contacts)), None)
    authors = dict.fromkeys(
        party for contact in record.contacts if role in (None, contact.role) and (party := _party(contact))
    )
    publisher = next(
        (one.organisation for one in record.contacts if one.role == "publisher" and one.organisation), None
    )
    dates = record.dates
    return Citation(
        key=_KEY.sub("_", record.id),
        kind=_KINDS.get(record.type, "dataset"),
        title=record.title or record.id,
        address=address,
        authors=tuple(authors),
        publisher=publisher,
        published=dates.published or dates.created or dates.modified,
        doi=record.doi,
    )


def of_document(entry: DocumentEntry, address: str) -> Citation:
    """``address`` is cited where there is no DOI."""
    return Citation(
        key=f"document_{entry.id}",
        kind="article" if entry.journal else "report",
        title=entry.title or entry.name,
        address=address,
        authors=tuple(Party(name) for name in entry.authors),
        journal=entry.journal,
        published=entry.published,
        doi=entry.doi,
    )


def _party(contact: Contact) -> Party | None:
    if contact.name:
        return Party(contact.name)
    return Party(contact.organisation, is_organisation=True) if contact.organisation else None
