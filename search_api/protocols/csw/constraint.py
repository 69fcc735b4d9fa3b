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
from search_api.catalogue.listing import Selection, selected
from search_api.http.parameters import plain_number
from search_api.protocols.csw.filter_xml import (
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
    in_degrees,
    local,
    system_of,
    tree_of,
)
from search_api.search.filtering.comparisons import RELATIONS
from search_api.search.filtering.cql2 import Expression, parse, without_casei
from search_api.search.filtering.queryables import QUERYABLES, Queryable, find
from search_api.search.filtering.translate import OPERATORS, clause_of
from search_api.search.order import SortKey, read_sortby
from search_api.search.retrieval.clauses import Clause, any_of

OWN_PREFIX = "sonde:"
"""The prefix of the OGC API's queryables: ``sonde:source`` is the catalogue, ``dc:source`` what data derive from."""

Special = Literal["anytext", "abstract", "identifier", "missing"]

_CSW_ONLY = {
    SOURCES: Queryable(SOURCES, "exact", ("provenance.derived_from",), "What the data derive from", many=True),
    REFERENCES: Queryable(REFERENCES, "exact", ("links.href",), "Addresses of links", many=True),
}

_ZONED = re.compile(r"(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2})", re.ASCII)
_PATTERN = re.compile(r"([\d_]{1,4})(?:-([\d_]{0,2})(?:-([\d_]{0,2}))?)?", re.ASCII)
MOST_PERIODS = 150
_MOST_OPEN_DIGITS = 4
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
_CQL_BOX = re.compile(
    r"\bBBOX\s*\(\s*([A-Za-z][\w:]*|\"[^\"]*\")\s*,([-+.0-9\s,eE]*?)(?:,\s*('[^']*'|\"[^\"]*\")\s*)?\)", re.IGNORECASE
)
_SORTABLE = "dc:identifier, dc:title, dc:type, dc:date, dct:modified, apiso:Denominator, apiso:DistanceValue"


def property_of(name: str, locator: str) -> Queryable | Special:
    """``missing``: an element of csw:Record that no record here has, so NULL. Raises CswError for an unknown name."""
    if name.startswith(OWN_PREFIX):
        queryable = find(name.removeprefix(OWN_PREFIX))
    else:
        meaning = CSW_QUERYABLES.get(local(name))
        for special in get_args(Special):
            if meaning == special:
                special_name: Special = special
                return special_name
        if meaning is None and local(name) in ELEMENTS:
            return "missing"
        queryable = _CSW_ONLY.get(meaning or "") or find(meaning or name.rsplit(":", 1)[-1])
    if queryable is None or queryable.kind == "person":
        names = ", ".join((*SUPPORTED, *ADDITIONAL))
        message = f"there is no property {name[:60]!r}; there are {names}"
        raise CswError("InvalidParameterValue", message, locator)
    return queryable


def unzoned(text: str) -> str:
    """The day of an ``xs:date`` with a zone, ``2006-01-01Z``; other texts as they are."""
    match = _ZONED.fullmatch(text.strip())
    return match[1] if match else text


def periods(pattern: str) -> list[str]:
    """The years, months or days that begin as the pattern says: ``200_-10-%`` are ten months.

    ``pattern``: ``_`` is one digit, ``%`` the rest. Raises ValueError for another pattern, and for too many periods.
    """
    match = _PATTERN.fullmatch(pattern.rstrip("%").rstrip("-"))
    parts = [] if match is None else [part for part in match.groups() if part]
    while len(parts) > 1 and set(parts[-1]) == {"_"}:
        parts.pop()
    widths = (4, 2, 2)[: len(parts)]
    if not parts or (len(parts[-1]) < widths[-1] and not pattern.endswith("%")):
        raise ValueError("is compared with dates: a pattern begins with the year, as 2006-05-% does")
    filled = [part.ljust(width, "_") for part, width in zip(parts, widths, strict=True)]
    if sum(part.count("_") for part in filled) > _MOST_OPEN_DIGITS:
        raise ValueError(f"is compared with a pattern of more than {_MOST_OPEN_DIGITS} open digits")
    dates = ["-".join(digits) for digits in product(*map(_numbers, filled)) if _exists(*map(int, digits))]
    if not 0 < len(dates) <= MOST_PERIODS:
        raise ValueError(f"is compared with a pattern that names no date, or more than {MOST_PERIODS} periods")
    return dates


def _numbers(part: str) -> Iterator[str]:
    """``0_`` as ``00`` to ``09``."""
    return ("".join(digits) for digits in product(*("0123456789" if digit == "_" else digit for digit in part)))


def _exists(year: int, month: int = 1, day: int = 1) -> bool:
    try:
        return bool(date(year, month, day))
    except ValueError:
        return False


def clause_of_condition(tree: Json, has_words: bool, negated: bool) -> Clause:
    """Raises CswError and InvalidInput."""
    names = list(_names(tree.get("args", [])))
    if len(names) != 1:
        raise _wrong("a condition compares one property with values")
    args, name = list(tree["args"]), names[0]
    op = _IN_CQL2.get(str(tree["op"]).lower(), str(tree["op"]))
    queryable = property_of(name, "constraint")
    if op.lower() in RELATIONS and not (isinstance(queryable, Queryable) and queryable.kind == "geometry"):
        raise _wrong(f"{name[:60]} is no geometry; ows:BoundingBox is one")
    if isinstance(queryable, Queryable):
        condition = _condition(op, args, replace(queryable, name=name[:60]))
        return clause_of({"op": "not", "args": [condition]} if negated else condition)
    if op not in OPERATORS and op.lower() not in OPERATORS:
        raise _wrong(f"{op[:60]} is not supported")
    return _special_clause(queryable, op, args, has_words, negated)


