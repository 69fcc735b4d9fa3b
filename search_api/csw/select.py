"""A constraint (Filter 1.1 or CQL text) and ids as clauses of a listing."""

from __future__ import annotations

import re

from lxml import etree

from core.errors import InvalidInput
from core.json_types import Json
from search_api.csw.filter_xml import tree_of
from search_api.csw.names import ABSTRACT, ANY_TEXT, IDENTIFIER, QUERYABLES, local
from search_api.csw.request import CswError
from search_api.filtering.cql2 import parse
from search_api.filtering.translate import clause_of
from search_api.listing.order import read_sortby
from search_api.listing.query import any_of, selected
from search_api.listing.request import Clause, Selection, SortKey

_WILD = re.compile(r"(?<!\\)[%_]")
_CQL_BOX = re.compile(r"\bBBOX\s*\(\s*[\w:]*BoundingBox\s*,([-+.\d\s,eE]*)\)", re.IGNORECASE)


def clause_for(constraint: etree._Element | str, has_words: bool) -> Clause:
    """``has_words``: whether the records have all their words in one field. Raises CswError."""
    try:
        return _clause(parse(_in_cql2(constraint)) if isinstance(constraint, str) else tree_of(constraint), has_words)
    except InvalidInput as error:
        message = str(error).replace("filter:", "constraint:", 1)
        raise CswError("InvalidParameterValue", message, "constraint") from None


def _in_cql2(text: str) -> str:
    """``BBOX(ows:BoundingBox, w, s, e, n)`` of CQL 1 as CQL2 has it."""
    return _CQL_BOX.sub(r"S_INTERSECTS(boundingbox, BBOX(\1))", text)


def for_ids(ids: tuple[str, ...]) -> Clause:
    """Records with one of these as the service's id, or as the catalogue's identifier."""
    return any_of([{"terms": {"id": list(ids)}}, {"terms": {"identifiers": list(ids)}}])


def order_of(sort: str | None) -> tuple[SortKey, ...]:
    """Raises CswError for a property that cannot sort."""
    if sort is None:
        return ()
    keys = []
    for key in sort.split(","):
        name = QUERYABLES.get(key.lstrip("-"), key.lstrip("-"))
        keys.append(("-" if key.startswith("-") else "") + ("id" if name == IDENTIFIER else name))
    try:
        return read_sortby(",".join(keys))
    except InvalidInput as error:
        raise CswError("InvalidParameterValue", str(error), "SortBy") from None


def _clause(tree: Json, has_words: bool) -> Clause:
    """As the house's translator, with the three names of CSW that are no property."""
    op, args = tree.get("op"), tree.get("args", [])
    if op == "not":
        return {"bool": {"must_not": [_clause(args[0], has_words)]}}
    if op in ("and", "or"):
        inside = [_clause(one, has_words) for one in args]
        return {"bool": {"filter": inside}} if op == "and" else any_of(inside)
    name = _name(args[0]) if args else None
    if name in (ANY_TEXT, ABSTRACT) and len(args) == 2:
        return _words(str(name), str(op), str(args[1]), has_words)
    if name == IDENTIFIER:
        return any_of([clause_of({"op": op, "args": [{"property": one}, *args[1:]]}) for one in ("id", "externalIds")])
    return clause_of({"op": op, "args": [{"property": name} if name else args[0], *args[1:]]} if args else tree)


def _name(node: object) -> str | None:
    """The house's name of the property; None if it is no property."""
    if not isinstance(node, dict) or "property" not in node:
        return None
    asked = str(node["property"])
    return QUERYABLES.get(local(asked), asked.rsplit(":", 1)[-1])


def _words(name: str, op: str, text: str, has_words: bool) -> Clause:
    """Words between wildcards stand side by side; a wildcard inside a word counts as its end."""
    if op not in ("like", "="):
        raise CswError(
            "InvalidParameterValue", f"{name} is compared by PropertyIsLike or PropertyIsEqualTo", "constraint"
        )
    terms = [part.strip() for part in _WILD.split(text) if part.strip()]
    if not terms:
        return {"match_all": {}}
    if name == ABSTRACT:
        phrases: list[Clause] = [{"match_phrase": {"abstract": one}} for one in terms]
        return {"bool": {"filter": phrases}}
    return {"bool": {"filter": [selected(Selection(terms=(one,)), has_words) for one in terms]}}
