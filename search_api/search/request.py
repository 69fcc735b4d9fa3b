"""A parsed search request: plain values, nothing of HTTP."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.cells import CellView
from core.geo import BBox
from core.json_types import Json
from core.record import ProvenanceKind
from core.timespan import TimeSpan
from search_api.search.ranking.candidates import Relation, SpatialMode

Algorithm = Literal["hybrid", "bm25", "dense"]
Part = Literal["place", "time", "relation", "scale", "kind", "names", "terms", "conditions"]
FacetName = Literal[
    "type", "source", "organisation", "keyword", "theme", "provenance", "licence", "format", "decade", "region",
    "platform", "instrument", "project", "variable", "processing_level", "person", "cell", "year",
]  # fmt: skip

PERSON: FacetName = "person"
"""Counted only if named: it reads the sources of the matches."""
NAMES_APART = 5
"""How far the words of a person's name may stand from where they were typed: last name first, initials."""

COUNTED: frozenset[FacetName] = frozenset(("cell", "year"))
"""Facets for maps and time lines, with hundreds of values: only if named. Records have them since ``CELLS_SINCE``."""

ALL_PARTS: frozenset[Part] = frozenset(("place", "time", "relation", "scale", "kind", "names", "terms", "conditions"))


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters by parameter: records without the field are left out. Several values of a field mean any of them.

    ``area_name``: of an area that was given by its name.
    """

    area: BBox | None = None
    area_name: str | None = None
    relation: Relation | None = None
    span: TimeSpan | None = None
    types: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    organisations: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    """Names of contacts, complete, the first or the last name first."""
    themes: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    provenance: tuple[ProvenanceKind, ...] = ()
    media_types: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    instruments: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    processing_levels: tuple[str, ...] = ()
    expression: tuple[Json, ...] = ()
    """The clauses of a CQL2 filter."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search. ``place`` is a name, not yet geocoded into ``filters.area``."""

    q: str = ""
    algorithm: Algorithm = "hybrid"
    filters: Filters = field(default_factory=Filters)
    place: str | None = None
    interpret: frozenset[Part] = ALL_PARTS
    spatial: SpatialMode = "blend"
    temporal: bool = True
    rerank: bool = True
    explain: bool = False
    highlight: bool = False
    expand: bool = True
    group: Literal["identity", "none"] = "identity"
    diversity: bool = True
    correct: bool = True
    facets: tuple[FacetName, ...] = ()
    cells: CellView = field(default_factory=CellView)
    """What the facet of cells counts."""
    limit: int = 10
    offset: int = 0
    sortby: str | None = None
    """The order of the hits instead of the best first, as `-updated,+title`; checked."""
    pinned: tuple[str, ...] = ()
    """Records that stewards put first: candidates whatever their words."""
