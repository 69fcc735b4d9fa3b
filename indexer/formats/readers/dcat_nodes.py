"""Nodes of a DCAT resource that profiles write in many forms: texts, labels, addresses, agents, places, resolutions."""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.json_types import JsonMapping
from core.record import Resolution
from indexer.formats.draft import RecordDraft
from indexer.formats.json_documents.linked_data import without_prefix
from indexer.formats.json_documents.parsing import as_list, objects_in, text_in, texts_in
from indexer.formats.repair.boxes import number
from indexer.formats.repair.resolution import metres

_LABELS = ("prefLabel", "label", "title", "name", "value", "description", "comment", "notation")
SHAPES = ("bbox", "geometry", "centroid", "hasGeometry", "asWKT", "box", "polygon", "spatial")
_GEOJSON = frozenset(
    (
        "point", "multipoint", "linestring", "multilinestring", "polygon", "multipolygon", "geometrycollection",
        "envelope", "feature", "featurecollection",
    )
)  # fmt: skip
_LONGEST_NAME = 100
_UNIT = {"spatialResolutionAsDistance": "m", "spatialResolutionAsAngularDistance": "degree"}
_SCALE = "spatialResolutionAsScale"
_COARSEST_SCALE = 1e9  # the whole Earth on 4 cm of paper


def texts_by_language(value: object, preferred_language: str | None) -> list[str]:
    """The texts: the preferred language first, then English, then those without a language."""
    texts = [
        (str(item.get("@language", "")) if isinstance(item, dict) else "", text_in(item)) for item in as_list(value)
    ]
    order = {preferred_language or "": 0, "en": 1, "": 2}
    return [text for _, text in sorted(texts, key=lambda item: order.get(item[0].lower()[:2], 3)) if text]


def label(node: object) -> str:
    """The name of a node: its label, else the last part of its address. A text is its own label."""
    if not isinstance(node, dict):
        return _last_part(text_in(node))
    if "@value" in node:
        return text_in(node)
    label_text = next((text for name in _LABELS if (text := text_in(node.get(name)))), "")
    return label_text or _last_part(text_in(node.get("@id")))


def _last_part(text: str) -> str:
    """``ENVI`` of ``http://.../data-theme/ENVI``; text that is not an address is unchanged."""
    if not text.lower().startswith(("http://", "https://")):
        return text
    return text.rstrip("/").rpartition("/")[2].rpartition("#")[2] or text


def address(node: object) -> str:
    if isinstance(node, dict):
        return next((text for name in ("@id", "url", "@value") if (text := text_in(node.get(name)))), "")
    return text_in(node)


def media_type_in(node: object) -> str:
    """``text/csv``, from the text itself or from IANA's address for it."""
    text = address(node) or label(node)
    return "/".join(text.rstrip("/").split("/")[-2:]) if "media-types/" in text else "" if "://" in text else text


def name_of_agent(agent: object) -> str:
    if not isinstance(agent, dict):
        return _last_part(text_in(agent))
    agent_name = next(
        (text for name in ("name", "fn", "prefLabel", "title", "label") if (text := text_in(agent.get(name)))), ""
    )
    return agent_name or _last_part(text_in(agent.get("@id")))


def add_place(draft: RecordDraft, node: object) -> None:
    """Reads a shape in any form. If several say the same, the first is enough. Without a shape, reads a place name."""
    if not isinstance(node, dict) or "@value" in node:
        _add_name_or_shape(draft, text_in(node))
        return
    if _is_geojson(node):
        draft.places.add_geojson(node)
        return
    name = next(
        (text for key in ("prefLabel", "label", "title", "geographicName") if (text := text_in(node.get(key)))), ""
    )
    for text in (name, *texts_in(node.get("altLabel"))):
        draft.add_keyword(text, "location")
    if not any(_add_shape(draft, shape) for shape in _shapes_of(node)) and not name:
        draft.add_keyword(_last_part(text_in(node.get("@id"))), "location", text_in(node.get("@id")))


def _is_geojson(node: JsonMapping) -> bool:
    """By its type, in any case: ``Multipolygon`` is one too."""
    return str(node.get("type", "")).lower() in _GEOJSON


def _add_name_or_shape(draft: RecordDraft, text: str) -> None:
    if not draft.places.add_text(text) and len(text) <= _LONGEST_NAME:
        draft.add_keyword(_last_part(text), "location", text if text.startswith("http") else None)


def _shapes_of(node: JsonMapping) -> Iterator[object]:
    """Yields GeoJSON and WKT before GML."""
    shapes = [shape for name in SHAPES for shape in as_list(node.get(name))]
    return iter(sorted(shapes, key=lambda shape: text_in(shape).lstrip().startswith("<gml")))


def _add_shape(draft: RecordDraft, shape: object) -> bool:
    if isinstance(shape, dict) and _is_geojson(shape):
        return draft.places.add_geojson(shape)
    if isinstance(shape, dict) and "@value" not in shape:
        inner_texts = [*texts_in(shape.get("asWKT")), *texts_in(shape.get("asGeoJSON")), *texts_in(shape.get("asGML"))]
        return any(draft.places.add_text(text) for text in inner_texts) or any(
            _add_shape(draft, inner_shape) for inner_shape in objects_in(shape.get("geometry"))
        )
    return draft.places.add_text(text_in(shape))


def measured_resolution(resource: JsonMapping) -> Resolution:
    """The finest distance in metres and the largest scale of a data set with short names; None where none is given.

    A scale is written as a fraction (0.00002) or as its denominator (50000). Heights are not ground distances.
    """
    distances, scales = [], []
    for measurement in objects_in(resource.get("hasQualityMeasurement")):
        metric = without_prefix(address(measurement.get("isMeasurementOf")))
        value = number(text_in(measurement.get("value")))
        if not math.isfinite(value) or value <= 0:
            continue
        if metric in _UNIT:
            distances.append(metres(value, address(measurement.get("unitMeasure")) or _UNIT[metric]))
        elif metric == _SCALE:
            scales.append(1 / value if value < 1 else value)
    distances_known = [distance for distance in distances if distance is not None]
    denominators = [round(scale) for scale in scales if scale <= _COARSEST_SCALE]
    return Resolution(min(distances_known, default=None), min(denominators, default=None))
