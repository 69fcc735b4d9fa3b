"""The entries of one user's documents. Every request to Elasticsearch here includes the owner's clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.clock import now_iso
from core.document import DocumentEntry, Edited, State
from core.errors import NotFound
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs import documents
from es_mappings.names import alias
from search_api.search.passages.scope import PassageScope, entries_of
from search_api.search.retrieval.filters import Clause

Column = Literal[
    "name", "title", "authors", "journal", "doi", "published", "state", "reason", "media_type", "bytes", "pages",
    "passages", "record", "created", "updated",
]  # fmt: skip
COLUMNS: tuple[Column, ...] = get_args(Column)
SortColumn = Literal["name", "state", "bytes", "pages", "passages", "published", "created", "updated"]
SORTABLE: tuple[SortColumn, ...] = get_args(SortColumn)

_LARGE = ["references", "affiliations", "tables", "front_source", "registered", "took_ms"]


@dataclass(frozen=True, slots=True)
class Listing:
    """Which entries, in which order. ``q``: each word must occur in title, name, author, journal or DOI."""

    q: str = ""
    states: tuple[State, ...] = ()
    sort: SortColumn = "created"
    descending: bool = True
    limit: int = 20
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Used:
    """The totals of an owner's documents."""

    documents: int
    bytes: int


class LibraryEntries:
    """Methods raise core.errors.Unavailable if Elasticsearch does not answer."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix

    def one(self, owner: str, id: str) -> DocumentEntry | None:
        """None if there is no such document, or another user owns it."""
        found = self.of_ids(owner, [id])
        return found.get(id)

    def of_ids(self, owner: str, ids: Sequence[str]) -> dict[str, DocumentEntry]:
        """The owner's entries by id, without those being deleted."""
        if not ids:
            return {}
        hits, _ = self._search(owner, [{"ids": {"values": list(ids)}}], size=len(ids))
        return {entry.id: entry for entry in hits}

    def page(self, owner: str, listing: Listing) -> tuple[list[DocumentEntry], int]:
        """One page, and the total number."""
        filters: list[Clause] = [_word(word) for word in listing.q.split()[:20]]
        if listing.states:
            filters.append({"terms": {"state": list(listing.states)}})
        order = "desc" if listing.descending else "asc"
        ties = [{"created": "desc"}, {"origin": "asc"}]  # an origin is unique to one document
        sort = [{listing.sort: {"order": order, "missing": "_last"}}, *ties]
        return self._search(owner, filters, size=listing.limit, from_=listing.offset, sort=sort)

    def used(self, owner: str) -> Used:
        scope = entries_of(self._prefix, owner)
        aggs = {"bytes": {"sum": {"field": "bytes"}}}
        body = {"query": _query(scope, []), "size": 0, "aggs": aggs, "track_total_hits": True}
        answer = self._asked(scope, body)
        bytes_ = answer.get("aggregations", {}).get("bytes", {}).get("value", 0)
        return Used(answer["hits"]["total"]["value"], int(bytes_))

    def put(self, entry: DocumentEntry) -> None:
        """Visible when this returns, because clients ask for the state right after an upload."""
        scope = entries_of(self._prefix, entry.owner)
        self._client.index(
            index=scope.index, id=entry.id, document=documents.to_document(entry), refresh=True, require_alias=True
        )

    def edit(self, owner: str, id: str, edited: Edited) -> None:
        """Changes these metadata alone, whatever a worker writes meanwhile. Visible when this returns.

        Raises NotFound if it was deleted.
        """
        scope = entries_of(self._prefix, owner)
        change = {**edited, "edited": dict(edited), "updated": now_iso()}
        found = self._client.options(ignore_status=404).update(
            index=scope.index, id=id, doc=change, refresh=True, retry_on_conflict=5
        )
        if "error" in found.body:
            raise NotFound(f"There is no document {id!r} in your library.")

    def has_record(self, record: str) -> bool:
        """Whether the catalogue has the record and the caller may see it."""
        quiet = self._client.options(ignore_status=404)
        found = quiet.get(index=alias(self._prefix, "records"), id=record, source_includes=["source"]).body
        return bool(found.get("found"))

    def _search(self, owner: str, filters: Sequence[Clause], **more: object) -> tuple[list[DocumentEntry], int]:
        scope = entries_of(self._prefix, owner)
        body = {"query": _query(scope, filters), "track_total_hits": True, "_source": {"excludes": _LARGE}}
        answer = self._asked(scope, {**body, **{name.rstrip("_"): value for name, value in more.items()}})
        found = [documents.from_document(hit["_id"], hit["_source"]) for hit in answer["hits"]["hits"]]
        return found, int(answer["hits"]["total"]["value"])

    def _asked(self, scope: PassageScope, body: JsonMapping) -> Json:
        found: Json = self._client.search(
            index=scope.index,
            ignore_unavailable=True,  # no index yet: there are no documents
            body=dict(body),
        ).body
        return found


def _query(scope: PassageScope, filters: Sequence[Clause]) -> Clause:
    return {"bool": {"filter": [scope.clause, *filters], "must_not": [{"term": {"state": "deleted"}}]}}


def _word(word: str) -> Clause:
    held = {"value": f"*{_escaped(word)}*", "case_insensitive": True}
    plain: list[Clause] = [{"wildcard": {field: held}} for field in ("name", "authors", "journal", "doi")]
    # A phrase prefix would only expand to the first 50 words of all users' titles.
    titled: Clause = {"match_bool_prefix": {"title": {"query": word, "operator": "and"}}}
    return {"bool": {"should": [titled, *plain], "minimum_should_match": 1}}


def _escaped(word: str) -> str:
    return "".join(f"\\{character}" if character in "*?\\" else character for character in word)
