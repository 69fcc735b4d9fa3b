"""Documents, their passages and their records in Elasticsearch, so that a crash loses and duplicates nothing.

A passage's id is its document's id and its position. A second reading overwrites the first, and surplus passages are
deleted before the document becomes ready. Users' passages go to ``library``, routed by their owner.

A public document is found by a record of type ``document``, joined to another record or not. It is written as if
somebody pushed it (``indexer.write.push``): plan, ledger, tombstone and embedding are those of every record. A document
that is joined to a record has that record's place, time, licence and access.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from core.document import (
    CATALOGUE,
    PUBLIC,
    UNREAD,
    DocumentEntry,
    Passage,
    WhereWhen,
    owner_routing,
    record_of_document,
)
from core.errors import NotFound, SondeError, Unavailable
from core.json_types import Json, JsonMapping
from core.record import Record
from es_gateway.client import Elasticsearch
from es_mappings.codecs import passages, vectors
from es_mappings.codecs.passages import inherited
from es_mappings.codecs.records import from_document
from es_mappings.indices import serving
from es_mappings.names import IndexKind, alias
from indexer.documents.parse.sections import strip_number
from indexer.parts import HarvestParts
from indexer.store import bulk
from indexer.write import push

_CONFORMS = "http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"
_FEWEST_WORDS = 15  # of a passage that can say what a document is about
_MOST_CHARACTERS = 4000
_WEB = ("http://", "https://")


def put_record(parts: HarvestParts, entry: DocumentEntry, summary: str, explained_record: Record | None) -> bool:
    """Writes the document's record; the same again writes nothing. False without an index of records.

    Raises core.errors.Unavailable.
    """
    if serving(parts.client, parts.prefix, "records") is None:
        return False
    content = json.dumps(record_json(entry, summary, explained_record), ensure_ascii=False).encode()
    groups = explained_record.access_groups if explained_record is not None else ()
    pushed_document = push.PushedDocument(record_of_document(entry.id), content, "application/geo+json", groups)
    push.put(CATALOGUE, pushed_document, parts)
    return True


def remove_record(parts: HarvestParts, document: str) -> None:
    """Removes the document's record from the search; does nothing if there is none."""
    if serving(parts.client, parts.prefix, "records") is None:
        return
    with suppress(NotFound):
        push.delete(CATALOGUE, record_of_document(document), parts)


def summary_of(passages: Iterable[Passage]) -> str:
    """The document's abstract, else its first text of some length, else its first text."""
    texts = [passage for passage in passages if passage.kind == "text"]
    abstract = [passage for passage in texts if passage.section_role == "abstract"]
    long = [passage for passage in texts if len(passage.text.split()) >= _FEWEST_WORDS]
    return next((passage.text for passage in (*abstract, *long, *texts)), "")[:_MOST_CHARACTERS]


def record_json(entry: DocumentEntry, summary: str, explained_record: Record | None) -> Json:
    """A record of OGC API - Records. The DOI of the explained record stays that record's alone."""
    doi = entry.doi if explained_record is None or explained_record.doi != entry.doi else None
    properties: Json = {
        "type": "document",
        "title": entry.title or entry.name,
        "description": summary,
        "contacts": [{"name": name, "roles": ["author"]} for name in entry.authors],
        "published": entry.published,
        "externalIds": [{"scheme": "https://doi.org", "value": doi}] if doi else None,
        "formats": [{"mediaType": entry.media_type}] if entry.media_type else None,
        "license": explained_record.licence if explained_record is not None else None,
        "extent": _extent(explained_record),
    }
    links = [{"rel": "item", "href": entry.origin, "type": entry.media_type}] if entry.origin.startswith(_WEB) else []
    return {
        "type": "Feature",
        "id": entry.id,
        "conformsTo": [_CONFORMS],
        "geometry": explained_record.geometry if explained_record is not None else None,
        "time": _time(explained_record),
        "properties": {name: value for name, value in properties.items() if value},
        "links": links,
    }


def _extent(explained_record: Record | None) -> Json | None:
    if explained_record is None or not explained_record.extents:
        return None
    return {"spatial": {"bbox": [box.as_list() for box in explained_record.extents]}}


def _time(explained_record: Record | None) -> Json | None:
    if explained_record is None or not explained_record.times:
        return None
    return {"interval": [[span.start_iso or "..", span.end_iso or ".."] for span in explained_record.times]}


_PAGE = 1000
_DOCUMENTS_PER_OWNER = 20  # more than the workers that read documents of one user at once
_REPLACE_UNLESS_DELETED = (
    "if (ctx._source.state == 'deleted') { ctx.op = 'none' }"
    " else { def edited = ctx._source.edited; ctx._source.clear(); ctx._source.putAll(params.entry);"
    " if (edited != null) { ctx._source.edited = edited; ctx._source.putAll(edited) } }"
)
_RETITLE = (
    "def heading = ctx._source.heading; ctx._source.title = params.title;"
    " if (heading != null && heading.startsWith(params.before))"
    " { ctx._source.heading = params.title + heading.substring(params.before.length()) }"
)


