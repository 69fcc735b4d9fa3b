"""Reads BibTeX, RIS, CSL-JSON or a list of DOIs as references, whose PDFs are fetched later."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any
from urllib.parse import quote

import rispy
from pybtex.database import Entry, Person
from pybtex.database.input.bibtex import DuplicateField, Parser, month_names
from pybtex.exceptions import PybtexError
from pybtex.richtext import Text
from pybtex.utils import CaseInsensitiveDict

from core.errors import InvalidInput

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}]+")

LONGEST = 1000
"""Of a title, a journal or an address, in characters."""


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


@dataclass(frozen=True, slots=True)
class ReferenceProblem:
    """A part of a list that is no reference; ``line`` counts from 1, None if unknown."""

    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ReadReferences:
    """Each work once, in the order of the list, and the parts that could not be read."""

    references: tuple[Reference, ...]
    problems: tuple[ReferenceProblem, ...] = ()


def doi_in(text: str) -> str | None:
    """The first DOI of the text, without the punctuation behind it."""
    match = _DOI.search(text)
    return match[0].rstrip(".,;") if match is not None else None


def doi_link(doi: str) -> str:
    return f"https://doi.org/{quote(doi, safe='/()')}"


MOST_REFERENCES = 500
_ENTRY = re.compile(r"^\s*@\w+\s*[{(]", re.MULTILINE)
_LINE = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)$", re.IGNORECASE)
_RIS = re.compile(r"^TY {1,2}- ?\w", re.MULTILINE)
_LONGEST_MACRO = 500
_MOST_PROBLEMS = 100
_MOST_CONCATENATIONS = 5000
_MOST_READ = 10 * MOST_REFERENCES  # with repeated ones


def read_references(text: str) -> ReadReferences:
    """BibTeX, RIS, CSL-JSON or one DOI a line. Parts that cannot be read are reported as problems.

    Raises InvalidInput if there is no reference, or too many.
    """
    problems: list[ReferenceProblem] = []
    references = list(islice(_reader_of(text)(text, problems), _MOST_READ))
    distinct = list({reference.identity: reference for reference in reversed(references)}.values())[::-1]
    if not distinct:
        first = f": {_message(problems[0])}" if problems else ""
        raise InvalidInput("references", f"references: no BibTeX, RIS, CSL-JSON or DOI was found{first}")
    if len(distinct) > MOST_REFERENCES:
        raise InvalidInput(
            "references", f"references: there are {len(distinct)}; at most {MOST_REFERENCES} are accepted at once"
        )
    return ReadReferences(tuple(distinct), tuple(problems[:_MOST_PROBLEMS]))


def _reader_of(text: str) -> Callable[[str, list[ReferenceProblem]], Iterator[Reference]]:
    if text.lstrip().startswith(("[", "{")):
        return of_csl
    if _RIS.search(text):
        return of_ris
    return _of_bibtex if _ENTRY.search(text) else _of_lines


def _message(problem: ReferenceProblem) -> str:
    return problem.message if problem.line is None else f"line {problem.line}: {problem.message}"


def _of_lines(text: str, problems: list[ReferenceProblem]) -> Iterator[Reference]:
    """One DOI per line, bare, with ``doi:`` or as an address; skips empty lines and ``#`` comments."""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip().rstrip(",;")
        if not bare or bare.startswith("#"):
            continue
        match = _LINE.match(bare)
        if match is None:
            problems.append(ReferenceProblem(f"not a DOI: {bare[:80]!r}", number))
            continue
        yield Reference(title=match[1], doi=match[1], link=doi_link(match[1]))


class _ShortMacros(CaseInsensitiveDict):  # type: ignore[misc]  # pybtex has no types
    """``@string`` macros, limited so that they cannot expand to gigabytes."""

    def __setitem__(self, name: str, value: str) -> None:
        if len(value) > _LONGEST_MACRO:
            raise InvalidInput("references", f"references: the @string {name[:80]!r} is too long")
        super().__setitem__(name, value)


