"""The places of a catalogue's titles as one document of the index of vocabularies, whose content is not indexed."""

from __future__ import annotations

from collections.abc import Sequence

from core.geo import BBox, Place
from core.json_types import Json, JsonMapping

DOCUMENT = "title_places"


def to_document(places: Sequence[Place], version: str, now: str) -> Json:
    rows = [[place.name, place.bbox.as_list(), place.importance, place.record_count] for place in places]
    return {"kind": DOCUMENT, "version": version, "loaded": now, "content": {"places": rows}}


def from_document(source: JsonMapping) -> list[Place]:
    return [
        Place(
            name, "named_region", BBox(*box), None, importance, estimated=True, source="catalogue", record_count=records
        )
        for name, box, importance, records in source["content"]["places"]
    ]
