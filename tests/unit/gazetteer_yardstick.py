"""The yardstick in the shared folder: places with boxes from three sources, read for tests only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lxml import etree

from core.geo import BBox, enclosing_box, normalise_longitude
from tests.shared_data import shared_data

Yard = tuple[str, str, BBox]  # source, name, box
_NS = {
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "gml": "http://www.opengis.net/gml#",
    "xml": "http://www.w3.org/XML/1998/namespace",
}


def yardstick() -> list[Yard]:
    """Every place of the yardstick; skips or fails where the shared folder is absent, as ``shared_data`` says."""
    return [*_countries(), *_marine(), *_thesaurus()]


def _countries() -> Iterator[Yard]:
    rows = json.loads(shared_data("gazetteer", "country-bounding-boxes.json").read_text(encoding="utf-8"))
    for name, box in rows.values():
        yield "country-bounding-boxes", name, BBox(*map(float, box))


def _marine() -> Iterator[Yard]:
    parts: dict[str, list[BBox]] = {}
    for feature in json.loads(shared_data("gazetteer", "ne_50m_geography_marine_polys.json").read_text("utf-8"))[
        "features"
    ]:
        name = " ".join(feature["properties"]["name"].split())
        parts.setdefault(name, []).extend(_polygon_box(p) for p in _polygons(feature["geometry"]))
    for name, boxes in parts.items():
        around = enclosing_box(tuple(boxes))
        assert around is not None
        yield "marine polygons", name, around


def _polygons(geometry: dict[str, Any]) -> list[Any]:
    return list(geometry["coordinates"]) if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]


def _polygon_box(polygon: list[list[list[float]]]) -> BBox:
    xs, ys = [p[0] for p in polygon[0]], [p[1] for p in polygon[0]]
    return BBox(max(-180.0, min(xs)), max(-90.0, min(ys)), min(180.0, max(xs)), min(90.0, max(ys)))


def _thesaurus() -> Iterator[Yard]:
    tree = etree.parse(str(shared_data("gazetteer", "geonetwork_regions_naturalearth_seavox.rdf")))
    for concept in tree.iterfind(".//skos:Concept", _NS):
        low, high = concept.find(".//gml:lowerCorner", _NS), concept.find(".//gml:upperCorner", _NS)
        name = concept.findtext("skos:prefLabel[@xml:lang='en']", namespaces=_NS)
        if low is not None and high is not None and name:
            west, south = map(float, (low.text or "").split())
            east, north = map(float, (high.text or "").split())
            # a few are upside down or count longitudes past 180
            west, east = normalise_longitude(west), normalise_longitude(east)
            yield "thesaurus", name, BBox(west, min(south, north), east, max(south, north))
