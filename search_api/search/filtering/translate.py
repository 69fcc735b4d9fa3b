"""Translates a CQL2 expression to one Elasticsearch clause.

Uses three-valued logic as in the standard: a record without the property passes neither a comparison nor its negation.
Therefore ``not`` is pushed down to the predicates, and each is negated under "the property exists".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from core.json_types import Json
from core.reference_systems import ReferenceSystem
from search_api.search.filtering import literals
from search_api.search.filtering.comparisons import (
    MIRRORED,
    RELATIONS,
    compared_instant,
    compared_interval,
    instant_clause,
    interval_clause,
    spatial_clause,
)
from search_api.search.filtering.cql2 import Expression, is_property, without_casei
from search_api.search.filtering.literals import short_text, wrong
from search_api.search.filtering.queryables import QUERYABLES, Queryable, find
from search_api.search.request import NAMES_APART

Clause = Json

_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_RANGE = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
_UNDERSTOOD = (
    "and, or, not, =, <>, <, <=, >, >=, like, between, in, isNull, casei, s_intersects, s_disjoint, s_within, "
    "s_contains, t_after, t_before, t_during, t_contains, t_equals, t_intersects, t_disjoint, a_contains, a_overlaps"
)


def clause_of(node: Expression) -> Clause:
    """Raises InvalidInput that names the unsupported or unknown part."""
    return _clause(node, False)


def _clause(node: Expression, negated: bool) -> Clause:
    if isinstance(node, bool):
        return {"match_all": {}} if node is not negated else {"match_none": {}}
    if not isinstance(node, Mapping) or not isinstance(node.get("op"), str):
        raise wrong(f"{short_text(node)} is not a condition")
    op, args = node["op"], node.get("args", [])
    if not isinstance(args, list) or not args:
        raise wrong(f"{op} has no arguments")
    if op == "not":
        return _clause(args[0], not negated)
    if op in ("and", "or"):
        return _combine([_clause(arg, negated) for arg in args], every=(op == "and") is not negated)
    if op == "isNull":
        exists = _exists(_property(args[0]))
        return exists if negated else _none_of(exists)
    queryable, clause = _predicate(op, args)
    return {"bool": {"filter": [_exists(queryable)], "must_not": [clause]}} if negated else clause


def _combine(clauses: Sequence[Clause], *, every: bool) -> Clause:
    if every:
        return {"bool": {"filter": list(clauses)}}
    return {"bool": {"should": list(clauses), "minimum_should_match": 1}}


def _none_of(clause: Clause) -> Clause:
    return {"bool": {"must_not": [clause]}}


def _predicate(op: str, args: list[object]) -> tuple[Queryable, Clause]:
    """The property of the condition and the clause for it."""
    if op in _MIRRORED:
        return _comparison(op, args)
    handler = _PREDICATES.get(op.lower())
    if handler is None:
        raise wrong(f"{op} is not supported; supported are {_UNDERSTOOD}")
    return handler(op.lower(), args)


def _comparison(op: str, args: list[object]) -> tuple[Queryable, Clause]:
    left, right = _two(op, args)
    if not is_property(left) and is_property(right):
        left, right, op = right, left, _MIRRORED[op]
    queryable = _property(left)
    if op == "<>":
        return queryable, {"bool": {"filter": [_exists(queryable)], "must_not": [_compare(queryable, "=", right)]}}
    return queryable, _compare(queryable, op, right)


def _compare(queryable: Queryable, op: str, value: object) -> Clause:
    if queryable.kind == "geometry":
        raise wrong(f"{queryable.name} cannot be compared by {op}; use a spatial function (s_...)")
    if queryable.kind == "interval":
        return compared_interval(queryable.fields[0], op, literals.span_of(value))
    if queryable.kind == "instant":
        return compared_instant(queryable, op, literals.span_of(value))
    literal: object = (
        literals.number_of(value) if queryable.kind == "number" else literals.text_of(without_casei(value))
    )
    if queryable.kind == "person":
        if op != "=":
            raise wrong(f"{queryable.name} cannot be compared by {op}; = and in find a person")
        return {"match_phrase": {queryable.fields[0]: {"query": literal, "slop": NAMES_APART}}}
    if op == "=":
        return {"term": {queryable.fields[0]: {"value": literal, **_case(queryable, value)}}}
    return {"range": {queryable.fields[0]: {_RANGE[op]: literal}}}


def _between(_op: str, args: list[object]) -> tuple[Queryable, Clause]:
    flat = [args[0], *args[1]] if len(args) == 2 and isinstance(args[1], list) else args
    if len(flat) != 3:
        raise wrong("between needs a property and two values")
    queryable = _property(flat[0])
    return queryable, _combine([_compare(queryable, ">=", flat[1]), _compare(queryable, "<=", flat[2])], every=True)


def _in(op: str, args: list[object]) -> tuple[Queryable, Clause]:
    left, values = _two(op, args)
    queryable = _property(left)
    return queryable, _combine([_compare(queryable, "=", value) for value in _list_values(op, values)], every=False)


def _like(op: str, args: list[object]) -> tuple[Queryable, Clause]:
    left, pattern = _two(op, args)
    queryable = _property(left)
    if queryable.kind not in ("folded", "exact"):
        raise wrong(f"like compares texts; {queryable.name} is none")
    wildcard = _wildcards(literals.text_of(without_casei(pattern)))
    after_any = wildcard.partition("*")[2]
    if len(after_any) > _LONGEST_AFTER_ANY or after_any.count("?") > _MOST_AFTER_ANY:  # too complex for Elasticsearch
        raise wrong(f"like takes {_LONGEST_AFTER_ANY} characters after a %, and {_MOST_AFTER_ANY} _ among them")
    return queryable, {"wildcard": {queryable.fields[0]: {"value": wildcard, **_case(queryable, pattern)}}}


_LONGEST_AFTER_ANY, _MOST_AFTER_ANY = 80, 8


def _wildcards(pattern: str) -> str:
    """``%`` and ``_`` as Elasticsearch's ``*`` and ``?``; a backslash escapes either."""
    escaped, literal = [], False
    for character in pattern:
        if literal or character not in "%_\\":
            escaped.append(f"\\{character}" if character in "*?\\" else character)
            literal = False
        elif character == "\\":
            literal = True
        else:
            escaped.append("*" if character == "%" else "?")
    return "".join(escaped)


