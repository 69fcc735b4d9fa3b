"""``GET /search``."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, ConfigDict, Field

from search_api.parameters import SearchParameters, cursor_for, to_request
from search_api.parts import Parts
from search_api.problems import Problem
from search_api.views import geojson

GEOJSON = "application/geo+json"


class SearchAnswer(BaseModel):
    """A GeoJSON FeatureCollection (OGC API - Records items), best hit first."""

    model_config = ConfigDict(title="SearchAnswer")

    type: str = "FeatureCollection"
    features: list[dict[str, Any]] = Field(description="Records with `sonde:score` and `sonde:signals` beside them.")
    numberMatched: int = Field(description="Size of the fused candidate window; paging ends there.")  # noqa: N815 - OGC
    numberReturned: int  # noqa: N815 - OGC's name
    links: list[dict[str, Any]]
    interpretation: dict[str, Any] = Field(alias="sonde:interpretation")
    degraded: list[str] = Field(alias="sonde:degraded", description="Signals that were down for this answer.")
    took_ms: dict[str, float] = Field(alias="sonde:took_ms")


def search_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("search", __name__, abp_tags=[Tag(name="search", description="Ranked search")])

    @api.get(
        "/search",
        summary="Ranked search over all records",
        responses={200: SearchAnswer, 400: Problem, 503: Problem},
    )
    def search(query: SearchParameters) -> Response:
        answer = parts.search.search(to_request(query))
        body = geojson.collection(answer, _links(query, len(answer.found), answer.matched))
        response = jsonify(body)
        response.mimetype = GEOJSON
        return response

    return api


def _links(query: SearchParameters, returned: int, matched: int) -> list[dict[str, str]]:
    base = request.base_url
    asked = [(name, value) for name, value in request.args.items(multi=True) if name != "cursor"]
    links = [{"rel": "self", "type": GEOJSON, "href": request.url}]
    end = to_request(query).offset + returned
    if returned and end < matched:
        following = urlencode([*asked, ("cursor", cursor_for(query, end))])
        links.append({"rel": "next", "type": GEOJSON, "href": f"{base}?{following}"})
    return links
