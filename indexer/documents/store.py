"""Documents and their passages in Elasticsearch, written so that a crash loses and duplicates nothing.

A passage's id is its document's id and its position. A second reading overwrites the first, and surplus passages are
deleted before the document becomes ready. Users' passages go to ``library``, routed by their owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.document import CATALOGUE, PUBLIC, UNREAD, DocumentEntry, owner_routing
from core.errors import SondeError, Unavailable
from core.json_types import Json, JsonMapping
from core.passage import Passage, WhereWhen
from core.record import Record
from es_gateway.client import Elasticsearch
from es_mappings.codecs import documents, passages, vectors
from es_mappings.codecs.passages import inherited
from es_mappings.codecs.records import from_document
from es_mappings.names import IndexKind, alias
from indexer.documents.catalogued import take_record_out
from indexer.documents.sections import without_number
from indexer.parts import Parts
from indexer.store import bulk
from indexer.store.ledger import targets

_PAGE = 1000
_SOME = 20  # more than the workers that read documents of one user at once
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


class DocumentGone(SondeError):
    """The document was deleted while it was being read."""


def passages_kind(owner: str) -> IndexKind:
    """The index that holds the passages of this owner."""
    return "passages" if owner == PUBLIC else "library"


def passage_document(passage: Passage, title: str, own: WhereWhen, record: JsonMapping | None, made: Json) -> Json:
    """The stored form; ``record`` holds the fields inherited from the record, ``made`` those of its vectors."""
    heading = " ".join([title, *(without_number(part) for part in passage.section_path[-2:])]).strip()
    return passages.to_document(passage, title, heading, own, record, made)


class DocumentStore:
    """Reads and writes under one prefix. Raises core.errors.Unavailable if Elasticsearch does not answer."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self.client = client
        self.prefix = prefix

    def entry(self, id: str) -> DocumentEntry | None:
        index = alias(self.prefix, "documents")
        found = self.client.options(ignore_status=404).get(index=index, id=id).body
        return documents.from_document(id, found["_source"]) if found.get("found") else None

    def put_entry(self, entry: DocumentEntry) -> None:
        """Visible at once, because clients ask for a document's state right after a change."""
        index = alias(self.prefix, "documents")
        self.client.index(
            index=index, id=entry.id, document=documents.to_document(entry), refresh=True, require_alias=True
        )

    def keep_entry(self, entry: DocumentEntry) -> None:
        """Replaces an existing entry. Raises DocumentGone if it was deleted or marked as deleted."""
        index = alias(self.prefix, "documents")
        script = {"source": _REPLACE_UNLESS_DELETED, "params": {"entry": documents.to_document(entry)}}
        found = (
            self.client.options(ignore_status=404)
            .update(index=index, id=entry.id, script=script, retry_on_conflict=5, refresh=True)
            .body
        )
        if found.get("result") not in ("updated", "created"):
            raise DocumentGone(f"The document {entry.id} was deleted.")

    def of_origin(self, owner: str, origin: str) -> list[DocumentEntry]:
        """The documents read earlier from this origin."""
        query = {"bool": {"filter": [{"term": {"owner": owner}}, {"term": {"origin": origin}}]}}
        index = alias(self.prefix, "documents")
        hits = self.client.search(index=index, query=query, size=_PAGE).body["hits"]["hits"]
        return [documents.from_document(hit["_id"], hit["_source"]) for hit in hits]

    def record(self, id: str) -> Record | None:
        """The record with this id; None if there is none."""
        index = alias(self.prefix, "records")
        answer = self.client.options(ignore_status=404)
        found = answer.get(index=index, id=id, source_excludes=list(vectors.FIELDS)).body
        return from_document(found["_source"]) if found.get("found") else None

    def record_fields(self, record: str) -> Json | None:
        """The fields that the record's passages inherit; None if there is no such record."""
        found = self.record(record)
        return inherited(found) if found is not None else None

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
        ids = [entry.id, *(one.id for one in self.of_origin(entry.owner, entry.origin))]
        query = {"bool": {"filter": [{"terms": {"document": ids}}, {"exists": {"field": "access_groups"}}]}}
        self.client.indices.refresh(index=index)
        return bool(self.client.count(index=index, query=query, terminate_after=1)["count"])

    def put_passages(self, owner: str, items: Iterable[tuple[str, Json]]) -> list[bulk.Failure]:
        """Writes by id and checks every item's result."""
        kind = passages_kind(owner)
        return bulk.write(
            self.client,
            (
                bulk.index_operation(index, id, document, owner_routing(owner) if kind == "library" else None)
                for id, document in items
                for index in targets(self.prefix, kind)
            ),
        )

    def drop_passages(self, entry: DocumentEntry, *, from_ordinal: int = 0) -> int:
        """Deletes the document's passages from this position on, and verifies it; returns their number.

        A public document of which nothing is left goes out of the search, too.
        """
        if from_ordinal == 0 and entry.owner == PUBLIC:
            take_record_out(Parts(self.client, self.prefix), entry.id)
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
        return sum(self._delete(index, query, routing) for index in targets(self.prefix, passages_kind(entry.owner)))

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
        deleted = self.drop_passages(entry)
        self.drop_entry(entry)
        return deleted

    def drop_entry(self, entry: DocumentEntry) -> None:
        index = alias(self.prefix, "documents")
        self.client.options(ignore_status=404).delete(index=index, id=entry.id, refresh=True)

    def entries(self, ids: Sequence[str]) -> dict[str, DocumentEntry]:
        """The existing entries by id, in real time."""
        if not ids:
            return {}
        index = alias(self.prefix, "documents")
        found = self.client.mget(index=index, ids=list(dict.fromkeys(ids))).body["docs"]
        return {one["_id"]: documents.from_document(one["_id"], one["_source"]) for one in found if one.get("found")}

    def bytes_of(self, owner: str) -> int:
        """The size of all files of this owner."""
        index = alias(self.prefix, "documents")
        aggs = {"bytes": {"sum": {"field": "bytes"}}}
        query = {"term": {"owner": owner}}
        answer = self.client.search(index=index, query=query, size=0, aggs=aggs).body
        return int(answer["aggregations"]["bytes"]["value"])

    def unread(self) -> dict[str, list[str]]:
        """Some documents of each user that are queued or half read, the one that waits longest first."""
        query = {"bool": {"filter": [{"terms": {"state": list(UNREAD)}}], "must_not": [{"term": {"owner": PUBLIC}}]}}
        some = {"top_hits": {"size": _SOME, "sort": [{"updated": "asc"}, {"created": "asc"}], "_source": False}}
        aggs = {"owners": {"terms": {"field": "owner", "size": _PAGE}, "aggs": {"some": some}}}
        index = alias(self.prefix, "documents")
        found = self.client.search(index=index, query=query, size=0, aggs=aggs).body["aggregations"]["owners"]
        return {one["key"]: [hit["_id"] for hit in one["some"]["hits"]["hits"]] for one in found["buckets"]}

    def retitle(self, before: DocumentEntry, title: str) -> None:
        """Gives the document's passages its new title, which answers show and searches find; no vector changes."""
        script = {"source": _RETITLE, "params": {"before": before.title or before.name, "title": title}}
        query = {"bool": {"filter": [{"term": {"document": before.id}}, {"term": {"owner": before.owner}}]}}
        routing: JsonMapping = {} if before.owner == PUBLIC else {"routing": owner_routing(before.owner)}
        for index in targets(self.prefix, passages_kind(before.owner)):
            self.client.update_by_query(
                index=index, query=query, script=script, refresh=True, conflicts="proceed", **routing
            )

    def refresh(self, owner: str) -> None:
        index = alias(self.prefix, passages_kind(owner))
        self.client.indices.refresh(index=index)
