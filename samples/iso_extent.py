"""Where and when of an entry as one EX_Extent, and its resolution."""

from __future__ import annotations

import re

from samples.entry import Box, Entry, Period
from samples.iso_elements import Element, code, node, primitive, text

_UNITS = {"TM": "minute", "TH": "hour", "D": "day", "M": "month", "Y": "year"}
_STEP = re.compile(r"^P(T?)(\d+)([HDMY])$")


def extent(entry: Entry, owner: str) -> Element:
    """An extent under ``owner``:extent: boxes, polygon, periods, vertical."""
    named = text("gmd:description", ", ".join(entry.places))
    spaces = [_box(box) for box in entry.boxes]
    if entry.polygon:
        spaces.append(_polygon(entry))
    periods = [_period(entry.id, number, period) for number, period in enumerate(entry.times, 1)]
    vertical = [_vertical(entry.vertical)] if entry.vertical else []
    return node(f"{owner}:extent", node("gmd:EX_Extent", named, *spaces, *periods, *vertical))


def _box(box: Box) -> Element:
    west, south, east, north = box
    inner = node(
        "gmd:EX_GeographicBoundingBox",
        primitive("gmd:extentTypeCode", "Boolean", "true"),
        primitive("gmd:westBoundLongitude", "Decimal", f"{west:g}"),
        primitive("gmd:eastBoundLongitude", "Decimal", f"{east:g}"),
        primitive("gmd:southBoundLatitude", "Decimal", f"{south:g}"),
        primitive("gmd:northBoundLatitude", "Decimal", f"{north:g}"),
    )
    return node("gmd:geographicElement", inner)


def _polygon(entry: Entry) -> Element:
    positions = " ".join(f"{lon:g} {lat:g}" for lon, lat in entry.polygon)
    ring = node("gml:LinearRing", node("gml:posList", text=positions, srsDimension="2"))
    shape = node("gml:Polygon", node("gml:exterior", ring), gml__id=f"{entry.id}-area")
    # CRS84 is longitude first by definition; EPSG:4326 leaves readers guessing.
    shape.set("srsName", "urn:ogc:def:crs:OGC:1.3:CRS84")
    return node("gmd:geographicElement", node("gmd:EX_BoundingPolygon", node("gmd:polygon", shape)))


def _period(record: str, number: int, period: Period) -> Element:
    start, end = period
    inner = node(
        "gml:TimePeriod",
        _position("gml:beginPosition", start),
        _position("gml:endPosition", end),
        gml__id=f"{record}-period-{number}",
    )
    return node("gmd:temporalElement", node("gmd:EX_TemporalExtent", node("gmd:extent", inner)))


def _position(name: str, value: str) -> Element:
    if value in ("now", "unknown"):
        return node(name, indeterminatePosition=value)
    return node(name, text=value)


def _vertical(metres: tuple[float, float]) -> Element:
    low, high = metres
    inner = node(
        "gmd:EX_VerticalExtent",
        primitive("gmd:minimumValue", "Real", f"{low:g}"),
        primitive("gmd:maximumValue", "Real", f"{high:g}"),
        node("gmd:verticalCRS", xlink__href="http://www.opengis.net/def/crs/EPSG/0/5714"),  # mean sea level height, m
    )
    return node("gmd:verticalElement", inner)


def resolutions(entry: Entry) -> list[Element]:
    """spatialResolution elements: scale denominator, ground distance."""
    found = []
    if entry.scale:
        fraction = node("gmd:MD_RepresentativeFraction", primitive("gmd:denominator", "Integer", entry.scale))
        found.append(node("gmd:equivalentScale", fraction))
    if entry.grid:
        value, unit = entry.grid.split()
        found.append(primitive("gmd:distance", "Distance", value, uom=unit))
    return [node("gmd:spatialResolution", node("gmd:MD_Resolution", each)) for each in found]


def time_step(duration: str) -> tuple[int, str]:
    """``PT3H`` as (3, "hour"). Raises ValueError where it is not one number and one unit."""
    match = _STEP.match(duration)
    unit = match and _UNITS.get(match[1] + match[3])
    if match is None or not unit:
        raise ValueError(f"{duration!r} is not a time step")
    return int(match[2]), unit


def time_axis(entry: Entry) -> Element | None:
    """The time step as the resolution of the time dimension: ISO 19139's only place for it."""
    if not entry.step:
        return None
    number, unit = time_step(entry.step)
    dimension = node(
        "gmd:MD_Dimension",
        code("gmd:dimensionName", "MD_DimensionNameTypeCode", "time"),
        node("gmd:dimensionSize", gco__nilReason="unknown"),
        primitive("gmd:resolution", "Measure", number, uom=unit),
    )
    grid = node(
        "gmd:MD_GridSpatialRepresentation",
        primitive("gmd:numberOfDimensions", "Integer", 1),
        node("gmd:axisDimensionProperties", dimension),
        code("gmd:cellGeometry", "MD_CellGeometryCode", "area" if entry.grid else "point"),
        primitive("gmd:transformationParameterAvailability", "Boolean", "false"),
    )
    return node("gmd:spatialRepresentationInfo", grid)