class _LenientParser(Parser):  # type: ignore[misc]  # pybtex has no types
    """Collects problems instead of raising them, and uses none of pybtex's global state."""

    def __init__(self, macros: _ShortMacros) -> None:
        super().__init__(encoding="utf-8")
        self.macros = macros
        self.problems: list[ReferenceProblem] = []

    def handle_error(self, error: PybtexError) -> None:
        if isinstance(error, DuplicateField):
            return  # the first value is used
        self.problems.append(ReferenceProblem(str(error)[:300], getattr(error, "lineno", None)))

    def process_entry(self, entry_type: str, key: str, fields: object) -> None:
        try:
            super().process_entry(entry_type, key, fields)
        except PybtexError as error:
            self.handle_error(error)


def _of_bibtex(text: str, problems: list[ReferenceProblem]) -> Iterator[Reference]:
    """A list with a mistake is read again entry by entry, so that only the wrong entry is lost."""
    if text.count("#") > _MOST_CONCATENATIONS:
        raise InvalidInput("references", f"references: there are more than {_MOST_CONCATENATIONS} signs #")
    parser = _LenientParser(_ShortMacros(month_names))
    parser.parse_string(text)
    if not parser.problems:
        yield from (_of_bibtex_entry(str(key), entry) for key, entry in parser.data.entries.items())
        return
    macros = _ShortMacros(month_names)
    for line, part in _parts_of_bibtex(text):
        parser = _LenientParser(macros)
        parser.parse_string(part)
        if parser.problems:
            first = parser.problems[0]
            problems.append(ReferenceProblem(re.sub(r" in line \d+", "", first.message), line + (first.line or 1) - 1))
        else:
            yield from (_of_bibtex_entry(str(key), entry) for key, entry in parser.data.entries.items())


def _parts_of_bibtex(text: str) -> Iterator[tuple[int, str]]:
    """Each entry with the line on which it begins."""
    starts = [match.start() for match in _ENTRY.finditer(text)][: 2 * _MOST_READ]
    line, at = 1, 0
    for start, end in pairwise((*starts, len(text))):
        line, at = line + text.count("\n", at, start), start
        part = text[start:end]
        blank = len(part) - len(part.lstrip())
        yield line + part.count("\n", 0, blank), part[blank:]


def _of_bibtex_entry(key: str, entry: Entry) -> Reference:
    fields = {str(name).lower(): _without_tex(str(value)) for name, value in entry.fields.items()}
    doi = doi_in(fields.get("doi", "") or fields.get("url", ""))
    url = fields.get("url", "")
    is_link = url.startswith(("http://", "https://")) and len(url) <= LONGEST
    return Reference(
        title=(fields.get("title") or key)[:LONGEST],
        authors=tuple(_bibtex_name(person) for person in entry.persons.get("author", ()))[:100],
        doi=doi,
        journal=(fields.get("journal") or fields.get("booktitle") or "")[:LONGEST] or None,
        published=_bibtex_date(fields),
        link=url if is_link else doi_link(doi) if doi else None,
    )


def _bibtex_name(person: Person) -> str:
    parts = (
        *person.first_names,
        *person.middle_names,
        *person.prelast_names,
        *person.last_names,
        *person.lineage_names,
    )
    return _without_tex(" ".join(parts))[:200]


def _without_tex(text: str) -> str:
    """Text without TeX's braces and commands; text that is not valid TeX is unchanged."""
    try:
        return " ".join(str(Text.from_latex(text)).split())
    except (PybtexError, ValueError):
        return " ".join(text.split())


def _bibtex_date(fields: dict[str, str]) -> str | None:
    """ISO 8601 in the precision given."""
    if re.fullmatch(r"\d{4}(?:-\d{2}(?:-\d{2})?)?", fields.get("date", "")):
        return fields["date"]
    year = re.search(r"\b(1[5-9]|20)\d{2}\b", fields.get("year", ""))
    return year[0] if year else None


_END = re.compile(r"^ER {1,2}-.*$", re.MULTILINE)
_YEAR = re.compile(r"^(\d{4})(?:[/-](\d{1,2})(?:[/-](\d{1,2}))?)?")
_MOST_AUTHORS = 100
_LONGEST_NAME = 200


