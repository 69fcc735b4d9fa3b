"""GRIB 1 and 2 (WMO FM 92): the header of each field, decoded by ecCodes. The values stay where they are.

A message is rebuilt with an empty bit map and no values, so that a field costs a few hundred bytes of its file.
"""

from __future__ import annotations

from calendar import timegm
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

import eccodes
import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from indexer.data_files.calendar import describe_times
from indexer.data_files.georeference import longitude_range
from indexer.data_files.messages import ByteRanges, FileFault

_MOST_FIELDS = 10_000
_MOST_REQUESTS = 500
"""Fields of a file behind HTTP that are far apart, so that each costs a request."""
_MOST_GRIDS = 20
_MOST_POINTS = 30_000_000
_DISTANT = 256 << 10
_HEADING = 64 << 10  # a bulletin writes a heading before a message, and some writers pad it
_END = b"7777"
_IN_ROWS = ("regular_ll", "regular_gg", "reduced_ll", "reduced_gg")
_LEVELS = {
    "isobaricInhPa": (1.0, "hPa"),
    "isobaricInPa": (1.0, "Pa"),
    "heightAboveGround": (1.0, "m"),
    "heightAboveSea": (1.0, "m"),
    "depthBelowLand": (-1.0, "m"),
    "depthBelowSea": (-1.0, "m"),
}


@dataclass(frozen=True, slots=True)
class _Field:
    """A message without values; ``grid`` is its section with the grid."""

    message: bytes
    grid: bytes


@dataclass(slots=True)
class _Contents:
    """What the fields of a file say together, in their order."""

    variables: dict[str, Json] = field(default_factory=dict)
    times: set[int] = field(default_factory=set)
    levels: dict[str, set[float]] = field(default_factory=dict)
    grids: dict[bytes, Json] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    centre: str = ""

    def add(self, part: _Field) -> None:
        handle = eccodes.codes_new_from_message(part.message)
        try:
            self._add_variable(handle)
            self._add_time(handle)
            if part.grid not in self.grids and len(self.grids) < _MOST_GRIDS:
                self.grids[part.grid] = self._place(handle)
        finally:
            eccodes.codes_release(handle)

    def _add_variable(self, handle: int) -> None:
        name = _text(handle, "shortName") or _parameter(handle)
        self.centre = self.centre or _text(handle, "centreDescription")
        if name not in self.variables:
            attributes = {
                "long_name": _text(handle, "name"),
                "standard_name": _text(handle, "cfName"),
                "units": _text(handle, "units").replace("**", ""),
            }
            stated = {key: text for key, text in attributes.items() if text}
            self.variables[name] = {"name": name, "attributes": stated}
        level = _number(handle, "level")
        if level is not None:
            self.levels.setdefault(_text(handle, "typeOfLevel"), set()).add(level)

    def _add_time(self, handle: int) -> None:
        moment = f"{_number(handle, 'validityDate') or 0:08.0f}{_number(handle, 'validityTime') or 0:04.0f}"
        try:
            self.times.add(timegm(datetime.strptime(moment, "%Y%m%d%H%M").timetuple()))
        except ValueError:
            self.warnings[f"times: {moment} is no date"] = None

    def _place(self, handle: int) -> Json:
        """``extent``, ``resolution`` and ``crs`` of a grid."""
        kind = _text(handle, "gridType")
        if kind == "sh":
            return {"extent": [-180.0, -90.0, 180.0, 90.0], "crs": "spherical harmonics"}
        if (_number(handle, "numberOfDataPoints") or 0) > _MOST_POINTS:
            self.warnings[f"extent: a grid has more than {_MOST_POINTS:,} points"] = None
            return {}
        try:
            latitudes, longitudes = (eccodes.codes_get_array(handle, f"{axis}itudes") for axis in ("lat", "long"))
            box = _box(np.asarray(latitudes), np.asarray(longitudes), in_rows=kind in _IN_ROWS)
        except (eccodes.CodesInternalError, ValueError):
            self.warnings[f"extent: the file does not say where its grid lies ({kind.replace('_', ' ')})"] = None
            return {}
        return {"extent": box, "resolution": _resolution(handle), "crs": _system(handle, kind)}

    def header(self, edition: int) -> Json:
        boxes = [list(box) for box in dict.fromkeys(tuple(g["extent"]) for g in self.grids.values() if "extent" in g)]
        first = next((grid for grid in self.grids.values() if "extent" in grid), {})
        header: Json = {
            "format": f"GRIB{edition}",
            "attributes": {"institution": self.centre} if self.centre else {},
            "variables": list(self.variables.values()),
            **({"extent": boxes[0]} if len(boxes) == 1 else {"extents": boxes}),
            "resolution": first.get("resolution"),
            "crs": first.get("crs"),
            "times": self._times(),
            "vertical": self._vertical(),
            "warnings": list(self.warnings),
        }
        return {name: value for name, value in header.items() if value or name in ("attributes", "variables")}

    def _times(self) -> Json:
        seconds = np.asarray(sorted(self.times), np.float64)
        times = describe_times(seconds, seconds, "seconds since 1970-01-01", "standard")
        return {**times, "count": len(self.times)} if times else {}

    def _vertical(self) -> Json | None:
        """The kind of level with the most levels."""
        kind = max(_LEVELS, key=lambda name: len(self.levels.get(name, ())))
        sign, unit = _LEVELS[kind]
        levels = [sign * level for level in self.levels.get(kind, ())]
        return {"minimum": min(levels), "maximum": max(levels), "unit": unit} if levels else None


