"""``GET /``: the way in, as links for programs and as a page with one search field for people."""

from __future__ import annotations

from importlib import resources

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel

from search_api.parts import Parts
from search_api.views.addresses import GEOJSON, JSON, OPENAPI, Addresses, Link, link

_CSP = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'"
_PAGES = {"page.js": "text/javascript", "page.css": "text/css"}


class Landing(BaseModel):
    """OGC API's landing page."""

    title: str
    description: str
    links: list[dict[str, str]]


def landing_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("landing", __name__, abp_tags=[Tag(name="landing", description="The way in")])

    @api.get("/", summary="Landing page", responses={200: Landing})
    def landing() -> Response:
        if request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html":
            return _page("index.html", "text/html")
        return jsonify(
            title="Sonde",
            description=f"Search for geoscience and environmental data catalogues, version {parts.version}",
            links=landing_links(Addresses.of(parts)),
        )

    @api.get("/page.js", doc_ui=False)
    def script() -> Response:
        return _page("page.js", _PAGES["page.js"])

    @api.get("/page.css", doc_ui=False)
    def style() -> Response:
        return _page("page.css", _PAGES["page.css"])

    return api


def landing_links(addresses: Addresses) -> list[Link]:
    """Every way in that a standard knows."""
    return [
        link("self", addresses.to("/"), JSON, "This page"),
        link("alternate", addresses.to("/"), "text/html", "The search page"),
        link("service-desc", addresses.to("/api"), OPENAPI, "OpenAPI 3.1"),
        link("conformance", addresses.to("/conformance"), JSON, "Conformance classes"),
        link("http://www.opengis.net/def/rel/ogc/1.0/conformance", addresses.to("/conformance"), JSON),
        link("data", addresses.to("/collections"), JSON, "Catalogues"),
        link("http://www.opengis.net/def/rel/ogc/1.0/data", addresses.to("/collections"), JSON),
        link("http://www.opengis.net/def/rel/ogc/1.0/ogc-catalog", addresses.collection("all"), JSON, "All records"),
        link("search", addresses.to("/search"), GEOJSON, "Ranked search"),
        link("search", addresses.to("/opensearch.xml"), "application/opensearchdescription+xml", "OpenSearch"),
        link("related", addresses.to("/stac"), JSON, "STAC API"),
        link("related", addresses.to("/oai", [("verb", "Identify")]), "text/xml", "OAI-PMH"),
        link("related", addresses.to("/dcat"), "text/turtle", "DCAT feed"),
        link("sitemap", addresses.to("/sitemap.xml"), "application/xml", "Sitemap"),
    ]


def _page(name: str, media_type: str) -> Response:
    text = resources.files("search_api").joinpath("views", "pages", name).read_text("utf-8")
    response = Response(text, mimetype=media_type)
    response.headers["Content-Security-Policy"] = _CSP
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