def _spatial(op: str, args: list[object]) -> tuple[Queryable, Clause]:
    left, right = _two(op, args)
    relation = RELATIONS[op]
    if not is_property(left):
        left, right = right, left
        relation = MIRRORED.get(relation, relation)
    queryable = _property(left)
    if queryable.kind != "geometry":
        raise wrong(f"{op} judges places; {queryable.name} is none, geometry is one")
    clause = spatial_clause(queryable.fields[0], relation, literals.geometry_of(right))
    return queryable, _combine([clause, _exists(queryable)], every=True) if relation == "disjoint" else clause


def _temporal(op: str, args: list[object]) -> tuple[Queryable, Clause]:
    left, right = _two(op, args)
    if not is_property(left):
        mirrored = {"t_after": "t_before", "t_before": "t_after", "t_during": "t_contains", "t_contains": "t_during"}
        left, right, op = right, left, mirrored.get(op, op)
    queryable, span = _property(left), literals.span_of(right)
    if queryable.kind == "interval":
        return queryable, interval_clause(queryable.fields[0], op, span)
    if queryable.kind == "instant":
        return queryable, instant_clause(queryable, op, span)
    raise wrong(f"{op} judges times; {queryable.name} is none")


def _array(op: str, args: list[object]) -> tuple[Queryable, Clause]:
    left, values = _two(op, args)
    queryable = _property(left)
    if not queryable.many or queryable.kind not in ("folded", "exact", "person"):
        raise wrong(f"{op} judges lists; {queryable.name} is none")
    return queryable, _combine(
        [_compare(queryable, "=", v) for v in _list_values(op, values)], every=op == "a_contains"
    )


_PREDICATES: dict[str, Callable[[str, list[object]], tuple[Queryable, Clause]]] = {
    "between": _between,
    "in": _in,
    "like": _like,
    **dict.fromkeys(RELATIONS, _spatial),
    **dict.fromkeys(
        ("t_after", "t_before", "t_during", "t_contains", "t_equals", "t_intersects", "t_disjoint"), _temporal
    ),
    "a_contains": _array,
    "a_overlaps": _array,
}


OPERATORS = frozenset((*_MIRRORED, *_PREDICATES, "isNull"))
"""The operators of a condition about one property."""


def _two(op: str, args: list[object]) -> tuple[object, object]:
    if len(args) != 2:
        raise wrong(f"{op} needs two arguments; there are {len(args)}")
    return args[0], args[1]


def _list_values(op: str, values: object) -> list[object]:
    if not isinstance(values, list) or not 1 <= len(values) <= 200:
        raise wrong(f"{op} needs a list of 1 to 200 values")
    return values


def _case(queryable: Queryable, value: object) -> dict[str, bool]:
    """``casei`` matters only for exact texts; folded ones ignore case anyway."""
    return {"case_insensitive": True} if value is not without_casei(value) and queryable.kind == "exact" else {}


def _property(node: object) -> Queryable:
    inner = without_casei(node)
    if isinstance(inner, Mapping) and isinstance(inner.get("property"), Queryable):
        return cast(Queryable, inner["property"])  # CSW's names and fields are not those of the OGC API
    if not isinstance(inner, Mapping) or not isinstance(inner.get("property"), str):
        raise wrong(f"{short_text(node)} is not a property; a condition judges one of {', '.join(QUERYABLES)}")
    queryable = find(inner["property"])
    if queryable is None:
        raise wrong(f"there is no property {short_text(inner['property'])!r}; there are {', '.join(QUERYABLES)}")
    return queryable


def _exists(queryable: Queryable) -> Clause:
    return _combine([{"exists": {"field": field}} for field in queryable.fields], every=False)


def in_degrees(tree: Expression, system: ReferenceSystem) -> Expression:
    """The same tree with every box and geometry in degrees. Raises InvalidInput."""
    if isinstance(tree, list):
        return [in_degrees(number, system) for number in tree]
    if not isinstance(tree, dict):
        return tree
    try:
        if isinstance(box := tree.get("bbox"), list) and len(box) in (4, 6):
            positions = (0, 1, 3, 4) if len(box) == 6 else (0, 1, 2, 3)
            first, second, third, fourth = (literals.number_of(box[position]) for position in positions)
            return {"bbox": list(system.box(first, second, third, fourth))}
        if "coordinates" in tree:
            return system.geometry(tree)
    except ValueError as error:
        raise wrong(str(error)) from None
    return {key: in_degrees(value, system) for key, value in tree.items()}
