"""Reads BibTeX, RIS, CSL-JSON or a list of DOIs as references, whose PDFs are fetched later."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice, pairwise

from pybtex.database import Entry, Person
from pybtex.database.input.bibtex import DuplicateField, Parser, month_names
from pybtex.exceptions import PybtexError
from pybtex.richtext import Text
from pybtex.utils import CaseInsensitiveDict

from core.errors import InvalidInput
from search_api.library.exchange import of_csl, of_ris
from search_api.library.reference import LONGEST, Problem, ReadReferences, Reference, doi_in, doi_link

MOST_REFERENCES = 500
_ENTRY = re.compile(r"^\s*@\w+\s*[{(]", re.MULTILINE)
_LINE = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)$", re.IGNORECASE)
_RIS = re.compile(r"^TY {1,2}- ?\w", re.MULTILINE)
_LONGEST_MACRO = 500
_MOST_PROBLEMS = 100
_MOST_JOINTS = 5000
_MOST_READ = 10 * MOST_REFERENCES  # with repeated ones


def read_references(text: str) -> ReadReferences:
    """BibTeX, RIS, CSL-JSON or one DOI a line; what cannot be read is reported, and the rest is read.

    Raises InvalidInput if there is no reference, or too many.
    """
    problems: list[Problem] = []
    found = list(islice(_reader_of(text)(text, problems), _MOST_READ))
    once = list({one.identity: one for one in reversed(found)}.values())[::-1]
    if not once:
        first = f": {_said(problems[0])}" if problems else ""
        raise InvalidInput("references", f"references: no BibTeX, RIS, CSL-JSON or DOI was found{first}")
    if len(once) > MOST_REFERENCES:
        raise InvalidInput(
            "references", f"references: there are {len(once)}; at most {MOST_REFERENCES} are accepted at once"
        )
    return ReadReferences(tuple(once), tuple(problems[:_MOST_PROBLEMS]))


def _reader_of(text: str) -> Callable[[str, list[Problem]], Iterator[Reference]]:
    if text.lstrip().startswith(("[", "{")):
        return of_csl
    if _RIS.search(text):
        return of_ris
    return _of_bibtex if _ENTRY.search(text) else _of_lines


def _said(problem: Problem) -> str:
    return problem.message if problem.line is None else f"line {problem.line}: {problem.message}"


def _of_lines(text: str, problems: list[Problem]) -> Iterator[Reference]:
    """One DOI per line, bare, with ``doi:`` or as an address; skips empty lines and ``#`` comments."""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip().rstrip(",;")
        if not bare or bare.startswith("#"):
            continue
        match = _LINE.match(bare)
        if match is None:
            problems.append(Problem(f"not a DOI: {bare[:80]!r}", number))
            continue
        yield Reference(title=match[1], doi=match[1], link=doi_link(match[1]))


class _ShortMacros(CaseInsensitiveDict):  # type: ignore[misc]  # pybtex has no types
    """``@string`` macros, limited so that they cannot expand to gigabytes."""

    def __setitem__(self, name: str, value: str) -> None:
        if len(value) > _LONGEST_MACRO:
            raise InvalidInput("references", f"references: the @string {name[:80]!r} is too long")
        super().__setitem__(name, value)


class _LenientParser(Parser):  # type: ignore[misc]  # pybtex has no types
    """Notes an entry that it cannot read and goes on, without pybtex's global state."""

    def __init__(self, macros: _ShortMacros) -> None:
        super().__init__(encoding="utf-8")
        self.macros = macros
        self.problems: list[Problem] = []

    def handle_error(self, error: PybtexError) -> None:
        if isinstance(error, DuplicateField):
            return  # the first one counts
        self.problems.append(Problem(str(error)[:300], getattr(error, "lineno", None)))

    def process_entry(self, entry_type: str, key: str, fields: object) -> None:
        try:
            super().process_entry(entry_type, key, fields)
        except PybtexError as error:
            self.handle_error(error)


def _of_bibtex(text: str, problems: list[Problem]) -> Iterator[Reference]:
    """A list with a mistake is read again entry by entry, so that it costs only the entry with the mistake."""
    if text.count("#") > _MOST_JOINTS:
        raise InvalidInput("references", f"references: there are more than {_MOST_JOINTS} signs #")
    parser = _LenientParser(_ShortMacros(month_names))
    parser.parse_string(text)
    if not parser.problems:
        yield from (_reference(str(key), entry) for key, entry in parser.data.entries.items())
        return
    macros = _ShortMacros(month_names)
    for line, part in _parts_of_bibtex(text):
        parser = _LenientParser(macros)
        parser.parse_string(part)
        if parser.problems:
            first = parser.problems[0]
            problems.append(Problem(re.sub(r" in line \d+", "", first.message), line + (first.line or 1) - 1))
        else:
            yield from (_reference(str(key), entry) for key, entry in parser.data.entries.items())


def _parts_of_bibtex(text: str) -> Iterator[tuple[int, str]]:
    """Each entry with the line on which it begins."""
    starts = [match.start() for match in _ENTRY.finditer(text)][: 2 * _MOST_READ]
    line, at = 1, 0
    for start, end in pairwise((*starts, len(text))):
        line, at = line + text.count("\n", at, start), start
        part = text[start:end]
        blank = len(part) - len(part.lstrip())
        yield line + part.count("\n", 0, blank), part[blank:]


def _reference(key: str, entry: Entry) -> Reference:
    fields = {str(name).lower(): _plain(str(value)) for name, value in entry.fields.items()}
    doi = doi_in(fields.get("doi", "") or fields.get("url", ""))
    url = fields.get("url", "")
    is_link = url.startswith(("http://", "https://")) and len(url) <= LONGEST
    return Reference(
        title=(fields.get("title") or key)[:LONGEST],
        authors=tuple(_name(person) for person in entry.persons.get("author", ()))[:100],
        doi=doi,
        journal=(fields.get("journal") or fields.get("booktitle") or "")[:LONGEST] or None,
        published=_date(fields),
        link=url if is_link else doi_link(doi) if doi else None,
    )


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
