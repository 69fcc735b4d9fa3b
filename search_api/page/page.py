"""The web page: the bundle that ``web/`` builds, with its addresses."""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from flask import Response, current_app, json, request
from flask_openapi import APIBlueprint
from pydantic import BaseModel, Field

from core.document import document_of_record
from core.errors import NotFound, SondeError, Unavailable, WrongFile
from core.record import Record
from search_api.catalogue.item_formats import OCTETS, alternates_header, item_links
from search_api.catalogue.signposting import landing_links
from search_api.formats_out import record_html, schema_org
from search_api.http.addresses import Addresses, Link
from search_api.page.base_layer.tiles import BaseLayer
from search_api.page.portal import PortalLook, current_look
from search_api.parts import Parts

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:{tiles}",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors {ancestors}",
    )
)
_MEDIA_TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".txt": "text/plain",
}
_BASE = '<base href="/">'
_TITLE = "<title>Sonde</title>"
_ICON = '<link rel="icon" href="page/favicon.svg">'
_HASHED = re.compile(r"-[A-Z0-9]{8}\.js$")
_STYLE = "portal.css"
_FIRST = '<p class="first">Sonde</p>'
_OPENSEARCH = '<link rel="search" type="application/opensearchdescription+xml" href="opensearch.xml" title="{name}">'
_ROOMS = {"/ask": "ask", "/library/documents": "library", "/harvest/sources": "harvest", "/curation/<kind>": "desk"}
"""The page's rooms besides the search, by the route that each needs."""


class PageFile(BaseModel):
    """A file of the bundle."""

    name: str = Field(max_length=100)


class SourcePage(BaseModel):
    """A source's page for stewards."""

    source: str = Field(max_length=200)


class DeskPage(BaseModel):
    """A part of the stewards' desk."""

    part: str = Field(max_length=500)


class LibraryPage(BaseModel):
    """A part of the user's own documents."""

    part: str = Field(max_length=500)


class RecordPage(BaseModel):
    """A record's page."""

    record: str = Field(max_length=512)


def page_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("page", __name__, doc_ui=False)

    @api.get("/page/<name>")
    def file(path: PageFile) -> Response:
        return _file(path.name)

    @api.get("/records/<record>")
    def record(path: RecordPage) -> Response:
        """Returns 404 or 503 itself; the page then shows the reason in the reader's language. A document has a page of
        its own.
        """
        document = document_of_record(path.record)
        if document is not None:
            address = Addresses.of(parts).to(f"/documents/{quote(document, safe='')}")
            return Response(status=302, headers={"Location": address})
        try:
            found = parts.records.record(path.record, None).record
        except (NotFound, Unavailable) as error:
            return page(status=_status(error))
        return record_page(found, Addresses.of(parts))

    @api.get("/embed")
    def embed() -> Response:
        """The search for a frame in other pages."""
        return page('<meta name="sonde-embedded" content="yes">', embedded_in=current_look().frame_ancestors)

    _shells(api)
    return api


def _shells(api: APIBlueprint) -> None:
    """Views whose content the script loads."""

    @api.get("/sources")
    def sources() -> Response:
        return page()

    @api.get("/sources/<source>")
    def source(path: SourcePage) -> Response:  # noqa: ARG001 - the page reads its own address
        return page()

    @api.get("/desk")
    def desk() -> Response:
        return page()

    @api.get("/desk/<path:part>")
    def desk_part(path: DeskPage) -> Response:  # noqa: ARG001 - the page reads its own address
        return page()

    @api.get("/answers")
    def answers() -> Response:
        return page()

    @api.get("/my-documents")
    def documents() -> Response:
        return page()

    @api.get("/my-documents/<path:part>")
    def documents_part(path: LibraryPage) -> Response:  # noqa: ARG001 - the page reads its own address
        return page()


def page(
    head: str = "",
    body: str = _FIRST,
    *,
    title: str | None = None,
    status: int = 200,
    embedded_in: Sequence[str] = (),
) -> Response:
    """The page's HTML below this service's root, with ``head`` added to its head; ``body`` is shown until the script
    runs.

    Both are markup. Only pages of the origins ``embedded_in`` may frame it.
    """
    root = f'<base href="{html.escape(request.script_root)}/">'
    look = current_look()
    layer = look.base_layer()
    text = _bytes("index.html").decode("utf-8").replace(_BASE, root, 1).replace(_ICON, look_links(), 1)
    search = _OPENSEARCH.format(name=html.escape(look.name))
    named = f"<title>{html.escape(title or look.name)}</title>{search}{_rooms()}{_said(look, layer)}{head}"
    text = text.replace(_TITLE, named, 1).replace(_FIRST, body, 1)
    return kept_apart(Response(text, status=status, mimetype="text/html"), embedded_in=embedded_in, layer=layer)