def read_grib(wide: ByteRanges, narrow: ByteRanges, size: int, *, is_remote: bool) -> Json:
    """``wide`` reads a large part at once, ``narrow`` a small one, for messages that lie far apart.

    Raises FileFault, and what ecCodes raises for a damaged header.
    """
    contents, edition = _Contents(), 0
    most_distant = _MOST_REQUESTS if is_remote else _MOST_FIELDS
    for count, part in enumerate(_fields(wide, narrow, size, most_distant)):
        if part is None:
            contents.warnings[f"variables and times: they are those of {count:,} of its fields"] = None
            break
        edition = edition or part.message[7]
        contents.add(part)
    if not edition:
        raise FileFault("it has no complete message")
    return contents.header(edition)


def _fields(wide: ByteRanges, narrow: ByteRanges, size: int, most_distant: int) -> Iterator[_Field | None]:
    """None where it stops before the end, after the last message, if that is as long as the one before it."""
    position, length, distant, count = 0, 0, 0, 0
    while True:
        source = narrow if length > _DISTANT else wide
        start = _next_start(source, position)
        if start is None:
            return
        distant += source is narrow
        if count >= _MOST_FIELDS or distant > most_distant:
            if narrow.part(size - length, 4) == b"GRIB":
                yield from _parts(narrow, size - length)[0]
            yield None
            return
        parts, length = _parts(source, start)
        if start + length > size or length < len(_END):
            raise FileFault(f"it breaks off: its last message should end at {start + length:,} of {size:,} bytes")
        yield from parts
        count += len(parts)
        position = start + length


def _next_start(source: ByteRanges, position: int) -> int | None:
    if source.part(position, 4) == b"GRIB":
        return position
    place = source.part(position, _HEADING).find(b"GRIB")
    return None if place < 0 else position + place


def _parts(source: ByteRanges, start: int) -> tuple[list[_Field], int]:
    """The fields of a message, and its length."""
    is_second_edition = source.part(start + 7, 1) == b"\x02"
    return _second_edition(source, start) if is_second_edition else _first_edition(source, start)


def _second_edition(source: ByteRanges, start: int) -> tuple[list[_Field], int]:
    """A section is of all fields behind it, until another one replaces it."""
    length = _integer(source, start + 8, 8)
    sections: dict[int, bytes] = {}
    fields: list[_Field] = []
    place, end = start + 16, start + length - len(_END)
    while place < end:
        size, number = _integer(source, place, 4), _integer(source, place + 4, 1)
        if size < 5 or place + size > end:
            raise FileFault(f"section {number} of the message at byte {start:,} has a wrong length")
        if number == 6:
            sections[6] = bytes((0, 0, 0, 6, 6, 255))
        elif number < 7:
            sections[number] = source.part(place, size)
        elif number == 7 and {1, 3, 4, 5} <= sections.keys():
            # every point has a value, as there is no bit map
            sections[5] = sections[5][:5] + sections[3][6:10] + sections[5][9:]
            body = b"".join(sections[key] for key in sorted(sections)) + bytes((0, 0, 0, 5, 7))
            total = 16 + len(body) + len(_END)
            fields.append(_Field(source.part(start, 8) + total.to_bytes(8, "big") + body + _END, sections[3]))
        place += size
    return fields, length


