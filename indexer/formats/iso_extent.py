"""Spatial extents of ISO 19139: boxes, polygons, place names and vertical extents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from core.extent import BBox
from core.json_types import JsonMapping
from core.record import Keyword
from indexer.formats.antimeridian import Evidence
from indexer.formats.boxes import Boxes, Edges
from indexer.formats.gml import PolygonReader
from indexer.formats.iso_xml import GMD, Element, child, first, local, objects, one_line, one_of_each, text_of, written
from indexer.formats.repair_box import number
from indexer.formats.text import is_placeholder

_SAME_BOX_DEG = 1e-6
_LONGEST_PLACE_NAME = 100
_BOX_EDGES = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")


@dataclass(frozen=True, slots=True)
class Where:
    """Boxes in order without duplicates, the polygons as one GeoJSON geometry, and places that only have a name."""

    boxes: tuple[BBox, ...]
    geometry: JsonMapping | None
    places: tuple[Keyword, ...]


def read_where(extents: list[Element], said: str, warnings: list[str]) -> Where:
    """Reads all extents. ``said``: the record's title and keywords, which help to decide an ambiguous box."""
    boxes = Boxes()
    places: list[Keyword] = []
    polygons: list[Element] = []
    elements = [element for extent in extents for element in _geographic(extent)]
    included = [element for element in elements if not _is_excluded(element)]
    if len(included) < len(elements):
        said_of_it = "was left out" if included else "is the only one and was taken"
        warnings.append(f"extent: an area that is marked as excluded {said_of_it}")
    for extent in extents:
        places.extend(_described(extent))
    for element in included or elements:
        _sort_in(element, boxes, polygons, places)
    said = " ".join([said, *(place.term for place in places)])
    reader = PolygonReader(Evidence(said, tuple(boxes.found)))
    for polygon in polygons:
        reader.add(polygon)
    boxes.settle(said, reader.boxes)
    warnings.extend([*boxes.warnings, *reader.warnings])
    return Where(_without_doubles([*boxes.found, *reader.boxes]), reader.geometry, one_of_each(places))


def _geographic(extent: Element) -> Iterator[Element]:
    yield from objects(extent, f"{GMD}geographicElement")
    yield from objects(extent, f"{GMD}temporalElement", f"{GMD}spatialExtent")  # EX_SpatialTemporalExtent


def _is_excluded(element: Element) -> bool:
    return text_of(element, f"{GMD}extentTypeCode").lower() in ("0", "false")


def _sort_in(element: Element, boxes: Boxes, polygons: list[Element], places: list[Keyword]) -> None:
    """Adds a geographic element to the list of its kind."""
    match local(element):
        case "EX_BoundingPolygon":
            polygons.extend(objects(element, f"{GMD}polygon"))
        case "EX_GeographicDescription":
            places.extend(_named(element))
        case _:
            edges = [written(child(element, f"{GMD}{name}")).strip() for name in _BOX_EDGES]
            if any(edges):
                boxes.add(Edges(*(number(edge) for edge in edges)))


def _named(element: Element) -> Iterator[Keyword]:
    identifier = first(element, f"{GMD}geographicIdentifier")
    term = text_of(identifier, f"{GMD}code")
    if term and not is_placeholder(term):
        authority = text_of(first(identifier, f"{GMD}authority"), f"{GMD}title")
        yield Keyword(term, authority or None)


def _described(extent: Element) -> Iterator[Keyword]:
    description = one_line(child(extent, f"{GMD}description"))
    if description and len(description) <= _LONGEST_PLACE_NAME and not is_placeholder(description):
        yield Keyword(description)


def _without_doubles(boxes: list[BBox]) -> tuple[BBox, ...]:
    kept: list[BBox] = []
    for box in boxes:
        if not any(_same(box, other) for other in kept):
            kept.append(box)
    return tuple(kept)


def _same(a: BBox, b: BBox) -> bool:
    return all(math.isclose(x, y, abs_tol=_SAME_BOX_DEG) for x, y in zip(a.as_list(), b.as_list(), strict=True))