def of_ris(text: str, problems: list[ReferenceProblem]) -> Iterator[Reference]:
    """Reads each entry separately, so that a broken one does not hide the others."""
    line = 1
    for part in _entries(text):
        first = line + len(part) - len(part.lstrip("\r\n \ufeff"))
        line += part.count("\n")
        if not part.strip("\r\n \ufeff"):
            continue
        entries = rispy.loads(part.strip("\r\n \ufeff") + "\n")
        reference = _of_ris_tags(entries[0]) if len(entries) == 1 else None
        if reference is None:
            problems.append(ReferenceProblem("an entry without a type, a title or its end (ER)", first))
        else:
            yield reference


def of_csl(text: str, problems: list[ReferenceProblem]) -> Iterator[Reference]:
    """An array of items, one item, or an object with ``items``."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        problems.append(ReferenceProblem(f"not JSON: {str(error)[:200]}", getattr(error, "lineno", None)))
        return
    items = (
        content if isinstance(content, list) else content.get("items", [content]) if isinstance(content, dict) else []
    )
    for number, item in enumerate(items if isinstance(items, list) else [], 1):
        reference = _of_csl_item(item) if isinstance(item, dict) else None
        if reference is None:
            problems.append(ReferenceProblem(f"item {number} has no title and no DOI"))
        else:
            yield reference


def _entries(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _of_ris_tags(tags: Mapping[str, Any]) -> Reference | None:
    title = tags.get("title") or tags.get("primary_title")
    links = [url for url in tags.get("urls") or () if isinstance(url, str)]
    authors = tuple(tags.get("authors") or tags.get("first_authors") or ())
    journal = tags.get("journal_name") or tags.get("secondary_title") or tags.get("alternate_title3")
    return _checked_reference(
        title, authors, tags.get("doi"), journal, _date(tags.get("year") or tags.get("date")), links
    )


def _of_csl_item(item: Mapping[str, Any]) -> Reference | None:
    parts = item.get("issued")
    dates = parts.get("date-parts") if isinstance(parts, dict) else None
    date = dates[0] if isinstance(dates, list) and dates and isinstance(dates[0], list) else []
    issue_date = _date("-".join(str(part) for part in date[:3]))
    people = item.get("author")
    authors = tuple(_name(one) for one in people if isinstance(one, dict)) if isinstance(people, list) else ()
    url = item.get("URL")
    return _checked_reference(
        item.get("title"),
        authors,
        item.get("DOI"),
        item.get("container-title"),
        issue_date,
        [url] if isinstance(url, str) else [],
    )


def _checked_reference(
    title: object, authors: tuple[object, ...], doi: object, journal: object, published: str | None, links: list[str]
) -> Reference | None:
    valid_doi = doi_in(doi) if isinstance(doi, str) else None
    shown_title = _one_line(title) or valid_doi
    if shown_title is None:
        return None
    web = [value for value in links if value.startswith(("http://", "https://")) and len(value) <= LONGEST]
    return Reference(
        title=shown_title,
        authors=tuple(name[:_LONGEST_NAME] for value in authors if (name := _one_line(value)))[:_MOST_AUTHORS],
        doi=valid_doi,
        journal=_one_line(journal),
        published=published,
        link=web[0] if web else doi_link(valid_doi) if valid_doi else None,
    )


def _name(author: Mapping[str, Any]) -> str:
    if author.get("literal"):
        return str(author["literal"])
    parts = (author.get("given"), author.get("non-dropping-particle"), author.get("family"), author.get("suffix"))
    return " ".join(str(part) for part in parts if part)


def _one_line(text: object) -> str | None:
    return (" ".join(text.split())[:LONGEST] or None) if isinstance(text, str) else None


def _date(text: object) -> str | None:
    """ISO 8601 in the precision given."""
    match = _YEAR.match(text) if isinstance(text, str) else None
    if match is None:
        return None
    year, *month_and_day = (part for part in match.groups() if part)
    is_date = all(1 <= int(part) <= maximum for part, maximum in zip(month_and_day, (12, 31), strict=False))
    return "-".join((year, *(part.zfill(2) for part in month_and_day))) if is_date else year
