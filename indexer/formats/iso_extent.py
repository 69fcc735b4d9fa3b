"""Where: boxes, polygons, place names and vertical extents of ISO 19139."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.extent import BBox
from core.record import Keyword
from indexer.formats.gml import PolygonReader
from indexer.formats.iso_xml import GMD, Element, child, first, local, objects, one_line, one_of_each, text_of, written
from indexer.formats.repair_box import number, repair_box
from indexer.formats.text import says_nothing

_SAME_BOX_DEG = 1e-6
_LONGEST_PLACE_NAME = 100
_BOX_EDGES = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")


@dataclass(frozen=True, slots=True)
class Where:
    """Boxes in order without doubles, the polygons as one GeoJSON geometry, and places that are only named."""

    boxes: tuple[BBox, ...]
    geometry: Mapping[str, Any] | None
    places: tuple[Keyword, ...]


def read_where(extents: list[Element], warnings: list[str]) -> Where:
    boxes: list[BBox] = []
    places: list[Keyword] = []
    polygons: list[Element] = []
    for extent in extents:
        places.extend(_described(extent))
        for element in objects(extent, f"{GMD}geographicElement"):
            _sort_in(element, boxes, polygons, places, warnings)
        for temporal in objects(extent, f"{GMD}temporalElement"):
            for element in objects(temporal, f"{GMD}spatialExtent"):  # EX_SpatialTemporalExtent
                _sort_in(element, boxes, polygons, places, warnings)
    reader = PolygonReader(tuple(boxes))
    for polygon in polygons:
        reader.add(polygon)
    warnings.extend(reader.warnings)
    return Where(_without_doubles([*boxes, *reader.boxes]), reader.geometry, one_of_each(places))


def _sort_in(
    element: Element, boxes: list[BBox], polygons: list[Element], places: list[Keyword], warnings: list[str]
) -> None:
    """Puts a geographic element where its kind belongs; an excluded area is said, not taken."""
    if text_of(element, f"{GMD}extentTypeCode").lower() in ("0", "false"):
        warnings.append("extent: an area that the data set excludes was left out")
        return
    match local(element):
        case "EX_BoundingPolygon":
            polygons.extend(objects(element, f"{GMD}polygon"))
        case "EX_GeographicDescription":
            places.extend(_named(element))
        case _:
            box = _box(element, warnings)
            if box is not None:
                boxes.append(box)


def _box(element: Element, warnings: list[str]) -> BBox | None:
    edges = [written(child(element, f"{GMD}{name}")).strip() for name in _BOX_EDGES]
    if not any(edges):
        return None
    box, repairs = repair_box(*(number(edge) for edge in edges))
    warnings.extend(repairs)
    return box


def _named(element: Element) -> Iterator[Keyword]:
    identifier = first(element, f"{GMD}geographicIdentifier")
    term = text_of(identifier, f"{GMD}code")
    if term and not says_nothing(term):
        authority = text_of(first(identifier, f"{GMD}authority"), f"{GMD}title")
        yield Keyword(term, authority or None)


def _described(extent: Element) -> Iterator[Keyword]:
    description = one_line(child(extent, f"{GMD}description"))
    if description and len(description) <= _LONGEST_PLACE_NAME and not says_nothing(description):
        yield Keyword(description)


def _without_doubles(boxes: list[BBox]) -> tuple[BBox, ...]:
    kept: list[BBox] = []
    for box in boxes:
        if not any(_same(box, other) for other in kept):
            kept.append(box)
    return tuple(kept)


def _same(a: BBox, b: BBox) -> bool:
    return all(math.isclose(x, y, abs_tol=_SAME_BOX_DEG) for x, y in zip(a.as_list(), b.as_list(), strict=True))
