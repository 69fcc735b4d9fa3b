"""What a passage carries of its record, so that a filter on records filters passages too."""

from __future__ import annotations

from typing import Any

from core.record import Record
from es_mappings.codecs.records import where_and_when

Json = dict[str, Any]


def inherited(record: Record) -> Json:
    """The filter fields of the passages index as the record fills them; empty ones left out."""
    where = where_and_when(record)
    where.pop("geometry", None)
    fields: Json = {
        "record": record.id,
        "source": record.source,
        "type": record.type,
        "keywords": [keyword.term for keyword in record.keywords],
        "organisations": sorted({contact.organisation for contact in record.contacts if contact.organisation}),
        "themes": list(record.themes),
        "licence": record.licence,
        "provenance_kind": record.provenance.kind,
        "media_types": sorted({link.media_type for link in record.links if link.media_type}),
        "access": record.access,
        "access_groups": list(record.access_groups),
        **where,
    }
    return {name: value for name, value in fields.items() if value not in (None, [], "")}
