"""Checks the parameters of a listing once and makes a ``ListRequest``."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from core.reference_systems import read_reference_system
from search_api.catalogue.catalogues import Catalogue
from search_api.catalogue.listing import ListRequest, Selection
from search_api.catalogue.listing_facets import PATTERN, facet_requests
from search_api.http.parameters import (
    LONGEST_QUERY,
    MOST_VALUES,
    SEPARATED,
    Cursor,
    FlatBoxParameter,
    Ids,
    Parameters,
    SpanText,
    Text,
    Tokens,
    plain_number,
    printable,
    read_datetime,
    read_flat_bbox,
    split_values,
)
from search_api.search.filtering.cql2 import LONGEST_FILTER, Language, parse
from search_api.search.filtering.translate import clause_of, in_degrees
from search_api.search.order import SORTBY_PATTERN, kinds_of, read_position, read_sortby
from search_api.search.retrieval.clauses import Clause

LARGEST_PAGE = 1000

Limit = Annotated[
    int,
    Field(
        ge=1,
        description=f"A larger one than {LARGEST_PAGE} is lowered to it.",
        json_schema_extra={"maximum": LARGEST_PAGE},
    ),
]


def _known_system(name: str) -> str:
    read_reference_system(name)
    return name


System = Annotated[
    str,
    AfterValidator(_known_system),
    Field(max_length=200, examples=["http://www.opengis.net/def/crs/OGC/1.3/CRS84", "EPSG:25832"]),
]


def _filter_language(name: object) -> object:
    return "cql2-text" if name in ("cql-text", "", None) else name


class ItemsParameters(Parameters):
    """Parameters for the items of a catalogue. Several values of one parameter mean any of them."""

    q: Annotated[str, AfterValidator(printable)] = Field(
        "",
        max_length=LONGEST_QUERY,
        description="Words of a record: a comma means or; words next to each other must occur in that order.",
        examples=["soil moisture,evaporation"],
    )
    bbox_crs: System | None = Field(None, alias="bbox-crs", description="The reference system of `bbox`.")
    bbox: FlatBoxParameter | None = Field(
        None, description="west,south,east,north (or six numbers), degrees WGS 84; west > east crosses 180 degrees."
    )
    datetime: SpanText | None = Field(None, description="An instant or `start/end`, ISO 8601, `..` for an open end.")
    type: Tokens = Field(default=[], description="dataset, series, service, document, ...")
    ids: Ids = Field(default=[], description="Ids of records.")
    externalIds: Ids = Field(default=[], description="DOIs or file identifiers.")  # noqa: N815 - OGC's name
    filter: str | None = Field(
        None,
        max_length=LONGEST_FILTER,
        description="CQL2 over the queryables.",
        examples=["type = 'dataset' AND S_INTERSECTS(geometry, BBOX(5,47,15,55))"],
    )
    filter_lang: Annotated[Language, BeforeValidator(_filter_language)] = Field("cql2-text", alias="filter-lang")
    filter_crs: System | None = Field(
        None, alias="filter-crs", description="The reference system of the geometries in `filter`."
    )
    sortby: Text | None = Field(
        None,
        json_schema_extra={"pattern": SORTBY_PATTERN},
        description="`+title,-updated`: sortables; a minus means descending.",
    )
    facets: Annotated[
        list[Annotated[str, Field(pattern=f"^{PATTERN}$", max_length=80)]] | None,
        BeforeValidator(lambda values: None if values is None else split_values(values)),
        Field(json_schema_extra={**SEPARATED}),
    ] = Field(
        None,
        max_length=MOST_VALUES,
        description="Facets to count, of /facets: `name:buckets:order`. Empty: none. Default: some, on the first page.",
        examples=["keywords:20:value_asc,organisation:10,type"],
    )
    limit: Limit = 10
    cursor: Cursor | None = Field(None, description="From the `next` link.")
    f: Literal["json", "html"] | None = Field(None, description="Default: the `Accept` header decides.")

    @field_validator("bbox", mode="before")
    @classmethod
    def _box_in_degrees(cls, box: object, info: ValidationInfo) -> object:
        name = info.data.get("bbox_crs")
        if not name or box is None:
            return box
        text = ",".join(map(str, box)) if isinstance(box, list) else str(box)
        numbers = [plain_number(number) for number in text.split(",")]
        flat = [numbers[position] for position in (0, 1, 3, 4)] if len(numbers) == 6 else numbers
        if len(flat) != 4:
            raise ValueError("needs four or six numbers")
        first, second, third, fourth = flat
        return ",".join(map(repr, read_reference_system(name).box(first, second, third, fourth)))


def read_filter(text: str | None, language: Language, system: str | None = None) -> tuple[Clause, ...]:
    """``system``: the reference system of its geometries. Raises InvalidInput for an invalid filter."""
    if not text:
        return ()
    tree = parse(text, language)
    return (clause_of(tree if system is None else in_degrees(tree, read_reference_system(system))),)


def to_list_request(query: ItemsParameters, catalogue: Catalogue) -> ListRequest:
    """Raises InvalidInput for an invalid filter, order or cursor."""
    selection = Selection(
        source=catalogue.source,
        terms=tuple(term.strip() for term in query.q.split(",") if term.strip()),
        area=read_flat_bbox(query.bbox) if query.bbox else None,
        span=read_datetime(query.datetime) if query.datetime else None,
        types=tuple(query.type),
        ids=tuple(query.ids),
        external_ids=tuple(query.externalIds),
        also=read_filter(query.filter, query.filter_lang, query.filter_crs),
    )
    order = read_sortby(query.sortby) if query.sortby else ()
    after = None
    if query.cursor is not None:
        after = read_position(query.cursor, question(query, catalogue), kinds_of(order))
    facets = facet_requests(query.facets, is_first_page=after is None)
    return ListRequest(selection, order, min(query.limit, LARGEST_PAGE), after, facets)


def question(query: ItemsParameters, catalogue: Catalogue) -> str:
    """Everything that decides the records and their order; the page size may change between pages."""
    values = query.model_dump(mode="json", exclude={"cursor", "limit", "f", "facets"})
    return json.dumps([catalogue.id, values], sort_keys=True)
