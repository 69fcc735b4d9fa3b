"""Coordinate reference systems by their names, and boxes and geometries of them in degrees of WGS 84.

The order of the axes is the authority's in the long names (``urn:ogc:def:crs:EPSG::4326``: latitude first) and east
before north in the short ones (``EPSG:4326``), as clients send them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, cast

import shapely
from shapely import affinity
from shapely.errors import ShapelyError
from shapely.geometry import box, mapping, shape
from shapely.geometry.base import BaseGeometry

from core.json_types import Json, JsonMapping

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pyproj import CRS, Transformer

    Points = NDArray[np.float64]

Edges = tuple[float, float, float, float]
"""west, south, east, north in degrees; ``west > east`` crosses the antimeridian."""

_NAME = re.compile(
    r"""^\s*\[?(?:
        (?P<long>urn:(?:x-)?ogc:def:crs:|https?://www\.opengis\.net/def/crs/|https?://www\.opengis\.net/gml/srs/)
            (?P<authority>EPSG|ESRI|OGC|IGNF|CRS)(?:\.xml\#|[:/]+(?:[0-9.]*[:/]+)?)
        |(?P<short>EPSG|ESRI|OGC|IGNF|CRS)::?)?
        (?P<code>[A-Z0-9_]{1,30})\]?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_EAST_FIRST = {"CRS84", "84", "CRS84H", "WGS84"}
_WEB_MERCATOR = {"900913", "3785", "102100", "102113"}
_STEPS = 21
"""Points between the corners of an edge: a straight edge of a map is seldom straight in degrees."""
_ROUNDING_DEG = 1e-5
"""About a metre, to which such boxes are usually written: a box meets what touches it, as the box in degrees does."""
_LONGEST_SHARE = 1 / 80
_HALF_TURN = 180.0
_FARTHEST = 1e9
"""In the units of any map of the Earth; some projections fold larger numbers back onto it."""


@dataclass(frozen=True)
class ReferenceSystem:
    """``name``: as the client wrote it. ``by_authority``: the axes have the authority's order, else east is first."""

    name: str
    authority: str
    code: str
    by_authority: bool

    @property
    def in_degrees(self) -> bool:
        """Degrees from Greenwich. Other datums than WGS 84 differ from it by less than 0.003 degrees: ignored."""
        if self.code in _EAST_FIRST or self.code == "4326":
            return True
        system = self._system
        greenwich = system.prime_meridian is None or system.prime_meridian.longitude == 0.0
        return bool(system.is_geographic and greenwich and system.axis_info[0].unit_name == "degree")

    @property
    def latitude_first(self) -> bool:
        if not self.by_authority or self.code in _EAST_FIRST:
            return False
        return self.code == "4326" or self._system.axis_info[0].direction == "north"

    def box(self, first: float, second: float, third: float, fourth: float) -> Edges:
        """The box of two corners in this system as one in degrees. Raises ValueError."""
        if not all(map(math.isfinite, (first, second, third, fourth))):
            raise ValueError("an edge of the box is no number")
        if self.in_degrees:
            return (second, first, fourth, third) if self.latitude_first else (first, second, third, fourth)
        if max(map(abs, (first, second, third, fourth))) > _FARTHEST:
            raise ValueError(f"the box lies outside of the area of {self.name[:100]}")
        edges = self._transformer.transform_bounds(first, second, third, fourth, densify_pts=_STEPS)
        if not all(map(math.isfinite, edges)):
            raise ValueError(f"the box lies outside of the area of {self.name[:100]}")
        west, south = (math.floor(edge / _ROUNDING_DEG) * _ROUNDING_DEG for edge in edges[:2])
        east, north = (math.ceil(edge / _ROUNDING_DEG) * _ROUNDING_DEG for edge in edges[2:])
        west, south, east, north = (round(edge, 6) for edge in (west, south, east, north))
        return max(-180.0, west), max(-90.0, south), min(180.0, east), min(90.0, north)

    def geometry(self, geometry: JsonMapping) -> Json:
        """GeoJSON of this system as GeoJSON in degrees, in parts at the antimeridian. Raises ValueError."""
        if self.in_degrees and not self.latitude_first:
            return dict(geometry)
        try:
            geometry_read = shape(cast(Any, geometry))
        except (ShapelyError, ValueError, TypeError, IndexError, AttributeError, KeyError):
            raise ValueError("the geometry is not valid") from None
        if self.in_degrees:
            return dict(mapping(shapely.transform(geometry_read, lambda points: points[:, ::-1])))
        return dict(mapping(self._in_degrees(geometry_read)))

    def _in_degrees(self, geometry: BaseGeometry) -> BaseGeometry:
        if geometry.length > 0:
            geometry = shapely.segmentize(geometry, geometry.length * _LONGEST_SHARE)
        geometry_deg = shapely.transform(geometry, lambda points: self._points(points))
        if not all(map(math.isfinite, geometry_deg.bounds)):
            raise ValueError(f"the geometry lies outside of the area of {self.name[:100]}")
        west, _, east, _ = geometry_deg.bounds
        if east - west < _HALF_TURN:
            return geometry_deg
        if _is_around_pole(geometry_deg):
            west, south, east, north = self.box(*geometry.bounds)
            halves = (
                [(west, south, east, north)]
                if west <= east
                else [(west, south, 180, north), (-180, south, east, north)]
            )
            return shapely.union_all([box(*half_box) for half_box in halves])
        geometry_unrolled = shapely.transform(geometry_deg, _unroll)
        pieces = [
            affinity.translate(
                geometry_unrolled.intersection(box(start, -90.0, start + 360.0, 90.0)), -start - _HALF_TURN
            )
            for start in (-540.0, -180.0, 180.0)
        ]
        return shapely.union_all([piece for piece in pieces if not piece.is_empty])

    def _points(self, points: Points) -> Points:
        import numpy as np

        return np.column_stack(self._transformer.transform(points[:, 0], points[:, 1]))

    @cached_property
    def _system(self) -> CRS:
        return _system(self.authority, self.code)

    @cached_property
    def _transformer(self) -> Transformer:
        return _transformer(self.authority, self.code, self.by_authority)


WGS84 = ReferenceSystem("CRS84", "OGC", "CRS84", by_authority=False)


def read_reference_system(name: str) -> ReferenceSystem:
    """The system of this name; WGS 84 with longitude first for an empty one. Raises ValueError with the name."""
    if not name.strip():
        return WGS84
    match = _NAME.match(name)
    if match is None:
        raise ValueError(f"the reference system {name[:100]!r} is not known; write an EPSG code, as in EPSG:25832")
    authority = (match["authority"] or match["short"] or "EPSG").upper()
    code = match["code"].upper()
    if authority in ("OGC", "CRS") or code in _EAST_FIRST:
        if code not in _EAST_FIRST:
            raise ValueError(f"the reference system {name[:100]!r} is not known; write an EPSG code, as in EPSG:25832")
        return ReferenceSystem(name.strip(), "OGC", "CRS84", by_authority=False)
    if code in _WEB_MERCATOR:
        authority, code = "EPSG", "3857"
    system = ReferenceSystem(name.strip(), authority, code, by_authority=match["long"] is not None)
    if code != "4326":
        _check(system)
    return system


def _check(system: ReferenceSystem) -> None:
    """Raises ValueError unless the system has two horizontal axes on the Earth and a way to degrees."""
    from pyproj.exceptions import CRSError, ProjError

    name = system.name[:100]
    try:
        crs = _system(system.authority, system.code)
        is_horizontal = crs.is_geographic or crs.is_projected
        if is_horizontal and not system.in_degrees:
            _transformer(system.authority, system.code, system.by_authority)
    except CRSError:
        raise ValueError(f"the reference system {name!r} is not known; write an EPSG code, as in EPSG:25832") from None
    except ProjError:
        raise ValueError(f"the reference system {name!r} cannot be turned into degrees") from None
    if not is_horizontal:
        raise ValueError(f"the reference system {name!r} has no horizontal axes")


@lru_cache(maxsize=256)
def _system(authority: str, code: str) -> CRS:
    from pyproj import CRS  # half a second that most processes never need
    from pyproj.network import set_network_enabled  # type: ignore[attr-defined] # it has no __all__

    set_network_enabled(active=False)  # grids of higher precision would be fetched past the gate
    crs = CRS.from_authority(authority, code)
    return crs.sub_crs_list[0] if crs.is_compound else crs


@lru_cache(maxsize=256)
def _transformer(authority: str, code: str, by_authority: bool) -> Transformer:
    from pyproj import CRS, Transformer

    degrees = CRS.from_authority("OGC", "CRS84")
    return Transformer.from_crs(_system(authority, code), degrees, always_xy=not by_authority)


def _unroll(points: Points) -> Points:
    """Without jumps from 180 to -180 degrees: longitudes continue above 180."""
    import numpy as np

    turns = np.cumsum(np.round(np.diff(points[:, 0], prepend=points[:1, 0]) / 360.0))
    return np.column_stack([points[:, 0] - 360.0 * turns, points[:, 1]])


def _is_around_pole(geometry_deg: BaseGeometry) -> bool:
    """Whether a ring ends a whole turn beside its beginning."""
    rings = [
        ring for part in shapely.get_parts(geometry_deg) if part.geom_type == "Polygon" for ring in (part.exterior,)
    ]
    ends = [_unroll(shapely.get_coordinates(ring)) for ring in rings]
    return any(abs(points[-1][0] - points[0][0]) > _HALF_TURN for points in ends)
