"""``/``, the page's own addresses, and errors as pages for people."""

from __future__ import annotations

import html
import json

from flask import Flask, Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.json_types import JsonMapping
from search_api.http.addresses import GEOJSON, JSON, Addresses, Link, link
from search_api.http.openapi import MEDIA_TYPE, MEDIA_TYPE_30, answer_as
from search_api.http.parameters import refuse_unknown
from search_api.page.plain_page import HTML, FormParameters, wants_html
from search_api.page.portal import current_look
from search_api.page.shell import bundle_file, page
from search_api.parts import Parts

_PROBLEM = "application/problem+json"
_KEPT_HEADERS = ("WWW-Authenticate", "Retry-After", "Allow")
_TITLES = {404: "There is nothing at this address", 503: "The service is not ready"}
_HELP = {404: "The address may be mistyped, or what was here may have been removed.", 503: "Try again in a moment."}
"""For readers without a script; the page says the same in the reader's language."""


class Landing(BaseModel):
    """OGC API's landing page."""

    title: str
    description: str
    links: list[dict[str, str]]


def landing_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("landing", __name__, abp_tags=[Tag(name="landing", description="Landing page")])

    @api.get("/", summary="Landing page", responses={200: answer_as(JSON, Landing, HTML)})
    def landing() -> Response:
        """The page reads its own address, so only the links refuse unknown parameters."""
        if wants_html(request.args.get("f")):
            return page()
        refuse_unknown(FormParameters)
        return jsonify(
            title=current_look().name,
            description=f"Search for geoscience and environmental data catalogues, version {parts.version}",
            links=landing_links(Addresses.of(parts.http)),
        )

    return api


def landing_links(addresses: Addresses) -> list[Link]:
    """Every entry point that a standard defines."""
    return [
        link("self", addresses.to("/"), JSON, "This page"),
        link("alternate", addresses.to("/"), "text/html", "The search page"),
        link("service-desc", addresses.to("/api", [("f", "oas30")]), MEDIA_TYPE_30, "OpenAPI 3.0"),
        link("service-desc", addresses.to("/api"), MEDIA_TYPE, "OpenAPI 3.1"),
        link("service-doc", addresses.to("/docs"), "text/html", "The API to browse"),
        link("conformance", addresses.to("/conformance"), JSON, "Conformance classes"),
        link("http://www.opengis.net/def/rel/ogc/1.0/conformance", addresses.to("/conformance"), JSON),
        link("data", addresses.to("/collections"), JSON, "Catalogues"),
        link("http://www.opengis.net/def/rel/ogc/1.0/data", addresses.to("/collections"), JSON),
        link("http://www.opengis.net/def/rel/ogc/1.0/ogc-catalog", addresses.collection("all"), JSON, "All records"),
        link("related", addresses.to("/documents"), GEOJSON, "Documents"),
        link("search", addresses.to("/search"), GEOJSON, "Ranked search"),
        link("search", addresses.to("/opensearch.xml"), "application/opensearchdescription+xml", "OpenSearch"),
        link("related", addresses.to("/stac"), JSON, "STAC API"),
        link("related", addresses.to("/oai", [("verb", "Identify")]), "text/xml", "OAI-PMH"),
        link(
            "related",
            addresses.to("/csw", [("service", "CSW"), ("request", "GetCapabilities")]),
            "application/xml",
            "CSW 2.0.2",
        ),
        link("related", addresses.to("/dcat"), "text/turtle", "DCAT feed"),
        link("sitemap", addresses.to("/sitemap.xml"), "application/xml", "Sitemap"),
    ]


_ROOMS = {"/sources": "sources", "/desk": "desk", "/answers": "answers", "/my-documents": "documents"}


class PageFile(BaseModel):
    """A file of the bundle."""

    name: str = Field(max_length=100)


class SourcePage(BaseModel):
    """A source's page for stewards."""

    source: str = Field(max_length=200)


class PagePart(BaseModel):
    """A part of the stewards' desk, or of the user's own documents."""

    part: str = Field(max_length=500)


def page_views() -> APIBlueprint:
    """The bundle's files, and addresses whose content the page's script loads."""
    api = APIBlueprint("page", __name__, doc_ui=False)

    @api.get("/page/<name>")
    def file(path: PageFile) -> Response:
        return bundle_file(path.name)

    @api.get("/embed")
    def embed() -> Response:
        """The search for a frame in other pages."""
        return page('<meta name="sonde-embedded" content="yes">', embedded_in=current_look().frame_ancestors)

    for path, endpoint in _ROOMS.items():
        api.add_url_rule(path, endpoint, page)

    @api.get("/sources/<source>")
    def source(path: SourcePage) -> Response:  # noqa: ARG001 - the page reads its own address
        return page()

    @api.get("/desk/<path:part>")
    def desk_part(path: PagePart) -> Response:  # noqa: ARG001
        return page()

    @api.get("/my-documents/<path:part>")
    def documents_part(path: PagePart) -> Response:  # noqa: ARG001
        return page()

    return api


def register_error_page(app: Flask) -> None:
    """Turns every problem into a page if a browser asked."""

    @app.after_request
    def readable(response: Response) -> Response:
        if response.mimetype != _PROBLEM or request.method not in ("GET", "HEAD"):
            return response
        response.vary.add("Accept")
        if request.args.get("f") not in (None, "html") or not wants_html(None):
            return response
        return _error_page(response)


def _error_page(refused: Response) -> Response:
    problem = json.loads(refused.get_data(as_text=True))
    status = refused.status_code
    title = _TITLES.get(status, str(problem["title"]))
    detail = str(problem.get("detail", "")) if status not in _HELP else _HELP[status]
    shown = page(
        _problem_for_script(status, problem),
        f"<h1>{html.escape(title)}</h1><p>{html.escape(detail)}</p>"
        f'<p class="soft">{html.escape(request.path)}: {status} {html.escape(str(problem["title"]))}</p>'
        '<p><a href="./">To the search</a> · <a href="collections?f=html">Catalogues</a> · '
        '<a href="docs">The API</a></p>',
        title=title,
        status=status,
    )
    for name in _KEPT_HEADERS:
        if name in refused.headers:
            shown.headers[name] = refused.headers[name]
    shown.vary.add("Accept")
    return shown


def _problem_for_script(status: int, problem: JsonMapping) -> str:
    """The problem for the page's script; a 404's sentence is the page's own."""
    members = {name: problem[name] for name in ("detail", "parameter") if name in problem and status not in _HELP}
    return f'<meta name="sonde-problem" content="{html.escape(json.dumps({"status": status, **members}))}">'
