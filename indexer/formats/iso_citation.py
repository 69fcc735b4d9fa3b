"""Titles, identifiers and dates: CI_Citation of ISO 19139."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.record import Dates
from core.timespan import instant_ms
from indexer.formats.doi import doi_in
from indexer.formats.iso_xml import (
    GMD,
    Element,
    child,
    children,
    code_of,
    held,
    href_of,
    localised,
    objects,
    one_line,
    one_of_each,
    text_of,
    texts_of,
    written,
)
from indexer.formats.repair_time import stated_date
from indexer.formats.text import line
from indexer.formats.written_dates import says_no_date

_PLACEHOLDERS = ("9999", "0000", "0001-01-01")


@dataclass(frozen=True, slots=True)
class Titles:
    """The main title (may be empty) and all others: alternate titles, then translations."""

    main: str
    others: tuple[str, ...]


def read_titles(citation: Element | None) -> Titles:
    prop = child(citation, f"{GMD}title")
    main = one_line(prop)
    others = [*texts_of(citation, f"{GMD}alternateTitle")]
    if prop is not None:
        others.extend(line(text) for _, text in localised(prop))
    return Titles(main, tuple(other for other in one_of_each(others) if other and other != main))


def identifiers(citation: Element | None) -> Iterator[tuple[str, str | None]]:
    """Code and link of each identifier of the resource, in order."""
    for identifier in objects(citation, f"{GMD}identifier"):
        prop = child(identifier, f"{GMD}code")
        code = one_line(prop)
        space = text_of(identifier, f"{GMD}codeSpace")
        if space and not code.startswith(space) and "doi" in space.lower():
            code = f"doi:{code.removeprefix('doi:')}"
        yield code, href_of(prop)


def doi_of(citation: Element | None) -> str | None:
    """The first DOI among the resource's own identifiers."""
    for code, href in identifiers(citation):
        doi = doi_in(href) or doi_in(code)
        if doi is not None:
            return doi
    return None


def read_dates(citation: Element | None, stamp: Element | None, warnings: list[str]) -> Dates:
    """The first creation and publication, the last revision, and the date of the metadata."""
    found: dict[str, list[str]] = {}
    for date in objects(citation, f"{GMD}date"):
        iso = _date(child(date, f"{GMD}date"), warnings)
        if iso is not None:
            found.setdefault(code_of(child(date, f"{GMD}dateType")).lower(), []).append(iso)
    return Dates(
        created=_pick(found, "creation", last=False),
        published=_pick(found, "publication", last=False),
        modified=_pick(found, "revision", last=True),
        metadata=_date(stamp, warnings),
    )


def _pick(found: dict[str, list[str]], kind: str, *, last: bool) -> str | None:
    dates = sorted(found.get(kind, ()), key=instant_ms)
    return None if not dates else dates[-1 if last else 0]


def _date(prop: Element | None, warnings: list[str]) -> str | None:
    text = written(prop).strip()
    if not text or text.startswith(_PLACEHOLDERS) or text.lower() in ("unknown", "none", "n/a") or says_no_date(text):
        return None
    try:
        return stated_date(text, warnings)
    except ValueError as error:
        warnings.append(f"dates: left out: {error}")
        return None


def title_in(prop: Element | None) -> str:
    """The title of the citation in a property, else the address that the property links to."""
    citation = held(prop)
    if citation is None:
        return (href_of(prop) or "") if prop is not None else ""
    return text_of(citation, f"{GMD}title") or next((code for code, _ in identifiers(citation) if code), "")


def citation_reference(citation: Element | None) -> str:
    """The best name of a cited work: its DOI as a URL, else a linked identifier, else its title, else its code."""
    doi = doi_of(citation)
    if doi is not None:
        return f"https://doi.org/{doi}"
    found = list(identifiers(citation))
    link = next((href for _, href in found if href), None)
    title = next((text for prop in children(citation, f"{GMD}title") if (text := one_line(prop))), "")
    return link or title or next((code for code, _ in found if code), "")
