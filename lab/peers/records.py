"""The records as other servers take them: GeoJSON features, each with one box and one period."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from core.errors import SondeError
from core.geo import BBox
from core.json_types import Json
from core.record import Record
from es_gateway.client import Elasticsearch

INDEX = "peers-features"
WORLD = BBox(-180.0, -90.0, 180.0, 90.0)
_FIRST, _LAST = "1800-01-01T00:00:00Z", "2100-01-01T00:00:00Z"
_SMALLEST_DEG = 0.001
_BATCH = 500
_STORED_FIELDS = ("type", "id", "geometry", "properties")
_MAPPING: Json = {
    "properties": {
        "geometry": {"type": "geo_shape"},
        "properties": {
            "properties": {
                "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
                "description": {"type": "text"},
                "datetime": {"type": "date", "fields": {"raw": {"type": "keyword"}}},
            }
        },
    }
}


def features(records: Iterable[Record]) -> Iterator[Json]:
    """One feature for each identifier."""
    names: set[str] = set()
    for record in records:
        name = re.sub(r"[^A-Za-z0-9_.-]", "-", record.identifier)
        if name not in names:
            names.add(name)
            yield _feature(name, record)


def _feature(name: str, record: Record) -> Json:
    box = _simple(record.extents[0]) if record.extents else WORLD
    span = record.times[0] if record.times else None
    start = _usual(span.start_iso if span else None, _FIRST)
    return {
        "type": "Feature",
        "id": name,
        "bbox": [box.west, box.south, box.east, box.north],
        "geometry": {"type": "Polygon", "coordinates": [_ring(box)]},
        "properties": {
            "title": record.title,
            "description": record.abstract,
            "keywords": [keyword.term for keyword in record.keywords],
            "datetime": start,
            "start_datetime": start,
            "end_datetime": _usual(span.end_iso if span else None, _LAST),
            "type": record.type,
        },
    }


def _usual(instant: str | None, instead: str) -> str:
    """An instant with a year of four digits, as every server takes it."""
    return instant if instant is not None and re.match(r"\d{4}-", instant) else instead


def _simple(box: BBox) -> BBox:
    """A box with an area, as every server takes it; the world instead of one over the antimeridian or the edge."""
    east, north = max(box.east, box.west + _SMALLEST_DEG), max(box.north, box.south + _SMALLEST_DEG)
    fits = box.west <= box.east and east <= WORLD.east and north <= WORLD.north
    return BBox(box.west, box.south, east, north) if fits else WORLD


def _ring(box: BBox) -> list[list[float]]:
    west, south, east, north = box.west, box.south, box.east, box.north
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def index_features(client: Elasticsearch, items: Sequence[Json]) -> None:
    """Fills the index that bare Elasticsearch and pygeoapi search. Raises SondeError if a feature is refused."""
    client.options(ignore_status=404).indices.delete(index=INDEX)
    client.indices.create(index=INDEX, settings={"number_of_replicas": 0}, mappings=_MAPPING)
    for first in range(0, len(items), _BATCH):
        operations: list[Json] = []
        for item in items[first : first + _BATCH]:
            operations += [{"index": {"_id": item["id"]}}, {key: item[key] for key in _STORED_FIELDS}]
        answer = client.bulk(index=INDEX, operations=operations).body
        if answer["errors"]:
            reason = next(item["index"]["error"]["reason"] for item in answer["items"] if "error" in item["index"])
            raise SondeError(f"Elasticsearch refused a feature: {reason}")
    client.indices.refresh(index=INDEX)
