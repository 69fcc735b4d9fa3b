"""Extents of ISO 19139 in space, height and time, and resolutions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from core.geo import BBox
from core.json_types import JsonMapping
from core.record import Keyword, Resolution, Vertical
from core.timespan import TimeSpan
from indexer.formats.iso.elements import (
    XLINK_HREF,
    child,
    children,
    code_of,
    first_object,
    object_in,
    objects,
    one_line,
    raw_text,
    text_of,
)
from indexer.formats.repair.antimeridian import PlaceEvidence
from indexer.formats.repair.boxes import BoxCollector, BoxEdges, number
from indexer.formats.repair.dates import Position, repair_span
from indexer.formats.repair.gml import PolygonReader
from indexer.formats.repair.resolution import iso_duration, metres, time_step
from indexer.formats.repair.text import is_placeholder, line, unique
from indexer.formats.xml_documents import Element, local_name

_SAME_BOX_DEG = 1e-6
_LONGEST_PLACE_NAME = 100
_BOX_EDGES = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")
_AREAS = ("geographicElement", "temporalElement/spatialExtent")  # the second one of EX_SpatialTemporalExtent
_DEPTH_CRS = ("5715", "5831", "depth")  # EPSG codes and names of vertical systems that count downwards
_UNITS = {"metre": "m", "metres": "m", "meter": "m", "meters": "m", "9001": "m", "hectopascal": "hPa", "mb": "mbar"}
_GROUND_AXES = frozenset({"row", "column", "line", "sample", "track", "crosstrack"})


@dataclass(frozen=True, slots=True)
class IsoExtents:
    """Boxes in order without duplicates, the polygons as one GeoJSON geometry, and places that only have a name."""

    boxes: tuple[BBox, ...]
    geometry: JsonMapping | None
    places: tuple[Keyword, ...]


def read_extents(extents: list[Element], words: str, warnings: list[str]) -> IsoExtents:
    """Reads all extents. ``words``: the record's title and keywords, which help to decide an ambiguous box."""
    collector = BoxCollector()
    places: list[Keyword] = []
    polygons: list[Element] = []
    elements = [element for extent in extents for path in _AREAS for element in objects(extent, path)]
    included_elements = [element for element in elements if not _is_excluded(element)]
    if len(included_elements) < len(elements):
        outcome = "was left out" if included_elements else "is the only one and was taken"
        warnings.append(f"extent: an area that is marked as excluded {outcome}")
    for extent in extents:
        places.extend(_described_place(extent))
    for element in included_elements or elements:
        _add_element(element, collector, polygons, places)
    words = " ".join([words, *(place.term for place in places)])
    reader = PolygonReader(PlaceEvidence(words, tuple(collector.boxes)))
    for polygon in polygons:
        reader.add(polygon)
    collector.resolve(words, reader.boxes)
    warnings.extend([*collector.warnings, *reader.warnings])
    return IsoExtents(_unique_boxes([*collector.boxes, *reader.boxes]), reader.geometry, unique(places))


def _is_excluded(element: Element) -> bool:
    return text_of(element, "extentTypeCode").lower() in ("0", "false")


def _add_element(element: Element, boxes: BoxCollector, polygons: list[Element], places: list[Keyword]) -> None:
    """Adds a geographic element to the list of its kind."""
    match local_name(element):
        case "EX_BoundingPolygon":
            polygons.extend(objects(element, "polygon"))
        case "EX_GeographicDescription":
            places.extend(_identified_place(element))
        case _:
            edges = [raw_text(child(element, name)).strip() for name in _BOX_EDGES]
            if any(edges):
                boxes.add(BoxEdges(*(number(edge) for edge in edges)))


def _identified_place(element: Element) -> Iterator[Keyword]:
    identifier = first_object(element, "geographicIdentifier")
    term = text_of(identifier, "code")
    if term and not is_placeholder(term):
        authority = text_of(first_object(identifier, "authority"), "title")
        yield Keyword(term, authority or None)


def _described_place(extent: Element) -> Iterator[Keyword]:
    description = one_line(child(extent, "description"))
    if description and len(description) <= _LONGEST_PLACE_NAME and not is_placeholder(description):
        yield Keyword(description)


