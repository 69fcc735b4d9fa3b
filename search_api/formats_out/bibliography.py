"""Citations as BibTeX (pybtex), RIS (rispy) and CSL-JSON, for reference managers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import rispy
from pybtex.database import BibliographyData, Entry, InvalidNameString, Person

from core.json_types import Json
from core.record import Record
from search_api.formats_out.citation import Citation, CitationFormat, Kind, Party, of_record
from search_api.formats_out.output_format import OutputFormat, ResultPage

_BIBTEX: dict[Kind, str] = {
    "article": "article", "report": "techreport", "dataset": "misc", "software": "misc", "misc": "misc",
}  # fmt: skip
_RIS: dict[Kind, str] = {"article": "JOUR", "report": "RPRT", "dataset": "DATA", "software": "COMP", "misc": "GEN"}
_CSL: dict[Kind, str] = {
    "article": "article-journal", "report": "report", "dataset": "dataset", "software": "software", "misc": "document",
}  # fmt: skip
_FOR_TEX = str.maketrans({"{": "(", "}": ")", "$": r"\$", "\\": r"\textbackslash{}"})
"""What pybtex writes as it is: braces must be balanced, and these two begin mathematics and commands."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def bibtex(citations: Sequence[Citation]) -> str:
    return str(BibliographyData({one.key: _entry(one) for one in citations}).to_string("bibtex"))


def ris(citations: Sequence[Citation]) -> str:
    return str(rispy.dumps([_tags(one) for one in citations], implementation=_RisWriter))


def csl(citations: Sequence[Citation]) -> str:
    return json.dumps([_item(one) for one in citations], ensure_ascii=False, indent=2) + "\n"


class _RisWriter(rispy.RisWriter):  # type: ignore[misc]  # rispy has no types
    """Without the number that rispy writes before each entry: the format has none."""

    def set_header(self, count: int) -> str:  # noqa: ARG002
        return ""


def _entry(one: Citation) -> Entry:
    date = one.date
    fields = {
        "title": one.title,
        "journal": one.journal,
        "institution" if one.kind == "report" else "publisher": one.publisher,
        "year": str(date[0]) if date else None,
        "month": _MONTHS[date[1] - 1] if len(date) > 1 and 1 <= date[1] <= 12 else None,
        "doi": one.doi,
        "url": one.link,
    }
    said = {name: _line(value).translate(_FOR_TEX) for name, value in fields.items() if value}
    persons = {"author": [_person(party) for party in one.authors]} if one.authors else {}
    return Entry(_BIBTEX[one.kind], fields=said, persons=persons)


def _person(party: Party) -> Person:
    name = _line(party.name).translate(_FOR_TEX)
    if not party.is_organisation:
        try:
            return Person(name)
        except InvalidNameString:  # more commas than a name has: taken whole
            pass
    person = Person()
    person.last_names = [f"{{{name}}}"]
    return person


def _tags(one: Citation) -> Json:
    said = {
        "type_of_reference": _RIS[one.kind],
        "id": one.key,
        "title": _line(one.title),
        "authors": [_line(party.name) for party in one.authors],
        "journal_name": _line(one.journal or ""),
        "publisher": _line(one.publisher or ""),
        "year": str(one.date[0]) if one.date else "",
        "doi": one.doi,
        "urls": [one.link],
    }
    return {name: value for name, value in said.items() if value}


def _item(one: Citation) -> Json:
    said = {
        "id": one.key,
        "type": _CSL[one.kind],
        "title": one.title,
        "author": [_named(party) for party in one.authors],
        "container-title": one.journal,
        "publisher": one.publisher,
        "issued": {"date-parts": [list(one.date)]} if one.date else None,
        "DOI": one.doi,
        "URL": one.link,
    }
    return {name: value for name, value in said.items() if value}


def _named(party: Party) -> Json:
    family, comma, given = party.name.partition(", ")
    if comma and "," not in given and not party.is_organisation:
        return {"family": family, "given": given}
    return {"literal": party.name}


def _line(text: str) -> str:
    return " ".join(text.split())


CITATION_FORMATS: dict[str, CitationFormat] = {
    one.name: one
    for one in (
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
    OutputFormat(one.name, one.media_type, one.title, record=_of_records(one.write), results=_of_results(one.write))
    for one in CITATION_FORMATS.values()
)