def distinct_keys(
    client: Elasticsearch, index: str, fields: Sequence[str], size: int, query: Json | None = None
) -> Iterator[list[JsonMapping]]:
    """Pages of the distinct combinations of these fields, ``size`` a page."""
    sources = [{name: {"terms": {"field": name}}} for name in fields]
    after_key: JsonMapping = {}
    while True:
        composite: Json = {"size": size, "sources": sources, **({"after": after_key} if after_key else {})}
        answer = client.search(index=index, size=0, query=query, aggs={"keys": {"composite": composite}}).body
        page = answer["aggregations"]["keys"]
        yield [bucket["key"] for bucket in page["buckets"]]
        if "after_key" not in page:
            return
        after_key = page["after_key"]


class DocumentGone(SondeError):
    """The document was deleted while it was being read."""


def passages_kind(owner: str) -> IndexKind:
    return "passages" if owner == PUBLIC else "library"


def passage_document(
    passage: Passage, title: str, own_fields: WhereWhen, record: JsonMapping | None, vector_fields: Json
) -> Json:
    """The stored form; ``record``: the fields inherited from the record; ``vector_fields``: its vectors."""
    heading = " ".join([title, *(strip_number(part) for part in passage.section_path[-2:])]).strip()
    return passages.to_document(passage, title, heading, own_fields, record, vector_fields)


