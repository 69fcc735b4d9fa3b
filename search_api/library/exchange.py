"""Reads the two formats that reference managers exchange: RIS (by rispy) and CSL-JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import rispy

from search_api.library.reference import LONGEST, Problem, Reference, doi_in, doi_link

_END = re.compile(r"^ER {1,2}-.*$", re.MULTILINE)
_YEAR = re.compile(r"^(\d{4})(?:[/-](\d{1,2})(?:[/-](\d{1,2}))?)?")
_MOST_AUTHORS = 100
_LONGEST_NAME = 200


def of_ris(text: str, problems: list[Problem]) -> Iterator[Reference]:
    """Each entry on its own, so that a broken one does not hide the others."""
    line = 1
    for part in _entries(text):
        first = line + len(part) - len(part.lstrip("\r\n \ufeff"))
        line += part.count("\n")
        if not part.strip("\r\n \ufeff"):
            continue
        read = rispy.loads(part.strip("\r\n \ufeff") + "\n")
        reference = _of_tags(read[0]) if len(read) == 1 else None
        if reference is None:
            problems.append(Problem("an entry without a type, a title or its end (ER)", first))
        else:
            yield reference


def of_csl(text: str, problems: list[Problem]) -> Iterator[Reference]:
    """An array of items, one item, or an object with ``items``."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        problems.append(Problem(f"not JSON: {str(error)[:200]}", getattr(error, "lineno", None)))
        return
    items = read if isinstance(read, list) else read.get("items", [read]) if isinstance(read, dict) else []
    for number, item in enumerate(items if isinstance(items, list) else [], 1):
        reference = _of_item(item) if isinstance(item, dict) else None
        if reference is None:
            problems.append(Problem(f"item {number} has no title and no DOI"))
        else:
            yield reference


def _entries(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _of_tags(tags: Mapping[str, Any]) -> Reference | None:
    title = tags.get("title") or tags.get("primary_title")
    links = [one for one in tags.get("urls") or () if isinstance(one, str)]
    authors = tuple(tags.get("authors") or tags.get("first_authors") or ())
    journal = tags.get("journal_name") or tags.get("secondary_title") or tags.get("alternate_title3")
    return _reference(title, authors, tags.get("doi"), journal, _date(tags.get("year") or tags.get("date")), links)


def _of_item(item: Mapping[str, Any]) -> Reference | None:
    parts = item.get("issued")
    dates = parts.get("date-parts") if isinstance(parts, dict) else None
    date = dates[0] if isinstance(dates, list) and dates and isinstance(dates[0], list) else []
    issued = _date("-".join(str(part) for part in date[:3]))
    authors = tuple(_name(one) for one in item.get("author") or () if isinstance(one, dict))
    url = item.get("URL")
    return _reference(
        item.get("title"),
        authors,
        item.get("DOI"),
        item.get("container-title"),
        issued,
        [url] if isinstance(url, str) else [],
    )


def _reference(
    title: object, authors: tuple[object, ...], doi: object, journal: object, published: str | None, links: list[str]
) -> Reference | None:
    known = doi_in(doi) if isinstance(doi, str) else None
    named = _line(title) or known
    if named is None:
        return None
    web = [one for one in links if one.startswith(("http://", "https://")) and len(one) <= LONGEST]
    return Reference(
        title=named,
        authors=tuple(name[:_LONGEST_NAME] for one in authors if (name := _line(one)))[:_MOST_AUTHORS],
        doi=known,
        journal=_line(journal),
        published=published,
        link=web[0] if web else doi_link(known) if known else None,
    )


def _name(author: Mapping[str, Any]) -> str:
    if author.get("literal"):
        return str(author["literal"])
    parts = (author.get("given"), author.get("non-dropping-particle"), author.get("family"), author.get("suffix"))
    return " ".join(str(part) for part in parts if part)


def _line(text: object) -> str | None:
    return (" ".join(text.split())[:LONGEST] or None) if isinstance(text, str) else None


def _date(text: object) -> str | None:
    """ISO 8601 in the precision given."""
    match = _YEAR.match(text) if isinstance(text, str) else None
    if match is None:
        return None
    year, *rest = (part for part in match.groups() if part)
    is_date = all(1 <= int(part) <= most for part, most in zip(rest, (12, 31), strict=False))
    return "-".join((year, *(part.zfill(2) for part in rest))) if is_date else year
