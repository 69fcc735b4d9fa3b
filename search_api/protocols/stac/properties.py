"""The properties of an Item that a client may filter and sort by, and the queryables behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.errors import InvalidInput
from core.json_types import Json
from search_api.search.filtering.cql2 import Expression
from search_api.search.filtering.literals import shown
from search_api.search.filtering.queryables import QUERYABLES, Queryable, schema_of

_NAMES = {
    "id": "id",
    "collection": "source",
    "geometry": "geometry",
    "datetime": "time",
    "title": "title",
    "license": "license",
    "created": "created",
    "updated": "updated",
    "platform": "platform",
    "instruments": "instrument",
    "gsd": "resolution",
    "keywords": "keywords",
    "processing:level": "processingLevel",
    "sci:doi": "externalIds",
    "sonde:type": "type",
}
_SINGLE = frozenset(("platform", "sci:doi"))
"""Several values in a record; an Item has room for one."""

_SORT_BY_TIME = replace(QUERYABLES["time"], sortable=True)
STAC_QUERYABLES: dict[str, Queryable] = {name: QUERYABLES[own] for name, own in _NAMES.items()}
STAC_SORTABLES: dict[str, Queryable] = {
    name: _SORT_BY_TIME if name == "datetime" else one
    for name, one in STAC_QUERYABLES.items()
    if one.sortable or name == "datetime"
}


def schemas_of(offered: Mapping[str, Queryable]) -> dict[str, Json]:
    """The properties as JSON Schema, under their names in an Item."""
    return {name: schema_of(replace(one, many=one.many and name not in _SINGLE)) for name, one in offered.items()}


def plain_name(name: str) -> str:
    """``properties.gsd`` is ``gsd``."""
    return name.removeprefix("properties.")


def in_our_names(tree: Expression, parameter: str) -> Expression:
    """The tree of a filter with our names of the properties. Raises InvalidInput for an unknown one."""
    if isinstance(tree, list):
        return [in_our_names(one, parameter) for one in tree]
    if not isinstance(tree, Mapping):
        return tree
    name = tree.get("property")
    if isinstance(name, str):
        return {"property": _our_name(name, parameter)}
    return {key: in_our_names(one, parameter) for key, one in tree.items()}


def _our_name(name: str, parameter: str) -> str:
    found = _NAMES.get(plain_name(name))
    if found is None:
        known = ", ".join(STAC_QUERYABLES)
        raise InvalidInput(parameter, f"{parameter}: there is no property {shown(name)!r}; there are {known}")
    return found
