"""STAC's Collection Search: which collections lie there and then, contain a term and pass a CQL2 filter.

There are few, and their extents are known: no index is asked. Texts, times, places and unknown values mean the same as
in a filter of items: a collection without the property passes neither a condition nor its negation.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

import shapely
from pydantic import Field
from shapely.geometry import box
from shapely.geometry.base import BaseGeometry

from core.errors import InvalidInput
from core.geo import BBox
from core.json_types import Json
from core.names import folded, folded_phrase
from core.timespan import TimeSpan
from search_api.catalogue.catalogues import Catalogue
from search_api.http.parameters import (
    FlatBoxParameter,
    MomentText,
    Parameters,
    Text,
    Tokens,
    read_flat_bbox,
    read_rfc3339,
)
from search_api.search.filtering import literals
from search_api.search.filtering.cql2 import LONGEST_FILTER, Expression, Language, is_property, parse, without_casei
from search_api.search.filtering.literals import short_text, wrong
from search_api.search.filtering.queryables import Queryable

T = TypeVar("T")
Condition = Callable[[Catalogue], bool | None]
"""Three-valued: None where the collection does not have the property."""

COLLECTION_QUERYABLES: dict[str, Queryable] = {
    queryable.name: queryable
    for queryable in (
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

_Edges = tuple[float, float]
_TIMES: Mapping[str, Callable[[_Edges, _Edges], bool]] = {
    "t_after": lambda known_value, other: known_value[0] > other[1],
    "t_before": lambda known_value, other: known_value[1] < other[0],
    "t_during": lambda known_value, other: known_value[0] > other[0] and known_value[1] < other[1],
    "t_contains": lambda known_value, other: known_value[0] < other[0] and known_value[1] > other[1],
    "t_equals": lambda known_value, other: known_value == other,
    "t_intersects": lambda known_value, other: known_value[0] <= other[1] and known_value[1] >= other[0],
    "t_disjoint": lambda known_value, other: known_value[0] > other[1] or known_value[1] < other[0],
}
_RELATIONS: Mapping[str, Callable[[BaseGeometry, BaseGeometry], bool]] = {
    "s_intersects": lambda known_value, other: bool(shapely.intersects(known_value, other)),
    "s_disjoint": lambda known_value, other: bool(shapely.disjoint(known_value, other)),
    "s_within": lambda known_value, other: bool(shapely.within(known_value, other)),
    "s_contains": lambda known_value, other: bool(shapely.contains(known_value, other)),
}
_ANY, _ONE = object(), object()
MOST_COLLECTIONS = 1000


def description_of(collection: Catalogue) -> str:
    return (
        collection.about.description or f"Records harvested from {collection.title} that carry something to download."
    )


def condition_of(node: Expression) -> Condition:
    """The whole filter is checked first. Raises InvalidInput that names the unsupported or unknown part."""
    if isinstance(node, bool):
        return lambda _: node
    if not isinstance(node, Mapping) or not isinstance(node.get("op"), str):
        raise wrong(f"{short_text(node)} is not a condition")
    op, args = str(node["op"]), node.get("args", [])
    if not isinstance(args, list) or not args:
        raise wrong(f"{op} has no arguments")
    if op == "not":
        inner = condition_of(args[0])
        return lambda collection: None if (judged := inner(collection)) is None else not judged
    if op in ("and", "or"):
        return _combine([condition_of(collection) for collection in args], every=op == "and")
    if op == "isNull":
        missing_value = _VALUES[_property(args[0]).name]
        return lambda collection: missing_value(collection) is None
    return _predicate(op, args)


def _combine(conditions: list[Condition], *, every: bool) -> Condition:
    """``and`` is false as soon as one is, ``or`` true; else unknown if one is."""

    def judge(collection: Catalogue) -> bool | None:
        results = [condition(collection) for condition in conditions]
        return (not every) if (not every) in results else None if None in results else every

    return judge


def _predicate(op: str, args: list[object]) -> Condition:
    if op == "between":
        flat = [args[0], *args[1]] if len(args) == 2 and isinstance(args[1], list) else args
        if len(flat) != 3:
            raise wrong("between needs a property and two values")
        return _combine([_predicate(">=", [flat[0], flat[1]]), _predicate("<=", [flat[0], flat[2]])], every=True)
    if len(args) != 2:
        raise wrong(f"{op} needs two arguments; there are {len(args)}")
    left, right = args
    if op == "in":
        if not isinstance(right, list) or not 1 <= len(right) <= _MOST_VALUES:
            raise wrong(f"in needs a list of 1 to {_MOST_VALUES} values")
        return _combine([_predicate("=", [left, value]) for value in right], every=False)
    if not is_property(left):
        left, right, op = right, left, _MIRRORED.get(op, op)
    queryable = _property(left)
    if queryable.kind == "geometry":
        return _test_of(_place_of, _of_place(op, right))
    if queryable.kind == "interval":
        return _test_of(_span_of, _of_time(op, literals.span_of(right)))
    normalise = folded if queryable.kind == "folded" or _is_casei(left) or _is_casei(right) else str
    return _test_of(
        _TEXTS[queryable.name], _of_text(queryable.name, op, literals.text_of(without_casei(right)), normalise)
    )


def _test_of(value: Callable[[Catalogue], T | None], test: Callable[[T], bool]) -> Condition:
    return lambda collection: None if (known_value := value(collection)) is None else test(known_value)


def _of_text(name: str, op: str, text: str, normalise: Callable[[str], str]) -> Callable[[str], bool]:
    if op == "like":
        pattern = _pattern(normalise(text))
        return lambda known_value: _is_like(normalise(known_value), pattern)
    compare = _COMPARED.get(op)
    if compare is None:
        raise wrong(f"{op} cannot judge the text {name}")
    return lambda known_value: compare(normalise(known_value), normalise(text))


def _of_place(op: str, right: object) -> Callable[[BaseGeometry], bool]:
    relation = _RELATIONS.get(op)
    if relation is None:
        raise wrong(f"geometry cannot be compared by {op}; use a spatial function (s_...)")
    place = _shape(literals.geometry_of(right))
    return lambda known_value: relation(known_value, place)


def _of_time(op: str, span: TimeSpan) -> Callable[[TimeSpan], bool]:
    if op in ("<>", "<=", ">="):
        other = _of_time({"<>": "=", "<=": ">", ">=": "<"}[op], span)
        return lambda known_value: not other(known_value)
    test = _TIMES.get(_ALLEN.get(op, op))
    if test is None:
        raise wrong(f"{op} cannot judge the period datetime")
    return lambda known_value: test(_edges(known_value), _edges(span))


def _edges(span: TimeSpan) -> tuple[float, float]:
    """Milliseconds; an open end is infinite."""
    start, end = span.start_ms, span.end_ms
    return (float("-inf") if start is None else start, float("inf") if end is None else end)


def _shape(geometry: Json) -> BaseGeometry:
    if geometry["type"] != "envelope":
        return shapely.from_geojson(json.dumps(geometry))
    (west, north), (east, south) = geometry["coordinates"]
    return _boxes(BBox(west, south, east, north))


def _boxes(area: BBox) -> BaseGeometry:
    return shapely.union_all([box(part.west, part.south, part.east, part.north) for part in area.parts()])


def _span_of(collection: Catalogue) -> TimeSpan | None:
    return collection.span


def _place_of(collection: Catalogue) -> BaseGeometry | None:
    return None if collection.box is None else _boxes(collection.box)


_TEXTS: Mapping[str, Callable[[Catalogue], str | None]] = {
    "id": lambda catalogue: catalogue.id,
    "title": lambda catalogue: catalogue.title,
    "description": description_of,
}
_VALUES: Mapping[str, Callable[[Catalogue], object]] = {**_TEXTS, "datetime": _span_of, "geometry": _place_of}


def _property(node: object) -> Queryable:
    inner = without_casei(node)
    name = inner.get("property") if isinstance(inner, Mapping) else None
    queryable = COLLECTION_QUERYABLES.get(name) if isinstance(name, str) else None
    if queryable is None:
        names = ", ".join(COLLECTION_QUERYABLES)
        raise InvalidInput("filter", f"filter: there is no property {short_text(name or node)!r}; there are {names}")
    return queryable


def _is_casei(node: object) -> bool:
    return isinstance(node, Mapping) and str(node.get("op")).lower() == "casei"


def _pattern(text: str) -> list[object]:
    """``%`` is any text, ``_`` one character; a backslash makes either plain."""
    marks = {"%": _ANY, "_": _ONE}
    return [marks.get(character, character[-1]) for character in re.findall(r"\\.|.", text, re.DOTALL)]


def _is_like(text: str, pattern: list[object]) -> bool:
    """Goes back to the last ``%`` only, so that no pattern takes longer than the product of both lengths."""
    at = pattern_at = 0
    mark, retry_at = -1, 0
    while at < len(text):
        if pattern_at < len(pattern) and pattern[pattern_at] is _ANY:
            mark, retry_at, pattern_at = pattern_at, at, pattern_at + 1
        elif pattern_at < len(pattern) and pattern[pattern_at] in (_ONE, text[at]):
            at, pattern_at = at + 1, pattern_at + 1
        elif mark >= 0:
            retry_at += 1
            at, pattern_at = retry_at, mark + 1
        else:
            return False
    return all(part is _ANY for part in pattern[pattern_at:])


_SORTED_BY: dict[str, Callable[[Catalogue], str]] = {
    "id": lambda catalogue: catalogue.id,
    "title": lambda catalogue: folded_phrase(catalogue.title),
}


class CollectionsQuery(Parameters):
    bbox: FlatBoxParameter | None = Field(None, description="west,south,east,north or six numbers.")
    datetime: MomentText | None = Field(None, description="An instant (RFC 3339) or `start/end`; `..`: open end.")
    q: Tokens = Field(default=[], description="Words or phrases, of which a collection contains any.")
    filter: str | None = Field(
        None,
        max_length=LONGEST_FILTER,
        description="CQL2 over /stac/collections-queryables.",
        examples=["title LIKE '%rain%' AND S_INTERSECTS(geometry, BBOX(5,47,15,55))"],
    )
    filter_lang: Language = Field("cql2-text", alias="filter-lang")
    filter_crs: Literal["http://www.opengis.net/def/crs/OGC/1.3/CRS84"] | None = Field(None, alias="filter-crs")
    sortby: Text | None = Field(
        None,
        json_schema_extra={"pattern": "^ *[+-]?(id|title)( *, *[+-]?(id|title))* *$"},
        description="`+title,-id`; a minus means descending.",
    )
    fields_: str | None = Field(
        None, alias="fields", max_length=2000, description="Members: `id,title,-links`; a minus leaves out."
    )
    limit: int = Field(MOST_COLLECTIONS, ge=1, json_schema_extra={"maximum": MOST_COLLECTIONS})
    offset: int = Field(0, ge=0, le=1_000_000, description="From the `next` link.")


def matching(query: CollectionsQuery, collections: Iterable[Catalogue]) -> list[Catalogue]:
    """All that match, in the asked order; by id without one. Raises InvalidInput for an unknown property."""
    place = _boxes(read_flat_bbox(query.bbox)) if query.bbox else None
    span = read_rfc3339(query.datetime) if query.datetime else None
    passes = condition_of(parse(query.filter, query.filter_lang)) if query.filter else None
    matches = [
        collection
        for collection in collections
        if _lies_in(collection, place)
        and _is_of(collection, span)
        and (not query.q or _contains_a_term(collection, query.q))
        and (passes is None or passes(collection))
    ]
    for part in reversed([part.strip() for part in (query.sortby or "id").split(",")]):
        name = part.lstrip("+-").strip()
        if name not in _SORTED_BY:
            raise InvalidInput("sortby", f"sortby: cannot sort by {name!r}; it can by {', '.join(_SORTED_BY)}")
        matches.sort(key=_SORTED_BY[name], reverse=part.startswith("-"))
    return matches


def _lies_in(collection: Catalogue, place: BaseGeometry | None) -> bool:
    """A collection without a known extent is said to be worldwide."""
    known_value = _place_of(collection)
    return place is None or known_value is None or bool(shapely.intersects(known_value, place))


def _is_of(collection: Catalogue, span: TimeSpan | None) -> bool:
    """A collection without a known period is said to be of any time."""
    if span is None or collection.span is None:
        return True
    return _TIMES["t_intersects"](_edges(collection.span), _edges(span))


def _contains_a_term(collection: Catalogue, terms: Sequence[str]) -> bool:
    text = folded_phrase(
        " ".join((collection.id, collection.title, description_of(collection), collection.about.publisher))
    )
    return any(folded_phrase(term) in text for term in terms)
