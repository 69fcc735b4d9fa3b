"""``GET /``: the way in, as links for programs and as a page with one search field for people."""

from __future__ import annotations

from importlib import resources

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel

from search_api.parts import Parts

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
        base = request.url_root.rstrip("/")
        links = [("self", "/", "This page"), ("service-desc", "/api", "OpenAPI 3.1"), ("search", "/search", "Search")]
        return jsonify(
            title="Sonde",
            description=f"Search for geoscience and environmental data catalogues, version {parts.version}",
            links=[{"rel": rel, "href": base + path, "title": title} for rel, path, title in links],
        )

    @api.get("/page.js", doc_ui=False)
    def script() -> Response:
        return _page("page.js", _PAGES["page.js"])

    @api.get("/page.css", doc_ui=False)
    def style() -> Response:
        return _page("page.css", _PAGES["page.css"])

    return api


def _page(name: str, media_type: str) -> Response:
    text = resources.files("search_api").joinpath("views", "pages", name).read_text("utf-8")
    response = Response(text, mimetype=media_type)
    response.headers["Content-Security-Policy"] = _CSP
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
