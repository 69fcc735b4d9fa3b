"""The web page: the bundle that ``web/`` builds, with its addresses."""

from __future__ import annotations

import gzip
import html
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import PurePosixPath

from flask import Response, current_app, json, request
from flask_openapi import APIBlueprint
from pydantic import BaseModel, Field

from core.errors import NotFound, SondeError, Unavailable
from core.record import Record
from search_api.formats_out import record_html, schema_org
from search_api.parts import Parts
from search_api.views.addresses import Addresses, Link
from search_api.views.item_formats import alternates_header, item_links

_CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
_MEDIA_TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".txt": "text/plain",
}
_BASE = '<base href="/">'
_TITLE = "<title>Sonde</title>"
_FIRST = '<p class="first">Sonde</p>'
_OPENSEARCH = '<link rel="search" type="application/opensearchdescription+xml" href="opensearch.xml" title="Sonde">'
_ROOMS = {"/ask": "ask", "/library/documents": "library", "/harvest/sources": "harvest"}
"""The page's rooms besides the search, by the route that each needs."""


class PageFile(BaseModel):
    """A file of the bundle."""

    name: str = Field(max_length=100)


class SourcePage(BaseModel):
    """A source's page for stewards."""

    source: str = Field(max_length=200)


class RecordPage(BaseModel):
    """A record's page."""

    record: str = Field(max_length=512)


def page_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("page", __name__, doc_ui=False)

    @api.get("/page/<name>")
    def file(path: PageFile) -> Response:
        if path.name not in _names() or path.name == "index.html":
            raise NotFound(f"{path.name}: no such file of the page")
        response = Response(_bytes(path.name), mimetype=_MEDIA_TYPES[PurePosixPath(path.name).suffix])
        return kept_apart(_packed(response, path.name))

    @api.get("/records/<record>")
    def record(path: RecordPage) -> Response:
        """Returns 404 or 503 itself; the page then shows the reason in the reader's language."""
        try:
            found = parts.records.record(path.record, None).record
        except (NotFound, Unavailable) as error:
            return page(status=_status(error))
        return record_page(found, Addresses.of(parts))

    @api.get("/sources")
    def sources() -> Response:
        return page()

    @api.get("/sources/<source>")
    def source(path: SourcePage) -> Response:  # noqa: ARG001 - the page reads its own address
        return page()

    @api.get("/answers")
    def answers() -> Response:
        return page()

    @api.get("/my-documents")
    def documents() -> Response:
        return page()

    return api


def page(head: str = "", body: str = _FIRST, *, title: str = "Sonde", status: int = 200) -> Response:
    """The page's HTML below this service's root, with ``head`` added to its head; ``body`` is shown until the script
    runs.

    Both are markup.
    """
    root = f'<base href="{html.escape(request.script_root)}/">'
    text = _bytes("index.html").decode("utf-8").replace(_BASE, root, 1)
    named = f"<title>{html.escape(title)}</title>{_OPENSEARCH}{_rooms()}{head}"
    text = text.replace(_TITLE, named, 1).replace(_FIRST, body, 1)
    return kept_apart(Response(text, status=status, mimetype="text/html"))


def record_page(record: Record, addresses: Addresses) -> Response:
    """A record's page, readable and with its schema.org description before any script has run."""
    others = [one for one in item_links(record, addresses) if one["rel"] == "alternate" and one["type"] != "text/html"]
    body = record_html.article(record, [(one["href"], one["title"]) for one in others])
    response = page(_described(record, addresses, others), body, title=record.title or record.id)
    response.headers["Link"] = alternates_header(addresses.item(record), "html")
    return response


def _described(record: Record, addresses: Addresses, others: Iterable[Link]) -> str:
    """The record for crawlers as schema.org; ``<`` is escaped, so that no text can end the element."""
    said = json.dumps(schema_org.dataset(record, addresses.item(record)), sort_keys=False).replace("<", "\\u003c")
    alternates = "".join(
        f'<link rel="alternate" type="{html.escape(one["type"])}" href="{html.escape(one["href"])}">' for one in others
    )
    return (
        f'<meta name="description" content="{html.escape(record_html.summary(record.abstract))}">'
        f'<link rel="canonical" href="{html.escape(addresses.record_page(record.id))}">'
        f'{alternates}<script type="application/ld+json">{said}</script>'
    )


def _rooms() -> str:
    routes = {rule.rule for rule in current_app.url_map.iter_rules()}
    return f'<meta name="sonde-rooms" content="{" ".join(name for route, name in _ROOMS.items() if route in routes)}">'


def _status(error: SondeError) -> int:
    return 404 if isinstance(error, NotFound) else 503


def kept_apart(response: Response) -> Response:
    """The answer with a page's policy: only resources from here are loaded or run."""
    response.headers["Content-Security-Policy"] = _CSP
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "no-cache"  # names are stable across versions: the ETag changes
    return response


def _packed(response: Response, name: str) -> Response:
    response.vary.add("Accept-Encoding")
    if request.accept_encodings["gzip"]:
        response.set_data(_gzipped(name))
        response.headers["Content-Encoding"] = "gzip"
    return response


@cache
def _names() -> frozenset[str]:
    return frozenset(one.name for one in resources.files("search_api").joinpath("views", "pages").iterdir())


@cache
def _bytes(name: str) -> bytes:
    return resources.files("search_api").joinpath("views", "pages", name).read_bytes()


@cache
def _gzipped(name: str) -> bytes:
    return gzip.compress(_bytes(name), mtime=0)
