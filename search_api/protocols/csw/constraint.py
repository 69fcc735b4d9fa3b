"""A constraint (Filter 1.1 or CQL text), ids and an order as clauses of a listing.

Uses three-valued logic, as the CQL2 translator does: a record without the property passes neither a comparison nor
its negation, so ``not`` is pushed down to the conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import product
from typing import Literal, get_args

from lxml import etree

from core.errors import InvalidInput
from core.json_types import Json
from search_api.catalogue.listing.query import Clause, Selection, any_of, selected
from search_api.http.parameters import plain_number
from search_api.protocols.csw.filter_xml import in_degrees, system_of, tree_of
from search_api.protocols.csw.names import (
    ABSTRACT,
    ADDITIONAL,
    ANY_TEXT,
    CSW_QUERYABLES,
    ELEMENTS,
    IDENTIFIER,
    REFERENCES,
    SOURCES,
    SUPPORTED,
    CswError,
    local,
)
from search_api.search.filtering.cql2 import Expression, parse
from search_api.search.filtering.queryables import QUERYABLES, Queryable, find
from search_api.search.filtering.spatial import RELATIONS
from search_api.search.filtering.translate import OPERATORS, clause_of
from search_api.search.order import SortKey, read_sortby

OWN = "sonde:"
"""The prefix of the OGC API's queryables: ``sonde:source`` is the catalogue, ``dc:source`` what data derive from."""

Special = Literal["anytext", "abstract", "identifier", "missing"]

_CSW_ONLY = {
    SOURCES: Queryable(SOURCES, "exact", ("provenance.derived_from",), "What the data derive from", many=True),
    REFERENCES: Queryable(REFERENCES, "exact", ("links.href",), "Addresses of links", many=True),
}


def property_of(asked: str, locator: str) -> Queryable | Special:
    """``missing``: an element of csw:Record that no record here has, so NULL. Raises CswError for an unknown name."""
    if asked.startswith(OWN):
        found = find(asked.removeprefix(OWN))
    else:
        meaning = CSW_QUERYABLES.get(local(asked))
        for special in get_args(Special):
            if meaning == special:
                same: Special = special
                return same
        if meaning is None and local(asked) in ELEMENTS:
            return "missing"
        found = _CSW_ONLY.get(meaning or "") or find(meaning or asked.rsplit(":", 1)[-1])
    if found is None:
        known = ", ".join((*SUPPORTED, *ADDITIONAL))
        message = f"there is no property {asked[:60]!r}; there are {known}"
        raise CswError("InvalidParameterValue", message, locator)
    return found


_ZONED = re.compile(r"(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2})", re.ASCII)
_PATTERN = re.compile(r"([\d_]{1,4})(?:-([\d_]{0,2})(?:-([\d_]{0,2}))?)?", re.ASCII)
MOST_PERIODS = 150
_MOST_OPEN_DIGITS = 4


def unzoned(text: str) -> str:
    """The day of an ``xs:date`` with a zone, ``2006-01-01Z``; other texts as they are."""
    found = _ZONED.fullmatch(text.strip())
    return found[1] if found else text


def periods(pattern: str) -> list[str]:
    """The years, months or days that begin as the pattern says: ``200_-10-%`` are ten months.

    ``pattern``: ``_`` is one digit, ``%`` the rest. Raises ValueError for another pattern, and for too many periods.
    """
    found = _PATTERN.fullmatch(pattern.rstrip("%").rstrip("-"))
    parts = [] if found is None else [part for part in found.groups() if part]
    while len(parts) > 1 and set(parts[-1]) == {"_"}:
        parts.pop()
    widths = (4, 2, 2)[: len(parts)]
    if not parts or (len(parts[-1]) < widths[-1] and not pattern.endswith("%")):
        raise ValueError("is compared with dates: a pattern begins with the year, as 2006-05-% does")
    filled = [part.ljust(width, "_") for part, width in zip(parts, widths, strict=True)]
    if sum(part.count("_") for part in filled) > _MOST_OPEN_DIGITS:
        raise ValueError(f"is compared with a pattern of more than {_MOST_OPEN_DIGITS} open digits")
    made = ["-".join(one) for one in product(*map(_numbers, filled)) if _exists(*map(int, one))]
    if not 0 < len(made) <= MOST_PERIODS:
        raise ValueError(f"is compared with a pattern that names no date, or more than {MOST_PERIODS} periods")
    return made


def _numbers(part: str) -> Iterator[str]:
    """``0_`` as ``00`` to ``09``."""
    return ("".join(digits) for digits in product(*("0123456789" if one == "_" else one for one in part)))


def _exists(year: int, month: int = 1, day: int = 1) -> bool:
    try:
        return bool(date(year, month, day))
    except ValueError:
        return False


