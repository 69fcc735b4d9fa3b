"""``python -m tests.client.land > sonde_client/land.path``: the client's outline of the world's land.

From the page's topology (Natural Earth, public domain), simplified until it is small enough for a notebook's output.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from shapely import affinity, box
from shapely.geometry import Polygon

ATLAS = Path(__file__).resolve().parents[2] / "search_api" / "page" / "bundle" / "world-110m.json"
STORED = Path(__file__).resolve().parents[2] / "sonde_client" / "land.path"
TOLERANCE_DEG = 0.6
LEAST_AREA_DEG2 = 1.5


def path() -> str:
    """An SVG path: x is the longitude, y minus the latitude, in degrees."""
    return "".join(f"M{_points(ring)}Z" for ring in _rings())


def _points(ring: list[tuple[float, float]]) -> str:
    return "L".join(f"{lon:.1f},{-lat:.1f}".replace(".0", "") for lon, lat in ring[:-1])


def _rings() -> Iterator[list[tuple[float, float]]]:
    atlas = json.loads(ATLAS.read_text("utf-8"))
    arcs = [_decoded(arc, atlas["transform"]) for arc in atlas["arcs"]]
    for geometry in atlas["objects"]["land"]["geometries"]:
        polygons = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
        for outer, *_holes in polygons:
            ring = [point for index in outer for point in _arc(arcs, index)[1:]]
            yield from _pieces(Polygon(_unwrapped(ring)).simplify(TOLERANCE_DEG).buffer(0))


def _pieces(land: Polygon) -> Iterator[list[tuple[float, float]]]:
    """What lies on the map, with what crosses the antimeridian moved to the other side."""
    for turn in (-360, 0, 360):
        cut = affinity.translate(land, turn).intersection(box(-180, -90, 180, 90))
        for piece in getattr(cut, "geoms", [cut]):
            if piece.area >= LEAST_AREA_DEG2:
                yield list(piece.exterior.coords)


def _unwrapped(ring: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Without jumps from one edge of the map to the other; a ring around a pole is closed along it."""
    turn, points = 0.0, [ring[0]]
    for (before, _), (lon, lat) in itertools.pairwise(ring):
        turn += -360 if lon - before > 180 else 360 if lon - before < -180 else 0
        points.append((lon + turn, lat))
    if abs(points[-1][0] - points[0][0]) > 180:
        points += [(points[-1][0], -90), (points[0][0], -90)]
    return points


def _arc(arcs: list[list[tuple[float, float]]], index: int) -> list[tuple[float, float]]:
    return arcs[index] if index >= 0 else arcs[~index][::-1]


def _decoded(arc: list[list[int]], transform: dict[str, list[float]]) -> list[tuple[float, float]]:
    (scale_x, scale_y), (move_x, move_y) = transform["scale"], transform["translate"]
    points, x, y = [], 0, 0
    for dx, dy in arc:
        x, y = x + dx, y + dy
        points.append((x * scale_x + move_x, y * scale_y + move_y))
    return points


if __name__ == "__main__":
    sys.stdout.write(path() + "\n")
