"""The properties of an Item that a client may filter and sort by, and STAC's Query extension over them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from core.errors import InvalidInput
from core.json_types import Json
from search_api.search.filtering.cql2 import Expression
from search_api.search.filtering.geometries import shown
from search_api.search.filtering.queryables import QUERYABLES, Queryable, schema_of

_NAMES = {
    "id": "id",
    "collection": "source",
    "geometry": "geometry",
    "datetime": "time",
    "title": "title",
    "license": "license",
    "created": "created",
    "updated": "updated",
    "platform": "platform",
    "instruments": "instrument",
    "gsd": "resolution",
    "keywords": "keywords",
    "processing:level": "processingLevel",
    "sci:doi": "externalIds",
    "sonde:type": "type",
}
_SINGLE = frozenset(("platform", "sci:doi"))
"""Several values in a record; an Item has room for one."""

_SORT_BY_TIME = replace(QUERYABLES["time"], sortable=True)
STAC_QUERYABLES: dict[str, Queryable] = {name: QUERYABLES[own] for name, own in _NAMES.items()}
STAC_SORTABLES: dict[str, Queryable] = {
    name: _SORT_BY_TIME if name == "datetime" else one
    for name, one in STAC_QUERYABLES.items()
    if one.sortable or name == "datetime"
}

_MOST_CONDITIONS = 50


def schemas_of(offered: Mapping[str, Queryable]) -> dict[str, Json]:
    """The properties as JSON Schema, under their names in an Item."""
    return {
        name: schema_of(replace(queryable, many=queryable.many and name not in _SINGLE))
        for name, queryable in offered.items()
    }


def plain_name(name: str) -> str:
    """``properties.gsd`` is ``gsd``."""
    return name.removeprefix("properties.")


def in_our_names(tree: Expression, parameter: str) -> Expression:
    """The tree of a filter with our names of the properties. Raises InvalidInput for an unknown one."""
    if isinstance(tree, list):
        return [in_our_names(node, parameter) for node in tree]
    if not isinstance(tree, Mapping):
        return tree
    name = tree.get("property")
    if isinstance(name, str):
        return {"property": _our_name(name, parameter)}
    return {key: in_our_names(node, parameter) for key, node in tree.items()}


def _our_name(name: str, parameter: str) -> str:
    own = _NAMES.get(plain_name(name))
    if own is None:
        names = ", ".join(STAC_QUERYABLES)
        raise InvalidInput(parameter, f"{parameter}: there is no property {shown(name)!r}; there are {names}")
    return own


def read_query(text: str) -> Expression:
    """``{"gsd": {"lte": 30}}`` as a CQL2 tree with STAC's names. Raises InvalidInput (parameter ``query``)."""
    try:
        query = json.loads(text)
    except (ValueError, RecursionError):
        raise _wrong_query("is not JSON") from None
    if not isinstance(query, dict):
        raise _wrong_query('is not an object {"property": {"operator": value}}')
    conditions = list(_conditions(query))
    if len(conditions) > _MOST_CONDITIONS:
        raise _wrong_query(f"has more than {_MOST_CONDITIONS} conditions")
    return {"op": "and", "args": conditions} if conditions else True


def _conditions(query: Mapping[str, object]) -> Iterator[Expression]:
    for name, operators in query.items():
        if not isinstance(operators, dict):
            raise _wrong_query(f'{name[:60]} needs operators: {{"eq": value}}')
        for operator, value in operators.items():
            if operator not in _OPERATORS:
                raise _wrong_query(f"{operator[:60]} is not an operator; there are {', '.join(_OPERATORS)}")
            yield _OPERATORS[operator]({"property": name}, value)


def _comparison(op: str) -> Callable[[Expression, object], Expression]:
    return lambda property, value: {"op": op, "args": [property, value]}


def _like(before: str, after: str) -> Callable[[Expression, object], Expression]:
    """A text with anything before or after it; CQL2's wildcards in the text are only characters."""

    def like(property: Expression, value: object) -> Expression:
        if not isinstance(value, str):
            raise _wrong_query("startsWith, endsWith and contains compare texts")
        escaped = "".join(f"\\{character}" if character in "%_\\" else character for character in value)
        return {"op": "like", "args": [property, f"{before}{escaped}{after}"]}

    return like


_OPERATORS: dict[str, Callable[[Expression, object], Expression]] = {
    "eq": _comparison("="),
    "neq": _comparison("<>"),
    "lt": _comparison("<"),
    "lte": _comparison("<="),
    "gt": _comparison(">"),
    "gte": _comparison(">="),
    "startsWith": _like("", "%"),
    "endsWith": _like("%", ""),
    "contains": _like("%", "%"),
    "in": _comparison("in"),
}


def _wrong_query(message: str) -> InvalidInput:
    return InvalidInput("query", f"query: {message}")
