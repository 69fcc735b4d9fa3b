"""The extent, times, levels and variables of arrays that follow the CF conventions, strictly or nearly. Pure.

https://cfconventions.org: units, standard names and axes say which variables are coordinates; where they are missing,
the usual names do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS

from core.json_types import Json, JsonMapping
from indexer.data_files.calendar import describe_times, is_time_unit
from indexer.data_files.georeference import box_in_degrees, longitude_range, reference_system
from indexer.data_files.messages import FileFault
from indexer.data_files.table import moment_in

Values = NDArray[np.float64]
Stored = NDArray[np.generic]
Role = Literal["latitude", "longitude", "time", "vertical", "x", "y"]

_UNITS: Mapping[Role, re.Pattern[str]] = {
    "latitude": re.compile(r"degrees?_?(n|north)$", re.IGNORECASE),
    "longitude": re.compile(r"degrees?_?(e|east|w|west)$", re.IGNORECASE),
}
_STANDARD_NAMES: Mapping[str, Role] = {
    "latitude": "latitude", "longitude": "longitude", "time": "time", "projection_x_coordinate": "x",
    "projection_y_coordinate": "y", "grid_longitude": "x", "grid_latitude": "y", "depth": "vertical",
    "height": "vertical", "altitude": "vertical", "air_pressure": "vertical",
}  # fmt: skip
_NAMES: Mapping[str, Role] = {
    "lat": "latitude", "latitude": "latitude", "nav_lat": "latitude", "xlat": "latitude", "lats": "latitude",
    "lon": "longitude", "longitude": "longitude", "nav_lon": "longitude", "xlong": "longitude", "lons": "longitude",
    "long": "longitude", "time": "time", "x": "x", "y": "y", "xc": "x", "yc": "y", "easting": "x", "northing": "y",
    "depth": "vertical", "lev": "vertical", "level": "vertical", "plev": "vertical", "height": "vertical",
    "altitude": "vertical", "pressure": "vertical",
}  # fmt: skip
_TEXT_TIMES = ("time", "times", "datetime", "date_time", "timestamp")
_CRS_ATTRIBUTES = ("crs_wkt", "spatial_ref", "grid_mapping_name", "epsg_code")
_NUMBERS = {f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)}
_OF_STORAGE = frozenset({"_FillValue", "missing_value", "scale_factor", "add_offset", "_NCProperties", "_Unsigned"})
_MOST_VALUES = 4_000_000
_MOST_VARIABLES = 1000
_MOST_ATTRIBUTES = 300
_LONGEST_TEXT = 20_000
_LONGEST_LIST = 20
_KILOMETRES = ("km", "kilometer", "kilometre", "kilometers", "kilometres")
_LENGTHS = ("m", "metre", "meter", "metres", "meters", *_KILOMETRES)
_FARTHEST_LONGITUDE = 720.0


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """``read(step)``: the values as stored, every ``step``-th of each dimension."""

    name: str
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    type: str
    attributes: JsonMapping
    read: Callable[[int], Stored]

    @property
    def short_name(self) -> str:
        return self.name.rpartition("/")[2]

    @property
    def is_axis(self) -> bool:
        """Whether it has the values of the dimension of its name."""
        return len(self.dimensions) == 1 and self.dimensions[0].rpartition("/")[2] == self.short_name

    def text(self, attribute: str) -> str:
        value = self.attributes.get(attribute)
        return value.strip() if isinstance(value, str) else ""

    def values(self) -> Values:
        """Without missing ones, unpacked; of a large array a part. Raises ValueError if they are no numbers."""
        count = math.prod(self.shape)
        step = max(1, math.ceil((count / _MOST_VALUES) ** (1 / max(1, len(self.shape)))))
        stored_values = np.asarray(self.read(step))
        if stored_values.dtype.kind not in "iuf":
            raise ValueError(f"{self.name} holds no numbers")
        is_valid = np.isfinite(stored_values)
        for fill in ("_FillValue", "missing_value"):
            for number in np.atleast_1d(self.attributes.get(fill, [])):
                if isinstance(number, int | float | np.number):
                    is_valid &= stored_values != number
        factor, offset = (
            float(self.attributes.get(name, value)) for name, value in (("scale_factor", 1), ("add_offset", 0))
        )
        unpacked_values = stored_values.astype(np.float64) * factor + offset
        return np.where(is_valid, unpacked_values, np.nan)

    def texts(self) -> list[str]:
        """Of an array of texts, or of single letters along all dimensions but the first; none of a very large one."""
        if math.prod(self.shape) > _MOST_VALUES:
            return []
        stored_values = np.asarray(self.read(1))
        if stored_values.dtype == np.dtype("S1"):
            rows = stored_values.reshape(stored_values.shape[0] if stored_values.ndim > 1 else 1, -1)
            stored_values = np.array([b"".join(row) for row in rows])
        texts = (part.decode("ascii", "replace") if isinstance(part, bytes) else part for part in stored_values.flat)
        return [text.strip("\x00 ") for text in texts if isinstance(text, str)]


def describe(format: str, attributes: JsonMapping, arrays: Sequence[ArrayHeader]) -> Json:
    """The header as JSON: what the file says, and what its coordinates say. Raises FileFault if it holds no numbers."""
    if not any(array.type in _NUMBERS for array in arrays):
        raise FileFault("it holds no variable with numbers", is_data=False)
    grid = _Grid(arrays)
    header: Json = {"format": format, "attributes": plain(attributes), "variables": list(grid.data_variables())}
    warnings: list[str] = []
    for name, part in (("extent", grid.extent), ("times", grid.times), ("vertical", grid.vertical)):
        try:
            header |= {key: value for key, value in part().items() if value is not None}
        except (ValueError, TypeError, OverflowError) as error:
            warnings.append(f"{name}: the coordinates cannot be read: {' '.join(str(error).split())[:200]}")
    return header | ({"warnings": warnings} if warnings else {})


def plain(attributes: JsonMapping) -> Json:
    """Attributes as JSON values; long ones are cut."""
    names = [name for name in attributes if name not in _OF_STORAGE][:_MOST_ATTRIBUTES]
    values = ((str(name), _plain_value(attributes[name])) for name in names)
    return {name: value for name, value in values if value not in ("", None, [])}


def _plain_value(value: object) -> object:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value.replace("\x00", "").strip()[:_LONGEST_TEXT]
    if isinstance(value, np.ndarray | list | tuple):
        parts = [_plain_value(part) for part in list(np.ravel(np.asarray(value, dtype=object)))[:_LONGEST_LIST]]
        return parts[0] if len(parts) == 1 else parts
    if isinstance(value, np.generic):
        value = value.item()
        return _plain_value(value) if isinstance(value, bytes | str) else _plain_number(value)
    return _plain_number(value)


def _plain_number(value: object) -> object:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return None if value is None else str(value)[:_LONGEST_TEXT]


@dataclass(slots=True)
class _Grid:
    arrays: Sequence[ArrayHeader]

    def data_variables(self) -> Iterator[Json]:
        """All but coordinates, their bounds, and descriptions of the grid."""
        coordinates = {array.name for array in self.arrays if _is_coordinate(array)}
        helpers = {name for array in self.arrays for name in self._helpers(array)}
        described = 0
        for array in self.arrays:
            is_helper = array.name in helpers or array.short_name in helpers
            is_helper = is_helper or _describes_system(array) or bool(array.text("cf_role"))
            if array.name in coordinates or is_helper or array.type not in _NUMBERS:
                continue
            described += 1
            if described > _MOST_VARIABLES:
                return
            yield {
                "name": array.name,
                "type": array.type,
                "dimensions": list(array.dimensions),
                "shape": list(array.shape),
                "attributes": plain(array.attributes),
            }

    def _helpers(self, array: ArrayHeader) -> Iterator[str]:
        for attribute in ("bounds", "climatology", "coordinates", "grid_mapping"):
            yield from (word.rstrip(":") for word in array.text(attribute).split())
        for part in array.text("cell_measures").split():
            yield part.rstrip(":")

    def _of_role(self, role: Role) -> ArrayHeader | None:
        """The array with the most values: not the one position of an instrument beside the grid."""
        arrays = [array for array in self.arrays if _role(array) == role and math.prod(array.shape) > 0]
        arrays = arrays if role not in ("time", "vertical") else [array for array in arrays if len(array.shape) < 2]
        return max(
            arrays, key=lambda array: (_is_certain(array, role), array.is_axis, math.prod(array.shape)), default=None
        )

    def _bounds(self, array: ArrayHeader, attribute: str = "bounds") -> ArrayHeader | None:
        names = {array.text(attribute)} - {""}
        return next((bounds for bounds in self.arrays if {bounds.name, bounds.short_name} & names), None)

    def extent(self) -> Json:
        """``extent``: west, south, east, north in degrees; ``resolution``; ``crs``."""
        latitude, longitude = self._of_role("latitude"), self._of_role("longitude")
        x, y = self._of_role("x"), self._of_role("y")
        system = self._system()
        name_of_system = None if system is None else self._name_of(system)
        if latitude is not None and longitude is not None:
            box = _geographic_box(self._edges(latitude), self._edges(longitude), is_axis=longitude.is_axis)
            return {"extent": box, "resolution": _spacing_deg(latitude, longitude), "crs": name_of_system}
        if x is None or y is None or system is None:
            return {}
        edges = [float(edge) for array in (x, y) for edge in (np.nanmin(array.values()), np.nanmax(array.values()))]
        edges = [edge * factor for edge, factor in zip(edges, [_metres_per(x)] * 2 + [_metres_per(y)] * 2, strict=True)]
        box = box_in_degrees((edges[0], edges[2], edges[1], edges[3]), system)
        return {"extent": box, "resolution": _spacing_in(x, y, system.is_geographic), "crs": name_of_system}

    def _edges(self, array: ArrayHeader) -> Values:
        bounds = self._bounds(array)
        return array.values() if bounds is None or len(array.shape) > 1 else bounds.values()

    def _system(self) -> CRS | None:
        for array in self.arrays:
            if _describes_system(array) and (system := reference_system(array.attributes)) is not None:
                return system
        return None

    def _name_of(self, system: CRS) -> str:
        authority = system.to_authority()
        mapping_names = (array.text("grid_mapping_name").replace("_", " ") for array in self.arrays)
        return ":".join(authority) if authority else next(filter(None, mapping_names), system.name)

    def times(self) -> Json:
        time = self._of_role("time")
        if time is None or not is_time_unit(time.text("units")):
            return self._text_times()
        bounds = self._bounds(time) or self._bounds(time, "climatology")
        edges = time if bounds is None else bounds
        description = describe_times(time.values(), edges.values(), time.text("units"), time.text("calendar"))
        return {"times": {**description, "count": math.prod(time.shape)}} if description else {}

    def _text_times(self) -> Json:
        """Of times that are written out: ``2001-02-03T04:05:06Z``, WRF's ``2001-02-03_04:05:06``."""
        for array in self.arrays:
            if array.short_name.lower() in _TEXT_TIMES and array.type not in _NUMBERS:
                moments = sorted(filter(None, (moment_in(text.replace("_", " ")) for text in array.texts())))
                if moments:
                    return {"times": {"start": moments[0], "end": moments[-1], "count": len(moments)}}
        return {}

    def vertical(self) -> Json:
        vertical = self._of_role("vertical")
        if vertical is None or not vertical.text("units"):
            return {}
        values = vertical.values()
        is_down = vertical.text("positive").lower() == "down" or (
            not vertical.text("positive") and vertical.short_name.lower() == "depth"
        )
        sign = (
            -1.0
            if is_down and vertical.text("units").lower() in ("m", "metre", "meter", "metres", "meters", "km")
            else 1.0
        )
        ends = sorted((sign * float(np.nanmin(values)), sign * float(np.nanmax(values))))
        if not all(map(math.isfinite, ends)):
            return {}
        return {"vertical": {"minimum": ends[0], "maximum": ends[1], "unit": vertical.text("units")}}