def _first_edition(source: ByteRanges, start: int) -> tuple[list[_Field], int]:
    product = source.part(start + 8, _integer(source, start + 8, 3))
    if len(product) < 28:
        raise FileFault(f"the message at byte {start:,} has no whole header")
    place, grid = start + 8 + len(product), b""
    if product[7] & 0x80:
        grid = source.part(place, _integer(source, place, 3))
        place += len(grid)
    if product[7] & 0x40:
        place += _integer(source, place, 3)
    length, data_length = _integer(source, start + 4, 3), _integer(source, place, 3)
    if length & 0x800000 and data_length < 120:  # ECMWF's way to write a message of more than 8 MiB
        length = (length & 0x7FFFFF) * 120 - data_length + 4
    header = product[:7] + bytes((product[7] & 0xBF,)) + product[8:]
    body = header + grid + bytes((0, 0, 12)) + source.part(place + 3, 8) + b"\x00"
    message = b"GRIB" + (8 + len(body) + len(_END)).to_bytes(3, "big") + b"\x01" + body + _END
    return [_Field(message, grid or product[6:7])], length


def _integer(source: ByteRanges, offset: int, count: int) -> int:
    content = source.part(offset, count)
    if len(content) < count:
        raise FileFault(f"it breaks off at byte {offset:,}")
    return int.from_bytes(content, "big")


def _text(handle: int, key: str) -> str:
    try:
        text = str(eccodes.codes_get_string(handle, key)).strip()
    except eccodes.CodesInternalError:
        return ""
    return "" if text in ("unknown", "~", "MISSING") else text


def _number(handle: int, key: str) -> float | None:
    try:
        number = float(eccodes.codes_get_double(handle, key))
    except eccodes.CodesInternalError:
        return None
    return None if number in (eccodes.CODES_MISSING_DOUBLE, eccodes.CODES_MISSING_LONG) else number


def _parameter(handle: int) -> str:
    """The numbers of a parameter that no table of ecCodes names."""
    for keys in (("discipline", "parameterCategory", "parameterNumber"), ("table2Version", "indicatorOfParameter")):
        numbers = [_number(handle, key) for key in keys]
        if None not in numbers:
            return "parameter " + ".".join(f"{number:g}" for number in numbers)
    return "parameter"


def _box(latitudes: NDArray[np.float64], longitudes: NDArray[np.float64], *, in_rows: bool) -> list[float]:
    """``in_rows``: each latitude has a row of points, and the longest row shows whether it goes around the globe.

    Raises ValueError where no point lies on the globe, as those that a satellite sees beside it."""
    on_globe = (np.abs(latitudes) <= 90.001) & (np.abs(longitudes) <= 720.0)
    if not on_globe.any():
        raise ValueError("no point lies on the globe")
    latitudes, longitudes = latitudes[on_globe], longitudes[on_globe]
    south, north = float(latitudes.min()), float(latitudes.max())
    if in_rows:
        rows, counts = np.unique(latitudes, return_counts=True)
        longitudes = longitudes[latitudes == rows[np.argmax(counts)]]
    west, east = longitude_range(longitudes, is_axis=in_rows)
    return [round(edge, 6) for edge in (west, max(-90.0, south), east, min(90.0, north))]


def _resolution(handle: int) -> Json | None:
    for keys, unit in (
        (("iDirectionIncrementInDegrees", "jDirectionIncrementInDegrees"), "degrees"),
        (("DxInMetres", "DyInMetres"), "metres"),
    ):
        steps = [step for key in keys if (step := _number(handle, key)) is not None and step > 0]
        if steps:
            return {"value": round(min(steps), 8), "unit": unit}
    lines = _number(handle, "N")  # of a Gaussian grid, between a pole and the equator
    return {"value": round(90.0 / lines, 8), "unit": "degrees"} if lines else None


def _system(handle: int, kind: str) -> str | None:
    """None for a grid in longitude and latitude."""
    system = _text(handle, "projString").removesuffix(" +type=crs")
    words = kind.replace("_ll", "_latitude_longitude").replace("_", " ")
    if "+proj=longlat" in system:
        return None
    return f"{words} ({system})" if system else words
