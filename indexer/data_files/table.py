"""CSV with coordinates: the columns, the box of all rows, and the period of its times."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO

from core.json_types import Json
from indexer.data_files.messages import FileFault

_MOST_BYTES = 64 << 20
_START = 64 << 10
_MOST_COLUMNS = 500
_LONGEST_FIELD = 1 << 20
_DELIMITERS = ",;\t|"
_UNIT = re.compile(r"^(?P<name>.*?\S)\s*[(\[](?P<unit>[^()\[\]]{1,30})[)\]]\s*$")
_ROLES = {
    role: re.compile(rf"(?:.*[_ .])?(?:{names})(?:[_ ]?(?:{endings}))?")
    for role, names, endings in (
        ("latitude", "lat(?:itude)?|decimal_?latitude|latitud|breite(?:ngrad)?", "deg.*|dd|n|wgs84"),
        ("longitude", "lon|lng|long(?:itude)?|decimal_?longitude|longitud|l(?:ä|ae)nge(?:ngrad)?", "deg.*|dd|e|wgs84"),
        ("time", "date[_ ]?time|timestamp|time|date|fecha|datum|event_?date|year", "utc|gmt|iso|local|z"),
    )
}
_ISO = re.compile(
    r"(?P<date>\d{4}(?:-\d{2}(?:-\d{2})?)?)"
    r"(?:[T ](?P<clock>\d{2}:\d{2}(?::\d{2})?)[\d.]*(?:Z|[+-]\d{2}:?\d{2})?)?"
)
_COMPACT = re.compile(r"(?P<year>(?:1[6-9]|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])")
_COMMENT = re.compile(r"^[#%/]+\s*(?P<name>[A-Za-z][\w .-]{0,40}?)\s*[:=]\s*(?P<text>.+)$")


@dataclass(slots=True)
class _Extremes:
    """The smallest and largest coordinates and times of the rows."""

    rows: int = 0
    places: int = 0
    box: list[float] = field(default_factory=lambda: [math.inf, math.inf, -math.inf, -math.inf])
    largest_west: float = -math.inf  # of the western hemisphere, for places on both sides of the antimeridian
    smallest_east: float = math.inf
    first_time: str = ""
    last_time: str = ""

    def add_place(self, longitude: float, latitude: float) -> None:
        if not (abs(latitude) <= 90 and -180 <= longitude <= 360):
            return
        longitude = longitude - 360 if longitude > 180 else longitude
        self.places += 1
        west, south, east, north = self.box
        self.box = [min(west, longitude), min(south, latitude), max(east, longitude), max(north, latitude)]
        if longitude < 0:
            self.largest_west = max(self.largest_west, longitude)
        else:
            self.smallest_east = min(self.smallest_east, longitude)

    def add_time(self, text: str) -> None:
        moment = _moment(text)
        if moment:
            self.first_time = min(self.first_time or moment, moment)
            self.last_time = max(self.last_time, moment)

    @property
    def extent(self) -> list[float]:
        west, south, east, north = self.box
        if 180 < self.smallest_east - self.largest_west < 360:  # the empty half of the globe lies between them
            west, east = self.smallest_east, self.largest_west
        return [round(edge, 6) for edge in (west, south, east, north)]


def read_table(file: IO[bytes], size: int) -> Json:
    """Raises FileFault: without columns for latitude and longitude it is no data with places."""
    file.seek(0)
    content = _text(file.read(min(size, _MOST_BYTES)))
    comments, lines = _comments(content)
    start = "\n".join(lines[:200])[:_START]
    delimiter = max(_DELIMITERS, key=lambda sign: start.partition("\n")[0].count(sign))
    csv.field_size_limit(_LONGEST_FIELD)
    rows = csv.reader(lines, delimiter=delimiter)
    names = [name.strip() for name in next(rows, [])][:_MOST_COLUMNS]
    columns = {role: place for role in _ROLES if (place := _column(names, role)) is not None}
    if not {"latitude", "longitude"} <= columns.keys():
        raise FileFault("it is a table without columns for latitude and longitude", is_data=False)
    extremes, units = _extremes(rows, columns)
    if not extremes.places:
        raise FileFault("no row of it has a latitude and a longitude in degrees", is_data=False)
    header: Json = {
        "format": "CSV",
        "attributes": comments,
        "variables": list(_variables(names, columns, units)),
        "extent": extremes.extent,
        "rows": extremes.rows,
    }
    if extremes.first_time:
        header["times"] = {"start": extremes.first_time, "end": extremes.last_time}
    if size > _MOST_BYTES:
        header["warnings"] = [f"extent: it is that of the first {_MOST_BYTES >> 20} MiB of the table"]
    return header


def _text(content: bytes) -> str:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _comments(content: str) -> tuple[dict[str, str], list[str]]:
    """``# name: text`` before the table as attributes, and the lines of the table."""
    comments: dict[str, str] = {}
    lines = io.StringIO(content.replace("\x00", ""), newline=None).read().split("\n")
    start = 0
    while start < len(lines) and (not lines[start].strip() or lines[start].lstrip()[:1] in "#%"):
        match = _COMMENT.match(lines[start].strip())
        if match is not None:
            comments[match["name"].strip().lower().replace(" ", "_")] = match["text"].strip()
        start += 1
    return comments, lines[start:]


def _column(names: list[str], role: str) -> int | None:
    """The column whose name is nearest to the word: the shortest one that fits."""
    places = [place for place, name in enumerate(names) if _ROLES[role].fullmatch(_bare(name).lower())]
    return min(places, key=lambda place: len(names[place]), default=None)


def _bare(name: str) -> str:
    match = _UNIT.match(name)
    return name if match is None else match["name"]


def _extremes(rows: Iterator[list[str]], columns: Mapping[str, int]) -> tuple[_Extremes, list[str]]:
    """Also the second line of ERDDAP's tables, which holds the units."""
    extremes, units = _Extremes(), list[str]()
    try:
        for row in rows:
            if len(row) <= max(columns.values()):
                continue
            latitude, longitude = (_number(row[columns[role]]) for role in ("latitude", "longitude"))
            if not extremes.rows and not units and latitude is None and row[columns["latitude"]].startswith("degree"):
                units = row
                continue
            extremes.rows += 1
            if latitude is not None and longitude is not None:
                extremes.add_place(longitude, latitude)
            if "time" in columns:
                extremes.add_time(row[columns["time"]].strip())
    except csv.Error as error:
        raise FileFault(f"it is no table: {error}") from None
    return extremes, units


def _number(text: str) -> float | None:
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _moment(text: str) -> str:
    """ISO 8601 in UTC's order; empty for another way to write it, because 03/04 may be March or April."""
    compact = _COMPACT.fullmatch(text)
    if compact is not None:
        return "-".join(compact.groups())
    match = _ISO.fullmatch(text)
    if match is None:
        return ""
    return match["date"] if match["clock"] is None else f"{match['date']}T{match['clock']}Z"


def _variables(names: list[str], columns: Mapping[str, int], units: list[str]) -> Iterator[Json]:
    for place, name in enumerate(names):
        if place in columns.values() or not name:
            continue
        match = _UNIT.match(name)
        unit = units[place] if place < len(units) else ("" if match is None else match["unit"])
        yield {"name": _bare(name), "attributes": {"units": unit} if unit else {}}
