"""Reads documents for their pages: public ones that the caller may see, and the caller's own.

A public document is visible if its first passage is: passages carry the groups of their record, and the client filters
them. The entries themselves are not filtered, so nothing reads one of them without this check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.document import PUBLIC, DocumentEntry, FileKey, FileStore, Passage, PublicFiles, is_open
from core.errors import NotFound
from core.json_types import Json, JsonMapping
from core.record import Record
from es_gateway.client import Elasticsearch
from es_gateway.searching import stored_document
from es_mappings.codecs import passages
from es_mappings.names import alias
from search_api.catalogue.listing import RecordReader
from search_api.search.passages.scope import PassageScope, scopes
from search_api.search.retrieval.clauses import Clause

_SOURCE_FIELDS = [
    "document",
    "ordinal",
    "text",
    "kind",
    "section_path",
    "section_role",
    "sections",
    "first_page",
    "last_page",
    "table",
]
_LARGE = ["references", "affiliations", "tables", "front_source", "registered", "took_ms", "warnings"]


@dataclass(frozen=True, slots=True)
class VisibleDocument:
    """A document that the caller may see. ``record``: what it explains, None if that is nothing or hidden."""

    entry: DocumentEntry
    record: Record | None = None

    @property
    def is_private(self) -> bool:
        return self.entry.owner != PUBLIC


@dataclass(frozen=True, slots=True)
class DocumentListing:
    """Which public documents. ``after``: the id of the last one of the page before."""

    limit: int
    after: str | None = None
    record: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """By id. ``after``: the start of the next page, None on the last one."""

    documents: tuple[VisibleDocument, ...]
    matched: int
    after: str | None


class DocumentReader:
    """Stateless. ``client`` returns only what the caller may see. Raises core.errors.Unavailable."""

    def __init__(self, client: Elasticsearch, prefix: str, records: RecordReader) -> None:
        self._client = client
        self._prefix = prefix
        self._records = records

    def document(self, id: str, owner: str | None) -> VisibleDocument:
        """``owner``: the caller, None for a caller without a library.

        Raises NotFound, with the same text for a document that does not exist and for one that is hidden.
        """
        index = alias(self._prefix, "documents")
        stored_source = stored_document(self._client, index, id)
        entry = passages.entry_from_document(id, stored_source["_source"]) if stored_source is not None else None
        if entry is None or entry.state == "deleted" or not self._may_see(entry, owner):
            raise NotFound(f"There is no document {id!r}.")
        return VisibleDocument(entry, self._record_of(entry))

    def visible(self, ids: Sequence[str], owner: str | None) -> dict[str, DocumentEntry]:
        """Of these, by id: public ones that the caller may see, and those of ``owner``; without their long columns."""
        entries = {id: entry for id, entry in self._entries(ids).items() if entry.state != "deleted"}
        public = [id for id, entry in entries.items() if entry.owner == PUBLIC]
        visible_ids = set(self._ids([{"terms": {"document": public}}], "", len(public))[0]) if public else set()
        return {
            id: entry
            for id, entry in entries.items()
            if id in visible_ids or (owner is not None and entry.owner == owner)
        }

    def page(self, listing: DocumentListing) -> DocumentPage:
        """Public documents; a user's own are in ``/library/documents``."""
        filters = [{"term": {n: v}} for n, v in (("record", listing.record), ("source", listing.source)) if v]
        ids, total = self._ids(filters, listing.after or "", listing.limit + 1)
        page_ids = ids[: listing.limit]
        entries = self._entries(page_ids)
        documents = tuple(VisibleDocument(entries[id]) for id in page_ids if id in entries)
        return DocumentPage(documents, total, page_ids[-1] if len(ids) > len(page_ids) else None)

    def ids(self, after: str, limit: int) -> tuple[list[str], str | None]:
        """Ids of public documents, in their order, after this one; and the last of them if more may follow."""
        ids, _ = self._ids([], after, limit)
        return ids, ids[-1] if len(ids) == limit else None

    def _ids(self, filters: Sequence[Clause], after: str, size: int) -> tuple[list[str], int]:
        """Each document has one passage 0."""
        body = {"sort": [{"document": "asc"}], "search_after": [after], "size": size, "_source": ["document"]}
        answer = self._search(self._scope(PUBLIC), [{"term": {"ordinal": 0}}, *filters], body)
        ids = [str(hit["_source"]["document"]) for hit in answer["hits"]["hits"]]
        return ids, int(answer["hits"]["total"]["value"])

    def passages(self, document: VisibleDocument, offset: int, limit: int) -> list[Passage]:
        """In the order of the document, from the position ``offset`` on; without the boxes of their words."""
        filters: list[Clause] = [{"range": {"ordinal": {"gte": offset}}}]
        return self._passages(document.entry, filters, limit, _SOURCE_FIELDS)

    def passage(self, document: VisibleDocument, ordinal: int) -> Passage:
        """One passage with the boxes of its words. Raises NotFound."""
        matches = self._passages(document.entry, [{"term": {"ordinal": ordinal}}], 1, [*_SOURCE_FIELDS, "word_boxes"])
        if not matches:
            raise NotFound(f"The document {document.entry.id!r} has no passage {ordinal}.")
        return matches[0]

    def _may_see(self, entry: DocumentEntry, owner: str | None) -> bool:
        if entry.owner != PUBLIC:
            return owner is not None and entry.owner == owner
        return bool(self._passages(entry, [{"term": {"ordinal": 0}}], 1, ["document", "ordinal", "text"]))

    def _record_of(self, entry: DocumentEntry) -> Record | None:
        """A record that was deleted or is hidden leaves its documents without one."""
        if entry.record is None:
            return None
        try:
            return self._records.record(entry.record).record
        except NotFound:
            return None

    def _passages(self, entry: DocumentEntry, filters: list[Clause], limit: int, fields: list[str]) -> list[Passage]:
        body = {"sort": [{"ordinal": "asc"}], "size": limit, "_source": fields}
        answer = self._search(self._scope(entry.owner), [{"term": {"document": entry.id}}, *filters], body)
        return [passages.from_document(hit["_id"], hit["_source"])[0] for hit in answer["hits"]["hits"]]

    def _scope(self, owner: str) -> PassageScope:
        return scopes(self._prefix, *(("public", None) if owner == PUBLIC else ("mine", owner)))[0]

    def _search(self, scope: PassageScope, filters: Sequence[Clause], body: JsonMapping) -> Json:
        query = {"bool": {"filter": [scope.clause, *filters]}}
        routing = {"routing": scope.header["routing"]} if "routing" in scope.header else {}
        answer: Json = self._client.search(
            index=scope.index,
            ignore_unavailable=True,  # no index yet: there are no documents
            body={**body, "query": query, "track_total_hits": True},
            **routing,
        ).body
        return answer

    def _entries(self, ids: Sequence[str]) -> dict[str, DocumentEntry]:
        """Of documents that the caller may see; without their long columns."""
        if not ids:
            return {}
        answers = self._client.mget(index=alias(self._prefix, "documents"), ids=list(ids), source_excludes=_LARGE).body[
            "docs"
        ]
        return {
            answer["_id"]: passages.entry_from_document(answer["_id"], answer["_source"])
            for answer in answers
            if answer.get("found")
        }


@dataclass(frozen=True, slots=True)
class DocumentFiles:
    """``public``: which public files are shown. It is looked at for each request, and so is the licence."""

    files: FileStore
    public: PublicFiles

    def is_shown(self, document: VisibleDocument) -> bool:
        """Whether ``get`` returns a file."""
        return self._may_show(document) and self.files.has(_file_key(document))

    def get(self, document: VisibleDocument) -> bytes:
        """Raises NotFound if the file is not stored, or may not be shown."""
        data = self.files.get(_file_key(document)) if self._may_show(document) else None
        if data is None:
            raise NotFound(f"The file of the document {document.entry.id!r} is not shown here.")
        return data

    def _may_show(self, document: VisibleDocument) -> bool:
        licence = document.record.licence if document.record is not None else None
        return document.is_private or self.public == "all" or (self.public == "licensed" and is_open(licence))


def _file_key(document: VisibleDocument) -> FileKey:
    return FileKey(document.entry.owner, document.entry.id)
