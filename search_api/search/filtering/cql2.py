"""CQL2 (OGC 21-065r2): text and JSON to one expression tree, the standard's own JSON form."""

from __future__ import annotations

import json
from typing import Any, Literal

from core.errors import InvalidInput
from search_api.search.filtering.text import read_text
from search_api.search.filtering.tokens import DEEPEST

Expression = Any
"""CQL2 as JSON: a dict ``{"op": ..., "args": [...]}``, a property, a literal."""

Language = Literal["cql2-text", "cql2-json"]

LONGEST_FILTER = 8000


def parse(text: str, language: Language = "cql2-text", longest: int = LONGEST_FILTER) -> Expression:
    """The tree of a filter. Raises InvalidInput with the position of the error."""
    if len(text) > longest:
        raise InvalidInput("filter", f"filter: is longer than {longest} characters")
    return _from_json(text) if language == "cql2-json" else read_text(text)


def _from_json(text: str) -> Expression:
    try:
        tree = json.loads(text, parse_constant=_not_a_number)
    except (ValueError, RecursionError):
        raise InvalidInput("filter", "filter: is not JSON") from None
    return checked(tree)


def checked(tree: Expression) -> Expression:
    """Checks the depth of a tree that came as JSON. Raises InvalidInput."""
    if _deeper_than(tree, DEEPEST * 2):
        raise InvalidInput("filter", f"filter: is nested more than {DEEPEST} deep")
    if not isinstance(tree, dict):
        raise InvalidInput("filter", 'filter: CQL2 JSON is an object {"op": ..., "args": [...]}')
    return tree


def _deeper_than(node: Expression, levels: int) -> bool:
    if not isinstance(node, dict | list):
        return False
    inside = node.values() if isinstance(node, dict) else node
    return levels == 0 or any(_deeper_than(one, levels - 1) for one in inside)


def _not_a_number(_name: str) -> float:
    raise ValueError("NaN and Infinity are not JSON")
