"""Parses STAC's item search, by GET and by POST, into a ``ListRequest``, and its properties to filter and sort by."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, field_validator, model_validator

from core.errors import InvalidInput
from core.json_types import Json
from search_api.catalogue.listing import ListRequest, Selection
from search_api.catalogue.listing_parameters import LARGEST_PAGE, Limit
from search_api.formats_out.notations import EXPRESSIBLE
from search_api.formats_out.stac import ASSET_RELS
from search_api.http.parameters import (
    Cursor,
    FlatBoxParameter,
    Ids,
    MomentText,
    Parameters,
    Text,
    Tokens,
    read_datetime,
    read_flat_bbox,
)
from search_api.search.filtering import literals
from search_api.search.filtering.cql2 import Expression, Language, checked, parse
from search_api.search.filtering.literals import short_text
from search_api.search.filtering.queryables import QUERYABLES, Queryable, schema_of
from search_api.search.filtering.translate import clause_of
from search_api.search.order import MOST_KEYS, SortKey, kinds_of, read_position
from search_api.search.retrieval.clauses import Clause, span_clause

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
    name: _SORT_BY_TIME if name == "datetime" else queryable
    for name, queryable in STAC_QUERYABLES.items()
    if queryable.sortable or name == "datetime"
}

_MOST_CONDITIONS = 50


def schemas_of(queryables: Mapping[str, Queryable]) -> dict[str, Json]:
    """The properties as JSON Schema, under their names in an Item."""
    return {
        name: schema_of(replace(queryable, many=queryable.many and name not in _SINGLE))
        for name, queryable in queryables.items()
    }


def plain_name(name: str) -> str:
    """``properties.gsd`` is ``gsd``."""
    return name.removeprefix("properties.")


def in_our_names(tree: Expression, parameter: str) -> Expression:
    """The tree of a filter with our names of the properties. Raises InvalidInput for an unknown one."""
    if isinstance(tree, list):
        return [in_our_names(node, parameter) for node in tree]
    if not isinstance(tree, Mapping):
        return tree
    name = tree.get("property")
    if isinstance(name, str):
        return {"property": _our_name(name, parameter)}
    return {key: in_our_names(node, parameter) for key, node in tree.items()}


def _our_name(name: str, parameter: str) -> str:
    our_name = _NAMES.get(plain_name(name))
    if our_name is None:
        names = ", ".join(STAC_QUERYABLES)
        raise InvalidInput(parameter, f"{parameter}: there is no property {short_text(name)!r}; there are {names}")
    return our_name


def read_query(text: str) -> Expression:
    """``{"gsd": {"lte": 30}}`` as a CQL2 tree with STAC's names. Raises InvalidInput (parameter ``query``)."""
    try:
        query = json.loads(text)
    except (ValueError, RecursionError):
        raise _wrong_query("is not JSON") from None
    if not isinstance(query, dict):
        raise _wrong_query('is not an object {"property": {"operator": value}}')
    conditions = list(_conditions(query))
    if len(conditions) > _MOST_CONDITIONS:
        raise _wrong_query(f"has more than {_MOST_CONDITIONS} conditions")
    return {"op": "and", "args": conditions} if conditions else True


def _conditions(query: Mapping[str, object]) -> Iterator[Expression]:
    for name, operators in query.items():
        if not isinstance(operators, dict):
            raise _wrong_query(f'{name[:60]} needs operators: {{"eq": value}}')
        for operator, value in operators.items():
            if operator not in _OPERATORS:
                raise _wrong_query(f"{operator[:60]} is not an operator; there are {', '.join(_OPERATORS)}")
            yield _OPERATORS[operator]({"property": name}, value)


def _comparison(op: str) -> Callable[[Expression, object], Expression]:
    return lambda property, value: {"op": op, "args": [property, value]}


def _like(before: str, after: str) -> Callable[[Expression, object], Expression]:
    """A text with anything before or after it; CQL2's wildcards in the text are only characters."""

    def like(property: Expression, value: object) -> Expression:
        if not isinstance(value, str):
            raise _wrong_query("startsWith, endsWith and contains compare texts")
        escaped = "".join(f"\\{character}" if character in "%_\\" else character for character in value)
        return {"op": "like", "args": [property, f"{before}{escaped}{after}"]}

    return like


