"""The order of a listing. It always ends with the id, so it is total and a page can start after any record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InvalidInput
from core.json_types import Json
from search_api.search.filtering.queryables import SORTABLES, Queryable, find
from search_api.search.position import Kind

MOST_KEYS = 4
SORTBY_PATTERN = "^ *[+-]?[A-Za-z_]+( *, *[+-]?[A-Za-z_]+)* *$"
_FIRST_OF = (
    "for (f in params.fields) { if (doc[f].size() > 0) { emit(doc[f].value.toInstant().toEpochMilli()); return; } }"
)
# The earliest known start of the periods, else their earliest end, from the doc values for ranking (start/end).
_START_OF = """
long start = Long.MAX_VALUE; long end = Long.MAX_VALUE;
for (String span : doc['spans']) {
  int cut = span.indexOf('/');
  if (cut > 0) { long one = Long.parseLong(span.substring(0, cut)); if (one < start) { start = one; } }
  if (cut < span.length() - 1) { long one = Long.parseLong(span.substring(cut + 1)); if (one < end) { end = one; } }
}
if (start != Long.MAX_VALUE) { emit(start); } else if (end != Long.MAX_VALUE) { emit(end); }
"""
STARTS: Json = {"type": "long", "script": {"source": _START_OF}}
"""A runtime field: when a record's period starts, in ms since 1970; missing if it has no period."""


@dataclass(frozen=True, slots=True)
class SortKey:
    """One sort key; records without it come last in either direction."""

    by: Queryable
    descending: bool = False


def read_sortby(text: str) -> tuple[SortKey, ...]:
    """Parses ``+title,-updated``. Raises InvalidInput for a property that is not sortable."""
    keys = []
    for part in (one.strip() for one in text.split(",")):
        name = part.lstrip("+-").strip()  # an unescaped plus in a URL arrives as a space
        one = find(name)
        if one is None or not one.sortable:
            raise InvalidInput("sortby", f"sortby: cannot sort by {name!r}; it can by {', '.join(SORTABLES)}")
        keys.append(SortKey(one, part.startswith("-")))
    if len(keys) > MOST_KEYS:
        raise InvalidInput("sortby", f"sortby: takes at most {MOST_KEYS} properties")
    return tuple(keys)


def kinds_of(order: Sequence[SortKey]) -> tuple[Kind, ...]:
    """The types of values in a cursor of this order, by position in ``sort_body``."""
    kinds: list[Kind] = ["text" if key.by.kind in ("folded", "exact") else "number" for key in order]
    return tuple(kinds) if _ends_with_id(order) else (*kinds, "text")


def sort_body(order: Sequence[SortKey]) -> Json:
    """``sort`` and the ``runtime_mappings`` that it needs."""
    sort: list[Json] = []
    runtime: Json = {}
    for key in order:
        direction = "desc" if key.descending else "asc"
        name = key.by.fields[0]
        if key.by.kind == "interval":
            name = f"sort_{key.by.name}"
            runtime[name] = STARTS
        elif len(key.by.fields) > 1:
            name = f"sort_{key.by.name}"
            runtime[name] = {"type": "long", "script": {"source": _FIRST_OF, "params": {"fields": list(key.by.fields)}}}
        sort.append({name: {"order": direction, "missing": "_last"}})
    if not _ends_with_id(order):
        sort.append({"id": {"order": "asc"}})
    return {"sort": sort} | ({"runtime_mappings": runtime} if runtime else {})


def _ends_with_id(order: Sequence[SortKey]) -> bool:
    return bool(order) and order[-1].by.name == "id"
