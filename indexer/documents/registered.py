"""What Crossref or DataCite say of a work, and how a document's metadata are completed from it. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from core.document import DocumentEntry
from core.json_types import Json, JsonMapping
from indexer.documents.clean import letters, normalise_text
from indexer.documents.model import Block

RegistryName = Literal["crossref", "datacite"]

_TAG = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]{0,200})?/?>")
_LIKE = 0.85
"""Least likeness of a title read by OCR and the registered one."""
_SHORTEST_TITLE = 12  # letters; "Introduction" alone names no work
_OPENING_PAGES = 3
_MOST_OPENING = 20_000
_LONGEST = 1000
_MOST_AUTHORS = 200
_NOT_PRINTED = ("xmp", "info")


@dataclass(frozen=True, slots=True)
class Registered:
    """A work of a registry; ``published`` is ISO 8601 in the precision given, authors are in the order of the work."""

    doi: str
    said_by: RegistryName
    title: str
    authors: tuple[str, ...] = ()
    journal: str | None = None
    published: str | None = None

    def kept(self) -> Json:
        """The form that ``from_kept`` reads."""
        return {**asdict(self), "authors": list(self.authors)}


def from_kept(kept: JsonMapping) -> Registered | None:
    """What ``kept`` wrote; None if it is something else."""
    try:
        return Registered(**{**kept, "authors": tuple(kept.get("authors", ()))})
    except TypeError:
        return None


def of_crossref(doi: str, answer: object) -> Registered:
    """The answer of ``/works/{doi}``. Raises ValueError if it is not of that form."""
    work = _member(answer, "message")
    title = _first(work.get("title"))
    subtitle = _first(work.get("subtitle"))
    whole = f"{title}: {subtitle}" if subtitle and letters(subtitle) not in letters(title) else title
    return _registered(
        Registered(
            doi,
            "crossref",
            whole,
            tuple(_crossref_name(one) for one in _objects(work.get("author"))),
            _first(work.get("container-title")) or None,
            _date_parts(work),
        )
    )


def of_datacite(doi: str, answer: object) -> Registered:
    """The answer of ``/dois/{doi}``. Raises ValueError if it is not of that form."""
    work = _member(_member(answer, "data"), "attributes")
    titles = [one for one in _objects(work.get("titles")) if not one.get("titleType")]
    container = work.get("container")
    journal = _text(container.get("title")) if isinstance(container, dict) else ""
    year = str(work.get("publicationYear") or "")
    issued = [_text(one.get("date")) for one in _objects(work.get("dates")) if one.get("dateType") == "Issued"]
    dates = [one for one in issued if re.fullmatch(r"\d{4}(-\d\d){0,2}", one) and one[:4] == year]
    return _registered(
        Registered(
            doi,
            "datacite",
            _text(titles[0].get("title")) if titles else "",
            tuple(_datacite_name(one) for one in _objects(work.get("creators"))),
            journal or None,
            dates[0] if dates else (year if re.fullmatch(r"\d{4}", year) else None),
        )
    )


def _registered(found: Registered) -> Registered:
    if not found.title:
        raise ValueError("the work has no title")
    return replace(found, authors=tuple(name for name in found.authors if name)[:_MOST_AUTHORS])


def _member(answer: object, name: str) -> JsonMapping:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, dict):
        raise ValueError(f"no {name}")
    return found


def _objects(values: object) -> list[JsonMapping]:
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []


def _first(values: object) -> str:
    return _text(values[0]) if isinstance(values, list) and values else ""


def _text(value: object) -> str:
    """Plain text: registries keep markup (``CO<sub>2</sub>``) and entities, sometimes escaped twice."""
    if not isinstance(value, str):
        return ""
    return normalise_text(_TAG.sub("", html.unescape(html.unescape(value))))[:_LONGEST]


def _crossref_name(author: JsonMapping) -> str:
    parts = (_text(author.get("given")), _text(author.get("family")), _text(author.get("suffix")))
    return " ".join(part for part in parts if part) or _text(author.get("name"))


def _datacite_name(creator: JsonMapping) -> str:
    given, family = _text(creator.get("givenName")), _text(creator.get("familyName"))
    if given and family:
        return f"{given} {family}"
    name = _text(creator.get("name"))
    last, comma, first = name.partition(", ")
    is_person = creator.get("nameType") != "Organizational" and comma and "," not in first
    return f"{first} {last}" if is_person else name


def _date_parts(work: JsonMapping) -> str | None:
    """``issued`` is the earlier of print and online; its parts may be missing or null."""
    issued = work.get("issued")
    parts = issued.get("date-parts") if isinstance(issued, dict) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    numbers = [one for one in first if isinstance(one, int)] if isinstance(first, list) else []
    if not numbers or not 1500 <= numbers[0] <= 2200:
        return None
    return "-".join(f"{number:02d}" for number in numbers[:3])


def opening_text(blocks: Iterable[Block]) -> str:
    """The letters of the first pages, where a document names itself."""
    text = " ".join(block.text for block in blocks if (block.first_page or 1) <= _OPENING_PAGES)
    return letters(text[:_MOST_OPENING])


def completed(entry: DocumentEntry, found: Registered, opening: str | None) -> DocumentEntry:
    """The entry with what the registry adds; ``front_source`` names it for each value that came from there.

    ``opening``: ``opening_text`` of the document, None if it was not read yet: its DOI is then all that is known, and
    the registry names it. A registered value counts where the document prints it, or where the document gives none, or
    gives one that it does not print (XMP, information dictionary). A work that is not this document adds nothing but a
    warning.
    """
    entry = replace(entry, registered=found.kept())
    if opening is not None and not _is_named(entry, found, opening):
        said = f"{found.said_by} knows {found.doi} as {found.title[:200]!r}, which this document does not name itself."
        return replace(entry, warnings=(*entry.warnings, said))
    values: dict[str, str | tuple[str, ...]] = {}
    sources = dict(entry.front_source)
    for name, is_printed in _PRINTED.items():
        value, read = getattr(found, name), getattr(entry, name)
        if value and value != read and (_is_open(entry, name) or is_printed(found, opening or "")):
            values[name] = value
            sources[name] = found.said_by
    return replace(entry, **values, front_source=sources)  # type: ignore[arg-type]  # names are the fields'


def _is_open(entry: DocumentEntry, name: str) -> bool:
    """Whether the document itself does not say it."""
    return not getattr(entry, name) or getattr(entry, name) == entry.doi or entry.front_source.get(name) in _NOT_PRINTED


def _is_named(entry: DocumentEntry, found: Registered, opening: str) -> bool:
    """Whether document and registry name one work: a DOI that was read may be that of a work it cites."""
    whole, main = letters(found.title), letters(re.split(r": |\. | – | — ", found.title)[0])
    if any(len(one) >= _SHORTEST_TITLE and one in opening for one in (whole, main)):
        return True
    read = letters(entry.title or "")
    return bool(read) and SequenceMatcher(None, read, whole, autojunk=False).ratio() >= _LIKE


def _title_printed(found: Registered, opening: str) -> bool:
    return len(letters(found.title)) >= _SHORTEST_TITLE and letters(found.title) in opening


def _authors_printed(found: Registered, opening: str) -> bool:
    return all(letters(name.split()[-1]) in opening for name in found.authors)


def _journal_printed(found: Registered, opening: str) -> bool:
    return letters(found.journal or "") in opening


_PRINTED: Mapping[str, Callable[[Registered, str], bool]] = {
    "title": _title_printed,
    "authors": _authors_printed,
    "journal": _journal_printed,
    "published": lambda _, __: False,  # a year alone is printed by chance, and a page names its own date
}
