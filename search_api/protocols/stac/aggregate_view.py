"""STAC API: counts of items (Aggregation extension)."""

from __future__ import annotations

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field, model_validator

from core.json_types import Json
from search_api.http.addresses import JSON, Addresses, link
from search_api.http.documented import PROBLEMS, WITH_NOT_FOUND
from search_api.http.parameter_types import NoParameters, Text, Tokens
from search_api.parts import Parts
from search_api.protocols.stac.aggregations import AGGREGATIONS, aggregation_body, asked_aggregations, read_aggregations
from search_api.protocols.stac.parameters import StacFilters, StacFiltersBody, stac_selection
from search_api.protocols.stac.paths import StacCollectionPath, collection_named


class AggregateQuery(StacFilters):
    """Counts by GET."""

    aggregations: Tokens = Field(default=[], description="Names of /stac/aggregations.", examples=["total_count"])


class AggregateBody(StacFiltersBody):
    """Counts by POST."""

    aggregations: list[Text] = Field(default=[])

    @model_validator(mode="after")
    def _as_by_get(self) -> AggregateBody:
        self.as_query()
        return self

    def as_query(self) -> AggregateQuery:
        """The same as GET parameters. Raises ValueError for an invalid value."""
        return AggregateQuery.model_validate(self.as_parameters())


class AggregationsOffered(BaseModel):
    """The aggregations that can be asked for."""

    aggregations: list[Json]
    links: list[Json]


class AggregationCollection(BaseModel):
    """The asked counts."""

    type: str = "AggregationCollection"
    aggregations: list[Json]
    links: list[Json]


def stac_aggregate_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("stac_aggregate", __name__, abp_tags=[Tag(name="stac", description="STAC API")])

    @api.get("/stac/aggregations", summary="Counts that can be asked for", responses={200: AggregationsOffered})
    def offered(query: NoParameters) -> Response:  # noqa: ARG001
        return _offered(Addresses.of(parts), "/stac")

    @api.get(
        "/stac/collections/<collection>/aggregations",
        summary="Counts that can be asked for in a collection",
        responses={200: AggregationsOffered, **WITH_NOT_FOUND},
    )
    def offered_in(path: StacCollectionPath, query: NoParameters) -> Response:  # noqa: ARG001
        return _offered(Addresses.of(parts), f"/stac/collections/{collection_named(parts, path.collection).id}")

    @api.get("/stac/aggregate", summary="Counts of items", responses={200: AggregationCollection, **PROBLEMS})
    def aggregate(query: AggregateQuery) -> Response:
        return _counted(parts, query, None)

    @api.post("/stac/aggregate", summary="Counts by POST", responses={200: AggregationCollection, **PROBLEMS})
    def aggregate_by_body(body: AggregateBody) -> Response:
        return _counted(parts, body.as_query(), None)

    @api.get(
        "/stac/collections/<collection>/aggregate",
        summary="Counts of a collection's items",
        responses={200: AggregationCollection, **WITH_NOT_FOUND},
    )
    def aggregate_in(path: StacCollectionPath, query: AggregateQuery) -> Response:
        return _counted(parts, query, collection_named(parts, path.collection).id)

    return api


def _offered(addresses: Addresses, below: str) -> Response:
    links = [link("self", addresses.to(f"{below}/aggregations"), JSON), link("root", addresses.to("/stac"), JSON)]
    return jsonify(aggregations=[one.described() for one in AGGREGATIONS.values()], links=links)


def _counted(parts: Parts, query: AggregateQuery, collection: str | None) -> Response:
    asked = asked_aggregations(query.aggregations)
    selection = stac_selection(query, collection)
    answer = parts.records.search(aggregation_body(selection, asked, parts.records.has_words))
    addresses = Addresses.of(parts)
    links = [link("self", addresses.this(), JSON), link("root", addresses.to("/stac"), JSON)]
    return jsonify(type="AggregationCollection", aggregations=read_aggregations(answer, asked), links=links)
