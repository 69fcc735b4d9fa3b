"""What a catalogue says about one data set, service or document."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from core.geo import BBox
from core.json_types import JsonMapping
from core.names import Names
from core.timespan import TimeSpan

ProvenanceKind = Literal["observation", "simulation", "projection", "reanalysis", "derived", "unknown"]
Access = Literal["open", "restricted"]

SEPARATION_MARKS = ("~v", "~n")
"""Suffixes of ids that separate records with the same identifier: by edition, by native id."""

_UNSAFE = re.compile(rb"[^A-Za-z0-9._:-]")
_FULL_ID = re.compile(r"^[A-Za-z0-9._:~-]{1,400}$")
_LONGEST_ID_BYTES = 400
_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_SLUG = 60


@dataclass(frozen=True, slots=True)
class Keyword:
    """A term, with its vocabulary's title and its URI, if the metadata have them."""

    term: str
    vocabulary: str | None = None
    uri: str | None = None


HIGH_VALUE_VOCABULARIES = {
    "hvdCategory": "EU high-value data set category",
    "applicableLegislation": "applicable legislation",
}
"""The vocabularies of the keywords that say that data are of high value in the EU, by their properties in DCAT-AP."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A responsible party; ``role`` is ISO's CI_RoleCode (pointOfContact, author, publisher, ...)."""

    name: str | None = None
    organisation: str | None = None
    role: str | None = None
    email: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a record; ``rel`` is an IANA relation (about, download, preview, ...), ``name`` a label."""

    href: str
    rel: str | None = None
    protocol: str | None = None
    media_type: str | None = None
    name: str | None = None
    description: str | None = None


DATA_OF_SERVICE = "operatesOn: data of this service"
"""The ``description`` of a service's link to a data set that it serves; ``name``: its identifier or title."""


