"""CQL2 (OGC 21-065r2): text and JSON to one expression tree, the standard's own JSON form."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import cql2

from core.errors import InvalidInput

Expression = Any
"""CQL2 as JSON: a dict ``{"op": ..., "args": [...]}``, a property, a literal."""

Language = Literal["cql2-text", "cql2-json"]

LONGEST_FILTER = 8000
DEEPEST = 32
_QUOTED = re.compile(r"'(?:''|[^'])*'|\"[^\"]*\"")
_REPEATED_SIGN = re.compile(r"(?:[-+]\s*){2,}")
_PREFIXES = re.compile(r"(?:\bnot\b[\s(]*){8,}", re.IGNORECASE)


def parse(text: str, language: Language = "cql2-text") -> Expression:
    """The tree of a filter. Raises InvalidInput that says where it is not CQL2."""
    if len(text) > LONGEST_FILTER:
        raise InvalidInput("filter", f"filter: is longer than {LONGEST_FILTER} characters")
    return _from_json(text) if language == "cql2-json" else _from_text(text)


def _from_text(text: str) -> Expression:
    _refuse_towers(text)
    try:
        return cql2.parse_text(text).to_json()
    except (cql2.ParseError, cql2.ValidationError, ValueError) as error:
        raise InvalidInput("filter", f"filter: is not CQL2 text: {_where(str(error))}") from None


def _refuse_towers(text: str) -> None:
    """The parser recurses on the C stack, so what could exhaust it is refused before it is read."""
    plain = _QUOTED.sub("''", text)
    depth = deepest = 0
    for character in plain:
        depth += (character in "([") - (character in ")]")
        deepest = max(deepest, depth)
    if deepest > DEEPEST or _REPEATED_SIGN.search(plain) or _PREFIXES.search(plain):
        raise InvalidInput("filter", f"filter: is nested more than {DEEPEST} deep")


def _where(message: str) -> str:
    """``column 7: expected Expr`` out of the parser's drawing."""
    place = re.search(r"-->\s*(\d+):(\d+)", message)
    wanted = re.search(r"= (expected .*)", message)
    parts = [f"column {place[2]}" if place else "", wanted[1] if wanted else ""]
    return ": ".join(part for part in parts if part)[:300] or "it cannot be read"


def _from_json(text: str) -> Expression:
    try:
        tree = json.loads(text, parse_constant=_not_a_number)
    except (ValueError, RecursionError):
        raise InvalidInput("filter", "filter: is not JSON") from None
    return checked(tree)


def checked(tree: Expression) -> Expression:
    """A tree that came as JSON, not nested too deep. Raises InvalidInput."""
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
