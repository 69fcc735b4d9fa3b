"""Records and documents as citations: BibTeX (pybtex), RIS (rispy) and CSL-JSON, for reference managers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import rispy
from pybtex.database import BibliographyData, Entry, InvalidNameString, Person

from core.document import DocumentEntry
from core.json_types import Json
from core.record import Contact, Record
from search_api.formats_out.notations import OutputFormat, ResultPage, without_empty

Kind = Literal["article", "report", "dataset", "software", "misc"]

_AUTHORS = ("author", "originator", "principalInvestigator", "creator", "owner", "pointOfContact", "publisher")
"""Roles that may be named as authors; the first that the record has counts."""

_LANDING_RELS = ("cite-as", "about")
"""Relations of links to the page of the data set, best first."""
_WEB_SCHEMES = ("https://", "http://")

_KINDS: dict[str, Kind] = {"software": "software", "service": "misc", "document": "report"}
_KEY = re.compile(r"[^A-Za-z0-9]+")
_DATE = re.compile(r"^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")

_BIBTEX: dict[Kind, str] = {
    "article": "article", "report": "techreport", "dataset": "misc", "software": "misc", "misc": "misc",
}  # fmt: skip
_RIS: dict[Kind, str] = {"article": "JOUR", "report": "RPRT", "dataset": "DATA", "software": "COMP", "misc": "GEN"}
_CSL: dict[Kind, str] = {
    "article": "article-journal", "report": "report", "dataset": "dataset", "software": "software", "misc": "document",
}  # fmt: skip
_TEX_ESCAPES = str.maketrans({"{": "(", "}": ")", "$": r"\$", "\\": r"\textbackslash{}"})
"""What pybtex writes as it is: braces must be balanced, and these two begin mathematics and commands."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


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
    """Without a DOI the landing page is cited; ``address`` if the record links to none."""
    roles = {contact.role for contact in record.contacts}
    role = next((author_role for author_role in _AUTHORS if author_role in roles), None)
    authors = dict.fromkeys(
        party for contact in record.contacts if role in (None, contact.role) and (party := _party(contact))
    )
    publishers = (contact.organisation for contact in record.contacts if contact.role == "publisher")
    publisher = next(filter(None, publishers), None)
    dates = record.dates
    return Citation(
        key=_KEY.sub("_", record.id),
        kind=_KINDS.get(record.type, "dataset"),
        title=record.title or record.id,
        address=_landing_page(record) or address,
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


def _landing_page(record: Record) -> str | None:
    """The first web address of the best relation."""
    pages = (
        link.href
        for rel in _LANDING_RELS
        for link in record.links
        if link.rel == rel and link.href.startswith(_WEB_SCHEMES)
    )
    return next(pages, None)


def _party(contact: Contact) -> Party | None:
    if contact.name:
        return Party(contact.name)
    return Party(contact.organisation, is_organisation=True) if contact.organisation else None


def bibtex(citations: Sequence[Citation]) -> str:
    """Ids that differ only in case or punctuation give one key to BibTeX, so the later entries get an underscore."""
    entries: dict[str, Entry] = {}
    keys: set[str] = set()
    for citation in citations:
        key = citation.key
        while key.lower() in keys:
            key += "_"
        keys.add(key.lower())
        entries[key] = _entry(citation)
    return str(BibliographyData(entries).to_string("bibtex"))


def ris(citations: Sequence[Citation]) -> str:
    return str(rispy.dumps([_tags(citation) for citation in citations], implementation=_RisWriter))


def csl(citations: Sequence[Citation]) -> str:
    return json.dumps([_item(citation) for citation in citations], ensure_ascii=False, indent=2) + "\n"


class _RisWriter(rispy.RisWriter):  # type: ignore[misc]  # rispy has no types
    """Without the number that rispy writes before each entry: the format has none."""

    def set_header(self, count: int) -> str:  # noqa: ARG002
        return ""


def _entry(citation: Citation) -> Entry:
    date = citation.date
    fields = {
        "title": citation.title,
        "journal": citation.journal,
        "institution" if citation.kind == "report" else "publisher": citation.publisher,
        "year": str(date[0]) if date else None,
        "month": _MONTHS[date[1] - 1] if len(date) > 1 and 1 <= date[1] <= 12 else None,
        "doi": citation.doi,
        "url": citation.link,
    }
    tex_fields = {name: _line(value).translate(_TEX_ESCAPES) for name, value in fields.items() if value}
    persons = {"author": [_person(party) for party in citation.authors]} if citation.authors else {}
    return Entry(_BIBTEX[citation.kind], fields=tex_fields, persons=persons)


def _person(party: Party) -> Person:
    name = _line(party.name).translate(_TEX_ESCAPES)
    if not party.is_organisation:
        try:
            return Person(name)
        except InvalidNameString:  # more commas than a name has: taken whole
            pass
    person = Person()
    person.last_names = [f"{{{name}}}"]
    return person


def _tags(citation: Citation) -> Json:
    members: Json = {
        "type_of_reference": _RIS[citation.kind],
        "id": citation.key,
        "title": _line(citation.title),
        "authors": [_line(party.name) for party in citation.authors],
        "journal_name": _line(citation.journal or ""),
        "publisher": _line(citation.publisher or ""),
        "year": str(citation.date[0]) if citation.date else "",
        "doi": citation.doi,
        "urls": [citation.link],
    }
    return without_empty(members)


def _item(citation: Citation) -> Json:
    members: Json = {
        "id": citation.key,
        "type": _CSL[citation.kind],
        "title": citation.title,
        "author": [_csl_name(party) for party in citation.authors],
        "container-title": citation.journal,
        "publisher": citation.publisher,
        "issued": {"date-parts": [list(citation.date)]} if citation.date else None,
        "DOI": citation.doi,
        "URL": citation.link,
    }
    return without_empty(members)


def _csl_name(party: Party) -> Json:
    family, comma, first = party.name.partition(", ")
    if comma and "," not in first and not party.is_organisation:
        return {"family": family, "given": first}
    return {"literal": party.name}


def _line(text: str) -> str:
    return " ".join(text.split())


CITATION_FORMATS: dict[str, CitationFormat] = {
    format.name: format
    for format in (
        CitationFormat("bibtex", "application/x-bibtex", "BibTeX", "bib", bibtex),
        CitationFormat("ris", "application/x-research-info-systems", "RIS", "ris", ris),
        CitationFormat("csl", "application/vnd.citationstyles.csl+json", "CSL-JSON", "json", csl),
    )
}


def _of_records(write: Callable[[Sequence[Citation]], str]) -> Callable[[Record, str], str]:
    return lambda record, address: write([of_record(record, address)])


def _of_results(write: Callable[[Sequence[Citation]], str]) -> Callable[[ResultPage], str]:
    return lambda page: write([of_record(record, address) for record, address in page.entries])


FORMATS = tuple(
    OutputFormat(
        format.name,
        format.media_type,
        format.title,
        record=_of_records(format.write),
        results=_of_results(format.write),
    )
    for format in CITATION_FORMATS.values()
)
