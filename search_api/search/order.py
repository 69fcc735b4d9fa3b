"""Orders of a list, and cursors: the start of a page as a text, bound to one question.

A cursor is not signed: it holds sort values of a record that the caller has seen, and the caller's filters apply to
the next page again. Any process of any pod reads it without a shared secret. It is validated as strictly as any user
input, because a caller can forge it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import InvalidInput
from core.json_types import Json
from search_api.search.filtering.queryables import SORTABLES, Queryable, find

Kind = Literal["text", "number"]
"""Of a sort value: ``text`` may be missing (null); a ``number`` never is (Elasticsearch substitutes a bound)."""

_LARGEST = 2**63
_SURROGATE = re.compile("[\ud800-\udfff]")


def write_position(sort_values: Sequence[object], question: str) -> str:
    """The cursor of the page after these sort values."""
    return write_opaque([_mark(question), *sort_values])


def read_position(cursor: str, question: str, kinds: Sequence[Kind], parameter: str = "cursor") -> tuple[object, ...]:
    """One value for each of ``kinds``. Raises InvalidInput if it is invalid or belongs to another question."""
    inside = read_opaque(cursor, parameter)
    if not isinstance(inside, list) or not inside:
        raise not_ours(parameter)
    mark, *sort_values = inside
    if mark != _mark(question):
        raise InvalidInput(parameter, f"{parameter}: belongs to another question; start again without it")
    if len(sort_values) != len(kinds) or not all(
        _fits(kind, value) for kind, value in zip(kinds, sort_values, strict=True)
    ):
        raise not_ours(parameter)
    return tuple(sort_values)


def write_opaque(inside: object) -> str:
    """JSON as a text that is safe in a URL."""
    text = json.dumps(inside, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_opaque(cursor: str, parameter: str = "cursor") -> Any:
    """Raises InvalidInput if it is not JSON in base64."""
    try:
        return json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise not_ours(parameter) from None


def not_ours(parameter: str) -> InvalidInput:
    return InvalidInput(parameter, f"{parameter}: is not one that this service gave out")


def _fits(kind: Kind, value: object) -> bool:
    if kind == "text":
        return value is None or (isinstance(value, str) and _SURROGATE.search(value) is None)
    if isinstance(value, str):
        return value in ("Infinity", "-Infinity")  # Elasticsearch writes the bound of a decimal number like this
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and -_LARGEST <= value < _LARGEST


def _mark(question: str) -> str:
    return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()[:12]


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
    for part in (part.strip() for part in text.split(",")):
        name = part.lstrip("+-").strip()  # an unescaped plus in a URL arrives as a space
        queryable = find(name)
        if queryable is None or not queryable.sortable:
            raise InvalidInput("sortby", f"sortby: cannot sort by {name!r}; it can by {', '.join(SORTABLES)}")
        keys.append(SortKey(queryable, part.startswith("-")))
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
