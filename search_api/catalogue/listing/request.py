"""A listing request after its parameters were parsed."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.extent import BBox
from core.json_types import Json
from core.timespan import TimeSpan
from search_api.search.filtering.queryables import Queryable

Clause = Json


@dataclass(frozen=True, slots=True)
class SortKey:
    """One sort key; records without it come last in either direction."""

    by: Queryable
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records. Several values of one field: any of them; ``source`` None: all catalogues.

    ``terms``: words or phrases, of which a record contains any. ``also``: further clauses.
    """

    source: str | None = None
    terms: tuple[str, ...] = ()
    area: BBox | None = None
    span: TimeSpan | None = None
    types: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    external_ids: tuple[str, ...] = ()
    also: tuple[Clause, ...] = ()


@dataclass(frozen=True, slots=True)
class ListRequest:
    """One page. ``after`` holds the sort values of the last record of the previous page."""

    selection: Selection = field(default_factory=Selection)
    order: tuple[SortKey, ...] = ()
    limit: int = 100
    after: tuple[object, ...] | None = None
