"""A record's place in several notations: numbers, WKT, GML, schema.org rings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import shapely
from shapely.geometry import LineString, Polygon, shape
from shapely.geometry.base import BaseGeometry

from core.json_types import JsonMapping
from search_api.formats_out.iso_elements import Element, node

_CRS = "urn:ogc:def:crs:OGC:1.3:CRS84"  # longitude before latitude


def degrees(value: float) -> str:
    """Six decimals, a decimetre, as metadata have at most; ``:g`` would cut -93.123456."""
    return f"{value:.12g}"


def wkt(geometry: JsonMapping | None) -> str | None:
    """None for None and for an invalid geometry."""
    found = _geometry(geometry)
    return None if found is None else str(shapely.to_wkt(found, rounding_precision=12, trim=True))


def gml(geometry: JsonMapping | None) -> Element | None:
    """A ``gml:Polygon``, ``gml:LineString`` or a ``gml:MultiGeometry`` of them."""
    found = _geometry(geometry)
    parts = [] if found is None else [_gml_part(one, position) for position, one in enumerate(_parts(found), start=1)]
    if len(parts) < 2:
        return next(iter(parts), None)
    members = [node("gml:geometryMember", part) for part in parts]
    return node("gml:MultiGeometry", *members, gml__id="shape", srsName=_CRS)


def rings(geometry: JsonMapping | None) -> list[str]:
    """The outer rings as ``latitude longitude`` pairs."""
    found = _geometry(geometry)
    polygons = [] if found is None else [one for one in _parts(found) if isinstance(one, Polygon)]
    return [
        " ".join(f"{degrees(lat)} {degrees(lon)}" for lon, lat, *_ in polygon.exterior.coords) for polygon in polygons
    ]


def _geometry(geometry: JsonMapping | None) -> BaseGeometry | None:
    if geometry is None:
        return None
    try:
        found = shapely.force_2d(shape(dict(geometry)))
    except (ValueError, TypeError, KeyError, AttributeError, shapely.errors.ShapelyError):
        return None
    return None if found.is_empty else found


def _parts(geometry: BaseGeometry) -> Iterator[BaseGeometry]:
    for part in shapely.get_parts(geometry):
        if isinstance(part, Polygon | LineString):
            yield part
        elif len(shapely.get_parts(part)) > 1:
            yield from _parts(part)


def _gml_part(part: BaseGeometry, position: int) -> Element:
    name = f"shape-{position}"
    if isinstance(part, LineString):
        return node("gml:LineString", _positions(part.coords), gml__id=name, srsName=_CRS)
    assert isinstance(part, Polygon)
    holes = [node("gml:interior", node("gml:LinearRing", _positions(ring.coords))) for ring in part.interiors]
    outer = node("gml:exterior", node("gml:LinearRing", _positions(part.exterior.coords)))
    return node("gml:Polygon", outer, *holes, gml__id=name, srsName=_CRS)


def _positions(coordinates: Iterable[Sequence[float]]) -> Element:
    return node("gml:posList", text=" ".join(f"{degrees(lon)} {degrees(lat)}" for lon, lat, *_ in coordinates))
