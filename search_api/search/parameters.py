"""Checks the parameters of ``GET /search`` once and makes a ``SearchRequest``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from core.cells import COARSEST, FINEST, MOST_CELLS, CellView
from core.errors import InvalidInput
from core.geo import WORLD
from core.record import ProvenanceKind
from search_api.formats_out.formats import result_writers
from search_api.http.parameters import (
    LONGEST_QUERY,
    BoxParameter,
    Cursor,
    FilledText,
    OneOf,
    Parameters,
    SpanText,
    Tokens,
    Values,
    filled,
    printable,
    read_bbox,
    read_datetime,
    split_values,
)
from search_api.search.filtering.cql2 import LONGEST_FILTER, Language, area_expression, parse
from search_api.search.filtering.translate import Clause, clause_of
from search_api.search.order import SORTBY_PATTERN, not_ours, read_opaque, read_sortby, write_opaque
from search_api.search.ranking.candidates import Relation, SpatialMode
from search_api.search.request import ALL_PARTS, COUNTED, PERSON, FacetName, Filters, Part, SearchRequest
from search_api.search.retrieval.facets import FACETS


def _facets(values: object) -> Any:
    """Replaces ``all`` with every facet, except those that count for maps and time lines."""
    names = list(dict.fromkeys(split_values(values)))
    return [name for name in FACETS if name not in COUNTED and name != PERSON] if names == ["all"] else names


class SearchParameters(Parameters):
    """Parameters of ``GET /search``. Several values of one filter mean any of them."""

    q: Annotated[str, AfterValidator(printable)] = Field(
        "",
        max_length=LONGEST_QUERY,
        description="The question, in plain words.",
        examples=["rainfall in southern Africa"],
    )
    algorithm: Literal["hybrid", "bm25", "dense", "sbert"] = Field(
        "hybrid", description="`sbert` is another name for `dense`."
    )
    bbox: BoxParameter | None = Field(
        None,
        description="west,south,east,north in degrees WGS 84; west > east crosses the antimeridian.",
        examples=["10,-35,41,-8"],
    )
    geometry: Annotated[str, AfterValidator(filled)] | None = Field(
        None,
        max_length=LONGEST_FILTER,
        description="An area as WKT or GeoJSON, in place of `bbox`.",
        examples=["POLYGON((10 40, 20 40, 15 50, 10 40))"],
    )
    place: FilledText | None = Field(None, description="A place name; its box filters like `bbox`.")
    relation: Relation | None = Field(
        None, description="Relation of the record to the area: `within` is inside it, `contains` covers it."
    )
    datetime: SpanText | None = Field(
        None, description="An instant or `start/end`, ISO 8601, `..` for an open end.", examples=["1990-01-01/.."]
    )
    type: Tokens = Field(default=[], description="dataset, series, service, document, ...")
    source: Tokens = Field(default=[], description="Ids of harvested catalogues.")
    keyword: Values = Field(default=[], description="A complete keyword, in any case.")
    organisation: Values = Field(default=[], description="A contact's organisation, complete, in any case.")
    person: Values = Field(
        default=[],
        description="A contact or author, complete, in any case: `Ada Lovelace` or `Lovelace, Ada`. Repeat it for "
        "several. A service may refuse it, to protect people.",
        examples=["Konrad Steffen"],
    )
    theme: Tokens = Field(default=[], description="Topic category.")
    licence: Values = Field(default=[])
    provenance: Annotated[list[ProvenanceKind], BeforeValidator(split_values)] = Field(
        default=[], description="Kind of product."
    )
    media_type: Values = Field(default=[], description="Media type of one of the record's links.")
    format: Values = Field(default=[], description="Distribution format, in upper or lower case.")
    platform: Values = Field(default=[], description="Satellite, ship, station or mission, complete, in any case.")
    instrument: Values = Field(default=[], description="Instrument, complete, in any case.")
    project: Values = Field(default=[], description="Project or campaign, complete, in any case.")
    variable: Values = Field(default=[], description="Measured or modelled quantity, complete, in any case.")
    processing_level: Values = Field(default=[], description="Level of processing: `L2A`.", examples=["L2A"])
    filter: Annotated[str, AfterValidator(filled)] | None = Field(
        None, max_length=LONGEST_FILTER, description="CQL2 over the queryables of /collections/all/queryables."
    )
    filter_lang: Language = Field("cql2-text", alias="filter-lang")
    facets: Annotated[list[FacetName], BeforeValidator(_facets)] = Field(
        default=[],
        description="Facets to count, or `all`: all but `person`, `cell` and `year`, which have hundreds of values.",
        examples=["type,decade,region"],
    )
    cell_area: BoxParameter | None = Field(
        None,
        description="The part of the world that the facet `cell` counts, as west,south,east,north. It filters nothing.",
        examples=["-10,35,30,60"],
    )
    cell_level: int | None = Field(
        None,
        ge=COARSEST,
        le=FINEST,
        description="The grid of the facet `cell`: cells of 180/2^level degrees. Without it, and at most: the finest "
        f"with {MOST_CELLS} cells in the area. The facet's `level` tells which one was counted.",
    )
    spatial: SpatialMode = Field(
        "blend", description="How place ranks; `hausdorff` orders the best hits by distance only."
    )
    temporal: Literal["on", "off"] = "on"
    expand: Literal["on", "off"] = Field(
        "on", description="Whether to search synonyms and narrower terms too, with low weight."
    )
    rerank: bool = Field(
        True, description="Whether late interaction, and a cross-encoder if one is named, rank the best hits."
    )
    interpret: str = Field(
        "all", description="all, none, or a list of place,time,relation,scale,kind,names,terms,conditions."
    )
    scope: Literal["public", "mine", "both"] = Field(
        "public", description="`mine`: the caller's documents; `both`: documents and records. Needs a key."
    )
    explain: bool = Field(False, description="Explain the rank of each hit.")
    highlight: bool = Field(False, description="Show where the words were found.")
    group: Literal["identity", "none"] = Field(
        "identity",
        description="`identity` shows the same data set of several sources, formats or versions once, as the best of "
        "its records.",
    )
    diversity: Literal["on", "off"] = Field(
        "on", description="Whether to move further records of a series down, so that they do not fill a page."
    )
    spelling: Literal["auto", "off"] = Field(
        "auto",
        description="`auto` answers the question with corrected spelling if the correction is certain: no record has "
        "the word as typed, and a very similar one is common. `sonde:correctedFrom` then holds the original question.",
    )
    sortby: FilledText | None = Field(
        None,
        json_schema_extra={"pattern": SORTBY_PATTERN},
        description="The order of the hits that can be paged, instead of the best first: `-updated`, `+title`, ... "
        "(the sortables of `/collections/all/sortables`). Records without it come last.",
        examples=["-updated"],
    )
    typed: bool = Field(
        False,
        description="The question is still being typed: the query log does not note it. Ask again without `typed` what "
        "the user stays with.",
    )
    distributedSearch: bool = Field(  # noqa: N815 - OGC's name
        False,
        description="Whether the catalogues that the operator chose are asked too; they get the question. Their best "
        "hits are merged into the first page by rank, each with its `sonde:origin`. Filters: `bbox`, `place`, "
        "`datetime` only.",
    )
    federatedCatalogs: Tokens = Field(  # noqa: N815 - OGC's name
        default=[], description="The ids of the catalogues to ask; without it all."
    )
    hopCount: int | None = Field(  # noqa: N815 - OGC's name
        None, ge=0, description="How far the search may go on; with 0 or 1 no other catalogue is asked."
    )
    limit: int = Field(10, ge=1, le=100)
    cursor: Cursor | None = Field(None, description="From the `next` link.")
    f: Annotated[str, OneOf(lambda: ("json", *result_writers(), "html"))] | None = Field(
        None,
        description="`atom`: the search as a feed to subscribe to; `csv`: a table; `bibtex`, `ris`, `csl`: citations; "
        "`html`: the search page. The header `Link` leads to the next page. "
        "Without it a caller that would rather have HTML than JSON gets the page.",
    )

    @field_validator("interpret")
    @classmethod
    def _parts_are_known(cls, text: str) -> str:
        _parts(text)
        return text


def _parts(text: str) -> frozenset[Part]:
    if text in ("all", "none"):
        return ALL_PARTS if text == "all" else frozenset()
    named = {part.strip() for part in text.split(",")}
    if unknown := named - set(get_args(Part)):
        unknown_parts = ", ".join(map(repr, sorted(unknown)))
        raise ValueError(f"does not know {unknown_parts}; it knows all, none, {', '.join(get_args(Part))}")
    return cast(frozenset[Part], frozenset(named))


def _expressions(query: SearchParameters) -> Iterator[Clause]:
    if query.filter:
        yield clause_of(parse(query.filter, query.filter_lang))
    if query.geometry:
        try:
            yield clause_of(area_expression(query.geometry, query.relation or "intersects"))
        except InvalidInput as error:
            message = str(error).removeprefix("filter: ").removeprefix("is not CQL2 text: ")
            raise InvalidInput("geometry", f"geometry: {message}") from error


def to_request(query: SearchParameters) -> SearchRequest:
    """Raises InvalidInput if parameters contradict each other or the cursor is invalid."""
    areas = [name for name in ("bbox", "geometry", "place") if getattr(query, name) is not None]
    if query.relation is not None and not areas:
        raise InvalidInput("relation", "relation: relates a record to an area; name it by bbox, geometry or place")
    if len(areas) > 1:
        raise InvalidInput(areas[1], f"{areas[1]}: {areas[0]} already names the area; give only one of the two")
    filters = Filters(
        area=read_bbox(query.bbox) if query.bbox else None,
        relation=None if query.geometry else query.relation,
        span=read_datetime(query.datetime) if query.datetime else None,
        types=tuple(query.type),
        sources=tuple(query.source),
        keywords=tuple(query.keyword),
        organisations=tuple(query.organisation),
        people=tuple(query.person),
        platforms=tuple(query.platform),
        instruments=tuple(query.instrument),
        projects=tuple(query.project),
        variables=tuple(query.variable),
        processing_levels=tuple(query.processing_level),
        themes=tuple(query.theme),
        licences=tuple(query.licence),
        provenance=tuple(query.provenance),
        media_types=tuple(query.media_type),
        formats=tuple(query.format),
        expression=tuple(_expressions(query)),
    )
    return SearchRequest(
        q=query.q,
        algorithm="dense" if query.algorithm == "sbert" else query.algorithm,
        filters=filters,
        place=query.place,
        interpret=_parts(query.interpret),
        spatial=query.spatial,
        temporal=query.temporal == "on",
        rerank=query.rerank,
        explain=query.explain,
        highlight=query.highlight,
        expand=query.expand == "on",
        group=query.group,
        diversity=query.diversity == "on",
        correct=query.spelling == "auto",
        facets=tuple(query.facets),
        cells=CellView(read_bbox(query.cell_area) if query.cell_area else WORLD, query.cell_level),
        limit=query.limit,
        offset=_offset(query),
        sortby=_order(query.sortby),
    )


def _order(sortby: str | None) -> str | None:
    """Raises InvalidInput for a property that is not sortable."""
    return sortby if sortby and read_sortby(sortby) else None


class _Place(BaseModel):
    """The content of a cursor: the number of previous hits, and a fingerprint of the question."""

    model_config = ConfigDict(strict=True, extra="forbid")

    o: int = Field(ge=0, le=1_000_000)
    q: str


def cursor_for(query: SearchParameters, offset: int) -> str:
    """An opaque position in the answer to this question."""
    return write_opaque({"o": offset, "q": _fingerprint(query)})


def _offset(query: SearchParameters) -> int:
    if query.cursor is None:
        return 0
    try:
        place = _Place.model_validate(read_opaque(query.cursor))
    except ValidationError:
        raise not_ours("cursor") from None
    if place.q != _fingerprint(query):
        raise InvalidInput("cursor", "cursor: belongs to another question; start again without it")
    return place.o


def _fingerprint(query: SearchParameters) -> str:
    """A fingerprint of everything that decides the order; display options may change between pages."""
    display_options = {"cursor", "limit", "explain", "highlight", "facets", "f", "cell_area", "cell_level", "typed"}
    question = query.model_dump(mode="json", exclude=display_options)
    return hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()[:12]
