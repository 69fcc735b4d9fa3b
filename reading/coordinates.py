"""Reads coordinates in a text: boxes, points and bands of latitude or longitude.

``bbox 5,45,15,55`` is west, south, east, north. ``45.5N 10.2E``, ``S12 W77`` and ``52.5, 13.4`` (latitude first, as
people write it) are points. ``between 10S and 20S`` is a band around the world, ``10-20S, 30-40E`` a box. Longitudes
of boxes and bands count from -180 to 180 or from 0 to 360.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.geo import BBox, normalise_longitude
from reading.sentences import Claims

# White space and digits are matched possessively: a mismatch fails at once, however long the text.
_NUMBER = r"[+-]?\d{1,3}(?:\.\d++)?"
_TO = r"\s*+(?:-|–|—|to|and|bis|à|a|,)\s*+"
_COMMA = r"\s{0,3}[,\s]\s{0,3}"
_BBOX = re.compile(
    rf"\b(?:bbox|bounding box)\s*+[:=]?\s*+[\[(]?\s*+({_NUMBER}){_COMMA}({_NUMBER})"
    rf"{_COMMA}({_NUMBER}){_COMMA}({_NUMBER})(?![\d.])\s*+[\])]?",
    re.IGNORECASE,
)


_DEGREES = r"\d{1,3}(?:[.,]\d++)?+"  # "52,5N" is no band from 52 to 5
_NO_UNIT = r"(?![A-Za-z]|\s?/?m(?:²|\^|-?2))"  # "10 to 20 W/m2" is no band


def _band(name: str, label: str, letters: str, sides: str) -> str:
    label = rf"(?:\b(?P<{name}_label>(?i:{label}))\s*+[:=]?\s*+)?"
    unit = r"\s*+(?:[°º]|deg(?:rees?)?\b)"
    side = rf"{letters}|(?({name}_unit)(?:{sides})|(?!))"  # "2 to 4 south" can be anything
    first = rf"(?P<{name}1>[+-]?{_DEGREES})(?:{unit})?+(?:\s*+(?P<{name}1_letter>{letters}|{sides}))?+"
    second = rf"(?P<{name}2>[+-]?{_DEGREES})(?P<{name}_unit>{unit})?+(?:\s*+(?P<{name}2_letter>{side}){_NO_UNIT})?+"
    between = r"(?:(?:[Bb]etween|[Ff]rom)\s++)?"
    other_unit = r"%|resol|(?:[cmk]?m|days?|hours?|years?|months?|minutes?|seconds?|[dhs])\b"
    end = rf"(?({name}_label)(?![\w.]|\s?(?:{other_unit}))|(?:(?<={letters})|(?<=th)|(?<=st)))"  # a letter or a word
    return rf"{between}{label}{between}(?<![\w.])(?<!\d[,–—-]){first}(?({name}_label)(?!\s*+,)){_TO}{second}{end}"


_ANGLE = re.compile(
    r"(?:(?<!\w)(?P<label>(?i:lat(?:itude)?|lon(?:g(?:itude)?)?))\.?\s*+[:=]?\s*+)?"
    r"(?:(?<!\w)(?P<before>[NSEW])\s?)?"
    r"(?(label)|(?(before)|(?:(?<![A-Za-z])|(?<=[\d°º'′\"][NSEWnsew]))))"
    rf"(?<![\d.])(?<!\d[,–—-])(?P<degrees>[+-]?{_DEGREES})(?!\d|[.,]\d)"
    r"(?P<unit>\s*+(?:[°º]|deg(?:rees?)?\b\.?)(?:\s*+(?P<min>\d{1,2}(?:\.\d++)?)\s*+['′’]"
    r"(?:\s*+(?P<sec>\d{1,2}(?:\.\d++)?)(?:\s*+[\"″”])?)?)?)?+"
    r"(?(before)(?:(?<!\d)|(?!\w))|(?:\s*+(?P<after>[NSEWnsew]|(?(unit)(?:[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est)|(?!)))(?![A-Za-z]|(?<=\s\w)\d))?+)"
    r"(?!\s?(?:[–—-]|to\s)\s?\d)"
)
_PLAIN_ANGLE = re.compile(r"[NSEW]\d{2,3}")
_BETWEEN_ANGLES = re.compile(r"[\s,;/]*+(?P<and>and\s++)?")
_DECIMAL = re.compile(r"(?<![\d.,])(?P<lat>[+-]?\d{1,2}\.\d++)\s*+[,;]\s*+(?P<lon>[+-]?\d{1,3}\.\d++)(?!\d|[.,]\s*+\d)")
# Bands need capital letters: "10s and 20s" are seconds or decades.
_LATITUDES = re.compile(_band("lat", "lat(?:itudes?)?", "[NS]", "[Nn]orth|[Ss]outh"))
_LONGITUDES = re.compile(_band("lon", "lon(?:gitudes?)?", "[EW]", "[Ee]ast|[Ww]est"))
_POLEWARD = re.compile(
    r"(?:\b(?:(?P<north>north of|nördlich(?: von)?|au nord d[eu]|al norte del?|a nord d(?:i|el)|ao norte d[eo])"
    r"|(?P<south>south of|südlich(?: von)?|au sud d[eu]|al sur del?|a sud d(?:i|el)|ao sul d[eo])|poleward of)\s++"
    r"|(?:(?P<above>\babove)|(?P<below>\bbelow)|\bbeyond|>)\s*+(?=[\d.]++\s?(?:[°º]|deg)))"  # "above 70 N" is a force
    r"(?P<lat>\d{1,2}(?:\.\d++)?)\s*+(?:[°º]|deg(?:rees?)?\b)?\s*+(?P<letter>[NS])(?:orth|outh)?(?![A-Za-z])",
    re.IGNORECASE,
)
# Two plain numbers are a position only if the words before them say so ("pH 3.5, 4.5" is not).
_BEFORE_POSITION = re.compile(
    r"(?:^|[(\[]|\b(?:at|near|around|by|from|in|to|location|position|point|coordinates?|site|station|bei|nahe|um|vers|"
    r"cerca de|km of)[:=]?)\s*+[(\[]?\s*+$",
    re.IGNORECASE,
)
_ORDERS_OF_EDGES = (["lon", "lat", "lon", "lat"], ["lon", "lon", "lat", "lat"], ["lat", "lat", "lon", "lon"])
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
    for candidates in (_boxes(plain), _areas(plain), _edges(plain), _points(plain), _bands(plain), _poleward(plain)):
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
    angles = [match for match in _ANGLE.finditer(text) if _axis(match)]
    for first, second in pairwise(angles):
        if _is_position(text, first, second):
            latitude, longitude = map(_degrees, (first, second) if _axis(first) == "lat" else (second, first))
            boxes += _valid(text, (first.start(), second.end()), (longitude, latitude, longitude, latitude))
    for match in _DECIMAL.finditer(text):
        if _BEFORE_POSITION.search(text, max(0, match.start() - _LONGEST_LEAD), match.start()):
            latitude, longitude = float(match["lat"]), float(match["lon"])
            boxes += _valid(text, match.span(), (longitude, latitude, longitude, latitude))
    return boxes


def _edges(text: str) -> list[WrittenBox]:
    """Boxes by four edges with one sign between them: "5W 40N 10E 50N", "5W, 10E, 40N, 50N". A longer row is points."""
    rows: list[list[re.Match[str]]] = []
    for angle in _ANGLE.finditer(text):
        if not angle["after"] or angle["after"].islower():
            continue
        if rows and _BETWEEN_ANGLES.fullmatch(text, rows[-1][-1].end(), angle.start()):
            rows[-1].append(angle)
        else:
            rows.append([angle])
    boxes = []
    for row in rows:
        signs = {text[before.end() : after.start()].strip() for before, after in pairwise(row)}
        if [_axis(angle) for angle in row] in _ORDERS_OF_EDGES and len(signs) == 1:
            longitudes, latitudes = (
                [_degrees(angle) for angle in row if _axis(angle) == axis] for axis in ("lon", "lat")
            )
            boxes += _area(text, (row[0].start(), row[-1].end()), _west_east(*longitudes), sorted(latitudes))
    return boxes


def _axis(angle: re.Match[str]) -> str:
    """``lat``, ``lon``, or nothing for a plain number."""
    side = angle["before"] or angle["after"]
    return (angle["label"] or "")[:3].lower() if side is None else "lat" if side[0] in "NSns" else "lon"


def _is_position(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """Whether a latitude and a longitude belong together: "45N 10E", "10.2E 45.5N", "N45.5 E10.2", "S12 W77".

    Two lines can be named with "and" ("30N and 40W"), and whole numbers behind letters can be names ("S2 W3").
    """
    both, gap = (first, second), _BETWEEN_ANGLES.fullmatch(text, first.end(), second.start())
    if gap is None or _axis(first) == _axis(second) or (first["before"] is None) != (second["before"] is None):
        return False
    if _axis(first) == "lon" and any((angle["after"] or "") in ("n", "s", "e", "w") for angle in both):
        return False  # "5w 10s"
    is_decimal = all(angle["label"] or not angle["degrees"].isdigit() for angle in both)
    if is_decimal or gap["and"]:
        return is_decimal
    if first["before"] is None or all(angle["unit"] for angle in both):
        return True
    return _axis(first) == "lat" and gap[0] != "" and all(_PLAIN_ANGLE.fullmatch(angle[0]) for angle in both)


def _degrees(angle: re.Match[str]) -> float:
    degrees, side = float(angle["degrees"].replace(",", ".")), angle["before"] or angle["after"]
    size = abs(degrees) + float(angle["min"] or 0.0) / 60.0 + float(angle["sec"] or 0.0) / 3600.0
    return -size if (degrees < 0.0 if side is None else side[0] in "SWsw") else size


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
            boxes += _area(text, span, _west_east(*_ends(partner, "lon")), sorted(_ends(latitudes, "lat")))
    return boxes


def _bands(text: str) -> list[WrittenBox]:
    boxes = []
    for match in _LATITUDES.finditer(text):
        boxes += _area(text, match.span(), (-180.0, 180.0), sorted(_ends(match, "lat")))
    for match in _LONGITUDES.finditer(text):
        boxes += _area(text, match.span(), _west_east(*_ends(match, "lon")), (-90.0, 90.0))
    return boxes


def _west_east(west: float, east: float) -> tuple[float, float]:
    """On one side of the meridian in either order: "10-20W" is not the way around the world."""
    is_turned = west > east and west * east >= 0.0 and max(abs(west), abs(east)) <= 180.0
    return (east, west) if is_turned else (west, east)


def _ends(match: re.Match[str], name: str) -> tuple[float, float]:
    last = match[f"{name}2_letter"] or "N"  # of a labelled band, numbers have signs
    first = match[f"{name}1_letter"] or last
    return tuple(  # type: ignore[return-value]
        float(match[number].replace(",", ".")) * (-1.0 if letter[0] in "SsWw" else 1.0)
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
        if match["below" if northern else "above"]:
            continue  # "below 30°N" can be either side
        upwards = bool(match["north"]) or (northern and not match["south"])
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
