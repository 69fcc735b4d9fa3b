"""How an operator's portal looks: its name, texts, colours, pictures, and who may embed its search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from flask import Flask, current_app

from core.json_types import Json
from search_api.page.base_layer.live import no_base_layer
from search_api.page.base_layer.tiles import BaseLayer

_EXTENSION = "sonde.portal"
_ACCENT_INK = {"light": "#ffffff", "dark": "#0c141a"}


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
    base_layer: Callable[[], BaseLayer | None] = no_base_layer
    saves: frozenset[str] = frozenset()
    """How saved searches tell what is new: `feed`, `mail`; empty if none are saved here."""

    def file(self, kind: str) -> str | None:
        """The name of the operator's ``logo``, ``favicon`` or ``font``; None if there is none."""
        return next((name for name in self.files if name.partition(".")[0] == kind), None)

    def said(self, layer: BaseLayer | None = None) -> Json:
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
            "baseLayer": None if layer is None else layer.said(),
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
    """That of the app that answers the request."""
    look: PortalLook = current_app.extensions[_EXTENSION]
    return look
