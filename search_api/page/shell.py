"""The search page: how an operator's portal looks, and the HTML around the bundle that ``web/`` builds."""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from cachetools import TTLCache
from flask import Flask, Response, current_app, json, request

from core.errors import NotFound, Unavailable, WrongFile
from core.json_types import Json

_EXTENSION = "sonde.portal"
_DOCUMENTS = "sonde.portal.documents"
_DOCUMENT_CHECK_S = 300.0
_ACCENT_INK = {"light": "#ffffff", "dark": "#0c141a"}

_COARSEST_DEG = 180 / 256
"""Degrees of a pixel at zoom 0: the world is two tiles of 256 pixels (OGC's WorldCRS84Quad)."""


@dataclass(frozen=True, slots=True)
class BaseLayer:
    """Tiles below the map, on plate carrée. ``template``: a tile's address with ``{z}``, ``{x}`` and ``{y}``.

    Zooms: 0 is the whole world as two tiles of 256 pixels.
    """

    name: str
    attribution: str
    attribution_url: str | None
    template: str
    min_zoom: int
    max_zoom: int

    @property
    def origin(self) -> str:
        return _origin(self.template)

    def for_script(self) -> Json:
        """What the page's script reads; each grid as name, degrees per pixel, upper left corner, and sizes in pixels
        and tiles.
        """
        return {
            "name": self.name,
            "attribution": self.attribution,
            "attributionUrl": self.attribution_url,
            "template": self.template,
            "grids": [
                [str(zoom), _COARSEST_DEG / 2**zoom, -180.0, 90.0, 256, 256, 2 * 2**zoom, 2**zoom]
                for zoom in range(self.min_zoom, self.max_zoom + 1)
            ],
        }


@dataclass(frozen=True, slots=True)
class SignIn:
    """An issuer of OpenID Connect where the page's users sign in; ``client`` is the page's name there."""

    issuer: str
    client: str
    scopes: tuple[str, ...]

    @property
    def origin(self) -> str:
        """Where the page fetches tokens: the issuer's scheme, host and port."""
        return _origin(self.issuer)


def _origin(address: str) -> str:
    """Scheme, host and port, as in a Content-Security-Policy."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


@dataclass(frozen=True, slots=True)
class PortalLook:
    """Empty means Sonde's own. ``accents``: a colour for ``light`` and ``dark``; ``links``: text and address each;
    ``start_map``: west, south, east, north.

    ``files``: what is served below ``/page/`` in place of the bundle's, by name (``logo.svg``, ``favicon.ico``,
    ``font.woff2``).
    """

    name: str = "Sonde"
    tagline: str = ""
    intro: str = ""
    footer: str = ""
    links: tuple[tuple[str, str], ...] = ()
    accents: dict[str, str] = field(default_factory=dict)
    font: str = ""
    start_map: tuple[float, float, float, float] | None = None
    files: dict[str, Path] = field(default_factory=dict)
    frame_ancestors: tuple[str, ...] = ()
    while_typing: bool = True
    base_layer: BaseLayer | None = None
    saves: frozenset[str] = frozenset()
    """How saved searches tell what is new: `feed`, `mail`; empty if none are saved here."""
    sign_in: SignIn | None = None
    key_help: str = ""
    """Who gives a key."""
    layer_hosts: tuple[str, ...] = ()
    """Origins whose services the page may draw on a record's map."""

    def file(self, kind: str) -> str | None:
        """The name of the operator's ``logo``, ``favicon`` or ``font``; None if there is none."""
        return next((name for name in self.files if name.partition(".")[0] == kind), None)

    def for_script(self) -> Json:
        """What the page's script reads."""
        logo = self.file("logo")
        return {
            "name": self.name,
            "tagline": self.tagline,
            "intro": self.intro,
            "footer": self.footer,
            "links": [{"title": title, "href": href} for title, href in self.links],
            "startMap": self.start_map,
            "whileTyping": self.while_typing,
            "saves": sorted(self.saves),
            "baseLayer": None if self.base_layer is None else self.base_layer.for_script(),
            "layerHosts": list(self.layer_hosts),
            "logo": f"page/{logo}" if logo else None,
            "signIn": None if self.sign_in is None else asdict(self.sign_in),
            "keyHelp": self.key_help,
        }

    def style(self) -> str:
        """The style sheet with the operator's colours and font; empty without them."""
        font = self.file("font")
        rules = [f'@font-face {{ font-family: "portal"; src: url("{font}"); font-display: swap; }}'] if font else []
        if family := ", ".join(filter(None, ('"portal"' if font else "", self.font))):
            rules.append(f"body {{ font-family: {family}, system-ui, sans-serif; }}")
        if light := self.accents.get("light"):
            rules.append(f":root {{ {_colours(light, 'light')} }}")
        if dark := self.accents.get("dark"):
            rules.append(f':root[data-theme="dark"] {{ {_colours(dark, "dark")} }}')
            rules.append(
                "@media (prefers-color-scheme: dark) { "
                f':root:not([data-theme="light"]) {{ {_colours(dark, "dark")} }} }}'
            )
        return "\n".join(rules)


def _colours(accent: str, scheme: str) -> str:
    return f"--accent: {accent}; --hit: {accent}; --accent-ink: {_ACCENT_INK[scheme]};"


