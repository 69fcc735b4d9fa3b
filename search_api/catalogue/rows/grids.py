"""The variables of an OPeNDAP data set or a Zarr store, and one of them as a series at a point, in small requests."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, Protocol
from urllib.parse import quote

from core.errors import InvalidInput, NotFound, SondeError
from core.record import Link
from core.timespan import instant_ms, iso
from search_api.catalogue.rows.dap import (
    DapVariable,
    Dimension,
    Values,
    by_name,
    names_of,
    read_attributes,
    read_declaration,
    read_values,
)

Fetch = Callable[[str], bytes]
"""The whole answer of an address; raises SondeError, also if it is too long."""
Range = tuple[int, int, int]
"""First index, step, last index."""
AxisKind = Literal["time", "latitude", "longitude", "other"]
Attributes = Mapping[str, Mapping[str, str]]

_PAGES = re.compile(r"\.(?:html|dds|das|dods|dmr|ascii|asc|graph)$", re.IGNORECASE)
_SERVERS = re.compile(r"^https?://[^?#]+(?:/dodsC/|/opendap/(?:hyrax/)?|/erddap/griddap/)[^?#]*[^/?#]", re.IGNORECASE)
_FOLDERS = re.compile(r"/(?:catalog|contents)\.(?:html|xml)$", re.IGNORECASE)
_SINCE = re.compile(r"^\s*(second|sec|minute|min|hour|hr|day|week|s|h|d)s?\s+since\s+(.+?)\s*$")
_UNIT_MS = {
    "second": 1e3, "sec": 1e3, "s": 1e3, "minute": 6e4, "min": 6e4, "hour": 36e5, "hr": 36e5, "h": 36e5,
    "day": 864e5, "d": 864e5, "week": 6048e5,
}  # fmt: skip
_START = re.compile(r"^(\d{1,4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2})(?::(\d{1,2}))?(?::(\d{1,2})(?:\.\d*)?)?)?")
_PLAIN_CALENDARS = ("", "standard", "gregorian", "proleptic_gregorian")
_MOST_VARIABLES = 200
_LONGEST_AXIS = 50_000
_EARTH_DEG = 360.0


@dataclass(frozen=True, slots=True)
class Point:
    longitude: float
    latitude: float


@dataclass(frozen=True, slots=True)
class SeriesWindow:
    """``count`` values of a variable, each ``every``-th from ``start`` on; without a variable only the header.

    ``every`` 0: spread over the whole series.
    """

    count: int
    variable: str | None = None
    point: Point | None = None
    start: int = 0
    every: int = 1

    def step(self, size: int) -> int:
        """Of a series of ``size`` values."""
        return self.every or max(1, math.ceil((size - self.start) / self.count))


@dataclass(frozen=True, slots=True)
class Slab:
    """A part of a variable, one range for each of its dimensions; all of it without ranges."""

    variable: DapVariable
    ranges: tuple[Range, ...] = ()


class GridData(Protocol):
    """A data set whose arrays are read in parts."""

    @property
    def variables(self) -> tuple[DapVariable, ...]: ...

    @property
    def attributes(self) -> Attributes: ...

    def values(self, slabs: Sequence[Slab]) -> Mapping[str, Values]:
        """By the names of the variables. Raises SondeError."""


@dataclass(frozen=True, slots=True)
class GridVariable:
    name: str
    title: str
    unit: str
    dimensions: tuple[Dimension, ...]


@dataclass(frozen=True, slots=True)
class GridSeries:
    """``fixed``: the value of each dimension that does not run, with its unit."""

    variables: tuple[GridVariable, ...]
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    has_more: bool = False
    point: Point | None = None
    fixed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Axis:
    """One dimension of a variable; ``values`` None: it has no coordinates, or they are not needed."""

    dimension: Dimension
    kind: AxisKind
    values: Values | None = None


def grid_address(link: Link) -> str | None:
    """The address of the data set without the suffix of a page or an answer; None if it is no OPeNDAP."""
    label = f"{link.protocol or ''} {link.media_type or ''}".lower()
    href = link.href.partition("?")[0].partition("#")[0]
    is_named = ("opendap" in label or "x-dods" in label) and href.startswith(("http://", "https://"))
    if not (is_named or _SERVERS.match(href)) or _FOLDERS.search(href):
        return None
    return _PAGES.sub("", href)


@dataclass(frozen=True, slots=True)
class OpendapData:
    """A data set of an OPeNDAP server."""

    address: str
    fetch: Fetch
    variables: tuple[DapVariable, ...]
    attributes: Attributes

    @classmethod
    def opened(cls, address: str, fetch: Fetch) -> OpendapData:
        declared = tuple(names_of(read_declaration(fetch(f"{address}.dds").decode("utf-8", "replace"))))
        try:
            attributes = read_attributes(fetch(f"{address}.das").decode("utf-8", "replace"))
        except SondeError:
            attributes = {}  # units are missing then
        return cls(address, fetch, declared, attributes)

    def values(self, slabs: Sequence[Slab]) -> dict[str, Values]:
        """A grid comes with its coordinates; ERDDAP refuses them beside it."""
        slabs = [slab for slab in slabs if slab.variable.grid and slab.ranges] or slabs
        projections = [
            (slab.variable.grid or slab.variable.path if slab.ranges else slab.variable.path)
            + "".join(f"[{first}:{step}:{last}]" for first, step, last in slab.ranges)
            for slab in slabs
        ]
        # Brackets are escaped: servers on Tomcat refuse plain ones.
        return by_name(read_values(self.fetch(f"{self.address}.dods?{quote(','.join(projections), safe=',:.%')}")))


def read_grid(data: GridData, window: SeriesWindow) -> GridSeries:
    """Raises NotFound for an unknown variable, InvalidInput for a point that the grid has not."""
    header = tuple(_described(variable, data.attributes) for variable in data.variables[:_MOST_VARIABLES])
    if window.variable is None:
        return GridSeries(header)
    variable = next((each for each in data.variables if each.name == window.variable), None)
    if variable is None:
        names = ", ".join(each.name for each in header[:20])
        raise NotFound(f"The data set has no variable {window.variable!r}; it has {names}.")
    return _Series(data).read(header, variable, window)


def _described(variable: DapVariable, attributes: Attributes) -> GridVariable:
    own_attributes = attributes.get(variable.name, {})
    title = own_attributes.get("long_name") or own_attributes.get("standard_name") or ""
    return GridVariable(variable.name, title[:200], own_attributes.get("units", "")[:60], variable.dimensions)


@dataclass(frozen=True, slots=True)
class _Series:
    data: GridData

    def read(self, header: tuple[GridVariable, ...], variable: DapVariable, window: SeriesWindow) -> GridSeries:
        axes = [_Axis(dimension, self._kind(dimension.name)) for dimension in variable.dimensions]
        running = _running(axes)
        axes = self._with_places(axes, running)
        fixed = {at: _cell(axis, window.point) for at, axis in enumerate(axes) if at != running}
        size = axes[running].dimension.size if running is not None else 1
        every = window.step(size)
        last = min(size - 1, window.start + (window.count - 1) * every)
        if last < window.start:
            raise InvalidInput("start", f"The series has {size:,} values; `start` is behind its end.")
        rows_range = (window.start, every, last)
        ranges = [rows_range if at == running else (fixed[at], 1, fixed[at]) for at in range(len(axes))]
        values = self._values(variable, axes, ranges)
        columns, rows = self._table(variable, axes, running, values)
        return GridSeries(
            header, columns, rows, last + every < size, _point(axes, fixed), self._labels(axes, fixed, values)
        )

    def _kind(self, name: str) -> AxisKind:
        attributes = self.data.attributes.get(name, {})
        standard_name, axis = attributes.get("standard_name", ""), attributes.get("axis", "")
        words = {name.rpartition("/")[2].lower(), standard_name.lower(), axis.lower()}
        unit = attributes.get("units", "").lower()
        if " since " in unit or words & {"time", "t"}:
            return "time"
        if words & {"lat", "latitude"} or re.fullmatch(r"degrees?_?n(?:orth)?", unit):
            return "latitude"
        if words & {"lon", "long", "longitude"} or re.fullmatch(r"degrees?_?e(?:ast)?", unit):
            return "longitude"
        return "other"

    def _with_places(self, axes: Sequence[_Axis], running: int | None) -> list[_Axis]:
        """With the coordinates of the latitudes and longitudes, which say what cell is nearest to a point."""
        coordinates = [
            coordinate
            for at, axis in enumerate(axes)
            if at != running and axis.kind in ("latitude", "longitude")
            if (coordinate := self._coordinate(axis.dimension)) is not None
        ]
        variables_by_name = self.data.values([Slab(each) for each in coordinates]) if coordinates else {}
        return [_Axis(axis.dimension, axis.kind, variables_by_name.get(axis.dimension.name)) for axis in axes]

    def _coordinate(self, dimension: Dimension) -> DapVariable | None:
        """The variable that gives each index of a dimension its value."""
        if dimension.size > _LONGEST_AXIS:
            return None
        wanted = (dimension.name, (dimension,))
        return next((each for each in self.data.variables if (each.name, each.dimensions) == wanted), None)

    def _values(self, variable: DapVariable, axes: Sequence[_Axis], ranges: Sequence[Range]) -> Mapping[str, Values]:
        """Those of the variable, and of the coordinates beside them."""
        slabs = [Slab(variable, tuple(ranges))]
        for axis, each in zip(axes, ranges, strict=True):
            coordinate = self._coordinate(axis.dimension)
            if coordinate is not None and coordinate is not variable:
                slabs.append(Slab(coordinate, (each,)))
        return self.data.values(slabs)

    def _table(
        self, variable: DapVariable, axes: Sequence[_Axis], running: int | None, values: Mapping[str, Values]
    ) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        column, cells = self._column(variable.name, variable.type, values[variable.name])
        if running is None or axes[running].dimension.name in ("", variable.name):
            return (column,), tuple((cell,) for cell in cells)
        name = axes[running].dimension.name
        coordinate = self._coordinate(axes[running].dimension)
        if coordinate is None or name not in values:
            return (name, column), tuple((str(at), cell) for at, cell in enumerate(cells))
        first, steps = self._column(name, coordinate.type, values[name])
        return (first, column), tuple(zip(steps, cells, strict=False))

    def _column(self, name: str, type: str, values: Values) -> tuple[str, tuple[str, ...]]:
        """The name with the unit, and its cells; instants as RFC 3339, missing values empty, packed ones unpacked."""
        own_attributes = self.data.attributes.get(name, {})
        unit = own_attributes.get("units", "")
        start = _epoch_ms(unit, own_attributes.get("calendar", ""))
        if start is not None:
            origin, step = start
            return name, tuple(_instant(origin + float(value) * step) for value in values)
        missing = {_number(own_attributes.get(mark)) for mark in ("_FillValue", "missing_value")} - {None}
        scale, offset = (
            _number(own_attributes.get("scale_factor")) or 1.0,
            _number(own_attributes.get("add_offset")) or 0.0,
        )
        digits = 15 if type == "float64" else 7
        cells = tuple(_text(value, missing, scale, offset, digits) for value in values)
        return f"{name} ({unit})" if unit else name, cells

    def _labels(self, axes: Sequence[_Axis], fixed: Mapping[int, int], values: Mapping[str, Values]) -> dict[str, str]:
        labels = {}
        for at, index in fixed.items():
            name = axes[at].dimension.name
            coordinate = self._coordinate(axes[at].dimension)
            if coordinate is None or name not in values:
                labels[name or f"dimension {at + 1}"] = f"index {index}"
            else:
                column, cells = self._column(name, coordinate.type, values[name])
                labels[column] = cells[0]
        return labels


def _running(axes: Sequence[_Axis]) -> int | None:
    """The dimension that makes the rows: time, else the first that is no place; of a plain row of values itself."""
    for wanted in ("time", "other"):
        for at, axis in enumerate(axes):
            if axis.kind == wanted:
                return at
    return 0 if len(axes) == 1 else None


def _cell(axis: _Axis, point: Point | None) -> int:
    """The index of the cell nearest to the point; without a point the middle one; of another dimension the first."""
    if axis.kind not in ("latitude", "longitude") or not axis.values:
        if point is not None and axis.kind == "other" and axis.dimension.name.lower() in ("x", "y", "i", "j"):
            raise InvalidInput("point", "The grid has no plain longitudes and latitudes: leave the point out.")
        return 0
    if point is None:
        return len(axis.values) // 2
    is_longitude = axis.kind == "longitude"
    wanted = point.longitude if is_longitude else point.latitude
    distances = [_distance(float(value), wanted, is_longitude) for value in axis.values]
    nearest = min(range(len(distances)), key=distances.__getitem__)
    if len(distances) > 1 and not distances[nearest] <= _widest_step(axis.values):
        raise InvalidInput("point", f"The grid does not reach the point: its {axis.kind}s {_range(axis.values)}.")
    return nearest


def _distance(value: float, wanted: float, is_longitude: bool) -> float:
    difference = abs(value - wanted)
    if math.isnan(difference):
        return math.inf
    return abs((difference + 180.0) % _EARTH_DEG - 180.0) if is_longitude else difference


def _widest_step(values: Values) -> float:
    return max(abs(float(after) - float(before)) for before, after in pairwise(values))


def _range(values: Values) -> str:
    numbers = [float(value) for value in values]
    return f"go from {min(numbers):g} to {max(numbers):g}"


def _point(axes: Sequence[_Axis], fixed: Mapping[int, int]) -> Point | None:
    """The cell's own place; None unless both are known."""
    place = {axes[at].kind: axes[at].values[index] for at, index in fixed.items() if axes[at].values}  # type: ignore[index]
    if not {"latitude", "longitude"} <= place.keys():
        return None
    longitude = (float(place["longitude"]) + 180.0) % _EARTH_DEG - 180.0
    return Point(round(longitude, 6), round(float(place["latitude"]), 6))


def _epoch_ms(unit: str, calendar: str) -> tuple[float, float] | None:
    """The start and the step in milliseconds; None if it is no time, or of a calendar that is not ours."""
    match = _SINCE.match(unit.lower())
    if match is None or calendar.lower() not in _PLAIN_CALENDARS:
        return None
    start = _START.match(match[2])
    if start is None:
        return None
    year, month, day, *clock = (int(part or 0) for part in start.groups())
    hour, minute, second = clock
    try:
        origin = instant_ms(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    except ValueError:
        return None
    return origin, _UNIT_MS[match[1]]


def _instant(milliseconds: float) -> str:
    try:
        return iso(round(milliseconds))
    except (ValueError, OverflowError):
        return ""


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _text(value: float | str, missing: set[float | None], scale: float, offset: float, digits: int) -> str:
    if isinstance(value, str):
        return value[:200]
    if math.isnan(value) or any(_is_same(value, gap) for gap in missing):
        return ""
    return f"{value * scale + offset:.{digits}g}"


def _is_same(value: float, gap: float | None) -> bool:
    """As numbers of four bytes: 1e20 is sent as 100000002004087734272."""
    return gap is not None and math.isclose(value, gap, rel_tol=1e-6)
