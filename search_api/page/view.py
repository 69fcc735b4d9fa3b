"""``/`` and the page's own addresses."""

from __future__ import annotations

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from search_api.http.openapi import MEDIA_TYPE, MEDIA_TYPE_30, answer_as
from search_api.http.parameters import refuse_unknown
from search_api.http.responses import GEOJSON, JSON, Addresses, Link, link
from search_api.page.plain_page import HTML, FormParameters, wants_html
from search_api.page.portal import current_look
from search_api.page.shell import bundle_file, page
from search_api.parts import Parts


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