class DocumentCheck:
    """Whether there is a public document to ask; asks ``has_documents`` again after some minutes."""

    def __init__(self, has_documents: Callable[[], bool]) -> None:
        self._has_documents = has_documents
        self._answers: TTLCache[str, bool] = TTLCache(1, _DOCUMENT_CHECK_S)

    def __call__(self) -> bool:
        """Also where nobody can say."""
        known = self._answers.get("")
        if known is not None:
            return known
        try:
            answer = self._has_documents()
        except Unavailable:
            return True
        self._answers[""] = answer
        return answer


def register_portal(app: Flask, look: PortalLook, has_documents: Callable[[], bool]) -> None:
    """Raises nothing where ``has_documents`` raises Unavailable."""
    app.extensions[_EXTENSION] = look
    app.extensions[_DOCUMENTS] = DocumentCheck(has_documents)


def current_look() -> PortalLook:
    """The look of the app that answers the request."""
    look: PortalLook = current_app.extensions[_EXTENSION]
    return look


_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:{tiles}{layers}",
        "font-src 'self'",
        "connect-src 'self'{issuer}{layers}",
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
_NEEDS_SCRIPT = re.compile(r"\s*<noscript>.*?</noscript>", re.DOTALL)
_OPENSEARCH = '<link rel="search" type="application/opensearchdescription+xml" href="opensearch.xml" title="{name}">'
_ROOMS = {"/ask": "ask", "/library/documents": "library", "/harvest/sources": "harvest", "/curation/<kind>": "desk"}
"""The page's rooms besides the search, by the route that each needs."""
_ASK_OWN = "ask-own"
"""Without public documents: only users who sign in have something to ask."""


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
    text = _bytes("index.html").decode("utf-8").replace(_BASE, root, 1).replace(_ICON, look_links(), 1)
    search = _OPENSEARCH.format(name=html.escape(look.name))
    named = f"<title>{html.escape(title or look.name)}</title>{search}{_rooms()}{_for_script(look)}{head}"
    text = text.replace(_TITLE, named, 1).replace(_FIRST, body, 1)
    if body != _FIRST:
        text = _NEEDS_SCRIPT.sub("", text)
    return with_page_policy(Response(text, status=status, mimetype="text/html"), embedded_in=embedded_in, look=look)


def bundle_file(name: str) -> Response:
    """The operator's file of this name, else the bundle's. Raises NotFound."""
    portal_file = _portal_file(current_look(), name)
    if portal_file is not None:
        return portal_file
    if name not in _names() or name == "index.html":
        raise NotFound(f"{name}: no such file of the page")
    response = with_page_policy(Response(_bytes(name), mimetype=_MEDIA_TYPES[PurePosixPath(name).suffix]))
    response.vary.add("Accept-Encoding")
    if request.accept_encodings["gzip"]:
        response.set_data(_gzip(name))
        response.headers["Content-Encoding"] = "gzip"
    if _HASHED.search(name):  # another content has another name
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


def _portal_file(look: PortalLook, name: str) -> Response | None:
    """The operator's style sheet, logo, icon or font."""
    if name == _STYLE:
        content = look.style().encode()
    elif name in look.files:
        path = look.files[name]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise WrongFile(f"The file {path.name} of the portal cannot be read: {error.strerror}.") from error
    else:
        return None
    return with_page_policy(Response(content, mimetype=_MEDIA_TYPES[PurePosixPath(name).suffix]))


def look_links() -> str:
    """The icon and the operator's style sheet, as markup."""
    look = current_look()
    style = f'<link rel="stylesheet" href="page/{_STYLE}">' if look.style() else ""
    return f'<link rel="icon" href="page/{look.file("favicon") or "favicon.svg"}">{style}'


def _for_script(look: PortalLook) -> str:
    """The operator's texts for the script, and the site's name for social cards."""
    texts = html.escape(json.dumps(look.for_script(), sort_keys=False))
    site = f'<meta property="og:site_name" content="{html.escape(look.name)}">'
    return f'<meta name="sonde-portal" content="{texts}">{site}'


def _rooms() -> str:
    routes = {rule.rule for rule in current_app.url_map.iter_rules()}
    rooms = [name for route, name in _ROOMS.items() if route in routes]
    if not current_app.extensions[_DOCUMENTS]():
        rooms = [_ASK_OWN if room == "ask" else room for room in rooms]
    return f'<meta name="sonde-rooms" content="{" ".join(rooms)}">'


def with_page_policy(
    response: Response, *, embedded_in: Sequence[str] = (), look: PortalLook | None = None
) -> Response:
    """The answer with a page's policy: only resources from here are loaded or run, besides map tiles, layers and tokens
    from the hosts of ``look``; only pages of the origins ``embedded_in`` may frame it.
    """
    tiles = f" {look.base_layer.origin}" if look is not None and look.base_layer is not None else ""
    issuer = f" {look.sign_in.origin}" if look is not None and look.sign_in is not None else ""
    layers = "".join(f" {host}" for host in look.layer_hosts) if look is not None else ""
    ancestors = " ".join(embedded_in) or "'none'"
    policy = _POLICY.format(ancestors=ancestors, tiles=tiles, issuer=issuer, layers=layers)
    response.headers["Content-Security-Policy"] = policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "no-cache"  # names are stable across versions: the ETag changes
    return response


@cache
def _names() -> frozenset[str]:
    return frozenset(file.name for file in resources.files("search_api.page").joinpath("bundle").iterdir())


@cache
def _bytes(name: str) -> bytes:
    return resources.files("search_api.page").joinpath("bundle", name).read_bytes()


@cache
def _gzip(name: str) -> bytes:
    return gzip.compress(_bytes(name), mtime=0)
