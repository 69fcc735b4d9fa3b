"""GML polygons, lines and points as GeoJSON geometry in longitude and latitude."""

from __future__ import annotations

import re
from collections.abc import Iterator

import shapely
from shapely import affinity
from shapely.geometry import LineString, MultiPoint, Point, Polygon, box, mapping
from shapely.geometry.base import BaseGeometry

from core.geo import BBox, enclosing_box
from core.json_types import JsonMapping
from core.reference_systems import read_reference_system
from indexer.formats.repair.antimeridian import ACROSS_WARNING, PlaceEvidence, read_across
from indexer.formats.xml_documents import Element, local_name

_DEGREES = re.compile(r"4326|4258|4269|4283|CRS:?84|WGS[ _]?84|4979|4937", re.IGNORECASE)
_LATITUDE_FIRST = re.compile(r"^(?:urn:(?:x-)?ogc:def:crs:epsg|https?://www\.opengis\.net/def/crs/epsg)", re.IGNORECASE)
_BETWEEN_NUMBERS = re.compile(r"[\s,]+")
_NO_EVIDENCE = PlaceEvidence()

_MOST_TRACED = 100  # with more corners than this only areas are kept, not lines, which is some 100 times faster
_MOST_REPAIRED = 1_000

_Pairs = list[tuple[float, float]]


class UnreadableGeometry(ValueError):
    """A geometry that must be left out; the message says why."""


class PolygonReader:
    """Collects GML geometries; where the order of axes is wrong, ``evidence`` decides it by the record's boxes.

    ``geometry`` is all of them as one GeoJSON geometry, valid and inside -180..180; ``boxes`` holds one box for each.
    """

    def __init__(self, evidence: PlaceEvidence = _NO_EVIDENCE) -> None:
        self._evidence = evidence
        self._shapes: list[BaseGeometry] = []
        self.boxes: list[BBox] = []
        self.warnings: list[str] = []

    @property
    def geometry(self) -> JsonMapping | None:
        if not self._shapes:
            return None
        return dict(mapping(self._shapes[0] if len(self._shapes) == 1 else shapely.union_all(self._shapes)))

    def add(self, element: Element) -> None:
        try:
            shape = self._orient(element)
        except (UnreadableGeometry, ValueError, shapely.errors.ShapelyError) as error:
            self.warnings.append(f"extent: polygon left out: {error}")
            return
        self.add_shape(shape)

    def add_shape(self, shape: BaseGeometry) -> None:
        """Adds a geometry whose x is longitude and y latitude."""
        shifted_shape = read_across(shape, self._evidence)
        if shifted_shape is not None:
            self.warnings.append(ACROSS_WARNING)
        try:
            shape = self._in_range(shape if shifted_shape is None else shifted_shape)
        except (UnreadableGeometry, ValueError, shapely.errors.ShapelyError) as error:
            self.warnings.append(f"extent: polygon left out: {error}")
            return
        enclosing = enclosing_box(tuple(BBox(*part.bounds) for part in shapely.get_parts(shape)))
        self._shapes.append(shape)
        if enclosing is not None:
            self.boxes.append(enclosing)

    def _orient(self, element: Element) -> BaseGeometry:
        """The geometry as x = longitude, y = latitude."""
        name = next((name for part in element.iter("*") if (name := part.get("srsName"))), "")
        if name and not _is_in_degrees(name):
            raise UnreadableGeometry(f"its reference system {name} is not in degrees")
        shape = shapely.union_all(list(_shapes(element)))
        if shape.is_empty:
            raise UnreadableGeometry("it has no coordinates")
        as_stated, axes_swapped = (
            (_swap_axes(shape), shape) if _LATITUDE_FIRST.match(name) else (shape, _swap_axes(shape))
        )
        if not self._fits(as_stated) and self._fits(axes_swapped):
            self.warnings.append("extent: latitude and longitude of a polygon were swapped")
            return axes_swapped
        return as_stated

    def _fits(self, shape: BaseGeometry) -> bool:
        west, south, east, north = shape.bounds
        if south < -90.0 or north > 90.0 or west < -360.0 or east > 540.0:
            return False
        areas = [
            box(part.west - 1, part.south - 1, part.east + 1, part.north + 1)
            for b in self._evidence.other_boxes
            for part in b.parts()
        ]
        return not areas or any(area.intersects(turn) for area in areas for turn in _revolutions(shape))

    def _in_range(self, shape: BaseGeometry) -> BaseGeometry:
        _, south, _, north = shape.bounds
        if south < -90.0 or north > 90.0:
            raise UnreadableGeometry(f"latitude {south if south < -90 else north:g} outside -90..90")
        west, _, east, _ = shape.bounds
        if west < -360.0 or east > 540.0:
            raise UnreadableGeometry(f"longitude {west if west < -360 else east:g} outside -180..180")
        if west >= -180.0 and east <= 180.0:
            return shape
        if ACROSS_WARNING not in self.warnings:
            self.warnings.append("extent: longitudes 0..360 brought to -180..180")
        return shapely.union_all(list(_revolutions(shape)))


