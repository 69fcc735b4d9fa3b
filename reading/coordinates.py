"""Reads coordinates in a text: boxes, points and bands of latitude or longitude.

``bbox 5,45,15,55`` is west, south, east, north. ``45.5N 10.2E`` and ``52.5, 13.4`` (latitude first, as people
write it) are points. ``between 10S and 20S`` is a band around the world, ``10-20S, 30-40E`` a box. Longitudes of boxes
and bands count from -180 to 180 or from 0 to 360.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.geo import BBox, normalise_longitude
from reading.sentences import Claims

# White space and digits are matched possessively: a mismatch fails at once, however long the text.
_NUMBER = r"[+-]?\d{1,3}(?:\.\d++)?"
_SECONDS = r"(?:(?P<{0}_sec>\d{{1,2}}(?:\.\d++)?)\s*+[\"″”]?\s*+)?"
_MINUTES = r"(?:\s*+[°º]\s*+(?:(?P<{0}_min>\d{{1,2}}(?:\.\d++)?)\s*+['′’]\s*+" + _SECONDS + ")?)?"
_TO = r"\s*+(?:-|–|—|to|and|bis|à|a|,)\s*+"
_COMMA = r"\s{0,3}[,\s]\s{0,3}"
_BBOX = re.compile(
    rf"\b(?:bbox|bounding box)\s*+[:=]?\s*+[\[(]?\s*+({_NUMBER}){_COMMA}({_NUMBER})"
    rf"{_COMMA}({_NUMBER}){_COMMA}({_NUMBER})(?![\d.])\s*+[\])]?",
    re.IGNORECASE,
)


_DEGREES = r"\d{1,3}(?:[.,]\d++)?+"  # "52,5N" is no band from 52 to 5
_NO_UNIT = r"(?![A-Za-z]|\s?/?m(?:²|\^|-?2))"  # "10 to 20 W/m2" is no band


def _angle(name: str, letters: str) -> str:
    return rf"(?P<{name}>{_DEGREES}){_MINUTES.format(name)}\s*+(?P<{name}_letter>[{letters}])(?![A-Za-z])"


def _band(name: str, letters: str) -> str:
    first = rf"(?P<{name}1>{_DEGREES})\s*+[°º]?\s*+(?P<{name}1_letter>[{letters}])?"
    second = rf"(?P<{name}2>{_DEGREES})\s*+[°º]?\s*+(?P<{name}2_letter>[{letters}]){_NO_UNIT}"
    return rf"(?:[Bb]etween\s++|[Ff]rom\s++)?(?<![\w.])(?<!\d,){first}{_TO}{second}"


_POINT = re.compile(rf"(?<![\d.])(?<!\d,){_angle('lat', 'NSns')}[\s,;]*+{_angle('lon', 'EWew')}")
_DECIMAL = re.compile(r"(?<![\d.,])(?P<lat>[+-]?\d{1,2}\.\d++)\s*+[,;]\s*+(?P<lon>[+-]?\d{1,3}\.\d++)(?!\d|[.,]\s*+\d)")
_LABELLED_VALUES = re.compile(
    rf"\blat(?:itude)?\s*+[:=]?\s*+(?P<lat>{_NUMBER})[\s,;]*+(?:and\s++)?\blon(?:g|gitude)?\s*+[:=]?\s*+(?P<lon>{_NUMBER})(?![\d.])",
    re.IGNORECASE,
)
# Bands need capital letters: "10s and 20s" are seconds or decades.
_LATITUDES = re.compile(_band("lat", "NS"))
_LONGITUDES = re.compile(_band("lon", "EW"))
_POLEWARD = re.compile(
    r"\b(?P<side>north|south|poleward) of\s++(?P<lat>\d{1,2}(?:\.\d++)?)\s*+[°º]?\s*+(?P<letter>[NSns])(?![A-Za-z])",
    re.IGNORECASE,
)
# Two plain numbers are a position only if the words before them say so ("pH 3.5, 4.5" is not).
_BEFORE_POSITION = re.compile(
    r"(?:^|[(\[]|\b(?:at|near|around|by|from|in|to|location|position|point|coordinates?|site|station|bei|nahe|um|vers|"
    r"cerca de)[:=]?)\s*+[(\[]?\s*+$",
    re.IGNORECASE,
)
_LONGEST_LEAD = 40  # characters before a position that can mark it as one
_LONGEST_GAP = 12  # characters between a band of latitude and its band of longitude
_BETWEEN_BANDS = re.compile(r"^[\s,;x×]*+(?:and|by|,)?\s*+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrittenBox:
    """A box written in a text at these character offsets (end exclusive)."""

    text: str
    start: int
    end: int
    bbox: BBox


def written_boxes(text: str) -> list[WrittenBox]:
    """Boxes, points and bands in text order, without overlaps; values out of range are left out."""
    if not any(map(str.isdigit, text)):
        return []
    boxes: list[WrittenBox] = []
    claims, plain = Claims(len(text)), text.replace("−", "-")
    # Areas before points: "5°N-5°S, 170°W-120°W" is not the point in its middle.
    for candidates in (_boxes(plain), _areas(plain), _points(plain), _bands(plain), _poleward(plain)):
        boxes += [candidate for candidate in candidates if claims.claim((candidate.start, candidate.end))]
    return [replace(box, text=text[box.start : box.end]) for box in sorted(boxes, key=lambda box: box.start)]


def _boxes(text: str) -> list[WrittenBox]:
    boxes = []
    for match in _BBOX.finditer(text):
        west, south, east, north = (float(match[group]) for group in (1, 2, 3, 4))
        boxes += _area(text, match.span(), (west, east), (south, north))
    return boxes


def _points(text: str) -> list[WrittenBox]:
    boxes = []
    for match in _POINT.finditer(text):
        latitude, longitude = _degrees(match, "lat"), _degrees(match, "lon")
        boxes += _valid(text, match.span(), (longitude, latitude, longitude, latitude))
    decimals = [(match, max(0, match.start() - _LONGEST_LEAD)) for match in _DECIMAL.finditer(text)]
    bare_matches = [match for match, lead in decimals if _BEFORE_POSITION.search(text, lead, match.start())]
    for match in (*_LABELLED_VALUES.finditer(text), *bare_matches):
        latitude, longitude = float(match["lat"]), float(match["lon"])
        boxes += _valid(text, match.span(), (longitude, latitude, longitude, latitude))
    return boxes


def _degrees(match: re.Match[str], name: str) -> float:
    minutes, seconds = float(match[f"{name}_min"] or 0.0), float(match[f"{name}_sec"] or 0.0)
    value = float(match[name].replace(",", ".")) + minutes / 60.0 + seconds / 3600.0
    return -value if match[f"{name}_letter"] in "SsWw" else value


def _areas(text: str) -> list[WrittenBox]:
    """Bands of latitude with a band of longitude beside them."""
    longitudes = list(_LONGITUDES.finditer(text))
    starts = [match.start() for match in longitudes]
    boxes = []
    for latitudes in _LATITUDES.finditer(text):
        next_number = bisect_left(starts, latitudes.end())
        nearest_longitudes = longitudes[max(0, next_number - 2) : next_number + 1]
        partner = next((match for match in nearest_longitudes if _is_beside(text, latitudes, match)), None)
        if partner is not None:
            span = min(latitudes.start(), partner.start()), max(latitudes.end(), partner.end())
            boxes += _area(text, span, _west_east(partner), sorted(_ends(latitudes, "lat")))
    return boxes


def _bands(text: str) -> list[WrittenBox]:
    boxes = []
    for match in _LATITUDES.finditer(text):
        boxes += _area(text, match.span(), (-180.0, 180.0), sorted(_ends(match, "lat")))
    for match in _LONGITUDES.finditer(text):
        boxes += _area(text, match.span(), _west_east(match), (-90.0, 90.0))
    return boxes


def _west_east(match: re.Match[str]) -> tuple[float, float]:
    """On one side of the meridian in either order: "10-20W" is not the way around the world."""
    west, east = _ends(match, "lon")
    is_turned = west > east and west * east >= 0.0 and max(abs(west), abs(east)) <= 180.0
    return (east, west) if is_turned else (west, east)


def _ends(match: re.Match[str], name: str) -> tuple[float, float]:
    last = match[f"{name}2_letter"]
    first = match[f"{name}1_letter"] or last
    return tuple(  # type: ignore[return-value]
        float(match[number].replace(",", ".")) * (-1.0 if letter in "SsWw" else 1.0)
        for number, letter in ((f"{name}1", first), (f"{name}2", last))
    )


def _is_beside(text: str, a: re.Match[str], b: re.Match[str]) -> bool:
    first, second = (a, b) if a.start() < b.start() else (b, a)
    gap = text[first.end() : second.start()]
    return first.end() <= second.start() and len(gap) <= _LONGEST_GAP and _BETWEEN_BANDS.match(gap) is not None


def _poleward(text: str) -> list[WrittenBox]:
    boxes = []
    for match in _POLEWARD.finditer(text):
        northern = match["letter"] in "Nn"
        latitude = float(match["lat"]) if northern else -float(match["lat"])
        side = match["side"].lower()
        upwards = side == "north" or (side == "poleward" and northern)
        boxes += _area(text, match.span(), (-180.0, 180.0), (latitude, 90.0) if upwards else (-90.0, latitude))
    return boxes


def _area(
    text: str, span: tuple[int, int], west_east: tuple[float, float], latitudes: Sequence[float]
) -> list[WrittenBox]:
    (west, east), (south, north) = west_east, latitudes
    if max(abs(west), abs(east)) > 360.0:
        return []
    if east - west >= 360.0:
        west, east = -180.0, 180.0
    return _valid(text, span, (normalise_longitude(west), south, normalise_longitude(east), north))


def _valid(text: str, span: tuple[int, int], edges: tuple[float, float, float, float]) -> list[WrittenBox]:
    try:
        box = BBox(*edges)
    except ValueError:
        return []  # "45.5, 200.0" is not a position
    return [WrittenBox(text[span[0] : span[1]], *span, box)]