_WILD = re.compile(r"(?<!\\)[%_]")
_PRESENT: dict[Special, Clause] = {
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
    return _special_clause(one, op, args, has_words, negated)


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
    return _as_number(node) if isinstance(node, str) and one.kind == "number" else node


def _as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _special_clause(one: Special, op: str, args: list[Expression], has_words: bool, negated: bool) -> Clause:
    known = _PRESENT[one]
    if op == "isNull":
        return known if negated else {"bool": {"must_not": [known]}}
    if op == "<>":
        return _special_clause(one, "=", args, has_words, not negated)
    if one == "missing":
        return known
    passed = _either_id(op, args) if one == IDENTIFIER else _word_clause(one, op, args, has_words)
    return {"bool": {"filter": [known], "must_not": [passed]}} if negated else passed


def _either_id(op: str, args: list[Expression]) -> Clause:
    (asked,) = _names(args)
    both = [replace(QUERYABLES[name], name=asked[:60]) for name in ("id", "externalIds")]
    return any_of([clause_of(_condition(op, args, one)) for one in both])


def _word_clause(one: Special, op: str, args: list[Expression], has_words: bool) -> Clause:
    """Words between wildcards stand side by side; a wildcard inside a word counts as its end."""
    (asked,) = _names(args)
    texts = [node for node in args if isinstance(node, str)]
    if op not in ("like", "=") or len(texts) != 1:
        raise _wrong(f"{asked[:60]} is compared with a text, by PropertyIsLike or PropertyIsEqualTo")
    terms = [part.strip() for part in _WILD.split(texts[0]) if part.strip()]
    if not terms:
        return _PRESENT[one]
    if one == ABSTRACT:
        phrases: list[Clause] = [{"match_phrase": {"abstract": term}} for term in terms]
        return {"bool": {"filter": phrases}}
    return {"bool": {"filter": [selected(Selection(terms=(term,)), has_words) for term in terms]}}


def _wrong(message: str) -> CswError:
    return CswError("InvalidParameterValue", message, "constraint")


_CQL_BOX = re.compile(
    r"\bBBOX\s*\(\s*([A-Za-z][\w:]*|\"[^\"]*\")\s*,([-+.0-9\s,eE]*?)(?:,\s*('[^']*'|\"[^\"]*\")\s*)?\)", re.IGNORECASE
)
_SORTABLE = "dc:identifier, dc:title, dc:type, dc:date, dct:modified, apiso:Denominator, apiso:DistanceValue"


def clause_for(constraint: etree._Element | str, has_words: bool) -> Clause:
    """``has_words``: whether the records have all their words in one field. Raises CswError."""
    try:
        tree = parse(_in_cql2(constraint)) if isinstance(constraint, str) else tree_of(constraint)
        return _clause(tree, has_words, False)
    except InvalidInput as error:
        message = str(error).replace("filter:", "constraint:", 1)
        raise CswError("InvalidParameterValue", message, "constraint") from None


def _in_cql2(text: str) -> str:
    """``BBOX(ows:BoundingBox, w, s, e, n, 'EPSG:n')`` of CQL 1 and ECQL as CQL2 has it, in degrees."""
    return _CQL_BOX.sub(_box_in_cql2, text)


def _box_in_cql2(found: re.Match[str]) -> str:
    numbers, system = found[2], found[3]
    if system is not None:
        try:
            corners = [plain_number(number) for number in numbers.split(",")]
        except ValueError:
            corners = []
        if len(corners) != 4:
            raise CswError(
                "InvalidParameterValue", "BBOX needs four numbers before the name of its system", "constraint"
            )
        numbers = ",".join(map(repr, in_degrees(corners, system_of(system[1:-1]))))
    return f"S_INTERSECTS({found[1]}, BBOX({numbers}))"


def for_ids(ids: tuple[str, ...]) -> Clause:
    """Records with one of these as the service's id, or as the catalogue's identifier."""
    return any_of([{"terms": {"id": list(ids)}}, {"terms": {"identifiers": list(ids)}}])


def order_of(sort: str | None) -> tuple[SortKey, ...]:
    """Raises CswError for a property that cannot sort."""
    if sort is None:
        return ()
    try:
        return read_sortby(",".join(map(_sort_key, sort.split(","))))
    except InvalidInput as error:
        message = str(error).replace("sortby:", "SortBy:", 1)
        raise CswError("InvalidParameterValue", message, "SortBy") from None


def _sort_key(key: str) -> str:
    """``-dc:title`` as ``-title``."""
    asked = key.removeprefix("-")
    one = property_of(asked, "SortBy")
    if one == IDENTIFIER:
        return f"{key[: -len(asked)]}id"
    if not isinstance(one, Queryable) or not one.sortable:
        raise CswError("InvalidParameterValue", f"cannot sort by {asked[:60]!r}; it can by {_SORTABLE}", "SortBy")
    return f"{key[: -len(asked)]}{one.name}"


def _clause(tree: Expression, has_words: bool, negated: bool) -> Clause:
    if isinstance(tree, bool):
        return clause_of(tree is not negated)
    if not isinstance(tree, dict) or not isinstance(tree.get("op"), str):
        raise CswError(
            "InvalidParameterValue", "the constraint holds a value in the place of a condition", "constraint"
        )
    op, args = tree["op"], tree.get("args", [])
    if op == "not":
        return _clause(args[0], has_words, not negated)
    if op in ("and", "or"):
        inside = [_clause(one, has_words, negated) for one in args]
        return {"bool": {"filter": inside}} if (op == "and") is not negated else any_of(inside)
    return clause_of_condition(tree, has_words, negated)