def _unique_boxes(boxes: list[BBox]) -> tuple[BBox, ...]:
    unique_boxes: list[BBox] = []
    for box in boxes:
        if not any(_is_same(box, earlier_box) for earlier_box in unique_boxes):
            unique_boxes.append(box)
    return tuple(unique_boxes)


def _is_same(a: BBox, b: BBox) -> bool:
    return all(math.isclose(x, y, abs_tol=_SAME_BOX_DEG) for x, y in zip(a.as_list(), b.as_list(), strict=True))


def read_vertical(extents: list[Element], warnings: list[str]) -> Vertical | None:
    """The hull of all vertical extents in the unit of the first one; None where there is none."""
    verticals = [
        vertical
        for extent in extents
        for element in objects(extent, "verticalElement")
        if (vertical := _vertical(element, warnings)) is not None
    ]
    if not verticals:
        return None
    unit = verticals[0].unit
    same_unit = [vertical for vertical in verticals if vertical.unit == unit]
    if len(same_unit) < len(verticals):
        warnings.append(f"vertical: extents in other units than {unit} were left out")
    lows = [vertical.minimum for vertical in same_unit if vertical.minimum is not None]
    highs = [vertical.maximum for vertical in same_unit if vertical.maximum is not None]
    count = len(same_unit)  # where fewer ends are known, one of them is open
    return Vertical(min(lows) if len(lows) == count else None, max(highs) if len(highs) == count else None, unit)


def _vertical(element: Element, warnings: list[str]) -> Vertical | None:
    low = number(raw_text(child(element, "minimumValue")))
    high = number(raw_text(child(element, "maximumValue")))
    minimum, maximum = (value if math.isfinite(value) else None for value in (low, high))
    if minimum is None and maximum is None:
        return None
    if minimum is not None and maximum is not None and minimum > maximum:
        minimum, maximum = maximum, minimum
        warnings.append("vertical: minimum and maximum were swapped")
    if _counts_down(element):
        minimum, maximum = (None if end is None else 0.0 - end for end in (maximum, minimum))
    return Vertical(minimum, maximum, _unit(element))


def _counts_down(element: Element) -> bool:
    """Whether the system counts depths, by its reference, its name, or the direction of its axis."""
    system = child(element, "verticalCRS")
    if system is None:
        return False
    texts = [system.get(XLINK_HREF) or ""]
    for part in system.iter("*"):
        name = local_name(part)
        if name in ("name", "srsName", "identifier", "scope", "code"):
            texts.append(part.text or "")
        if name == "axisDirection" and (part.text or "").strip().lower() == "down":
            return True
    return any(word in text.lower() for text in texts for word in _DEPTH_CRS)


def _unit(element: Element) -> str:
    for part in element.iter("*"):
        unit = part.get("uom") or (part.text if local_name(part) == "unitOfMeasure" else None)
        if unit and unit.strip():
            last = unit.strip().rpartition("#")[2].rpartition(":")[2].rpartition("/")[2]
            return _UNITS.get(last.lower(), last)
    return "m"


def read_times(extents: list[Element], warnings: list[str]) -> tuple[TimeSpan, ...]:
    """Every temporal extent once, in order; repairs and omissions are added to ``warnings``."""
    spans = (_span(primitive, warnings) for primitive in _time_primitives(extents))
    return unique(span for span in spans if span is not None)


def time_interval(extents: list[Element]) -> tuple[str, str] | None:
    """Value and unit of the first ``timeInterval`` beside a begin and an end, where it means the step."""
    for primitive in _time_primitives(extents):
        parts = _parts(primitive)
        interval = parts.get("timeInterval")
        if interval is not None and {"beginPosition", "begin"} & set(parts) and {"endPosition", "end"} & set(parts):
            return (interval.text or "").strip(), interval.get("unit", "")
    return None


def _time_primitives(extents: list[Element]) -> Iterator[Element]:
    return (primitive for extent in extents for primitive in objects(extent, "temporalElement/extent"))


