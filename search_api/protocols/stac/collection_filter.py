"""CQL2 over collections: a filter becomes a condition on a catalogue. No index is asked.

Texts, times, places and unknown values mean the same as in a filter of items: a collection without the property passes
neither a condition nor its negation.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping
from typing import TypeVar

import shapely
from shapely.geometry import box
from shapely.geometry.base import BaseGeometry

from core.errors import InvalidInput
from core.extent import BBox
from core.folding import folded
from core.json_types import Json
from core.timespan import TimeSpan
from search_api.catalogue.listing.catalogues import Catalogue
from search_api.search.filtering import literals
from search_api.search.filtering.cql2 import Expression
from search_api.search.filtering.literals import shown, wrong
from search_api.search.filtering.queryables import Queryable

T = TypeVar("T")
Condition = Callable[[Catalogue], bool | None]
"""Three-valued: None where the collection does not have the property."""

COLLECTION_QUERYABLES: dict[str, Queryable] = {
    one.name: one
    for one in (
        Queryable("id", "exact", (), "Id of the collection: the harvested source"),
        Queryable("title", "folded", (), "Title"),
        Queryable("description", "folded", (), "Description"),
        Queryable("datetime", "interval", (), "Period of its items"),
        Queryable("geometry", "geometry", (), "Box around its items"),
    )
}
_COMPARED: Mapping[str, Callable[[str, str], bool]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_MIRRORED = {
    "<": ">", "<=": ">=", ">": "<", ">=": "<=", "t_after": "t_before", "t_before": "t_after", "t_during": "t_contains",
    "t_contains": "t_during", "s_within": "s_contains", "s_contains": "s_within",
}  # fmt: skip
_ALLEN = {"<": "t_before", ">": "t_after", "=": "t_equals"}
_MOST_VALUES = 200


def description_of(one: Catalogue) -> str:
    return one.said.description or f"Records harvested from {one.title} that carry something to download."


def condition_of(node: Expression) -> Condition:
    """The whole filter is checked first. Raises InvalidInput that names the unsupported or unknown part."""
    if isinstance(node, bool):
        return lambda _: node
    if not isinstance(node, Mapping) or not isinstance(node.get("op"), str):
        raise wrong(f"{shown(node)} is not a condition")
    op, args = str(node["op"]), node.get("args", [])
    if not isinstance(args, list) or not args:
        raise wrong(f"{op} has no arguments")
    if op == "not":
        inner = condition_of(args[0])
        return lambda one: None if (judged := inner(one)) is None else not judged
    if op in ("and", "or"):
        return _combined([condition_of(one) for one in args], every=op == "and")
    if op == "isNull":
        missing = _VALUES[_property(args[0]).name]
        return lambda one: missing(one) is None
    return _predicate(op, args)


def _combined(conditions: list[Condition], *, every: bool) -> Condition:
    """``and`` is false as soon as one is, ``or`` true; else unknown if one is."""

    def judge(one: Catalogue) -> bool | None:
        found = [condition(one) for condition in conditions]
        return (not every) if (not every) in found else None if None in found else every

    return judge


def _predicate(op: str, args: list[object]) -> Condition:
    if op == "between":
        flat = [args[0], *args[1]] if len(args) == 2 and isinstance(args[1], list) else args
        if len(flat) != 3:
            raise wrong("between needs a property and two values")
        return _combined([_predicate(">=", [flat[0], flat[1]]), _predicate("<=", [flat[0], flat[2]])], every=True)
    if len(args) != 2:
        raise wrong(f"{op} needs two arguments; there are {len(args)}")
    left, right = args
    if op == "in":
        if not isinstance(right, list) or not 1 <= len(right) <= _MOST_VALUES:
            raise wrong(f"in needs a list of 1 to {_MOST_VALUES} values")
        return _combined([_predicate("=", [left, value]) for value in right], every=False)
    if not _is_property(left):
        left, right, op = right, left, _MIRRORED.get(op, op)
    asked = _property(left)
    if asked.kind == "geometry":
        return _known(_place_of, _of_place(op, right))
    if asked.kind == "interval":
        return _known(_span_of, _of_time(op, literals.span_of(right)))
    plain = folded if asked.kind == "folded" or _is_casei(left) or _is_casei(right) else str
    return _known(_TEXTS[asked.name], _of_text(asked.name, op, literals.text_of(_unfolded(right)), plain))


def _known(value: Callable[[Catalogue], T | None], test: Callable[[T], bool]) -> Condition:
    return lambda one: None if (found := value(one)) is None else test(found)


def _of_text(name: str, op: str, wanted: str, plain: Callable[[str], str]) -> Callable[[str], bool]:
    if op == "like":
        pattern = _pattern(plain(wanted))
        return lambda own: _is_like(plain(own), pattern)
    compare = _COMPARED.get(op)
    if compare is None:
        raise wrong(f"{op} cannot judge the text {name}")
    return lambda own: compare(plain(own), plain(wanted))


def _of_place(op: str, right: object) -> Callable[[BaseGeometry], bool]:
    relation = _RELATIONS.get(op)
    if relation is None:
        raise wrong(f"geometry cannot be compared by {op}; use a spatial function (s_...)")
    place = _shape(literals.geometry_of(right))
    return lambda own: relation(own, place)


def _of_time(op: str, span: TimeSpan) -> Callable[[TimeSpan], bool]:
    if op in ("<>", "<=", ">="):
        other = _of_time({"<>": "=", "<=": ">", ">=": "<"}[op], span)
        return lambda own: not other(own)
    test = _TIMES.get(_ALLEN.get(op, op))
    if test is None:
        raise wrong(f"{op} cannot judge the period datetime")
    return lambda own: test(_edges(own), _edges(span))


def _edges(span: TimeSpan) -> tuple[float, float]:
    """Milliseconds; an open end is infinite."""
    start, end = span.start_ms, span.end_ms
    return (float("-inf") if start is None else start, float("inf") if end is None else end)


_Edges = tuple[float, float]
_TIMES: Mapping[str, Callable[[_Edges, _Edges], bool]] = {
    "t_after": lambda own, other: own[0] > other[1],
    "t_before": lambda own, other: own[1] < other[0],
    "t_during": lambda own, other: own[0] > other[0] and own[1] < other[1],
    "t_contains": lambda own, other: own[0] < other[0] and own[1] > other[1],
    "t_equals": lambda own, other: own == other,
    "t_intersects": lambda own, other: own[0] <= other[1] and own[1] >= other[0],
    "t_disjoint": lambda own, other: own[0] > other[1] or own[1] < other[0],
}
_RELATIONS: Mapping[str, Callable[[BaseGeometry, BaseGeometry], bool]] = {
    "s_intersects": lambda own, other: bool(shapely.intersects(own, other)),
    "s_disjoint": lambda own, other: bool(shapely.disjoint(own, other)),
    "s_within": lambda own, other: bool(shapely.within(own, other)),
    "s_contains": lambda own, other: bool(shapely.contains(own, other)),
}


def _shape(given: Json) -> BaseGeometry:
    if given["type"] != "envelope":
        return shapely.from_geojson(json.dumps(given))
    (west, north), (east, south) = given["coordinates"]
    return _boxes(BBox(west, south, east, north))


def _boxes(area: BBox) -> BaseGeometry:
    return shapely.union_all([box(part.west, part.south, part.east, part.north) for part in area.parts()])


def _span_of(one: Catalogue) -> TimeSpan | None:
    return one.span


def _place_of(one: Catalogue) -> BaseGeometry | None:
    return None if one.box is None else _boxes(one.box)


_TEXTS: Mapping[str, Callable[[Catalogue], str | None]] = {
    "id": lambda one: one.id,
    "title": lambda one: one.title,
    "description": description_of,
}
_VALUES: Mapping[str, Callable[[Catalogue], object]] = {**_TEXTS, "datetime": _span_of, "geometry": _place_of}


def _property(node: object) -> Queryable:
    given = _unfolded(node)
    name = given.get("property") if isinstance(given, Mapping) else None
    found = COLLECTION_QUERYABLES.get(name) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(COLLECTION_QUERYABLES)
        raise InvalidInput("filter", f"filter: there is no property {shown(name or node)!r}; there are {known}")
    return found


def _is_property(node: object) -> bool:
    given = _unfolded(node)
    return isinstance(given, Mapping) and "property" in given


def _is_casei(node: object) -> bool:
    return isinstance(node, Mapping) and str(node.get("op")).lower() == "casei"


def _unfolded(node: object) -> object:
    """The argument of ``casei``, else the node itself."""
    if isinstance(node, Mapping) and _is_casei(node) and isinstance(node.get("args"), list):
        return node["args"][0] if node["args"] else None
    return node


_ANY, _ONE = object(), object()


def _pattern(text: str) -> list[object]:
    """``%`` is any text, ``_`` one character; a backslash makes either plain."""
    marks = {"%": _ANY, "_": _ONE}
    return [marks.get(one, one[-1]) for one in re.findall(r"\\.|.", text, re.DOTALL)]


def _is_like(text: str, pattern: list[object]) -> bool:
    """Goes back to the last ``%`` only, so that no pattern takes longer than the product of both lengths."""
    at = here = 0
    mark, again = -1, 0
    while at < len(text):
        if here < len(pattern) and pattern[here] is _ANY:
            mark, again, here = here, at, here + 1
        elif here < len(pattern) and pattern[here] in (_ONE, text[at]):
            at, here = at + 1, here + 1
        elif mark >= 0:
            again += 1
            at, here = again, mark + 1
        else:
            return False
    return all(one is _ANY for one in pattern[here:])