@dataclass(frozen=True, slots=True)
class Vertical:
    """Vertical extent, in ``unit`` (default ``m``), positive upwards; an end may be open."""

    minimum: float | None
    maximum: float | None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """Ground distance in metres, map scale denominator, time step as an ISO 8601 duration."""

    metres: float | None = None
    scale_denominator: int | None = None
    time_step: str | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of the data. ``kind_source`` says whether the kind was read (metadata) or inferred (text)."""

    lineage: str | None = None
    kind: ProvenanceKind = "unknown"
    kind_source: Literal["metadata", "text"] | None = None
    derived_from: tuple[str, ...] = ()
    generated_by: tuple[str, ...] = ()
    attributed_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates of the data set as ISO 8601 in the precision given, and of its metadata."""

    created: str | None = None
    published: str | None = None
    modified: str | None = None
    metadata: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One catalogue record; see CONTRIBUTING.md, "Thirty words".

    ``extents`` and ``times`` may be empty: unknown does not mean worldwide.
    """

    id: str
    source: str
    identifier: str
    title: str
    abstract: str = ""
    alternate_titles: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()  # ISO 639-1 if possible, of the resource's own text
    type: str = "dataset"
    keywords: tuple[Keyword, ...] = ()
    themes: tuple[str, ...] = ()
    contacts: tuple[Contact, ...] = ()
    extents: tuple[BBox, ...] = ()
    estimated_extents: tuple[BBox, ...] = ()  # what the title names, if no extent is stated; never exported
    geometry: JsonMapping | None = None  # GeoJSON, if the metadata contain polygons
    vertical: Vertical | None = None
    times: tuple[TimeSpan, ...] = ()
    resolution: Resolution = field(default_factory=Resolution)
    provenance: Provenance = field(default_factory=Provenance)
    licence: str | None = None
    constraints: tuple[str, ...] = ()
    access: Access = "open"
    access_groups: tuple[str, ...] = ()  # groups that may see this record; empty: everybody, also for restricted data
    links: tuple[Link, ...] = ()
    dates: Dates = field(default_factory=Dates)
    formats: tuple[str, ...] = ()
    names: Names = field(default_factory=Names)
    edition: str | None = None  # of the data set, as written: "2.1", "Version 3"
    doi: str | None = None  # bare, lower case: 10.5065/7nb6-rj33
    parent: str | None = None  # the parent's identifier as written
    native_format: str = ""
    warnings: tuple[str, ...] = ()
    curated: tuple[str, ...] = ()  # what a steward's overlay says instead of the source: "title", "extent", ...

    @property
    def identity(self) -> str:
        """Groups the same data set from several sources: its DOI, else its file identifier.

        A record that was kept apart from another with the same identifier is another data set, whatever its DOI.
        """
        suffix = self.id.removeprefix(record_id(self.source, self.identifier))
        return (self.doi or self.identifier) + (suffix if suffix.startswith(SEPARATION_MARKS) else "")

    @property
    def served_data(self) -> tuple[Link, ...]:
        """The data sets that a service says it serves."""
        return tuple(link for link in self.links if link.description == DATA_OF_SERVICE)

    @property
    def embedding_text(self) -> str:
        """The text for the embedder: title and description."""
        return f"{self.title}\n{self.abstract}".strip()


def record_id(source: str, native_id: str) -> str:
    """``source:native id`` in a form that is valid in a URL and in Elasticsearch.

    Bytes outside ``A-Za-z0-9._:-`` are written as ``~`` and two hex digits; beyond 400 bytes the rest is a hash.
    """
    escaped = _UNSAFE.sub(lambda match: b"~%02x" % match[0][0], f"{source}:{native_id}".encode())
    return _shorten(escaped.decode("ascii"))


def id_of_address(source: str, id: str) -> str:
    """The record of an address: by its full id, or by its name within the source."""
    return id if id.startswith(f"{source}:") and _FULL_ID.match(id) else record_id(source, id)


def alternative_ids(id: str, edition: str | None, native_id: str) -> tuple[str, ...]:
    """The ids, in order of preference, for another record with the same identifier: ``s:x~v2.1``,
    ``s:x~nb.xml-5d41402a``.

    In an id of ``record_id`` two hex digits follow every ``~``, so neither can be another document's own id.
    """
    by_edition = [f"{id}~v{slug}"] if edition and (slug := _slug(edition)) else []
    digest = hashlib.sha256(native_id.encode()).hexdigest()[:8]
    return tuple(_shorten(alternative_id) for alternative_id in (*by_edition, f"{id}~n{_slug(native_id)}-{digest}"))


def _slug(text: str) -> str:
    """The end of a text in characters that need no escape in a URL."""
    return _UNSAFE_CHARACTERS.sub("-", text).strip("-")[-_LONGEST_SLUG:]


def _shorten(written: str) -> str:
    if len(written) <= _LONGEST_ID_BYTES:
        return written
    digest = hashlib.sha256(written.encode()).hexdigest()
    return f"{written[: _LONGEST_ID_BYTES - len(digest) - 1]}-{digest}"


_FIRST_USUAL_YEAR, _MODERN_YEAR, _LAST_USUAL_YEAR = 1000, 1500, 2100
_FUTURE_KINDS = frozenset(("projection", "simulation"))


@dataclass(frozen=True, slots=True)
class Doubt:
    """``code`` identifies the rule, ``text`` explains it in English."""

    code: str
    text: str


def doubts(record: Record) -> tuple[Doubt, ...]:
    """Each rule at most once.

    - A period from a year between 1 and 999 to one after 1500 ("42 to 4000"): truncated years, or other numbers. A
      period that starts before the year 1 is probably geological.
    - A period that ends after 2100 in a record that is neither a projection nor a simulation.
    """
    by_code: dict[str, Doubt] = {}
    for span in record.times:
        start, end = _year(span.start_ms), _year(span.end_ms)
        if start is not None and 0 < start < _FIRST_USUAL_YEAR and (end is None or end > _MODERN_YEAR):
            by_code.setdefault(
                "starts_before_1000", Doubt("starts_before_1000", f"the period starts in the year {start}")
            )
        if end is not None and end > _LAST_USUAL_YEAR and record.provenance.kind not in _FUTURE_KINDS:
            sentence = f"the period ends in the year {end}, and nothing says that these are projections"
            by_code.setdefault("ends_after_2100", Doubt("ends_after_2100", sentence))
    return tuple(by_code.values())


def _year(instant_ms: int | None) -> int | None:
    """The astronomical year of an instant; None for an open end."""
    if instant_ms is None:
        return None
    return 1970 + int(np.datetime64(instant_ms, "ms").astype("datetime64[Y]").astype(np.int64))


VOCABULARY = "curation"
"""The vocabulary of the keywords that a steward added."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """``keywords`` are added to the source's; the others replace them."""

    title: str | None = None
    keywords: tuple[str, ...] = ()
    box: BBox | None = None
    span: TimeSpan | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """What it says, as ``Record.curated`` names it."""
        values = {"title": self.title, "keywords": self.keywords, "extent": self.box, "period": self.span}
        return tuple(name for name, value in values.items() if value)

    def on(self, record: Record) -> Record:
        """The corrected record, which says what was corrected. The source's title stays as an alternate one."""
        terms = {keyword.term.casefold() for keyword in record.keywords}
        new_keywords = tuple(Keyword(term, VOCABULARY) for term in self.keywords if term.casefold() not in terms)
        corrected = replace(record, keywords=(*record.keywords, *new_keywords), curated=self.fields)
        if self.title is not None and self.title != record.title:
            alternate = dict.fromkeys((*record.alternate_titles, record.title))
            corrected = replace(corrected, title=self.title, alternate_titles=tuple(alternate))
        if self.box is not None:
            corrected = replace(corrected, extents=(self.box,), geometry=None)
        return corrected if self.span is None else replace(corrected, times=(self.span,))


def overlay_from_content(content: JsonMapping) -> Overlay:
    """Raises ValueError for a box or period that does not exist."""
    start, end, box = content.get("start"), content.get("end"), content.get("bbox")
    span = TimeSpan.from_iso(start, end) if start or end else None
    return Overlay(
        content.get("title"), tuple(content.get("keywords") or ()), None if box is None else BBox(*box), span
    )
