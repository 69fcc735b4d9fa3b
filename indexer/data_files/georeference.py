"""Reference systems of data files, and boxes of them in degrees of WGS 84."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError, ProjError

from core.geo import BBox
from core.json_types import JsonMapping

_STEPS = 21
_HALF_TURN, _TURN = 180.0, 360.0


def reference_system(attributes: JsonMapping) -> CRS | None:
    """What the attributes of a CF grid mapping describe; None where they describe nothing that PROJ knows."""
    for name in ("crs_wkt", "spatial_ref"):
        if isinstance(attributes.get(name), str):
            with suppress(CRSError):
                return CRS.from_user_input(attributes[name])
    if "epsg_code" in attributes:
        with suppress(CRSError):
            return CRS.from_user_input(f"EPSG:{str(attributes['epsg_code']).rpartition(':')[2]}")
    with suppress(CRSError, KeyError, ValueError, TypeError):
        return CRS.from_cf({name: _plain(value) for name, value in attributes.items()})
    return None


def _plain(value: object) -> object:
    parts = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return parts[0] if isinstance(parts, list) and len(parts) == 1 else parts


def box_in_degrees(edges: tuple[float, float, float, float], system: CRS) -> list[float]:
    """``edges``: xmin, ymin, xmax, ymax. West, south, east, north; west > east crosses the antimeridian.

    Raises ValueError outside of the projection.
    """
    try:
        transformer = Transformer.from_crs(system, CRS.from_epsg(4326), always_xy=True)
        west, south, east, north = transformer.transform_bounds(*edges, densify_pts=_STEPS)
    except ProjError as error:
        raise ValueError(f"its reference system cannot be converted to degrees: {error}") from error
    if not all(map(math.isfinite, (west, south, east, north))):
        raise ValueError("its corners lie outside of the area of its reference system")
    if east - west >= _TURN:
        west, east = -_HALF_TURN, _HALF_TURN
    box = BBox(_wrapped(west), max(-90.0, south), _wrapped(east, is_east=True), min(90.0, north))
    return [round(edge, 6) for edge in box.as_list()]


def _wrapped(longitude: float, *, is_east: bool = False) -> float:
    if -_HALF_TURN <= longitude <= _HALF_TURN:
        return longitude
    wrapped_longitude = (longitude + _HALF_TURN) % _TURN - _HALF_TURN
    return _HALF_TURN if is_east and wrapped_longitude == -_HALF_TURN else wrapped_longitude


def longitude_range(longitudes: NDArray[np.float64], *, is_axis: bool) -> tuple[float, float]:
    """West and east of longitudes in any range (-180..180, 0..360); west > east crosses the antimeridian.

    They lie outside of the largest gap between them. A grid without such a gap goes around the globe. What is written
    in -180..180 is read across the antimeridian only if its largest gap is more than half of the globe.
    """
    low, high = float(longitudes.min()), float(longitudes.max())
    if high - low >= _TURN - 1e-6:
        return -_HALF_TURN, _HALF_TURN
    values = np.unique(np.round(np.mod(longitudes, _TURN), 6))
    gaps = np.diff(values, append=values[0] + _TURN)
    widest = int(np.argmax(gaps))
    if values.size > 2 and is_axis and gaps[widest] <= 1.5 * float(np.median(gaps)):
        return -_HALF_TURN, _HALF_TURN
    if values.size > 360 and not is_axis and gaps[widest] <= 1.0:
        return -_HALF_TURN, _HALF_TURN
    if low >= -_HALF_TURN and high <= _HALF_TURN and gaps[widest] <= _HALF_TURN:
        return low, high
    west, east = float(values[(widest + 1) % values.size]), float(values[widest])
    return _wrapped(west), _wrapped(east, is_east=True)
