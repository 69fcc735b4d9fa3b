"""How an operator's portal looks: its name, texts, colours, pictures, and who may embed its search."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask, current_app

from core.json_types import Json

_EXTENSION = "sonde.portal"
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
        """Scheme, host and port, as in a Content-Security-Policy."""
        parts = urlsplit(self.template)
        return f"{parts.scheme}://{parts.netloc}"

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
            "logo": f"page/{logo}" if logo else None,
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


def register(app: Flask, look: PortalLook) -> None:
    app.extensions[_EXTENSION] = look


def current_look() -> PortalLook:
    """The look of the app that answers the request."""
    look: PortalLook = current_app.extensions[_EXTENSION]
    return look