def _is_coordinate(array: ArrayHeader) -> bool:
    """A depth for each place is data."""
    role = _role(array)
    if array.is_axis or role in ("latitude", "longitude"):
        return True
    return role is not None and len(array.shape) < (1 if role == "vertical" else 3)


def _describes_system(array: ArrayHeader) -> bool:
    return any(name in array.attributes for name in _CRS_ATTRIBUTES) and math.prod(array.shape) <= 1


def _role(array: ArrayHeader) -> Role | None:
    if not array.name.lower().endswith(("_bnds", "_bounds")):
        for role in ("latitude", "longitude"):
            if _UNITS[role].match(array.text("units")):
                return role
        if is_time_unit(array.text("units")):
            return "time"
    standard_name = array.text("standard_name")
    if standard_name in _STANDARD_NAMES:
        return _STANDARD_NAMES[standard_name]
    if standard_name:
        return None
    if array.text("axis").upper() == "Z":
        return "vertical"
    return _NAMES.get(array.short_name.lower())


def _is_certain(array: ArrayHeader, role: Role) -> bool:
    """Whether its attributes say so, not only its name."""
    return _STANDARD_NAMES.get(array.text("standard_name")) == role


def _geographic_box(latitudes: Values, longitudes: Values, *, is_axis: bool) -> list[float]:
    latitudes = latitudes[np.abs(latitudes) <= 90.001]
    longitudes = longitudes[np.abs(longitudes) <= _FARTHEST_LONGITUDE]
    if not latitudes.size or not longitudes.size:
        raise ValueError("no latitude or no longitude is in degrees")
    west, east = longitude_range(longitudes, is_axis=is_axis)
    south, north = (min(90.0, max(-90.0, float(edge))) for edge in (latitudes.min(), latitudes.max()))
    return [round(edge, 6) for edge in (west, south, east, north)]


def _step_of(array: ArrayHeader) -> float | None:
    """The usual distance of an axis; None where it has no such thing."""
    if not array.is_axis or array.shape[0] < 2:
        return None
    steps = np.abs(np.diff(array.values()))
    step = float(np.nanmedian(steps))
    return step if step > 0 and float(np.nanmax(steps)) < 10 * step else None


def _spacing_deg(latitude: ArrayHeader, longitude: ArrayHeader) -> Json | None:
    steps = [step for array in (latitude, longitude) if (step := _step_of(array)) is not None]
    return {"value": round(min(steps), 8), "unit": "degrees"} if len(steps) == 2 else None


def _spacing_in(x: ArrayHeader, y: ArrayHeader, in_degrees: bool) -> Json | None:
    steps = [step * _metres_per(array) for array in (x, y) if (step := _step_of(array)) is not None]
    return {"value": round(min(steps), 6), "unit": "degrees" if in_degrees else "metres"} if len(steps) == 2 else None


def _metres_per(array: ArrayHeader) -> float:
    return (
        1000.0 if array.text("units").lower() in ("km", "kilometer", "kilometre", "kilometers", "kilometres") else 1.0
    )
