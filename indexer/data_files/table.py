"""CSV with coordinates: the columns, the box of all rows, and the period of its times."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import IO

from core.json_types import Json
from indexer.data_files.messages import FileFault
from indexer.text_encoding import decode

_MOST_BYTES = 64 << 20
_MOST_COLUMNS = 500
_MOST_TITLES = 30  # lines above the names of the columns
_LONGEST_FIELD = 1 << 20
_DELIMITERS = ",;\t|"
_UNIT = re.compile(r"^(?P<name>.*?\S)\s*[(\[](?P<unit>[^()\[\]]{1,30})[)\]]\s*$")
_ROLES = {
    role: re.compile(rf"(?:.*[_ .])?(?:{names})(?:[_ ]?(?:{endings}))?")
    for role, names, endings in (
        ("latitude", "lat(?:itude)?|decimal_?latitude|latitud|breite(?:ngrad)?", "deg.*|dd|n|wgs84"),
        ("longitude", "lon|lng|long(?:itude)?|decimal_?longitude|longitud|l(?:ä|ae)nge(?:ngrad)?", "deg.*|dd|e|wgs84"),
        (
            "time",
            "date[_ /]?time|time[_ ]?stamp|time|date|fecha|datum|zeitpunkt|zeitstempel|event_?date|epoch|"
            "year|jahr|ann[ée]e",
            "utc|gmt|iso|local|z",
        ),
        ("geometry", "wkt|geom|geometry|the_geom", "wkt"),
    )
}
_CLOCK = (
    r"(?:[T ] *(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d+)? *(?P<half>[AaPp][Mm])?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?"
)
_ISO = re.compile(rf"(?P<year>\d{{4}})(?:[-/](?P<month>\d{{1,2}})(?:[-/](?P<day>\d{{1,2}}){_CLOCK})?)?")
_COMPACT = re.compile(
    r"(?P<year>(?:1[6-9]|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:T?(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)?(?:[0-5]\d)?Z?)?"
)
_DOTTED = re.compile(rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}){_CLOCK}")
_SLASHED = re.compile(rf"(?P<first>\d{{1,2}})[/-](?P<second>\d{{1,2}})[/-](?P<year>\d{{4}}){_CLOCK}")
_NAMED = re.compile(rf"(?P<day>\d{{1,2}})[. -]+(?P<month>[A-Za-zä]{{3}})[a-z]*[. -]+(?P<year>\d{{4}}){_CLOCK}")
_MONTHS = {
    name: f"{number:02d}"
    for number, names in enumerate(
        ("jan", "feb", "mar mär", "apr", "may mai", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec dez"), 1
    )
    for name in names.split()
}
_DECIMAL_YEAR = re.compile(r"(?P<year>(?:1\d|20)\d{2})[.,]\d+")
_EPOCH = re.compile(r"(\d{9,10})(?:\d{3})?(?:\.\d+)?")
_ANGLE = re.compile(
    r"(?P<before>[NSEW])?\s*(?P<degrees>-?\d+(?:[.,]\d+)?)\s*(?:°|º|deg)?"
    r"(?:\s*(?P<minutes>\d+(?:[.,]\d+)?)\s*['′’])?(?:\s*(?P<seconds>\d+(?:[.,]\d+)?)\s*(?:\"|″|”|''))?"
    r"\s*(?P<after>[NSEW])?",
    re.IGNORECASE,
)
_WKT_POINT = re.compile(r"(?<=[(,])\s*(-?\d+(?:\.\d+)?)\s+(-?\d+(?:\.\d+)?)(?=[\s,)])")
_COMMENT = re.compile(r"^[#%/]+\s*([A-Za-z][\w .-]{0,40}?)\s*[:=]\s*(.+)$", re.MULTILINE)
_DESCRIPTION = re.compile(r"^([A-Z][A-Za-z ]{0,40})(?:\(s\))?:\t(.+)$", re.MULTILINE)
_CITED_TITLE = re.compile(r"\(\d{4}\): (.{3,400}?)(?: \[dataset\])?\. ")


@dataclass(slots=True)
class _Period:
    """The first and last moment of a column, as texts in the order of time."""

    start: str = ""
    end: str = ""
    is_possible: bool = True

    def add(self, moment: str) -> None:
        self.start = min(self.start or moment, moment)
        self.end = max(self.end, moment)


@dataclass(slots=True)
class _TimeColumn:
    """03/04/2009 may be March or April: a later 13 says which; where no row does, only the years are known."""

    exact: _Period = field(default_factory=_Period)
    day_first: _Period = field(default_factory=_Period)
    month_first: _Period = field(default_factory=_Period)
    years: _Period = field(default_factory=_Period)

    def add(self, text: str) -> None:
        slashed = _SLASHED.fullmatch(text)
        if slashed is None:
            if moment := moment_in(text):
                self.exact.add(moment)
            return
        self.years.add(slashed["year"])
        for period, day, month in ((self.day_first, "first", "second"), (self.month_first, "second", "first")):
            moment = _written(slashed["year"], slashed[month], slashed[day], _clock(slashed))
            period.is_possible = period.is_possible and bool(moment)
            if moment:
                period.add(moment)

    @property
    def period(self) -> _Period:
        possible = [period for period in (self.day_first, self.month_first) if period.is_possible and period.start]
        if self.exact.start or not possible:
            return self.exact
        return possible[0] if len(possible) == 1 else self.years


@dataclass(slots=True)
class _Extremes:
    """The smallest and largest coordinates of the rows, and the times of each column that may have them."""

    rows: int = 0
    places: int = 0
    box: list[float] = field(default_factory=lambda: [math.inf, math.inf, -math.inf, -math.inf])
    largest_west: float = -math.inf  # of the western hemisphere, for places on both sides of the antimeridian
    smallest_east: float = math.inf
    times: dict[int, _TimeColumn] = field(default_factory=dict)

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

    @property
    def period(self) -> _Period:
        """Of the first column that has one."""
        return next((column.period for column in self.times.values() if column.period.start), _Period())

    @property
    def extent(self) -> list[float]:
        west, south, east, north = self.box
        if 180 < self.smallest_east - self.largest_west < 360:  # the empty half of the globe lies between them
            west, east = self.smallest_east, self.largest_west
        return [round(edge, 6) for edge in (west, south, east, north)]


def read_table(file: IO[bytes], size: int) -> Json:
    """Raises FileFault: without columns for latitude and longitude it is no data with places."""
    file.seek(0)
    content = decode(file.read(min(size, _MOST_BYTES)))
    comments, lines = _comments(content)
    csv.field_size_limit(_LONGEST_FIELD)
    rows, names = _rows(lines)
    columns = {role: places for role in _ROLES if (places := _columns(names, role))}
    extremes, units = _extremes(rows, columns)
    if not extremes.places:
        raise FileFault("no row of it has a latitude and a longitude in degrees", is_data=False)
    header: Json = {
        "format": "CSV",
        "attributes": comments,
        "variables": list(_variables(names, _read_columns(columns, extremes), units)),
        "extent": extremes.extent,
        "rows": extremes.rows,
    }
    if extremes.period.start:
        header["times"] = {"start": extremes.period.start, "end": extremes.period.end}
    if size > _MOST_BYTES:
        header["warnings"] = [f"extent: it is that of the first {_MOST_BYTES >> 20} MiB of the table"]
    return header


def _rows(lines: list[str]) -> tuple[Iterator[list[str]], list[str]]:
    """The rows below the names of the columns. Titles may be above these, and Excel's ``sep=;``."""
    for place, line in enumerate(lines[:_MOST_TITLES]):
        rows = csv.reader(lines[place:], delimiter=max(_DELIMITERS, key=line.count))
        names = [name.strip() for name in next(rows, [])][:_MOST_COLUMNS]
        if _columns(names, "geometry") or (_columns(names, "latitude") and _columns(names, "longitude")):
            return rows, names
    raise FileFault("it is a table without columns for latitude and longitude", is_data=False)