_OPERATORS: dict[str, Callable[[Expression, object], Expression]] = {
    "eq": _comparison("="),
    "neq": _comparison("<>"),
    "lt": _comparison("<"),
    "lte": _comparison("<="),
    "gt": _comparison(">"),
    "gte": _comparison(">="),
    "startsWith": _like("", "%"),
    "endsWith": _like("%", ""),
    "contains": _like("%", "%"),
    "in": _comparison("in"),
}


def _wrong_query(message: str) -> InvalidInput:
    return InvalidInput("query", f"query: {message}")


Numbers = Annotated[list[Annotated[float, Field(strict=True, allow_inf_nan=False)]], Field(min_length=4, max_length=6)]

_CRS84 = Literal["http://www.opengis.net/def/crs/OGC/1.3/CRS84"]
_LONGEST_JSON = 100_000

WITH_ASSETS: tuple[Clause, ...] = ({"terms": {"links.rel": list(ASSET_RELS)}}, span_clause(EXPRESSIBLE))
"""A STAC item is a record with a download and a time that STAC can express."""


class StacFilters(Parameters):
    """What decides which items: the same for item search and aggregation."""

    collections: Tokens = Field(default=[], description="Ids of collections.")
    ids: Ids = Field(default=[], description="Ids of items.")
    bbox: FlatBoxParameter | None = Field(None, description="west,south,east,north or six numbers.")
    datetime: MomentText | None = Field(None, description="An instant (RFC 3339) or `start/end`; `..`: open end.")
    intersects: str | None = Field(None, max_length=_LONGEST_JSON, description="A GeoJSON geometry.")
    q: Tokens = Field(default=[], description="Words or phrases, of which an item contains any.")
    query: str | None = Field(
        None, max_length=_LONGEST_JSON, description='STAC\'s Query extension: `{"gsd": {"lte": 30}}`.'
    )
    filter: str | None = Field(
        None,
        max_length=_LONGEST_JSON,
        description="CQL2 over /stac/queryables.",
        examples=["gsd <= 1000 AND S_INTERSECTS(geometry, BBOX(5,47,15,55))"],
    )
    filter_lang: Language = Field("cql2-text", alias="filter-lang")
    filter_crs: _CRS84 | None = Field(None, alias="filter-crs")

    @field_validator("intersects")
    @classmethod
    def _intersects_is_json(cls, text: str | None) -> str | None:
        try:
            if text is not None:
                json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("is not a GeoJSON geometry") from None
        return text


class StacQuery(StacFilters):
    sortby: Text | None = Field(
        None,
        json_schema_extra={"pattern": "^ *[+-]?[A-Za-z_.:]+( *, *[+-]?[A-Za-z_.:]+)* *$"},
        description="`+title,-datetime`: properties of /stac/sortables; a minus means descending.",
    )
    fields_: Annotated[str, Field(max_length=2000)] | None = Field(
        None, alias="fields", description="Members of the items: `id,gsd,-geometry`; a minus leaves out."
    )
    limit: Limit = 10
    token: Cursor | None = Field(None, description="From the `next` link.")


class SortBy(BaseModel, extra="forbid"):
    """One sort key of a search by POST."""

    field: Text
    direction: Literal["asc", "desc"] = "asc"


class FieldsBody(BaseModel, extra="forbid"):
    """The wanted members of a search by POST."""

    include: list[Text] | None = None
    exclude: list[Text] | None = None


def _as_list(value: object) -> object:
    """Some clients send one text for a list of one."""
    return [value] if isinstance(value, str) else value


_Texts = Annotated[list[Text], BeforeValidator(_as_list)]


class StacFiltersBody(BaseModel, extra="forbid"):
    """The filters as JSON."""

    collections: _Texts = []
    ids: _Texts = []
    bbox: Numbers | None = None
    datetime: Text | None = None
    intersects: Json | None = None
    q: _Texts = []
    query: Json | None = None
    filter: Json | str | bool | None = None
    filter_lang: Language | None = Field(None, alias="filter-lang")
    filter_crs: _CRS84 | None = Field(None, validation_alias=AliasChoices("filter-crs"))

    def as_parameters(self) -> Json:
        """The same as GET parameters, except of what only a search knows."""
        parameters = self.model_dump(exclude_none=True, exclude={"filter_lang", "filter_crs"})
        if self.bbox is not None:
            parameters["bbox"] = ",".join(str(edge) for edge in self.bbox)
        for name in ("intersects", "query", "filter"):
            if isinstance(parameters.get(name), dict | bool):
                parameters[name] = json.dumps(parameters[name])
        if self.filter is not None:
            natural = "cql2-text" if isinstance(self.filter, str) else "cql2-json"
            parameters["filter-lang"] = self.filter_lang or natural
        return parameters


