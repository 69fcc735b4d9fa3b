"""A constraint (Filter 1.1 or CQL text) and ids as clauses of a listing.

Uses three-valued logic, as the house's translator does: a record without the property passes neither a comparison nor
its negation, so ``not`` is pushed down to the conditions.
"""

from __future__ import annotations

import re

from lxml import etree

from core.errors import InvalidInput
from search_api.catalogue.listing.query import any_of
from search_api.catalogue.listing.request import Clause, SortKey
from search_api.http.parameter_types import plain_number
from search_api.protocols.csw.boxes import in_degrees, system_of
from search_api.protocols.csw.condition import clause_of_condition
from search_api.protocols.csw.errors import CswError
from search_api.protocols.csw.filter_xml import tree_of
from search_api.protocols.csw.names import IDENTIFIER
from search_api.protocols.csw.properties import property_of
from search_api.search.filtering.cql2 import Expression, parse
from search_api.search.filtering.queryables import Queryable
from search_api.search.filtering.translate import clause_of
from search_api.search.order import read_sortby

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