def _comments(content: str) -> tuple[dict[str, str], list[str]]:
    """``# name: text`` or ``/* ... */`` before the table as attributes, and the lines of the table."""
    content = io.StringIO(content.replace("\x00", ""), newline=None).read()
    head, _, after = content.partition("*/")
    if content.lstrip().startswith("/*") and after:
        return _attributes(_DESCRIPTION.findall(head)), after.lstrip().split("\n")
    lines = content.split("\n")
    start = 0
    while start < len(lines) and (not lines[start].strip() or lines[start].lstrip()[:1] in "#%"):
        start += 1
    return _attributes(_COMMENT.findall("\n".join(line.strip() for line in lines[:start]))), lines[start:]


def _attributes(comments: list[tuple[str, str]]) -> dict[str, str]:
    """By lower-case names; PANGAEA's ``Citation: Author (year): Title. ...`` also gives the title."""
    attributes = {name.strip().lower().replace(" ", "_"): text.strip() for name, text in comments}
    cited = _CITED_TITLE.search(attributes.get("citation", ""))
    return ({"title": cited[1]} if cited is not None else {}) | attributes


def _columns(names: list[str], role: str) -> list[int]:
    """The columns of a role, the likeliest first: a date before a time, a year alone last; then the shortest name."""
    bare = [_bare(name).lower() for name in names]

    def key(place: int) -> tuple[bool, bool, int]:
        is_year = re.search(r"year|jahr|ann[ée]e", bare[place]) is not None
        return is_year, re.search("dat|fecha", bare[place]) is None, len(names[place])

    return sorted((place for place, name in enumerate(bare) if _ROLES[role].fullmatch(name)), key=key)


