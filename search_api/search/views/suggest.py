"""``GET /suggest``: completions of a half-typed question."""

from __future__ import annotations

from typing import Annotated

from flask import Response, json, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import AfterValidator, BaseModel, Field

from core.json_types import Json
from search_api.http.openapi import PROBLEMS
from search_api.http.parameters import Parameters, printable
from search_api.http.responses import Addresses
from search_api.parts import Parts
from search_api.search.suggester import Suggestions

OPENSEARCH_SUGGESTIONS = "application/x-suggestions+json"


class SuggestParameters(Parameters):
    """The text typed so far."""

    q: Annotated[str, AfterValidator(printable)] = Field(
        max_length=200, description="The text typed so far.", examples=["rainf"]
    )
    limit: int = Field(6, ge=1, le=20, description="Maximum number of each kind.")


class SuggestAnswer(BaseModel):
    """Completions, best first within each kind."""

    q: str
    titles: list[Json] = Field(description="Records: title, id, href.")
    keywords: list[Json] = Field(description="Terms with the number of records that have them.")
    names: list[Json] = Field(
        description="Products, platforms, instruments, projects, organisations, people: name, kind, count."
    )
    places: list[Json] = Field(description="Name, kind, bbox, country.")


def suggest_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("suggest", __name__, abp_tags=[Tag(name="search", description="Ranked search")])

    @api.get("/suggest", summary="Completions while typing", responses={200: SuggestAnswer, **PROBLEMS})
    def suggest(query: SuggestParameters) -> Response:
        suggestions = parts.suggester.suggest(query.q, query.limit)
        return jsonify(q=query.q, **_suggestions_json(suggestions, Addresses.of(parts.http)))

    @api.get("/suggest/opensearch", doc_ui=False)
    def opensearch(query: SuggestParameters) -> Response:
        """The browser's format: the typed text and a flat list."""
        suggestions = parts.suggester.suggest(query.q, query.limit)
        words = [
            *(suggestion.term for suggestion in suggestions.keywords),
            *(suggestion.title for suggestion in suggestions.titles),
        ]
        return Response(json.dumps([query.q, words[: query.limit]]), mimetype=OPENSEARCH_SUGGESTIONS)

    return api


def _suggestions_json(suggestions: Suggestions, addresses: Addresses) -> Json:
    return {
        "titles": [
            {"title": title.title, "id": title.id, "href": addresses.collection(title.source, f"/items/{title.id}")}
            for title in suggestions.titles
        ],
        "keywords": [{"term": keyword.term, "count": keyword.count} for keyword in suggestions.keywords],
        "names": [{"name": name.name, "kind": name.kind, "count": name.count} for name in suggestions.names],
        "places": [
            {"name": place.name, "kind": place.kind, "bbox": place.bbox.as_list(), "country": place.country}
            for place in suggestions.places
        ],
    }