class StacBody(StacFiltersBody):
    """Item search by POST."""

    sortby: list[SortBy] | None = None
    fields_: FieldsBody = Field(FieldsBody(), alias="fields")
    limit: Limit = 10
    token: str | None = Field(None, max_length=2000)

    @model_validator(mode="after")
    def _as_by_get(self) -> StacBody:
        self.as_query()
        return self

    def as_query(self) -> StacQuery:
        """The same as GET parameters. Raises ValueError for an invalid value."""
        parameters = self.as_parameters()
        parameters.pop("fields_", None)
        if self.sortby is not None:
            parameters["sortby"] = ",".join(
                f"{'-' if key.direction == 'desc' else '+'}{key.field}" for key in self.sortby
            )
        if "fields_" in self.model_fields_set:
            left_out = [f"-{name}" for name in self.fields_.exclude or ()]
            parameters["fields"] = ",".join([*(self.fields_.include or ()), *left_out])
        return StacQuery.model_validate(parameters)


def to_stac_request(query: StacQuery, collection: str | None = None) -> ListRequest:
    """Raises InvalidInput for an invalid geometry, filter, order or token."""
    order = _order(query.sortby) if query.sortby else ()
    after = None
    if query.token is not None:
        after = read_position(query.token, stac_question(query, collection), kinds_of(order), "token")
    return ListRequest(stac_selection(query, collection), order, min(query.limit, LARGEST_PAGE), after)


def stac_selection(query: StacFilters, collection: str | None = None) -> Selection:
    """Which items. Raises InvalidInput for an invalid geometry or filter."""
    if query.bbox is not None and query.intersects is not None:
        raise InvalidInput("intersects", "intersects: bbox already names the area; give only one of the two")
    collections = [collection] if collection is not None else query.collections
    source_filter: tuple[Clause, ...] = ({"terms": {"source": collections}},) if collections else ()
    return Selection(
        area=read_flat_bbox(query.bbox) if query.bbox else None,
        span=read_datetime(query.datetime) if query.datetime else None,
        ids=tuple(query.ids),
        terms=tuple(query.q),
        also=(*WITH_ASSETS, *source_filter, *_shape(query), *_filters(query)),
    )


def stac_question(query: StacQuery, collection: str | None) -> str:
    """Everything that decides the items and their order."""
    return json.dumps(
        [collection, query.model_dump(mode="json", exclude={"token", "limit", "fields_"})], sort_keys=True
    )


def _shape(query: StacFilters) -> tuple[Clause, ...]:
    if query.intersects is None:
        return ()
    shape = literals.geometry_of(json.loads(query.intersects), "intersects")
    return ({"geo_shape": {"extent": {"shape": shape, "relation": "intersects"}}},)


def _filters(query: StacFilters) -> tuple[Clause, ...]:
    clauses = []
    if query.filter:
        clauses.append(_clause(parse(query.filter, query.filter_lang, _LONGEST_JSON), "filter"))
    if query.query:
        clauses.append(_clause(checked({"op": "and", "args": [read_query(query.query)]}), "query"))
    return tuple(clauses)


def _clause(tree: Expression, parameter: str) -> Clause:
    try:
        return clause_of(in_our_names(tree, parameter))
    except InvalidInput as error:
        raise InvalidInput(parameter, str(error).replace("filter:", f"{parameter}:", 1)) from None


def _order(text: str) -> tuple[SortKey, ...]:
    """Parses ``+title,-properties.datetime``; an unescaped plus in a URL arrives as a space."""
    keys = []
    for part in map(str.strip, text.split(",")):
        queryable = STAC_SORTABLES.get(plain_name(part.lstrip("+-").strip()))
        if queryable is None:
            raise InvalidInput("sortby", f"sortby: cannot sort by {part!r}; it can by {', '.join(STAC_SORTABLES)}")
        keys.append(SortKey(queryable, part.startswith("-")))
    if len(keys) > MOST_KEYS:
        raise InvalidInput("sortby", f"sortby: takes at most {MOST_KEYS} properties")
    return tuple(keys)
