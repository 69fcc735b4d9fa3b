"""Places in every form except XML: GeoJSON, WKT, envelopes, boxes and points as texts, DCMI boxes and points."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import shapely
from shapely.geometry import Point, Polygon, box, shape
from shapely.geometry.base import BaseGeometry

from core.geo import BBox
from core.json_types import JsonMapping
from indexer.formats.json_documents.parsing import parse_inner_json
from indexer.formats.repair.antimeridian import ACROSS_WARNING, PlaceEvidence, has_long_edges, read_across
from indexer.formats.repair.boxes import BoxCollector, BoxEdges, number
from indexer.formats.repair.gml import PolygonReader, repair_geometry
from indexer.formats.xml_documents import parse
from indexer.raw import RecordRefused

_COORDINATE = r"""(?:(?P<{0}name>lat|lon|lng)[a-z]*\.?\s*[:=]?\s*)?(?P<{0}before>[NSEW]\s*)?
    (?P<{0}degrees>[-+]?\d{{1,3}}(?:\.\d+)?)\s*
    (?:[°º]\s*(?:(?P<{0}minutes>\d{{1,2}}(?:\.\d+)?)\s*['′’]\s*)?(?:(?P<{0}seconds>\d{{1,2}}(?:\.\d+)?)\s*(?:["″”]|'')\s*)?)?
    (?P<{0}behind>[NSEW](?![a-z]))?"""
_POINT = re.compile(
    rf"[(\[]?\s*{_COORDINATE.format('a')}\s*[\s,;]\s*{_COORDINATE.format('b')}\s*[)\]]?", re.IGNORECASE | re.VERBOSE
)
_LATITUDE = {"n", "s", "lat"}
_MINUTES = 60.0
_MOST_POSITIONS = 20_000  # with more corners, only the box of a geometry is kept
_FEWEST_NUMBERS = 3
_LONGEST_TEXT = 5_000_000
_FARTHEST = 1e6  # larger values are neither degrees nor metres
_GML = "http://www.opengis.net/gml/3.2"
_NUMBER = r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
_ENVELOPE = re.compile(
    rf"^\s*ENVELOPE\s*\(\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\)\s*$", re.I
)
_ENVELOPE_BEGINS = re.compile(r"^\s*ENVELOPE\b", re.I)
_SIGN_APART = re.compile(r"([-+])\s+(?=\d)")
_COORDINATES = re.compile(r"[-+\d.,;:eE()\[\]°'\"NSWE\s]*\d[-+\d.,;:eE()\[\]°'\"NSWE\s]*", re.ASCII)
_WKT = re.compile(
    r"^\s*(?:<[^>]*>\s*|SRID=\d+;\s*)?((?:MULTI)?(?:POINT|POLYGON|LINESTRING)|GEOMETRYCOLLECTION)\b", re.I
)
_CRS_PREFIX = re.compile(r"^\s*<([^>]*)>\s*|^\s*SRID=(\d+);\s*")
_BOX_PREFIX = re.compile(r"^\s*(?:BOX2?D?|BBOX)\s*\((.*)\)\s*$", re.I)
_DCMI = re.compile(
    r"(northlimit|southlimit|eastlimit|westlimit|east|north|uplimit|downlimit)\s*=\s*([^;,]+)", re.IGNORECASE
)
_LATITUDE_FIRST = re.compile(
    r"urn:(?:x-)?ogc:def:crs:EPSG:[^:]*:(?:4326|4258|4269)|opengis\.net/(?:def/crs/EPSG/[^/]+/|gml/srs/epsg\.xml#)4326",
    re.IGNORECASE,
)
_EAST_FIRST = re.compile(r"crs:::WGS 1984", re.IGNORECASE)


def point_in(text: str) -> tuple[float, float] | None:
    """Longitude and latitude; None if the text is no point.

    Without names or letters of the sky the latitude is first, unless only the other order is possible, and both numbers
    have a fraction, because "12,5" is a number.
    """
    match = _POINT.fullmatch(text.strip())
    if match is None:
        return None
    groups = match.groupdict(default="")
    kinds = [
        "latitude" if kind in _LATITUDE else kind and "longitude" for kind in (_kind(groups, prefix) for prefix in "ab")
    ]
    first, second = (_degrees(groups, prefix) for prefix in "ab")
    if sorted(kinds) == ["latitude", "longitude"]:
        return (second, first) if kinds[0] == "latitude" else (first, second)
    if any(kinds) or not all("." in groups[f"{prefix}degrees"] for prefix in "ab"):
        return None
    return (first, second) if abs(first) > 90.0 else (second, first)


def _kind(groups: dict[str, str], prefix: str) -> str:
    letter = groups[f"{prefix}before"].strip() or groups[f"{prefix}behind"]
    return (groups[f"{prefix}name"] or letter).lower()


def _degrees(groups: dict[str, str], prefix: str) -> float:
    parts = (float(groups[f"{prefix}{name}"] or 0.0) for name in ("minutes", "seconds"))
    degrees_text = groups[f"{prefix}degrees"]
    size = abs(float(degrees_text)) + sum(part / _MINUTES**power for power, part in enumerate(parts, 1))
    letters = f"{groups[f'{prefix}before']}{groups[f'{prefix}behind']}".lower()
    return -size if degrees_text.startswith("-") or "s" in letters or "w" in letters else size


class PlaceCollector:
    """Collects the places of one document; ``geometry`` holds every shape that is more than a box."""

    def __init__(self) -> None:
        self._boxes = BoxCollector()
        self._long: list[tuple[int, BaseGeometry]] = []  # polygons with an edge longer than half the globe
        self._reader = PolygonReader()
        self.warnings = self._boxes.warnings

    @property
    def boxes(self) -> tuple[BBox, ...]:
        return tuple(dict.fromkeys(self._boxes.boxes))

    @property
    def geometry(self) -> JsonMapping | None:
        return self._reader.geometry

    def add_box(self, west: Any, south: Any, east: Any, north: Any) -> bool:
        """Adds a box in degrees, from numbers or texts; whether it was usable."""
        return self._boxes.add(BoxEdges(*(number(str(edge)) for edge in (west, south, east, north))))

    def confirm_with(self, second_places: PlaceCollector) -> None:
        """Takes places that the document states a second time: they only choose a reading of the first ones."""
        if not second_places._long:
            self._boxes.confirm_with(second_places._boxes)

    def resolve(self, words: str) -> None:
        """Decides the ambiguous places by ``words``: the record's title, places and keywords."""
        open_positions = {position for position, _ in self._long}
        long, self._long = self._long, []
        evidence = self._boxes.resolve(words, skipped_positions=open_positions)
        for position, polygon in long:
            self._boxes.boxes[position] = self._resolve_polygon(polygon, evidence)

    def _resolve_polygon(self, long: BaseGeometry, evidence: PlaceEvidence) -> BBox:
        """The box of a polygon with long edges, read as written or across the antimeridian."""
        shifted_shape = read_across(long, evidence)
        if shifted_shape is not None:
            self.warnings.append(ACROSS_WARNING)
        shape_used = long if shifted_shape is None else shifted_shape
        if not _is_box(long):
            self._reader.add_shape(shape_used)
            self._reader.warnings.clear()
        west, south, east, north = shape_used.bounds
        return BBox(west, south, east - 360.0 if east > 180.0 else east, north)

    def add_point(self, longitude: Any, latitude: Any) -> bool:
        return self.add_box(longitude, latitude, longitude, latitude)

    def add_numbers(self, values: Any) -> bool:
        """Adds ``[west, south, east, north]``, or with heights ``[w, s, low, e, n, high]``; a pair is a point."""
        if not isinstance(values, list | tuple):
            return self._report_unreadable(values)
        match len(values):
            case 4:
                return self.add_box(*values)
            case 6:
                return self.add_box(values[0], values[1], values[3], values[4])
            case 2 if isinstance(values[0], list | tuple) and isinstance(values[1], list | tuple):
                return self.add_numbers([*values[0][:2], *values[1][:2]])
            case 2:
                return self.add_point(*values)
        return self._report_unreadable(values)

    def add_geojson(self, geometry: Any) -> bool:
        """Adds a GeoJSON geometry, feature, or collection of either."""
        if not isinstance(geometry, Mapping):
            return self._report_unreadable(geometry)
        match str(geometry.get("type", "")).lower():
            case "feature":
                return self.add_geojson(geometry.get("geometry"))
            case "featurecollection":
                shape_used = [self.add_geojson(feature) for feature in geometry.get("features") or ()]
                return any(shape_used)
            case "envelope":  # Elasticsearch's form: [[west, north], [east, south]]
                return self._add_envelope(geometry.get("coordinates"))
        try:
            return self._add_shape(shapely.force_2d(shape(dict(geometry))))
        except (
            ArithmeticError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            shapely.errors.ShapelyError,
        ) as error:
            return self._leave_out(f"GeoJSON that is none ({str(error)[:60]})")

    def add_geojson_text(self, text: str) -> bool:
        """Adds GeoJSON inside a text, as CKAN and RDF have it."""
        try:
            return self.add_geojson(parse_inner_json(text))
        except RecordRefused:
            return self._leave_out("GeoJSON that is none")

    def add_text(self, text: str) -> bool:
        """Adds a place written in any known text form; False where the text is not one (a name, for example)."""
        text = text.strip()
        if not text or len(text) > _LONGEST_TEXT:
            return False
        if _ENVELOPE_BEGINS.match(text):
            return self._add_solr_envelope(text)
        if _WKT.match(text):
            return self._add_wkt(text)
        if text.startswith("<") and "gml" in text[:200]:
            return self._add_gml(text)
        if text.startswith("{"):
            return self.add_geojson_text(text)
        if "=" in text and _DCMI.search(text):
            return self._add_dcmi(text)
        warnings_before = len(self.warnings)
        if self._add_plain_numbers(_BOX_PREFIX.sub(r"\1", text)):
            return True
        return self._report_unreadable_numbers(text) if len(self.warnings) == warnings_before else False

    def add_coordinates(self, text: str) -> bool:
        """As ``text``, for a member that never holds a name: whatever cannot be read is reported."""
        warnings_before = len(self.warnings)
        return self.add_text(text) or (len(self.warnings) == warnings_before and self._report_unreadable(text))

    def add_named_edges(self, parts: Mapping[str, str]) -> bool:
        """Adds edges by their names in lower case: ``northlimit``, ..., or ``east`` and ``north`` of a point."""
        edges = [parts.get(f"{name}limit") for name in ("west", "south", "east", "north")]
        if all(edges):
            return self.add_box(*edges)
        if parts.get("east") and parts.get("north"):
            return self.add_point(parts["east"], parts["north"])
        horizontal = {name: value for name, value in parts.items() if name not in ("uplimit", "downlimit")}
        return self._report_unreadable("; ".join(f"{name}={value}" for name, value in horizontal.items()))

    def add_corners(self, lower: str, upper: str, reference_system: str) -> bool:
        """Adds two corners of OWS or GML in the axis order of their reference system, or in the only possible order."""
        first, second = lower.split(), upper.split()
        if len(first) < 2 or len(second) < 2:
            return self._report_unreadable(f"{lower} {upper}".strip())
        if _LATITUDE_FIRST.search(reference_system):
            return self.add_box(first[1], first[0], second[1], second[0])
        if _EAST_FIRST.search(reference_system):  # GeoNetwork's lower corner is east and south
            return self.add_box(second[0], first[1], first[0], second[1])
        return self.add_box(first[0], first[1], second[0], second[1])

    def add_geo_rss(self, text: str) -> bool:
        """Adds a point, a box (south west, north east) or a ring, latitude first; blanks or commas between numbers."""
        numbers = text.replace(",", " ").split()
        if len(numbers) % 2 or not numbers:
            return self._report_unreadable(text)
        pairs = list(zip(numbers[1::2], numbers[::2], strict=True))
        match len(pairs):
            case 1:
                return self.add_point(*pairs[0])
            case 2:
                return self.add_numbers([*pairs[0], *pairs[1]])
        return self.add_ring([(second, first) for first, second in pairs] if self._is_longitude_first(pairs) else pairs)

    def _is_longitude_first(self, pairs: list[tuple[str, str]]) -> bool:
        """Whether (longitude, latitude) pairs have the longitudes where the latitudes belong.

        Decides by numbers too large for a latitude, else by the document's boxes.
        """
        longitudes, latitudes = ([number(pair[i]) for pair in pairs] for i in (0, 1))
        if not all(math.isfinite(value) for value in (*longitudes, *latitudes)):
            return False
        possible = max(map(abs, longitudes)) <= 90.0
        is_swapped = max(map(abs, latitudes)) > 90.0
        if possible and not is_swapped and self._boxes.unambiguous:
            as_written, swapped_places = (
                PlaceEvidence(other_boxes=self._boxes.unambiguous).overlap(BBox(min(x), min(y), max(x), max(y)))
                for x, y in ((longitudes, latitudes), (latitudes, longitudes))
            )
            is_swapped = swapped_places > as_written
        if is_swapped and possible:
            self.warnings.append("extent: latitude and longitude of a polygon were swapped")
        return is_swapped and possible

    def add_ring(self, pairs: list[tuple[Any, Any]]) -> bool:
        """Adds a polygon's outer ring of (longitude, latitude), numbers or texts."""
        corners = [[number(str(lon)), number(str(lat))] for lon, lat in pairs]
        if len(corners) < 3:
            return self._report_unreadable(pairs)
        if not all(math.isfinite(edge) for corner in corners for edge in corner):
            return self._leave_out("a ring with a corner that is no number")
        if corners[0] != corners[-1]:
            corners.append(corners[0])
        if not _short_edges(corners):
            corners = [[lon + 360.0 if lon < 0 else lon, lat] for lon, lat in corners]
        return self.add_geojson({"type": "Polygon", "coordinates": [corners]})

    def _add_shape(self, geometry: BaseGeometry) -> bool:
        if geometry.is_empty or not all(abs(value) < _FARTHEST for value in geometry.bounds):
            return self._leave_out("a geometry without coordinates in degrees")
        if isinstance(geometry, Point):
            return self.add_point(geometry.x, geometry.y)
        halves = _halves(geometry)
        if halves is not None:
            (west, south, _, north), (_, _, east, _) = halves
            return self.add_box(west, south, east, north)
        if has_long_edges(geometry) and _in_range(geometry):
            self._long.append((len(self._boxes.boxes), geometry))
            self._boxes.boxes.append(BBox(*geometry.bounds))
            return True
        if _is_box(geometry) or shapely.get_num_coordinates(geometry) > _MOST_POSITIONS:
            return self.add_box(*geometry.bounds)
        if not geometry.is_valid:
            geometry = repair_geometry(geometry)
        boxes_before = len(self._reader.boxes)
        self._reader.add_shape(geometry)
        self.warnings.extend(self._reader.warnings)
        self._reader.warnings.clear()
        self._boxes.boxes.extend(self._reader.boxes[boxes_before:])
        return len(self._reader.boxes) > boxes_before

    def _add_wkt(self, wkt_text: str) -> bool:
        prefix = _CRS_PREFIX.match(wkt_text)
        text = wkt_text[prefix.end() :] if prefix else wkt_text
        try:
            geometry = shapely.force_2d(shapely.from_wkt(text, on_invalid="fix"))
        except shapely.errors.ShapelyError as error:
            return self._leave_out(f"WKT that is none ({str(error)[:60]})")
        if geometry is None:  # the repair failed too
            return self._leave_out("WKT that is none")
        if prefix and _LATITUDE_FIRST.search(prefix[1] or ""):
            geometry = shapely.transform(geometry, lambda points: points[:, ::-1])
        return self._add_shape(geometry)

    def _add_gml(self, text: str) -> bool:
        """Adds GML inside a text, as RDF has it; missing namespace declarations are added."""
        if "xmlns:gml" not in text:
            text = re.sub(r"^<(gml:\w+)", rf'<\1 xmlns:gml="{_GML}"', text, count=1)
        try:
            root = parse(text.encode()).root
        except RecordRefused:
            return self._leave_out("GML that is none")
        boxes_before = len(self._reader.boxes)
        self._reader.add(root)
        self.warnings.extend(self._reader.warnings)
        self._reader.warnings.clear()
        self._boxes.boxes.extend(self._reader.boxes[boxes_before:])
        return len(self._reader.boxes) > boxes_before

    def _add_solr_envelope(self, text: str) -> bool:
        """Adds ``ENVELOPE(west, east, north, south)``; there may be a space between a sign and its number."""
        match = _ENVELOPE.match(_SIGN_APART.sub(r"\1", text))
        if match is None:
            return self._leave_out(f"an ENVELOPE that cannot be read: {text[:80]!r}")
        west, east, north, south = match.groups()
        return self.add_box(west, south, east, north)

    def _add_envelope(self, corners: Any) -> bool:
        try:
            (west, north), (east, south) = corners
        except (TypeError, ValueError):
            return self._leave_out("an envelope without two corners")
        return self.add_box(west, south, east, north)

    def _add_dcmi(self, text: str) -> bool:
        return self.add_named_edges({name.lower(): value.strip() for name, value in _DCMI.findall(text)})

    def _add_plain_numbers(self, text: str) -> bool:
        """Adds ``w,s,e,n`` or ``w s e n``, or a point as people write it."""
        point = point_in(text)
        if point is not None:
            return self.add_point(*point)
        parts = [part for part in re.split(r"[\s,;]+", text.strip("[]() ")) if part]
        if len(parts) not in (4, 6) or not all(re.fullmatch(_NUMBER, part) for part in parts):
            return False
        return self.add_numbers(parts)

    def _report_unreadable(self, value: Any) -> bool:
        """Reports coordinates that cannot be read; an absent place is no fault."""
        return bool(value) and self._leave_out(f"coordinates that cannot be read: {str(value)[:80]!r}")

    def _report_unreadable_numbers(self, text: str) -> bool:
        """Reports a text that is made of numbers like a place but gives none; other texts are names."""
        numbers = re.findall(_NUMBER, text)
        is_box = _BOX_PREFIX.match(text) is not None or _is_called_box(text)
        if is_box or (len(numbers) >= _FEWEST_NUMBERS and re.fullmatch(_COORDINATES, text)):
            return self._report_unreadable(text)
        return False

    def _leave_out(self, description: str) -> bool:
        self.warnings.append(f"extent: left out: {description}")
        return False


def _is_called_box(text: str) -> bool:
    return text[:4].upper() in ("BBOX", "BOX(", "BOX2", "BOX3")


def _in_range(geometry: BaseGeometry) -> bool:
    west, south, east, north = geometry.bounds
    return min(west + 180.0, 180.0 - east, south + 90.0, 90.0 - north) >= 0.0


def _halves(geometry: BaseGeometry) -> list[tuple[float, float, float, float]] | None:
    """The bounds of two boxes, west of the antimeridian first, if they are one box that was cut there."""
    parts = sorted((part.bounds for part in shapely.get_parts(geometry)), reverse=True)
    if len(parts) != 2 or not all(_is_box(part) for part in shapely.get_parts(geometry)):
        return None
    (_, south, east, north), (west, low, _, high) = parts
    return parts if (south, north, east, west) == (low, high, 180.0, -180.0) else None


def _is_box(geometry: BaseGeometry) -> bool:
    west, south, east, north = geometry.bounds
    if west == east and south == north:
        return True
    return isinstance(geometry, Polygon) and bool(shapely.equals(geometry, box(*geometry.bounds)))


def _short_edges(corners: list[list[float]]) -> bool:
    """Whether no edge is longer than half the globe; longer ones cross the antimeridian, but 360 is the whole globe."""
    return not any(180.0 < abs(a[0] - b[0]) < 360.0 for a, b in pairwise(corners))