def _names(node: Expression) -> Iterator[str]:
    """The properties in the arguments, in their order; within arithmetic there is none."""
    for argument in node if isinstance(node, list) else ():
        if isinstance(argument, dict) and "property" in argument:
            yield str(argument["property"])
        elif isinstance(argument, dict) and argument.get("op") == "casei":
            yield from _names(argument.get("args"))


def _condition(op: str, args: list[Expression], queryable: Queryable) -> Expression:
    if queryable.kind != "exact":  # numbers and dates have no case, and words are found in any
        args = list(map(without_casei, args))
    if op == "like" and queryable.kind == "instant" and isinstance(args[-1], str):
        if not args[-1].strip("%"):
            return {"op": "not", "args": [{"op": "isNull", "args": [{"property": queryable}]}]}
        try:
            return {"op": "in", "args": [{"property": queryable}, periods(args[-1])]}
        except ValueError as error:
            raise _wrong(f"{queryable.name} {error}") from None
    if queryable.kind == "geometry" and op not in ("isNull", *RELATIONS):
        raise _wrong(f"{queryable.name} is a geometry: compare it by BBOX, Intersects, Within, Contains or Disjoint")
    return {"op": op, "args": [_argument(node, queryable) for node in args]}


def _argument(node: Expression, queryable: Queryable) -> Expression:
    """With the property itself in the place of its name; a literal of XML as what the property compares."""
    if isinstance(node, dict):
        if "property" in node:
            return {"property": queryable}
        return {key: _argument(value, queryable) for key, value in node.items()}
    if isinstance(node, list):
        return [_argument(inner, queryable) for inner in node]
    if isinstance(node, str) and queryable.kind in ("instant", "interval"):
        return unzoned(node)
    return _as_number(node) if isinstance(node, str) and queryable.kind == "number" else node


def _as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _special_clause(special: Special, op: str, args: list[Expression], has_words: bool, negated: bool) -> Clause:
    present = _PRESENT[special]
    if op == "isNull":
        return present if negated else {"bool": {"must_not": [present]}}
    if op == "<>":
        return _special_clause(special, "=", args, has_words, not negated)
    if special == "missing":
        return present
    clause = _either_id(op, args) if special == IDENTIFIER else _word_clause(special, op, args, has_words)
    return {"bool": {"filter": [present], "must_not": [clause]}} if negated else clause


def _either_id(op: str, args: list[Expression]) -> Clause:
    (property_name,) = _names(args)
    queryables = [replace(QUERYABLES[name], name=property_name[:60]) for name in ("id", "externalIds")]
    return any_of(*(clause_of(_condition(op, args, queryable)) for queryable in queryables))


def _word_clause(special: Special, op: str, args: list[Expression], has_words: bool) -> Clause:
    """Words between wildcards stand side by side; a wildcard inside a word counts as its end."""
    (name,) = _names(args)
    texts = [node for node in map(without_casei, args) if isinstance(node, str)]
    if op not in ("like", "=") or len(texts) != 1:
        raise _wrong(f"{name[:60]} is compared with a text, by PropertyIsLike or PropertyIsEqualTo")
    terms = [part.strip() for part in _WILD.split(texts[0]) if part.strip()]
    if not terms:
        return _PRESENT[special]
    if special == ABSTRACT:
        phrases: list[Clause] = [{"match_phrase": {"abstract": term}} for term in terms]
        return {"bool": {"filter": phrases}}
    return {"bool": {"filter": [selected(Selection(terms=(term,)), has_words) for term in terms]}}


def _wrong(message: str) -> CswError:
    return CswError("InvalidParameterValue", message, "constraint")


def clause_for(constraint: etree._Element | str, has_words: bool) -> Clause:
    """``has_words``: whether the records have all their words in one field. Raises CswError."""
    try:
        tree = parse(_CQL_BOX.sub(_box_in_cql2, constraint)) if isinstance(constraint, str) else tree_of(constraint)
        return _clause(tree, has_words, False)
    except InvalidInput as error:
        message = str(error).replace("filter:", "constraint:", 1)
        raise CswError("InvalidParameterValue", message, "constraint") from None


def _box_in_cql2(match: re.Match[str]) -> str:
    """``BBOX(ows:BoundingBox, w, s, e, n, 'EPSG:n')`` of CQL 1 and ECQL as CQL2 has it, in degrees."""
    numbers, system = match[2], match[3]
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
    return f"S_INTERSECTS({match[1]}, BBOX({numbers}))"


def for_ids(ids: tuple[str, ...]) -> Clause:
    """Records with one of these as the service's id, or as the catalogue's identifier."""
    return any_of({"terms": {"id": list(ids)}}, {"terms": {"identifiers": list(ids)}})


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
    name = key.removeprefix("-")
    queryable = property_of(name, "SortBy")
    if queryable == IDENTIFIER:
        return f"{key[: -len(name)]}id"
    if not isinstance(queryable, Queryable) or not queryable.sortable:
        raise CswError("InvalidParameterValue", f"cannot sort by {name[:60]!r}; it can by {_SORTABLE}", "SortBy")
    return f"{key[: -len(name)]}{queryable.name}"


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
        inside = [_clause(argument, has_words, negated) for argument in args]
        return {"bool": {"filter": inside}} if (op == "and") is not negated else any_of(*inside)
    return clause_of_condition(tree, has_words, negated)