def _file(name: str) -> Response:
    """The operator's file of this name, else the bundle's. Raises NotFound."""
    own = _own_file(current_look(), name)
    if own is not None:
        return own
    if name not in _names() or name == "index.html":
        raise NotFound(f"{name}: no such file of the page")
    response = kept_apart(_packed(Response(_bytes(name), mimetype=_MEDIA_TYPES[PurePosixPath(name).suffix]), name))
    if _HASHED.search(name):  # another content has another name
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


def _operators(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise WrongFile(f"The file {path.name} of the portal cannot be read: {error.strerror}.") from error


def _own_file(look: PortalLook, name: str) -> Response | None:
    """The operator's style sheet, logo, icon or font."""
    if name == _STYLE:
        content = look.style().encode()
    elif name in look.files:
        content = _operators(look.files[name])
    else:
        return None
    return kept_apart(Response(content, mimetype=_MEDIA_TYPES[PurePosixPath(name).suffix]))


def look_links() -> str:
    """The icon and the operator's style sheet, as markup."""
    look = current_look()
    style = f'<link rel="stylesheet" href="page/{_STYLE}">' if look.style() else ""
    return f'<link rel="icon" href="page/{look.file("favicon") or "favicon.svg"}">{style}'


def _said(look: PortalLook, layer: BaseLayer | None) -> str:
    """The operator's texts for the script, and the site's name for social cards."""
    said = html.escape(json.dumps(look.said(layer), sort_keys=False))
    site = f'<meta property="og:site_name" content="{html.escape(look.name)}">'
    return f'<meta name="sonde-portal" content="{said}">{site}'


def _card(title: str, text: str, address: str, picture: str | None) -> str:
    """How social networks and messengers show a link to the page (Open Graph)."""
    said = {"og:type": "website", "og:title": title, "og:description": text, "og:url": address}
    if picture is not None:
        said["og:image"] = picture
    return "".join(f'<meta property="{name}" content="{html.escape(value)}">' for name, value in said.items())


def record_page(record: Record, addresses: Addresses) -> Response:
    """A record's page, readable and with its schema.org description before any script has run."""
    others = [one for one in item_links(record, addresses) if one["rel"] == "alternate" and one["type"] != "text/html"]
    body = record_html.article(record, [(one["href"], one["title"]) for one in others])
    response = page(_described(record, addresses, others), body, title=record.title or record.id)
    metadata = [
        (one["href"], one["type"]) for one in others if one["type"] != OCTETS
    ]  # the original's is not known here
    posts = landing_links(record, metadata)
    response.headers["Link"] = ", ".join([alternates_header(record, addresses.item(record), "html"), *posts])
    return response


def _described(record: Record, addresses: Addresses, others: Iterable[Link]) -> str:
    """The record for crawlers as schema.org; ``<`` is escaped, so that no text can end the element."""
    said = json.dumps(schema_org.dataset(record, addresses.item(record)), sort_keys=False).replace("<", "\\u003c")
    alternates = "".join(
        f'<link rel="alternate" type="{html.escape(one["type"])}" href="{html.escape(one["href"])}">' for one in others
    )
    text, address = record_html.summary(record.abstract), addresses.record_page(record.id)
    picture = next((one.href for one in record.links if one.rel == "preview"), None)
    return (
        f'<meta name="description" content="{html.escape(text)}">'
        f"{_card(record.title or record.id, text, address, picture)}"
        f'<link rel="canonical" href="{html.escape(address)}">'
        f'{alternates}<script type="application/ld+json">{said}</script>'
    )


def _rooms() -> str:
    routes = {rule.rule for rule in current_app.url_map.iter_rules()}
    return f'<meta name="sonde-rooms" content="{" ".join(name for route, name in _ROOMS.items() if route in routes)}">'


def _status(error: SondeError) -> int:
    return 404 if isinstance(error, NotFound) else 503


def kept_apart(response: Response, *, embedded_in: Sequence[str] = (), layer: BaseLayer | None = None) -> Response:
    """The answer with a page's policy: only resources from here are loaded or run, besides pictures from the host of
    ``layer``; only pages of the origins ``embedded_in`` may frame it.
    """
    tiles = "" if layer is None else f" {layer.origin}"
    policy = _POLICY.format(ancestors=" ".join(embedded_in) or "'none'", tiles=tiles)
    response.headers["Content-Security-Policy"] = policy
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
    return frozenset(one.name for one in resources.files("search_api.page").joinpath("bundle").iterdir())


@cache
def _bytes(name: str) -> bytes:
    return resources.files("search_api.page").joinpath("bundle", name).read_bytes()


@cache
def _gzipped(name: str) -> bytes:
    return gzip.compress(_bytes(name), mtime=0)
