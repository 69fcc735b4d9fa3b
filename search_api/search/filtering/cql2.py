"""CQL2 (OGC 21-065r2): text and JSON to one expression tree, the standard's own JSON form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from core.errors import InvalidInput
from core.json_types import Json
from search_api.search.filtering.tokens import DEEPEST, Token, Tokens

Expression = Any
"""CQL2 as JSON: a dict ``{"op": ..., "args": [...]}``, a property, a literal."""

Language = Literal["cql2-text", "cql2-json"]

LONGEST_FILTER = 8000


def parse(text: str, language: Language = "cql2-text", longest: int = LONGEST_FILTER) -> Expression:
    """The tree of a filter. Raises InvalidInput with the position of the error."""
    if len(text) > longest:
        raise InvalidInput("filter", f"filter: is longer than {longest} characters")
    return _from_json(text) if language == "cql2-json" else read_text(text)


def area_expression(geometry: str, relation: str) -> Expression:
    """The filter of a geometry as WKT or GeoJSON, as CQL2 JSON. Raises InvalidInput."""
    if geometry.lstrip().startswith("{"):
        found = _from_json(geometry)
    else:
        tokens = Tokens(geometry)
        if not begins_geometry(tokens):
            raise tokens.wrong("WKT as POLYGON((10 40, 20 40, 20 50, 10 40)), or GeoJSON")
        found = read_geometry(tokens)
        if tokens.current.kind != "end":
            raise tokens.wrong("the end")
    return {"op": f"s_{relation}", "args": [{"property": "geometry"}, found]}


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
    if not isinstance(tree, dict | bool):
        raise InvalidInput("filter", 'filter: CQL2 JSON is true, false or an object {"op": ..., "args": [...]}')
    return tree


def without_casei(node: Expression) -> Expression:
    """The argument of ``casei``, else the node itself."""
    if isinstance(node, Mapping) and str(node.get("op")).lower() == "casei" and isinstance(node.get("args"), list):
        return node["args"][0] if node["args"] else None
    return node


def is_property(node: Expression) -> bool:
    """Whether it is a property, in any case."""
    inner = without_casei(node)
    return isinstance(inner, Mapping) and "property" in inner


def _deeper_than(node: Expression, levels: int) -> bool:
    if not isinstance(node, dict | list):
        return False
    inside = node.values() if isinstance(node, dict) else node
    return levels == 0 or any(_deeper_than(node, levels - 1) for node in inside)


def _not_a_number(_name: str) -> float:
    raise ValueError("NaN and Infinity are not JSON")


_OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _POWER, _MINUS = range(1, 9)
_POWERS = (
    {"OR": _OR, "AND": _AND}
    | dict.fromkeys(("=", "<>", "!=", "<", "<=", ">", ">=", "LIKE", "BETWEEN", "IN", "IS", "NOT"), _COMPARED)
    | {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT, "DIV": _PRODUCT, "^": _POWER}
)
_ARRAY_FUNCTIONS = ("a_contains", "a_containedby", "a_equals", "a_overlaps")
_INSTANTS = ("DATE", "TIMESTAMP")


def read_text(text: str) -> Expression:
    """Raises InvalidInput with the column of the error."""
    tokens = Tokens(text)
    tree = _expression(tokens, _OR)
    if tokens.current.kind != "end":
        raise tokens.wrong("the end, AND or OR")
    return tree


def _expression(tokens: Tokens, floor: int) -> Expression:
    """Parses operators that bind at least as strongly as ``floor``."""
    left = _prefix(tokens)
    while (power := _POWERS.get(tokens.current.word, 0)) >= floor:
        left = _infix(tokens, left, power)
    return left


def _infix(tokens: Tokens, left: Expression, power: int) -> Expression:
    if power == _COMPARED:
        return _comparison(tokens, left)
    op = tokens.take().word.lower()
    right = _expression(tokens, power + 1)
    return _join(op, left, right) if op in ("and", "or") else {"op": op, "args": [left, right]}


def _join(op: str, left: Expression, right: Expression) -> Expression:
    """``a AND b AND c`` becomes one node with three arguments."""
    if not _is(op, left):
        left = {"op": op, "args": [left]}
    left["args"].extend(right["args"] if _is(op, right) else [right])
    return left


def _is(op: str, node: Expression) -> bool:
    return isinstance(node, dict) and node.get("op") == op


def _comparison(tokens: Tokens, left: Expression) -> Expression:
    if tokens.accept("NOT"):
        if tokens.current.word not in ("LIKE", "BETWEEN", "IN"):
            raise tokens.wrong("LIKE, BETWEEN or IN")
        return {"op": "not", "args": [_comparison(tokens, left)]}
    if tokens.accept("IS"):
        negated = tokens.accept("NOT")
        tokens.expect("NULL")
        tree: Expression = {"op": "isNull", "args": [left]}
        return {"op": "not", "args": [tree]} if negated else tree
    if tokens.accept("BETWEEN"):
        low = _expression(tokens, _SUM)
        tokens.expect("AND")
        return {"op": "between", "args": [left, low, _expression(tokens, _SUM)]}
    if tokens.accept("IN"):
        return {"op": "in", "args": [left, _list(tokens)]}
    op = tokens.take().word.lower()
    return {"op": "<>" if op == "!=" else op, "args": [left, _expression(tokens, _SUM)]}


def _prefix(tokens: Tokens) -> Expression:
    token = tokens.current
    if token.kind in ("text", "quoted"):
        value = tokens.take().value
        return value if token.kind == "text" else {"property": value}
    if token.kind == "number" or (token.word in ("+", "-") and tokens.following.kind == "number"):
        return number(tokens)
    if token.word in ("NOT", "-"):
        return _not_expression(tokens)
    if token.word == "(":
        return _bracket(tokens)
    if token.kind == "name" and (token.word not in _POWERS or token.word == "DIV"):
        return _name_expression(tokens, token)
    raise tokens.wrong("a property, a value or a condition")


def _not_expression(tokens: Tokens) -> Expression:
    with tokens.deeper():
        if tokens.take().word == "NOT":
            return {"op": "not", "args": [_expression(tokens, _NOT)]}
        value = _expression(tokens, _MINUS)
        return -value if isinstance(value, float) else {"op": "*", "args": [-1.0, value]}


def _bracket(tokens: Tokens) -> Expression:
    """``(a = 1)`` is its content; ``(1, 2)`` is a list."""
    inside = _list(tokens)
    if not inside:
        raise tokens.wrong("something within the brackets")
    return inside[0] if len(inside) == 1 else inside


def _list(tokens: Tokens) -> list[Expression]:
    tokens.expect("(")
    trees: list[Expression] = []
    if tokens.accept(")"):
        return trees
    with tokens.deeper():
        trees.append(_expression(tokens, _OR))
        while tokens.accept(","):
            trees.append(_expression(tokens, _OR))
    tokens.expect(")")
    return trees


def _name_expression(tokens: Tokens, token: Token) -> Expression:
    if begins_geometry(tokens):
        return read_geometry(tokens)
    tokens.take()
    if tokens.current.word != "(":
        return {"TRUE": True, "FALSE": False, "NULL": None}.get(token.word, {"property": token.value})
    return _call_expression(tokens, token)


def _call_expression(tokens: Tokens, token: Token) -> Expression:
    name = token.word.lower()
    if name in _ARRAY_FUNCTIONS:
        return {"op": name, "args": _arrays(tokens)}
    args = _list(tokens)
    if name in ("interval", "bbox"):
        return {name: args}
    if token.word in _INSTANTS and len(args) == 1:
        return {name: args[0]}
    return {"op": name, "args": args}


def _arrays(tokens: Tokens) -> list[Expression]:
    """Arguments of a list function, where ``('a')`` is a list of one."""
    tokens.expect("(")
    with tokens.deeper():
        args = [_array(tokens)]
        while tokens.accept(","):
            args.append(_array(tokens))
    tokens.expect(")")
    return args


def _array(tokens: Tokens) -> Expression:
    return _list(tokens) if tokens.current.word == "(" else _expression(tokens, _OR)


Geometry = Json

_NAMES = {
    "POINT": "Point",
    "MULTIPOINT": "MultiPoint",
    "LINESTRING": "LineString",
    "MULTILINESTRING": "MultiLineString",
    "POLYGON": "Polygon",
    "MULTIPOLYGON": "MultiPolygon",
    "GEOMETRYCOLLECTION": "GeometryCollection",
}
_BRACKETS = {"LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}
_DIMENSIONS = ("Z", "M", "ZM")
_EMPTY = "EMPTY"


def begins_geometry(tokens: Tokens) -> bool:
    """True for ``POINT(`` and ``POINT Z (``; a property may also be called ``point``."""
    return _type_of(tokens.current.word) is not None and tokens.following.word in ("(", _EMPTY, *_DIMENSIONS)


def read_geometry(tokens: Tokens) -> Geometry:
    """Raises InvalidInput for a missing bracket or number."""
    name = _type_of(tokens.take().word)
    tokens.accept(*_DIMENSIONS)
    if tokens.current.word == _EMPTY:
        raise tokens.wrong(f"a {name} that is not empty")
    if name == "GeometryCollection":
        return {"type": name, "geometries": _within_brackets(tokens, _member)}
    if name == "Point":
        return {"type": name, "coordinates": _bracketed_position(tokens)}
    if name == "MultiPoint":
        return {"type": name, "coordinates": _within_brackets(tokens, _loose_position)}
    return {"type": name, "coordinates": _nested_list(tokens, _BRACKETS[str(name)])}


def number(tokens: Tokens) -> float:
    """A number with its sign. Raises InvalidInput."""
    negative = tokens.current.word == "-"
    tokens.accept("-", "+")
    if tokens.current.kind != "number":
        raise tokens.wrong("a number")
    value = float(tokens.take().value)
    return -value if negative else value


def _type_of(word: str) -> str | None:
    """The geometry type; ``POINTZ`` is a point too."""
    return _NAMES.get(word) or _NAMES.get(word.removesuffix("M").removesuffix("Z"))


def _within_brackets(tokens: Tokens, parse: Callable[[Tokens], object]) -> list[object]:
    tokens.expect("(")
    arguments = [parse(tokens)]
    while tokens.accept(","):
        arguments.append(parse(tokens))
    tokens.expect(")")
    return arguments


def _nested_list(tokens: Tokens, brackets: int) -> list[object]:
    if brackets == 1:
        return _within_brackets(tokens, _position)
    return _within_brackets(tokens, lambda inner: _nested_list(inner, brackets - 1))


def _member(tokens: Tokens) -> Geometry:
    """A collection holds no other collection (CQL2, geometryCollection)."""
    if not begins_geometry(tokens) or _type_of(tokens.current.word) == "GeometryCollection":
        raise tokens.wrong("a geometry that is no collection")
    return read_geometry(tokens)


def _position(tokens: Tokens) -> list[float]:
    numbers = [number(tokens), number(tokens)]
    while len(numbers) < 4 and (tokens.current.kind == "number" or tokens.current.word in ("-", "+")):
        numbers.append(number(tokens))
    return numbers


def _bracketed_position(tokens: Tokens) -> list[float]:
    tokens.expect("(")
    position = _position(tokens)
    tokens.expect(")")
    return position


def _loose_position(tokens: Tokens) -> list[float]:
    """``MULTIPOINT(1 2, 3 4)`` is as common as ``MULTIPOINT((1 2), (3 4))``."""
    return _bracketed_position(tokens) if tokens.current.word == "(" else _position(tokens)
