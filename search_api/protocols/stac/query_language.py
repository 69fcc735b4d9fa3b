"""STAC's Query extension: a few operators by property, translated to a CQL2 tree."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from core.errors import InvalidInput
from search_api.search.filtering.cql2 import Expression

_MOST_CONDITIONS = 50


def read_query(text: str) -> Expression:
    """``{"gsd": {"lte": 30}}`` as a CQL2 tree with STAC's names. Raises InvalidInput (parameter ``query``)."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise _wrong("is not JSON") from None
    if not isinstance(given, dict):
        raise _wrong('is not an object {"property": {"operator": value}}')
    conditions = list(_conditions(given))
    if len(conditions) > _MOST_CONDITIONS:
        raise _wrong(f"has more than {_MOST_CONDITIONS} conditions")
    return {"op": "and", "args": conditions} if conditions else True


def _conditions(given: Mapping[str, object]) -> Iterator[Expression]:
    for name, asked in given.items():
        if not isinstance(asked, dict):
            raise _wrong(f'{name[:60]} needs operators: {{"eq": value}}')
        for operator, value in asked.items():
            if operator not in _OPERATORS:
                raise _wrong(f"{operator[:60]} is not an operator; there are {', '.join(_OPERATORS)}")
            yield _OPERATORS[operator]({"property": name}, value)


def _compared(op: str) -> Callable[[Expression, object], Expression]:
    return lambda property, value: {"op": op, "args": [property, value]}


def _like(before: str, after: str) -> Callable[[Expression, object], Expression]:
    """A text with anything before or after it; CQL2's wildcards in the text are only characters."""

    def like(property: Expression, value: object) -> Expression:
        if not isinstance(value, str):
            raise _wrong("startsWith, endsWith and contains compare texts")
        escaped = "".join(f"\\{one}" if one in "%_\\" else one for one in value)
        return {"op": "like", "args": [property, f"{before}{escaped}{after}"]}

    return like


_OPERATORS: dict[str, Callable[[Expression, object], Expression]] = {
    "eq": _compared("="),
    "neq": _compared("<>"),
    "lt": _compared("<"),
    "lte": _compared("<="),
    "gt": _compared(">"),
    "gte": _compared(">="),
    "startsWith": _like("", "%"),
    "endsWith": _like("%", ""),
    "contains": _like("%", "%"),
    "in": _compared("in"),
}


def _wrong(message: str) -> InvalidInput:
    return InvalidInput("query", f"query: {message}")