class DocumentStore:
    """Reads and writes under one prefix. Raises core.errors.Unavailable if Elasticsearch does not answer."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self.client = client
        self.prefix = prefix
        self._index = alias(prefix, "documents")

    def entry(self, id: str) -> DocumentEntry | None:
        answer = self.client.options(ignore_status=404).get(index=self._index, id=id).body
        return passages.entry_from_document(id, answer["_source"]) if answer.get("found") else None

    def put_entry(self, entry: DocumentEntry) -> None:
        """Visible at once, because clients ask for a document's state right after a change."""
        self.client.index(
            index=self._index, id=entry.id, document=passages.entry_to_document(entry), refresh=True, require_alias=True
        )

    def keep_entry(self, entry: DocumentEntry) -> None:
        """Replaces an existing entry. Raises DocumentGone if it was deleted or marked as deleted."""
        script = {"source": _REPLACE_UNLESS_DELETED, "params": {"entry": passages.entry_to_document(entry)}}
        answer = (
            self.client.options(ignore_status=404)
            .update(index=self._index, id=entry.id, script=script, retry_on_conflict=5, refresh=True)
            .body
        )
        if answer.get("result") not in ("updated", "created"):
            raise DocumentGone(f"The document {entry.id} was deleted.")

    def of_origin(self, owner: str, origin: str) -> list[DocumentEntry]:
        """The documents read earlier from this origin."""
        query = {"bool": {"filter": [{"term": {"owner": owner}}, {"term": {"origin": origin}}]}}
        hits = self.client.search(index=self._index, query=query, size=_PAGE).body["hits"]["hits"]
        return [passages.entry_from_document(hit["_id"], hit["_source"]) for hit in hits]

    def record(self, id: str) -> Record | None:
        index = alias(self.prefix, "records")
        client = self.client.options(ignore_status=404)
        answer = client.get(index=index, id=id, source_excludes=list(vectors.FIELDS)).body
        return from_document(answer["_source"]) if answer.get("found") else None

    def record_fields(self, record: str) -> Json | None:
        """The fields that the record's passages inherit; None if there is no such record."""
        document = self.record(record)
        return inherited(document) if document is not None else None

    def record_of_doi(self, doi: str) -> str | None:
        """The only record with this DOI; None if there is none or several."""
        query = {
            "bool": {"filter": [{"term": {"identifiers": doi}}], "must_not": [{"term": {"source": CATALOGUE}}]},
        }
        index = alias(self.prefix, "records")
        hits = self.client.search(index=index, query=query, size=2, source=False).body["hits"]["hits"]
        return str(hits[0]["_id"]) if len(hits) == 1 else None

    def is_restricted(self, entry: DocumentEntry) -> bool:
        """Whether only some groups see the passages of this public document, or of another version of it."""
        index = alias(self.prefix, passages_kind(PUBLIC))
        ids = [entry.id, *(version.id for version in self.of_origin(entry.owner, entry.origin))]
        query = {"bool": {"filter": [{"terms": {"document": ids}}, {"exists": {"field": "access_groups"}}]}}
        self.client.indices.refresh(index=index)
        return bool(self.client.count(index=index, query=query, terminate_after=1)["count"])

    def is_searchable(self, entry: DocumentEntry) -> bool:
        """Whether a public document that should be found has its passages and its record; True for any other.

        Somebody may have removed the record alone, or its source.
        """
        if entry.state != "ready" or entry.owner != PUBLIC:
            return True
        records = serving(self.client, self.prefix, "records")
        kinds: list[IndexKind] = ["passages"] if records is None else ["passages", "records"]
        ids = {"passages": f"{entry.id}#0", "records": record_of_document(entry.id)}
        return all(self.client.exists(index=alias(self.prefix, kind), id=ids[kind]) for kind in kinds)

    def put_passages(self, owner: str, items: Iterable[tuple[str, Json]]) -> list[bulk.Failure]:
        """Writes by id and checks every item's result."""
        kind = passages_kind(owner)
        index, routing = alias(self.prefix, kind), owner_routing(owner) if kind == "library" else None
        return bulk.write(self.client, (bulk.index_operation(index, id, document, routing) for id, document in items))

    def drop_passages(self, entry: DocumentEntry, *, from_ordinal: int = 0) -> int:
        """Deletes the document's passages from this position on, and verifies it; returns their number.

        A public document of which nothing is left goes out of the search, too.
        """
        if from_ordinal == 0 and entry.owner == PUBLIC:
            remove_record(HarvestParts(self.client, self.prefix), entry.id)
        query = {
            "bool": {
                "filter": [
                    {"term": {"document": entry.id}},
                    {"term": {"owner": entry.owner}},
                    {"range": {"ordinal": {"gte": from_ordinal}}},
                ]
            }
        }
        routing: JsonMapping = {} if entry.owner == PUBLIC else {"routing": owner_routing(entry.owner)}
        return self._delete(alias(self.prefix, passages_kind(entry.owner)), query, routing)

    def _delete(self, index: str, query: Json, routing: JsonMapping) -> int:
        self.client.indices.refresh(index=index)
        answer = self.client.delete_by_query(
            index=index, query=query, refresh=True, conflicts="proceed", **routing
        ).body
        if answer["failures"] or answer["version_conflicts"]:
            raise Unavailable("Not all passages of a document could be deleted; try again.")
        return int(answer["deleted"])

    def drop(self, entry: DocumentEntry) -> int:
        """Deletes passages, then the document: after a crash the entry remains, and the rest is deleted later."""
        deleted_count = self.drop_passages(entry)
        self.drop_entry(entry)
        return deleted_count

    def drop_entry(self, entry: DocumentEntry) -> None:
        self.client.options(ignore_status=404).delete(index=self._index, id=entry.id, refresh=True)

    def entries(self, ids: Sequence[str]) -> dict[str, DocumentEntry]:
        """The existing entries by id, in real time."""
        if not ids:
            return {}
        hits = self.client.mget(index=self._index, ids=list(dict.fromkeys(ids))).body["docs"]
        return {
            hit["_id"]: passages.entry_from_document(hit["_id"], hit["_source"]) for hit in hits if hit.get("found")
        }

    def bytes_of(self, owner: str) -> int:
        aggs = {"bytes": {"sum": {"field": "bytes"}}}
        query = {"term": {"owner": owner}}
        answer = self.client.search(index=self._index, query=query, size=0, aggs=aggs).body
        return int(answer["aggregations"]["bytes"]["value"])

    def unread(self) -> dict[str, list[str]]:
        """Some documents of each user that are queued or half read, the one that waits longest first."""
        query = {"bool": {"filter": [{"terms": {"state": list(UNREAD)}}], "must_not": [{"term": {"owner": PUBLIC}}]}}
        first_documents = {
            "top_hits": {
                "size": _DOCUMENTS_PER_OWNER,
                "sort": [{"updated": "asc"}, {"created": "asc"}],
                "_source": False,
            }
        }
        aggs = {"owners": {"terms": {"field": "owner", "size": _PAGE}, "aggs": {"some": first_documents}}}
        owners = self.client.search(index=self._index, query=query, size=0, aggs=aggs).body["aggregations"]["owners"]
        return {bucket["key"]: [hit["_id"] for hit in bucket["some"]["hits"]["hits"]] for bucket in owners["buckets"]}

    def retitle(self, old_entry: DocumentEntry, title: str) -> None:
        """Gives the document's passages its new title, which answers show and searches find; no vector changes."""
        script = {"source": _RETITLE, "params": {"before": old_entry.title or old_entry.name, "title": title}}
        query = {"bool": {"filter": [{"term": {"document": old_entry.id}}, {"term": {"owner": old_entry.owner}}]}}
        routing: JsonMapping = {} if old_entry.owner == PUBLIC else {"routing": owner_routing(old_entry.owner)}
        index = alias(self.prefix, passages_kind(old_entry.owner))
        self.client.update_by_query(
            index=index, query=query, script=script, refresh=True, conflicts="proceed", **routing
        )

    def refresh(self, owner: str) -> None:
        index = alias(self.prefix, passages_kind(owner))
        self.client.indices.refresh(index=index)
