"""One condition of a constraint, about one property, as a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from core.json_types import Json
from search_api.catalogue.listing.query import any_of, selected
from search_api.catalogue.listing.request import Clause, Selection
from search_api.protocols.csw.dates import periods, unzoned
from search_api.protocols.csw.errors import CswError
from search_api.protocols.csw.names import ABSTRACT, ANY_TEXT, IDENTIFIER
from search_api.protocols.csw.properties import Special, property_of
from search_api.search.filtering.cql2 import Expression
from search_api.search.filtering.queryables import QUERYABLES, Queryable
from search_api.search.filtering.spatial import RELATIONS
from search_api.search.filtering.translate import OPERATORS, clause_of

_WILD = re.compile(r"(?<!\\)[%_]")
_KNOWN: dict[Special, Clause] = {
    ANY_TEXT: {"match_all": {}},
    IDENTIFIER: {"match_all": {}},
    ABSTRACT: {"exists": {"field": "abstract"}},
    "missing": {"match_none": {}},
}
"""The records in which it is not NULL."""
_IN_CQL2 = {name.removeprefix("s_"): name for name in RELATIONS}
"""``INTERSECTS(...)`` of CQL 1 and ECQL."""


def clause_of_condition(tree: Json, has_words: bool, negated: bool) -> Clause:
    """Raises CswError and InvalidInput."""
    named = list(_names(tree.get("args", [])))
    if len(named) != 1:
        raise _wrong("a condition compares one property with values")
    args, asked = list(tree["args"]), named[0]
    op = _IN_CQL2.get(str(tree["op"]).lower(), str(tree["op"]))
    one = property_of(asked, "constraint")
    if op.lower() in RELATIONS and not (isinstance(one, Queryable) and one.kind == "geometry"):
        raise _wrong(f"{asked[:60]} is no geometry; ows:BoundingBox is one")
    if isinstance(one, Queryable):
        condition = _condition(op, args, replace(one, name=asked[:60]))
        return clause_of({"op": "not", "args": [condition]} if negated else condition)
    if op not in OPERATORS and op.lower() not in OPERATORS:
        raise _wrong(f"{op[:60]} is not supported")
    return _special(one, op, args, has_words, negated)


def _names(node: Expression) -> Iterator[str]:
    """The properties in the arguments, in their order; within arithmetic there is none."""
    for one in node if isinstance(node, list) else ():
        if isinstance(one, dict) and "property" in one:
            yield str(one["property"])
        elif isinstance(one, dict) and one.get("op") == "casei":
            yield from _names(one.get("args"))


def _condition(op: str, args: list[Expression], one: Queryable) -> Expression:
    if op == "like" and one.kind == "instant" and isinstance(args[-1], str):
        if not args[-1].strip("%"):
            return {"op": "not", "args": [{"op": "isNull", "args": [{"property": one}]}]}
        try:
            return {"op": "in", "args": [{"property": one}, periods(args[-1])]}
        except ValueError as error:
            raise _wrong(f"{one.name} {error}") from None
    if one.kind == "geometry" and op not in ("isNull", *RELATIONS):
        raise _wrong(f"{one.name} is a geometry: compare it by BBOX, Intersects, Within, Contains or Disjoint")
    return {"op": op, "args": [_argument(node, one) for node in args]}


def _argument(node: Expression, one: Queryable) -> Expression:
    """With the property itself in the place of its name; a literal of XML as what the property compares."""
    if isinstance(node, dict):
        if "property" in node:
            return {"property": one}
        return {key: _argument(value, one) for key, value in node.items()}
    if isinstance(node, list):
        return [_argument(inner, one) for inner in node]
    if isinstance(node, str) and one.kind in ("instant", "interval"):
        return unzoned(node)
    return _number(node) if isinstance(node, str) and one.kind == "number" else node


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _special(one: Special, op: str, args: list[Expression], has_words: bool, negated: bool) -> Clause:
    known = _KNOWN[one]
    if op == "isNull":
        return known if negated else {"bool": {"must_not": [known]}}
    if op == "<>":
        return _special(one, "=", args, has_words, not negated)
    if one == "missing":
        return known
    passed = _either_id(op, args) if one == IDENTIFIER else _words(one, op, args, has_words)
    return {"bool": {"filter": [known], "must_not": [passed]}} if negated else passed


def _either_id(op: str, args: list[Expression]) -> Clause:
    (asked,) = _names(args)
    both = [replace(QUERYABLES[name], name=asked[:60]) for name in ("id", "externalIds")]
    return any_of([clause_of(_condition(op, args, one)) for one in both])


def _words(one: Special, op: str, args: list[Expression], has_words: bool) -> Clause:
    """Words between wildcards stand side by side; a wildcard inside a word counts as its end."""
    (asked,) = _names(args)
    texts = [node for node in args if isinstance(node, str)]
    if op not in ("like", "=") or len(texts) != 1:
        raise _wrong(f"{asked[:60]} is compared with a text, by PropertyIsLike or PropertyIsEqualTo")
    terms = [part.strip() for part in _WILD.split(texts[0]) if part.strip()]
    if not terms:
        return _KNOWN[one]
    if one == ABSTRACT:
        phrases: list[Clause] = [{"match_phrase": {"abstract": term}} for term in terms]
        return {"bool": {"filter": phrases}}
    return {"bool": {"filter": [selected(Selection(terms=(term,)), has_words) for term in terms]}}


def _wrong(message: str) -> CswError:
    return CswError("InvalidParameterValue", message, "constraint")
