"""Asks Crossref, then DataCite, for the work behind a DOI, and completes a document's metadata from the answer.

Through the gate, politely, and each DOI once.
"""

from __future__ import annotations

import html
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from typing import Literal
from urllib.parse import quote

import structlog
from cachetools import TTLCache

from core.document import PUBLIC, DocumentEntry
from core.errors import SondeError
from core.json_types import Json, JsonMapping
from core.record import Record
from indexer.documents.parse.clean import letters, normalise_text
from indexer.documents.parse.model import Block
from indexer.formats.json_documents.parsing import first_object
from net.errors import BadStatus
from net.exchange import Outgoing
from net.gate import Gate

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
class RegisteredWork:
    """A work of a registry; ``published`` is ISO 8601 in the precision given, authors are in the order of the work."""

    doi: str
    said_by: RegistryName
    title: str
    authors: tuple[str, ...] = ()
    journal: str | None = None
    published: str | None = None

    def as_json(self) -> Json:
        """The form that ``from_kept`` reads."""
        return {**asdict(self), "authors": list(self.authors)}


def registered_from_json(stored_json: JsonMapping) -> RegisteredWork | None:
    """What ``stored_json`` wrote; None if it is something else."""
    try:
        return RegisteredWork(**{**stored_json, "authors": tuple(stored_json.get("authors", ()))})
    except TypeError:
        return None


def parse_crossref(doi: str, answer: object) -> RegisteredWork:
    """The answer of ``/works/{doi}``. Raises ValueError if it is not of that form."""
    work = _member(answer, "message")
    title = _first(work.get("title"))
    subtitle = _first(work.get("subtitle"))
    full_title = f"{title}: {subtitle}" if subtitle and letters(subtitle) not in letters(title) else title
    return _check(
        RegisteredWork(
            doi,
            "crossref",
            full_title,
            tuple(_crossref_name(author) for author in _objects(work.get("author"))),
            _first(work.get("container-title")) or None,
            _date_parts(work),
        )
    )


def parse_datacite(doi: str, answer: object) -> RegisteredWork:
    """The answer of ``/dois/{doi}``. Raises ValueError if it is not of that form."""
    work = _member(_member(answer, "data"), "attributes")
    titles = [item for item in _objects(work.get("titles")) if not item.get("titleType")]
    container = work.get("container")
    journal = _text(container.get("title")) if isinstance(container, dict) else ""
    year = str(work.get("publicationYear") or "")
    issue_dates = [_text(item.get("date")) for item in _objects(work.get("dates")) if item.get("dateType") == "Issued"]
    dates = [item for item in issue_dates if re.fullmatch(r"\d{4}(-\d\d){0,2}", item) and item[:4] == year]
    return _check(
        RegisteredWork(
            doi,
            "datacite",
            _text(titles[0].get("title")) if titles else "",
            tuple(_datacite_name(item) for item in _objects(work.get("creators"))),
            journal or None,
            dates[0] if dates else (year if re.fullmatch(r"\d{4}", year) else None),
        )
    )


def _check(work: RegisteredWork) -> RegisteredWork:
    if not work.title:
        raise ValueError("the work has no title")
    return replace(work, authors=tuple(name for name in work.authors if name)[:_MOST_AUTHORS])


def _member(answer: object, name: str) -> JsonMapping:
    member = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(member, dict):
        raise ValueError(f"no {name}")
    return member


def _objects(values: object) -> list[JsonMapping]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


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
    given_name, family = _text(creator.get("givenName")), _text(creator.get("familyName"))
    if given_name and family:
        return f"{given_name} {family}"
    name = _text(creator.get("name"))
    last, comma, first = name.partition(", ")
    is_person = creator.get("nameType") != "Organizational" and comma and "," not in first
    return f"{first} {last}" if is_person else name


def _date_parts(work: JsonMapping) -> str | None:
    """``issue_date`` is the earlier of print and online; its parts may be missing or null."""
    parts = first_object(work.get("issued")).get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    numbers = [part for part in first if isinstance(part, int)] if isinstance(first, list) else []
    if not numbers or not 1500 <= numbers[0] <= 2200:
        return None
    return "-".join(f"{number:02d}" for number in numbers[:3])


def opening_text(blocks: Iterable[Block]) -> str:
    """The letters of the first pages, where a document names itself."""
    text = " ".join(block.text for block in blocks if (block.first_page or 1) <= _OPENING_PAGES)
    return letters(text[:_MOST_OPENING])


def complete_entry(entry: DocumentEntry, work: RegisteredWork, first_text: str | None) -> DocumentEntry:
    """The entry with what the registry adds; ``front_source`` names it for each value that came from there.

    ``first_text``: ``opening_text`` of the document, None if it was not read yet: then only its DOI is known, and
    the registry names it. A registered value counts where the document prints it, or where the document gives none, or
    gives one that it does not print (XMP, information dictionary). A work that is not this document adds nothing but a
    warning.
    """
    entry = replace(entry, registered=work.as_json())
    if first_text is not None and not _is_named(entry, work, first_text):
        warning = f"{work.said_by} knows {work.doi} as {work.title[:200]!r}, which this document does not name itself."
        return replace(entry, warnings=(*entry.warnings, warning))
    values: dict[str, str | tuple[str, ...]] = {}
    sources = dict(entry.front_source)
    for name, is_printed in _IS_PRINTED.items():
        value, current_value = getattr(work, name), getattr(entry, name)
        if value and value != current_value and (_is_open(entry, name) or is_printed(work, first_text or "")):
            values[name] = value
            sources[name] = work.said_by
    return replace(entry, **values, front_source=sources)  # type: ignore[arg-type]  # names are the fields'


