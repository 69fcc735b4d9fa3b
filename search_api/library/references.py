"""Reads BibTeX or a list of DOIs as references, whose PDFs are fetched later."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from pybtex.database import Entry, Person
from pybtex.database.input.bibtex import Parser
from pybtex.exceptions import PybtexError
from pybtex.richtext import Text
from pybtex.utils import CaseInsensitiveDict

from core.errors import InvalidInput

MOST_REFERENCES = 500
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}]+")
_ENTRY = re.compile(r"^\s*@\w+\s*[{(]", re.MULTILINE)
_LINE = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)$", re.IGNORECASE)
_LONGEST = 1000
_LONGEST_MACRO = 500
_MOST_JOINTS = 5000


@dataclass(frozen=True, slots=True)
class Reference:
    """What a list says about a work. ``link``: the address of its PDF or of a page that names it; None: unknown."""

    title: str
    authors: tuple[str, ...] = ()
    doi: str | None = None
    journal: str | None = None
    published: str | None = None
    link: str | None = None

    @property
    def identity(self) -> str:
        """Equal for the same work in two lists."""
        return self.doi.lower() if self.doi else self.link or "\n".join((self.title.casefold(), *self.authors))


def read_references(text: str) -> list[Reference]:
    """Each work once, in the order of the list. Raises InvalidInput with the error and its line."""
    found = list(_of_bibtex(text) if _ENTRY.search(text) else _of_lines(text))
    once = list({one.identity: one for one in reversed(found)}.values())[::-1]
    if not once:
        raise InvalidInput("references", "references: neither BibTeX entries nor DOIs were found")
    if len(once) > MOST_REFERENCES:
        raise InvalidInput(
            "references", f"references: there are {len(once)}; at most {MOST_REFERENCES} are accepted at once"
        )
    return once


def _of_lines(text: str) -> Iterator[Reference]:
    """One DOI per line, bare, with ``doi:`` or as an address; skips empty lines and ``#`` comments."""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip().rstrip(",;")
        if not bare or bare.startswith("#"):
            continue
        match = _LINE.match(bare)
        if match is None:
            raise InvalidInput("references", f"references: line {number} is not a DOI: {bare[:80]!r}")
        yield Reference(title=match[1], doi=match[1], link=doi_link(match[1]))


class _ShortMacros(CaseInsensitiveDict):  # type: ignore[misc]  # pybtex has no types
    """``@string`` macros, limited so that they cannot expand to gigabytes."""

    def __setitem__(self, name: str, value: str) -> None:
        if len(value) > _LONGEST_MACRO:
            raise InvalidInput("references", f"references: the @string {name[:80]!r} is too long")
        super().__setitem__(name, value)


def _of_bibtex(text: str) -> Iterator[Reference]:
    if text.count("#") > _MOST_JOINTS:
        raise InvalidInput("references", f"references: there are more than {_MOST_JOINTS} signs #")
    parser = Parser(encoding="utf-8")
    parser.macros = _ShortMacros(parser.macros)
    try:
        entries = parser.parse_string(text).entries
    except PybtexError as error:
        raise InvalidInput("references", f"references: the BibTeX cannot be read: {str(error)[:300]}") from None
    for key, entry in entries.items():
        yield _reference(str(key), entry)


def _reference(key: str, entry: Entry) -> Reference:
    fields = {str(name).lower(): _plain(str(value)) for name, value in entry.fields.items()}
    match = _DOI.search(fields.get("doi", "") or fields.get("url", ""))
    doi = match[0].rstrip(".,;") if match else None
    url = fields.get("url", "")
    is_link = url.startswith(("http://", "https://")) and len(url) <= _LONGEST
    return Reference(
        title=(fields.get("title") or key)[:_LONGEST],
        authors=tuple(_name(person) for person in entry.persons.get("author", ()))[:100],
        doi=doi,
        journal=(fields.get("journal") or fields.get("booktitle") or "")[:_LONGEST] or None,
        published=_date(fields),
        link=url if is_link else doi_link(doi) if doi else None,
    )


def doi_link(doi: str) -> str:
    return f"https://doi.org/{quote(doi, safe='/()')}"


def _name(person: Person) -> str:
    parts = (
        *person.first_names,
        *person.middle_names,
        *person.prelast_names,
        *person.last_names,
        *person.lineage_names,
    )
    return _plain(" ".join(parts))[:200]


def _plain(text: str) -> str:
    """Text without TeX's braces and commands; text that is not valid TeX is unchanged."""
    try:
        return " ".join(str(Text.from_latex(text)).split())
    except (PybtexError, ValueError):
        return " ".join(text.split())


def _date(fields: dict[str, str]) -> str | None:
    """ISO 8601 in the precision given."""
    if re.fullmatch(r"\d{4}(?:-\d{2}(?:-\d{2})?)?", fields.get("date", "")):
        return fields["date"]
    year = re.search(r"\b(1[5-9]|20)\d{2}\b", fields.get("year", ""))
    return year[0] if year else None
