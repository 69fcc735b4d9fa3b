"""Parses CQL2 text (OGC 21-065r2, annex B) into the standard's JSON form.

Operators are parsed by their binding power (V. R. Pratt, Top down operator precedence, POPL 1973). Conditions and
values share one rule, so a bracket is read only once: the time is linear in the length of the text, also for invalid
text.
"""

from __future__ import annotations

from typing import Any

from search_api.search.filtering.tokens import Token, Tokens
from search_api.search.filtering.wkt import begins_geometry, number, read_geometry

Tree = Any

_OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _POWER, _MINUS = range(1, 9)
_POWERS = (
    {"OR": _OR, "AND": _AND}
    | dict.fromkeys(("=", "<>", "!=", "<", "<=", ">", ">=", "LIKE", "BETWEEN", "IN", "IS", "NOT"), _COMPARED)
    | {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT, "DIV": _PRODUCT, "^": _POWER}
)
_ARRAY_FUNCTIONS = ("a_contains", "a_containedby", "a_equals", "a_overlaps")
_INSTANTS = ("DATE", "TIMESTAMP")


def read_text(text: str) -> Tree:
    """Raises InvalidInput with the column of the error."""
    tokens = Tokens(text)
    tree = _expression(tokens, _OR)
    if tokens.current.kind != "end":
        raise tokens.wrong("the end, AND or OR")
    return tree


def _expression(tokens: Tokens, floor: int) -> Tree:
    """Parses operators that bind at least as strongly as ``floor``."""
    left = _prefix(tokens)
    while (power := _POWERS.get(tokens.current.word, 0)) >= floor:
        left = _infix(tokens, left, power)
    return left


def _infix(tokens: Tokens, left: Tree, power: int) -> Tree:
    if power == _COMPARED:
        return _comparison(tokens, left)
    op = tokens.take().word.lower()
    right = _expression(tokens, power + 1)
    return _joined(op, left, right) if op in ("and", "or") else {"op": op, "args": [left, right]}


def _joined(op: str, left: Tree, right: Tree) -> Tree:
    """``a AND b AND c`` becomes one node with three arguments."""
    if not _is(op, left):
        left = {"op": op, "args": [left]}
    left["args"].extend(right["args"] if _is(op, right) else [right])
    return left


def _is(op: str, node: Tree) -> bool:
    return isinstance(node, dict) and node.get("op") == op


def _comparison(tokens: Tokens, left: Tree) -> Tree:
    if tokens.accept("NOT"):
        if tokens.current.word not in ("LIKE", "BETWEEN", "IN"):
            raise tokens.wrong("LIKE, BETWEEN or IN")
        return {"op": "not", "args": [_comparison(tokens, left)]}
    if tokens.accept("IS"):
        negated = tokens.accept("NOT")
        tokens.expect("NULL")
        tree: Tree = {"op": "isNull", "args": [left]}
        return {"op": "not", "args": [tree]} if negated else tree
    if tokens.accept("BETWEEN"):
        low = _expression(tokens, _SUM)
        tokens.expect("AND")
        return {"op": "between", "args": [left, low, _expression(tokens, _SUM)]}
    if tokens.accept("IN"):
        return {"op": "in", "args": [left, _list(tokens)]}
    op = tokens.take().word.lower()
    return {"op": "<>" if op == "!=" else op, "args": [left, _expression(tokens, _SUM)]}


def _prefix(tokens: Tokens) -> Tree:
    token = tokens.current
    if token.kind in ("text", "quoted"):
        value = tokens.take().value
        return value if token.kind == "text" else {"property": value}
    if token.kind == "number" or (token.word in ("+", "-") and tokens.following.kind == "number"):
        return number(tokens)
    if token.word in ("NOT", "-"):
        return _turned(tokens)
    if token.word == "(":
        return _bracket(tokens)
    if token.kind == "name" and (token.word not in _POWERS or token.word == "DIV"):
        return _named(tokens, token)
    raise tokens.wrong("a property, a value or a condition")


def _turned(tokens: Tokens) -> Tree:
    with tokens.deeper():
        if tokens.take().word == "NOT":
            return {"op": "not", "args": [_expression(tokens, _NOT)]}
        value = _expression(tokens, _MINUS)
        return -value if isinstance(value, float) else {"op": "*", "args": [-1.0, value]}


def _bracket(tokens: Tokens) -> Tree:
    """``(a = 1)`` is its content; ``(1, 2)`` is a list."""
    inside = _list(tokens)
    if not inside:
        raise tokens.wrong("something within the brackets")
    return inside[0] if len(inside) == 1 else inside


def _list(tokens: Tokens) -> list[Tree]:
    tokens.expect("(")
    found: list[Tree] = []
    if tokens.accept(")"):
        return found
    with tokens.deeper():
        found.append(_expression(tokens, _OR))
        while tokens.accept(","):
            found.append(_expression(tokens, _OR))
    tokens.expect(")")
    return found


def _named(tokens: Tokens, token: Token) -> Tree:
    if begins_geometry(tokens):
        return read_geometry(tokens)
    tokens.take()
    if tokens.current.word != "(":
        return {"TRUE": True, "FALSE": False, "NULL": None}.get(token.word, {"property": token.value})
    return _called(tokens, token)


def _called(tokens: Tokens, token: Token) -> Tree:
    name = token.word.lower()
    if name in _ARRAY_FUNCTIONS:
        return {"op": name, "args": _arrays(tokens)}
    args = _list(tokens)
    if name in ("interval", "bbox"):
        return {name: args}
    if token.word in _INSTANTS and len(args) == 1:
        return {name: args[0]}
    return {"op": name, "args": args}


def _arrays(tokens: Tokens) -> list[Tree]:
    """Arguments of a list function, where ``('a')`` is a list of one."""
    tokens.expect("(")
    with tokens.deeper():
        args = [_array(tokens)]
        while tokens.accept(","):
            args.append(_array(tokens))
    tokens.expect(")")
    return args


def _array(tokens: Tokens) -> Tree:
    return _list(tokens) if tokens.current.word == "(" else _expression(tokens, _OR)