def _is_open(entry: DocumentEntry, name: str) -> bool:
    """Whether the document itself does not say it."""
    return not getattr(entry, name) or getattr(entry, name) == entry.doi or entry.front_source.get(name) in _NOT_PRINTED


def _is_named(entry: DocumentEntry, work: RegisteredWork, first_text: str) -> bool:
    """Whether document and registry name one work: a DOI that was read may be that of a work it cites."""
    title_letters, main_title_letters = letters(work.title), letters(re.split(r": |\. | – | — ", work.title)[0])
    if any(len(title) >= _SHORTEST_TITLE and title in first_text for title in (title_letters, main_title_letters)):
        return True
    entry_letters = letters(entry.title or "")
    return bool(entry_letters) and SequenceMatcher(None, entry_letters, title_letters, autojunk=False).ratio() >= _LIKE


_IS_PRINTED: Mapping[str, Callable[[RegisteredWork, str], bool]] = {
    "title": lambda work, text: len(letters(work.title)) >= _SHORTEST_TITLE and letters(work.title) in text,
    "authors": lambda work, first_text: all(letters(name.split()[-1]) in first_text for name in work.authors),
    "journal": lambda work, first_text: letters(work.journal or "") in first_text,
    "published": lambda _, __: False,  # a year alone is printed by chance, and a page names its own date
}


log = structlog.get_logger(__name__)

_CACHED_S = 24 * 3600.0
_DOWN_S = 600.0
_MOST_CACHED = 5_000
_MOST_BYTES = 4 * 1024 * 1024
_UNKNOWN = (404, 410)

_PATHS: Mapping[RegistryName, str] = {"crossref": "works", "datacite": "dois"}
_READERS: Mapping[RegistryName, Callable[[str, object], RegisteredWork]] = {
    "crossref": parse_crossref,
    "datacite": parse_datacite,
}


@dataclass(frozen=True, slots=True)
class RegistryAddresses:
    """Where the registries answer, in the order in which they are asked. ``contact``: a mail address that they may
    write to; the gate's User-Agent carries it too.
    """

    urls: Mapping[RegistryName, str]
    contact: str = ""
    timeout_s: float = 5.0


class Registries:
    """Thread-safe. ``private``: whether the DOIs of users' documents, and of documents that only some groups see, are
    asked too. Nothing here raises: without an answer, the document keeps the metadata that it states itself.
    """

    def __init__(self, addresses: RegistryAddresses, gate: Callable[[], Gate], *, private: bool = False) -> None:
        self._addresses = addresses
        self._gate = gate
        self._private = private
        self._lock = threading.Lock()
        self._cache: TTLCache[str, RegisteredWork | None] = TTLCache(_MOST_CACHED, _CACHED_S)
        self._down: TTLCache[RegistryName, bool] = TTLCache(len(_PATHS), _DOWN_S)

    def of(self, entry: DocumentEntry, explained_record: Record | None) -> RegisteredWork | None:
        """The work behind the document's DOI: from its entry, else from a registry. None: unknown, or
        registries must not be asked. ``explained_record``: the record that it explains.
        """
        if entry.doi is None:
            return None
        stored_work = registered_from_json(entry.registered)
        if stored_work is not None and stored_work.doi == entry.doi:
            return stored_work
        is_private = entry.owner != PUBLIC or (explained_record is not None and bool(explained_record.access_groups))
        return self.about(entry.doi) if self._private or not is_private else None

    def about(self, doi: str) -> RegisteredWork | None:
        """None if no registry knows it, or none answers."""
        with self._lock:
            if doi in self._cache:
                return self._cache[doi]
        work, is_sure = self._ask(doi)
        if work is not None or is_sure:
            with self._lock:
                self._cache[doi] = work
        return work

    def _ask(self, doi: str) -> tuple[RegisteredWork | None, bool]:
        """The work, and whether each registry answered. One that is down is not asked for a while."""
        is_sure = True
        for name, url in self._addresses.urls.items():
            with self._lock:
                is_down = name in self._down
            if is_down:
                is_sure = False
                continue
            try:
                work = self._answer(name, url, doi)
            except (SondeError, ValueError) as error:
                log.warning("registry.failed", registry=name, error=type(error).__name__)
                is_sure = False
                if not isinstance(error, (BadStatus, ValueError)):
                    with self._lock:
                        self._down[name] = True
                continue
            if work is not None:
                return work, True
        return None, is_sure

    def _answer(self, name: RegistryName, url: str, doi: str) -> RegisteredWork | None:
        """Raises SondeError, and ValueError for an answer of another form."""
        params = {"mailto": self._addresses.contact} if name == "crossref" and "@" in self._addresses.contact else None
        address = f"{url}/{_PATHS[name]}/{quote(doi, safe='')}"
        answer = self._gate().request(
            Outgoing(address, params=params, max_bytes=_MOST_BYTES, timeout_s=self._addresses.timeout_s)
        )
        if answer.status in _UNKNOWN:
            return None
        return _READERS[name](doi, answer.expect_ok().parsed())
