"""The record of type ``document`` by which a public document is found in the search, joined to another record or not.

It is written as if somebody pushed it (``indexer.write.push``): plan, ledger, tombstone and embedding are those of
every record. A document that is joined to a record has that record's place, time, licence and access.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress

from core.document import CATALOGUE, DocumentEntry, record_of_document
from core.errors import NotFound
from core.json_types import Json
from core.passage import Passage
from core.record import Record
from es_mappings.indices import serving
from indexer.parts import Parts
from indexer.write import push

_CONFORMS = "http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"
_FEWEST_WORDS = 15  # of a passage that can say what a document is about
_MOST_CHARACTERS = 4000
_WEB = ("http://", "https://")


def put_record(parts: Parts, entry: DocumentEntry, summary: str, explained: Record | None) -> bool:
    """Writes the document's record; the same again writes nothing. False without an index of records.

    Raises core.errors.Unavailable.
    """
    if serving(parts.client, parts.prefix, "records") is None:
        return False
    content = json.dumps(record_json(entry, summary, explained), ensure_ascii=False).encode()
    groups = explained.access_groups if explained is not None else ()
    pushed = push.Pushing(record_of_document(entry.id), content, "application/geo+json", groups)
    push.put(CATALOGUE, pushed, parts)
    return True


def take_record_out(parts: Parts, document: str) -> None:
    """Removes the document's record from the search; does nothing if there is none."""
    if serving(parts.client, parts.prefix, "records") is None:
        return
    with suppress(NotFound):
        push.delete(CATALOGUE, record_of_document(document), parts)


def summary_of(passages: Iterable[Passage]) -> str:
    """What the document says it is about: its abstract, else its first text of some length, else its first text."""
    texts = [one for one in passages if one.kind == "text"]
    abstract = [one for one in texts if one.section_role == "abstract"]
    long = [one for one in texts if len(one.text.split()) >= _FEWEST_WORDS]
    return next((one.text for one in (*abstract, *long, *texts)), "")[:_MOST_CHARACTERS]


def record_json(entry: DocumentEntry, summary: str, explained: Record | None) -> Json:
    """A record of OGC API - Records. The DOI of the explained record stays that record's alone."""
    doi = entry.doi if explained is None or explained.doi != entry.doi else None
    said: Json = {
        "type": "document",
        "title": entry.title or entry.name,
        "description": summary,
        "contacts": [{"name": name, "roles": ["author"]} for name in entry.authors],
        "published": entry.published,
        "externalIds": [{"scheme": "https://doi.org", "value": doi}] if doi else None,
        "formats": [{"mediaType": entry.media_type}] if entry.media_type else None,
        "license": explained.licence if explained is not None else None,
        "extent": _extent(explained),
    }
    links = [{"rel": "item", "href": entry.origin, "type": entry.media_type}] if entry.origin.startswith(_WEB) else []
    return {
        "type": "Feature",
        "id": entry.id,
        "conformsTo": [_CONFORMS],
        "geometry": explained.geometry if explained is not None else None,
        "time": _time(explained),
        "properties": {name: value for name, value in said.items() if value},
        "links": links,
    }


def _extent(explained: Record | None) -> Json | None:
    if explained is None or not explained.extents:
        return None
    return {"spatial": {"bbox": [box.as_list() for box in explained.extents]}}


def _time(explained: Record | None) -> Json | None:
    if explained is None or not explained.times:
        return None
    return {"interval": [[span.start_iso or "..", span.end_iso or ".."] for span in explained.times]}