def _span(primitive: Element, warnings: list[str]) -> TimeSpan | None:
    parts = _parts(primitive)
    frame = _foreign_reference_system(primitive, parts)
    if frame is not None:
        warnings.append(f"time: period left out: its reference system {frame} is not the calendar")
        return None
    if local_name(primitive) == "TimeInstant":
        begin = end = _position(parts.get("timePosition"))
    else:
        begin = _position(parts.get("beginPosition", parts.get("begin")))
        end = _position(parts.get("endPosition", parts.get("end")))
    duration = parts.get("duration")
    span, repairs = repair_span(begin, end, "" if duration is None else duration.text or "")
    warnings.extend(unique(repairs))
    return span


def _parts(primitive: Element) -> dict[str, Element]:
    return {local_name(part): part for part in primitive.iterchildren("*")}


def _position(part: Element | None) -> Position:
    """The position in ``beginPosition``, or in a ``TimeInstant`` inside it or inside ``begin``."""
    if part is None:
        return Position()
    inner_object = object_in(part)
    if inner_object is not None:
        if local_name(inner_object) == "timePosition":
            return _position(inner_object)
        return _position(
            next((part for part in inner_object.iterchildren("*") if local_name(part) == "timePosition"), None)
        )
    return Position(line(part.text), part.get("indeterminatePosition", "").strip().lower())


def _foreign_reference_system(primitive: Element, parts: dict[str, Element]) -> str | None:
    for element in (primitive, *parts.values()):
        frame = element.get("frame", "")
        if frame and "8601" not in frame and "gregorian" not in frame.lower():
            return frame
    return None


def read_resolution(
    metadata: Element, identifications: list[Element], extents: list[Element], warnings: list[str]
) -> Resolution:
    """The finest distance and scale that are given; without a distance, the axes of the grid count."""
    stated_distances = [*_distances(identifications, warnings)]
    axes = list(objects(metadata, "spatialRepresentationInfo/axisDimensionProperties"))
    distances = stated_distances or [*_axis_distances(axes)]
    scales = [*_scales(identifications, warnings)]
    return Resolution(min(distances, default=None), min(scales, default=None), _time_step(axes, extents))


def _measure(prop: Element | None) -> tuple[float, str]:
    """Number and unit of a gco:Distance, Measure, Angle, ...; NaN where there is none."""
    measure = object_in(prop)
    return (number(raw_text(prop)), "" if measure is None else measure.get("uom", ""))


def _distances(identifications: list[Element], warnings: list[str]) -> Iterator[float]:
    for identification in identifications:
        for resolution in objects(identification, "spatialResolution"):
            for prop in children(resolution, "distance"):
                value, unit = _measure(prop)
                distance = metres(value, unit)
                if distance is not None:
                    yield distance
                elif not math.isnan(value):
                    warnings.append(f"resolution: distance {value:g} {unit} left out".replace("  ", " "))


def _scales(identifications: list[Element], warnings: list[str]) -> Iterator[int]:
    for identification in identifications:
        for fraction in objects(identification, "spatialResolution/equivalentScale"):
            value = number(raw_text(child(fraction, "denominator")))
            if value >= 1 and math.isfinite(value):
                yield int(value)
            elif not math.isnan(value):
                warnings.append(f"resolution: scale denominator {value:g} left out")


def _axis_distances(axes: list[Element]) -> Iterator[float]:
    for axis in axes:
        if code_of(child(axis, "dimensionName")).lower() in _GROUND_AXES:
            value, unit = _measure(child(axis, "resolution"))
            distance = metres(value, unit)
            if distance is not None:
                yield distance


def _time_step(axes: list[Element], extents: list[Element]) -> str | None:
    for axis in axes:
        if code_of(child(axis, "dimensionName")).lower() == "time":
            value, unit = _measure(child(axis, "resolution"))
            step = iso_duration(raw_text(child(axis, "resolution"))) or time_step(value, unit)
            if step is not None:
                return step
    interval = time_interval(extents)
    return None if interval is None else iso_duration(interval[0]) or time_step(number(interval[0]), interval[1])