def _is_in_degrees(reference_system: str) -> bool:
    """The systems of whole countries too: RGF93, SIRGAS 2000, NZGD2000."""
    try:
        return _DEGREES.search(reference_system) is not None or read_reference_system(reference_system).in_degrees
    except ValueError:
        return False


def _revolutions(shape: BaseGeometry) -> Iterator[BaseGeometry]:
    """The pieces of a shape in each revolution of the globe, moved to -180..180."""
    for turn in (-1, 0, 1):
        piece = shape.intersection(box(-180.0 + 360.0 * turn, -90.0, 180.0 + 360.0 * turn, 90.0))
        if not piece.is_empty and (piece.area > 0 or shape.area == 0):
            yield affinity.translate(piece, xoff=-360.0 * turn)


def _swap_axes(shape: BaseGeometry) -> BaseGeometry:
    return shapely.transform(shape, lambda points: points[:, ::-1])


def _shapes(element: Element) -> Iterator[BaseGeometry]:
    """Every simple geometry in an element, itself included."""
    name = local_name(element)
    if name in ("Polygon", "PolygonPatch", "Rectangle", "Triangle"):
        yield _polygon(element)
    elif name in ("LineString", "LineStringSegment", "LinearRing"):
        yield LineString(_coordinates(element))
    elif name == "Point":
        yield Point(_coordinates(element)[:1])
    elif name == "Envelope":
        (west, south), (east, north) = _coordinates(element)[:2]
        yield box(west, south, east, north)
    else:
        for part in element.iterchildren("*"):
            yield from _shapes(part)


def _polygon(element: Element) -> BaseGeometry:
    outer_ring: _Pairs = []
    holes: list[_Pairs] = []
    for boundary in element.iterchildren("*"):
        pairs = _coordinates(boundary)
        if local_name(boundary) in ("exterior", "outerBoundaryIs"):
            outer_ring = pairs
        elif len(pairs) >= 3:
            holes.append(pairs)
    corners = set(outer_ring)
    if len(corners) < 3:  # a box without area, which some editors write as a polygon
        if not corners:
            raise UnreadableGeometry("it has no outer ring")
        return MultiPoint(list(corners)).convex_hull
    shape = Polygon(outer_ring, holes)
    return shape if shape.is_valid else _areas(repair_geometry(shape))


def repair_geometry(shape: BaseGeometry) -> BaseGeometry:
    """A valid geometry in place of one that crosses itself; with very many corners, its box.

    The repair takes time and memory in proportion to the number of crossings: 200,000 corners took 1.7 GB.
    """
    corners = shapely.get_num_coordinates(shape)
    if corners > _MOST_REPAIRED:
        return shape.envelope
    if corners > _MOST_TRACED:
        return shapely.make_valid(shape, method="structure", keep_collapsed=False)
    return shapely.make_valid(shape)


def _areas(shape: BaseGeometry) -> BaseGeometry:
    """The areas of a repaired polygon, without the lines and points that the repair left over."""
    areas = [part for part in shapely.get_parts(shape) if part.area > 0]
    return shapely.union_all(areas) if areas else shape.envelope


def _coordinates(element: Element) -> _Pairs:
    """All positions in an element in document order: ``pos``, ``posList``, ``coordinates``; heights are dropped."""
    pairs: _Pairs = []
    for part in element.iter("*"):
        name, text = local_name(part), (part.text or "").strip()
        if not text:
            continue
        if name == "posList":
            pairs.extend(_pairs(text.split(), _dimension(part)))
        elif name in ("pos", "lowerCorner", "upperCorner"):
            pairs.extend(_pairs(text.split(), len(text.split())))
        elif name == "coordinates":
            for place in text.split():
                numbers = [number for number in _BETWEEN_NUMBERS.split(place) if number]
                pairs.extend(_pairs(numbers, len(numbers)))
    return pairs


def _pairs(numbers: list[str], dimension: int) -> _Pairs:
    if dimension < 2 or len(numbers) % dimension:
        raise UnreadableGeometry(f"{len(numbers)} numbers do not make positions")
    return [(float(numbers[i]), float(numbers[i + 1])) for i in range(0, len(numbers), dimension)]


def _dimension(element: Element) -> int:
    for holder in (element, *element.iterancestors()):
        dimension_text = holder.get("srsDimension")
        if dimension_text and dimension_text.isdigit():
            return int(dimension_text)
    return 2