def _read_columns(columns: Mapping[str, list[int]], extremes: _Extremes) -> set[int]:
    """Those that are coordinates, not variables."""
    places = {columns[role][0] for role in ("latitude", "longitude", "geometry") if role in columns}
    return places | {place for place, column in extremes.times.items() if column.period.start}


def _bare(name: str) -> str:
    match = _UNIT.match(name)
    return name if match is None else match["name"]


def _extremes(rows: Iterator[list[str]], columns: Mapping[str, list[int]]) -> tuple[_Extremes, list[str]]:
    """Also the second line of ERDDAP's tables, which holds the units."""
    extremes, units = _Extremes(times={place: _TimeColumn() for place in columns.get("time", ())}), list[str]()
    is_by_degrees = {"latitude", "longitude"} <= columns.keys()
    needed = [columns[role][0] for role in (("latitude", "longitude") if is_by_degrees else ("geometry",))]
    try:
        for row in rows:
            if len(row) <= max(needed):
                continue
            if not extremes.rows and not units and is_by_degrees and row[needed[0]].startswith("degree"):
                units = row
                continue
            extremes.rows += 1
            for longitude, latitude in _points(*(row[place] for place in needed)):
                extremes.add_place(longitude, latitude)
            for place, column in extremes.times.items():
                if place < len(row):
                    column.add(row[place].strip())
    except csv.Error as error:
        raise FileFault(f"it is no table: {error}") from None
    return extremes, units


def _points(first: str, longitude_text: str | None = None) -> Iterator[tuple[float, float]]:
    """Longitude and latitude of a row, or all points of its WKT."""
    if longitude_text is None:
        yield from ((float(x), float(y)) for x, y in _WKT_POINT.findall(first))
        return
    latitude, longitude = _degrees(first), _degrees(longitude_text)
    if latitude is not None and longitude is not None:
        yield longitude, latitude


def _degrees(text: str) -> float | None:
    """``46.87``, ``46,87``, ``45°30'N`` or ``7.25 W``."""
    number = _number(text)
    match = _ANGLE.fullmatch(text.strip()) if number is None else None
    if match is None:
        return number
    degrees, minutes, seconds = (_number(match[part] or "0") or 0.0 for part in ("degrees", "minutes", "seconds"))
    size = abs(degrees) + minutes / 60 + seconds / 3600
    is_negative = match["degrees"].startswith("-") or (match["before"] or match["after"] or "").upper() in ("S", "W")
    return -size if is_negative else size


def _number(text: str) -> float | None:
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def moment_in(text: str) -> str:
    """ISO 8601 in the order of UTC; empty for another way to write it."""
    match = _COMPACT.fullmatch(text)
    if match is not None:
        clock = f"{match['hour']}:{match['minute'] or '00'}" if match["hour"] else None
        return _written(match["year"], match["month"], match["day"], clock)
    match = _ISO.fullmatch(text) or _DOTTED.fullmatch(text)
    if match is not None:
        return _written(match["year"], match["month"], match["day"], _clock(match))
    match = _NAMED.fullmatch(text)
    if match is not None and match["month"].lower() in _MONTHS:
        return _written(match["year"], _MONTHS[match["month"].lower()], match["day"], _clock(match))
    match = _DECIMAL_YEAR.fullmatch(text)
    if match is not None:
        return match["year"]
    match = _EPOCH.fullmatch(text)
    return "" if match is None else datetime.fromtimestamp(int(match[1]), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _clock(match: re.Match[str]) -> str | None:
    """In 24 hours."""
    clock, half = match["clock"], match["half"]
    if clock is None or half is None:
        return clock
    hour, _, rest = clock.partition(":")
    return f"{int(hour) % 12 + 12 * (half.lower() == 'pm')}:{rest}"


def _written(year: str, month: str | None, day: str | None, clock: str | None) -> str:
    """Empty for a date that does not exist."""
    date_text = _date_text(year, month or "", day or "")
    if not date_text or clock is None:
        return date_text
    return f"{date_text}T{clock.zfill(5) if len(clock) < 6 else clock.zfill(8)}Z"


@lru_cache(maxsize=4096)
def _date_text(year: str, month: str, day: str) -> str:
    try:
        date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return ""
    return "-".join([year, *(part.zfill(2) for part in (month, day) if part)])


def _variables(names: list[str], coordinates: set[int], units: list[str]) -> Iterator[Json]:
    for place, name in enumerate(names):
        if place in coordinates or not name:
            continue
        match = _UNIT.match(name)
        unit = units[place] if place < len(units) else ("" if match is None else match["unit"])
        yield {"name": _bare(name), "attributes": {"units": unit} if unit else {}}
