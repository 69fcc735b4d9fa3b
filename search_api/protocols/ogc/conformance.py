"""``GET /conformance``: only what holds. ``docs/portals/standards.md`` names the tests of each class."""

from __future__ import annotations

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel

from search_api.http.addresses import JSON
from search_api.http.openapi import answer_as
from search_api.http.problems import Problem
from search_api.page.plain_page import HTML, FormParameters, conformance_html, plain_page, wants_html

_COMMON = "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf"
_COMMON_2 = "http://www.opengis.net/spec/ogcapi-common-2/1.0/conf"
_FEATURES = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf"
_FILTERING = "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf"
_TRANSACTIONS = "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf"
_RECORDS = "http://www.opengis.net/spec/ogcapi-records-1/1.0/conf"
_CQL2 = "http://www.opengis.net/spec/cql2/1.0/conf"
_STAC = "https://api.stacspec.org/v1.0.0"

_CHANGING = (
    f"{_TRANSACTIONS}/create-replace-delete",
    f"{_TRANSACTIONS}/update",
    f"{_TRANSACTIONS}/optimistic-locking-etags",
)
_CQL2_CLASSES = (
    f"{_CQL2}/cql2-text",
    f"{_CQL2}/cql2-json",
    f"{_CQL2}/basic-cql2",
    f"{_CQL2}/advanced-comparison-operators",
    f"{_CQL2}/basic-spatial-functions",
)
CLASSES = (
    f"{_COMMON}/core",
    f"{_COMMON}/landing-page",
    f"{_COMMON}/json",
    f"{_COMMON}/html",
    f"{_COMMON}/oas30",
    f"{_COMMON_2}/collections",
    f"{_FEATURES}/core",
    f"{_FEATURES}/geojson",
    f"{_FEATURES}/html",
    f"{_FEATURES}/oas30",
    f"{_FILTERING}/queryables",
    f"{_FILTERING}/filter",
    f"{_FILTERING}/features-filter",
    *_CHANGING,
    f"{_RECORDS}/record-core",
    f"{_RECORDS}/record-collection",
    f"{_RECORDS}/record-core-query-parameters",
    f"{_RECORDS}/record-api",
    f"{_RECORDS}/searchable-catalog",
    f"{_RECORDS}/searchable-catalog-sorting",
    f"{_RECORDS}/searchable-catalog-filtering",
    f"{_RECORDS}/sorting",
    f"{_RECORDS}/json",
    f"{_RECORDS}/html",
    f"{_RECORDS}/oas30",
    *_CQL2_CLASSES,
)
STAC_CLASSES = (
    f"{_STAC}/core",
    f"{_STAC}/collections",
    f"{_STAC}/ogcapi-features",
    f"{_STAC}/item-search",
    f"{_STAC}-rc.3/item-search#filter",
    f"{_STAC}/item-search#sort",
    f"{_STAC}/ogcapi-features#sort",
    f"{_STAC}/item-search#fields",
    f"{_STAC}/ogcapi-features#fields",
    f"{_STAC}/item-search#query",
    f"{_STAC}/ogcapi-features#query",
    f"{_STAC}-rc.1/item-search#free-text",
    f"{_STAC}-rc.1/ogcapi-features#free-text",
    f"{_STAC}-rc.1/collection-search",
    f"{_STAC}-rc.1/collection-search#free-text",
    f"{_STAC}-rc.1/collection-search#filter",
    "https://api.stacspec.org/v1.1.0/collection-search#sort",
    f"{_STAC}-rc.1/collection-search#fields",
    f"{_COMMON_2}/simple-query",
    f"{_STAC}-rc.2/children",
    f"{_STAC}/ogcapi-features/extensions/transaction",
    *_CHANGING,
    "https://api.stacspec.org/v0.3.0/aggregation",
    "https://api.stacspec.org/v0.3.0/aggregation#query",
    "https://api.stacspec.org/v0.3.0/aggregation#filter",
    f"{_FEATURES}/core",
    f"{_FEATURES}/geojson",
    f"{_FILTERING}/queryables",
    f"{_FILTERING}/filter",
    f"{_FILTERING}/features-filter",
    *_CQL2_CLASSES,
)


class Conformance(BaseModel):
    """The conformance classes of this service."""

    conformsTo: list[str]  # noqa: N815 - OGC's name


def conformance_views() -> APIBlueprint:
    api = APIBlueprint("conformance", __name__, abp_tags=[Tag(name="landing", description="Landing page")])

    @api.get(
        "/conformance",
        summary="Conformance classes",
        responses={200: answer_as(JSON, Conformance, HTML), 400: Problem},
    )
    def conformance(query: FormParameters) -> Response:
        if wants_html(query.f):
            return plain_page("Conformance classes", conformance_html(CLASSES))
        return jsonify(conformsTo=list(CLASSES))

    return api
