"""Settings of a portal's look, and their checks: contrast, files, origins."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field, model_validator

LEAST_CONTRAST = 4.5
"""WCAG 2.2, 1.4.3: text of normal size."""

_BACKGROUNDS = {"light": ("#ffffff", "#f4f6f8", "#e4eff4"), "dark": ("#182129", "#10171d", "#1f3440")}
"""The page's surfaces on which links stand (web/src/styles/base.css)."""

_PICTURES = (".svg", ".png")
_ICONS = (".svg", ".png", ".ico")
_PLATE_CARREE = ("EPSG:4326", "CRS84", "OGC:CRS84")
_FINEST_ZOOM = 9
"""Of the page's map."""
_CAPABILITIES = re.compile(r"wmtscapabilities|getcapabilities", re.IGNORECASE)
_HOST = re.compile(r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
"""Nothing that could end a directive of the page's content policy."""


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb``, 0 to 1 (WCAG 2.2)."""
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """1 to 21, symmetric (WCAG 2.2)."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def _readable(colour: str, scheme: str) -> str:
    lowest, background = min((contrast(colour, ground), ground) for ground in _BACKGROUNDS[scheme])
    if lowest < LEAST_CONTRAST:
        raise ValueError(
            f"has a contrast of {lowest:.1f} with the {scheme} background {background}; links need {LEAST_CONTRAST}"
        )
    return colour


def _file(path: Path, endings: tuple[str, ...]) -> Path:
    if path.suffix.lower() not in endings or not path.is_file():
        raise ValueError(f"must be an existing file ending in {' or '.join(endings)}")
    return path


_COLOUR = r"^#[0-9a-fA-F]{6}$"
LightColour = Annotated[str, Field(pattern=_COLOUR), AfterValidator(lambda colour: _readable(colour, "light"))]
DarkColour = Annotated[str, Field(pattern=_COLOUR), AfterValidator(lambda colour: _readable(colour, "dark"))]
Picture = Annotated[Path, AfterValidator(lambda path: _file(path, _PICTURES))]
Icon = Annotated[Path, AfterValidator(lambda path: _file(path, _ICONS))]
Font = Annotated[Path, AfterValidator(lambda path: _file(path, (".woff2",)))]
Language = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
Ancestor = Annotated[str, Field(pattern=r"^(https?://[A-Za-z0-9.*-]+(:(\d{1,5}|\*))?|'self')$")]
LayerHost = Annotated[str, Field(pattern=r"^https?://(\*\.)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:\d{1,5})?$")]
Degrees = tuple[float, float, float, float]


class PortalLink(BaseModel, extra="forbid", frozen=True):
    """A link in the header."""

    title: str = Field(min_length=1, max_length=60)
    url: str = Field(pattern=r"^(https?://|/)\S*$")


class BaseLayerSettings(BaseModel, extra="forbid", frozen=True):
    """Tiles below the hits on the map, by an XYZ template; docs/portals/embed-and-theme.md."""

    name: str = Field(min_length=1, max_length=60, description="Its name, on the switch below the map.")
    attribution: str = Field(min_length=1, max_length=300, description="Its source, shown below the map; required.")
    attribution_url: str = Field("", pattern=r"^(https?://\S*)?$", description="Where the attribution leads.")
    xyz: str = Field(max_length=2000, description="Address of a tile with `{z}`, `{x}` and `{y}`.")
    projection: str = Field("", description="Of the tiles: `EPSG:4326`, with two at zoom 0. Others cannot be drawn.")
    min_zoom: int = Field(0, ge=0, le=_FINEST_ZOOM, description="At smaller zooms the map shows its own land.")
    max_zoom: int = Field(_FINEST_ZOOM, ge=0, le=_FINEST_ZOOM, description="At larger zooms these tiles are enlarged.")

    @model_validator(mode="before")
    @classmethod
    def _no_wmts(cls, value: object) -> object:
        if isinstance(value, dict) and ("wmts" in value or _CAPABILITIES.search(str(value.get("xyz", "")))):
            raise ValueError(
                "base_layer does not read the capabilities of a WMTS; give xyz instead: the address of its tiles in "
                "EPSG:4326 or CRS84 (zoom 0: two tiles of 256 pixels), with {z} for TileMatrix, {y} for TileRow and "
                "{x} for TileCol"
            )
        return value

    @model_validator(mode="after")
    def _drawable(self) -> BaseLayerSettings:
        if self.min_zoom > self.max_zoom:
            raise ValueError("base_layer.min_zoom is larger than max_zoom")
        if self.projection.upper() not in _PLATE_CARREE:
            raise ValueError(
                f"base_layer.projection is {self.projection or 'missing'}; the map is plate carrée and draws EPSG:4326 "
                "only. Most XYZ tiles are EPSG:3857 (Web Mercator), which it cannot draw; ask their provider for "
                "EPSG:4326"
            )
        _check_template(self.xyz)
        return self


def _check_template(template: str) -> None:
    """Browsers load tiles only from the one host that the page's content policy names."""
    parts = urlsplit(template)
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(parts.netloc):
        raise ValueError("base_layer.xyz needs http:// or https:// and one plain host, without {s} or a password")
    places = re.findall(r"\{([^{}]*)\}", template)
    if sorted(places) != ["x", "y", "z"]:
        raise ValueError(
            f"base_layer.xyz needs {{z}}, {{x}} and {{y}} once each and nothing else in braces; it has {places}"
        )


class PortalSettings(BaseModel, extra="forbid", frozen=True):
    """The look of the search page (docs/portals/embed-and-theme.md)."""

    name: str = Field("Sonde", min_length=1, max_length=60, description="Name in the header, titles and social cards.")
    tagline: str = Field("", max_length=120, description="Text beside the name. Default: the page's, translated.")
    intro: str = Field("", max_length=600, description="Text on the start page. Default: the page's, translated.")
    footer: str = Field("", max_length=600, description="Text in the footer, before the map's source.")
    key_help: str = Field(
        "", max_length=300, description="Who gives a key, where the page asks for one. Default: the page's, translated."
    )
    links: tuple[PortalLink, ...] = Field(
        (), max_length=8, description='Links in the header, as JSON: `[{"title": "Help", "url": "https://..."}]`.'
    )
    accent: LightColour | None = Field(
        None, description="Colour of links and buttons, `#rrggbb`; refused if text in it is hard to read."
    )
    accent_dark: DarkColour | None = Field(None, description="The same colour for dark mode.")
    font: str = Field(
        "", pattern=r"^[\w ,'\"-]{0,200}$", description="Font families, as in CSS. Default: the system's."
    )
    font_file: Font | None = Field(None, description="WOFF2 file of a font that is used before these families.")
    logo: Picture | None = Field(None, description="SVG or PNG, shown in the header before the name.")
    favicon: Icon | None = Field(None, description="Icon of the browser's tab: SVG, PNG or ICO.")
    search_while_typing: bool = Field(
        True, description="Whether the page searches while the user types; never if the browser saves data."
    )
    base_layer: BaseLayerSettings | None = Field(
        None, description="Tiles below the hits on the map, as JSON (docs/portals/embed-and-theme.md)."
    )
    layer_hosts: tuple[LayerHost, ...] = Field(
        (),
        max_length=100,
        description="Origins whose WMS, WMTS, tiles, WFS and OGC API Features the page may draw on a record's map: "
        "`https://maps.example,https://*.example`.",
    )
    start_map: Degrees | None = Field(
        None, description="Area of the map at first: `west,south,east,north`. Default: the world."
    )
    languages: tuple[Language, ...] = Field(
        (),
        description="Languages of records and questions: `de,fr`. With another one than `en`, the default embedder is "
        "`artifact:multilingual-e5-small`; run `sonde reindex` after a change.",
    )
    frame_ancestors: tuple[Ancestor, ...] = Field(
        (), description="Origins whose pages may embed the search: `https://portal.example,https://www.example`."
    )

    @model_validator(mode="after")
    def _map_on_the_globe(self) -> PortalSettings:
        if self.start_map is not None:
            west, south, east, north = self.start_map
            if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
                raise ValueError("start_map must be west,south,east,north in degrees, west before east")
        return self
