"""Tiles on plate carrée: where the grid of each zoom begins, and how fine it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from core.json_types import Json

COARSEST_DEG = 180 / 256
"""Degrees of a pixel at zoom 0: the world is two tiles of 256 pixels (OGC's WorldCRS84Quad)."""

FINEST_ZOOM = 9
"""The map's."""

_NEARLY = 1.5
"""A grid between two zooms belongs to the nearer."""


_HOST = re.compile(r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
"""Nothing that could end a directive of the policy."""


@dataclass(frozen=True, slots=True)
class Grid:
    """One level of tiles. ``west`` and ``north``: its upper left corner in degrees; ``width`` and ``height``: of a tile
    in pixels.
    """

    name: str
    degrees_per_pixel: float
    west: float
    north: float
    width: int
    height: int
    columns: int
    rows: int

    def said(self) -> list[str | float | int]:
        return [
            self.name, self.degrees_per_pixel, self.west, self.north, self.width, self.height, self.columns, self.rows,
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """What the page says of the layer."""

    name: str
    attribution: str
    attribution_url: str | None = None


@dataclass(frozen=True, slots=True)
class BaseLayer:
    """``template`` has the places ``{z}`` (a grid's name), ``{x}`` (column) and ``{y}`` (row); grids are coarsest
    first.
    """

    named: Named
    template: str
    grids: tuple[Grid, ...] = field(default=())

    @property
    def origin(self) -> str:
        """Scheme, host and port, as in a Content-Security-Policy."""
        parts = urlsplit(self.template)
        return f"{parts.scheme}://{parts.netloc}"

    def said(self) -> Json:
        """What the page's script reads."""
        return {
            "name": self.named.name,
            "attribution": self.named.attribution,
            "attributionUrl": self.named.attribution_url,
            "template": self.template,
            "grids": [grid.said() for grid in self.grids],
        }


def checked_template(template: str) -> str:
    """Itself. Raises ValueError: browsers load tiles of the one host only that the page's policy names."""
    parts = urlsplit(template)
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(parts.netloc):
        raise ValueError("needs http:// or https:// and one plain host, without {s} or a password")
    places = re.findall(r"\{([^{}]*)\}", template)
    if sorted(places) != ["x", "y", "z"]:
        raise ValueError(f"needs {{z}}, {{x}} and {{y}} once each and nothing else in braces; it has {places}")
    return template


def quad_grids(min_zoom: int, max_zoom: int) -> tuple[Grid, ...]:
    """Those of WorldCRS84Quad."""
    return tuple(
        Grid(str(zoom), COARSEST_DEG / 2**zoom, -180.0, 90.0, 256, 256, 2 * 2**zoom, 2**zoom)
        for zoom in range(min_zoom, max_zoom + 1)
    )


def within_zooms(grids: tuple[Grid, ...], min_zoom: int, max_zoom: int) -> tuple[Grid, ...]:
    """Those as fine as the zooms ask for, coarsest first."""
    most = COARSEST_DEG / 2**min_zoom * _NEARLY
    least = COARSEST_DEG / 2**max_zoom / _NEARLY
    kept = (grid for grid in grids if least <= grid.degrees_per_pixel <= most)
    return tuple(sorted(kept, key=lambda grid: -grid.degrees_per_pixel))
