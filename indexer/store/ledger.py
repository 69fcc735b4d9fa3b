"""The ledger: one small entry for every document that a source ever gave, without vectors.

An entry is written last, after the record and its native bytes: it marks a complete commit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from core.batched import batched
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs import ledger
from es_mappings.codecs.ledger import STATES_IN_INDEX, LedgerEntry, from_document, to_document
from es_mappings.codecs.vectors import EXCEPT_VECTORS
from es_mappings.names import alias
from indexer.raw import RawRecord
from indexer.store import bulk

RESTORED = "restored by hand"
"""The ``reason`` of an entry that a sweep keeps until the source lists the document again."""

PUSHED = "push"
"""The run id of pushed entries and records: no sweep removes them, until the source lists them too."""


@dataclass(frozen=True, slots=True)
class SourceGroups:
    """The groups of a source's restricted documents: ``shared`` by all of them, ``any`` if there are such documents."""

    any: bool = False
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger index of one prefix, read."""

    client: Elasticsearch
    prefix: str

    @property
    def index(self) -> str:
        return alias(self.prefix, "ledger")

    def refresh(self) -> None:
        self.client.indices.refresh(index=self.index)

    def entries(self, keys: Sequence[str]) -> dict[str, LedgerEntry]:
        """The entries with these keys, in real time (no refresh needed)."""
        if not keys:
            return {}
        answer = self.client.mget(index=self.index, ids=list(keys))
        return {doc["_id"]: from_document(doc["_source"]) for doc in answer["docs"] if doc.get("found", False)}

    def holders(self, source: str, records: Sequence[str]) -> dict[str, LedgerEntry]:
        """The holder of each of these records, as of the last refresh."""
        entry_by_record: dict[str, LedgerEntry] = {}
        for batch in batched(records, _MOST_TERMS):
            terms = {"terms": {"record": batch}}
            query = {"bool": {"filter": [*_of_source(source), terms, _HOLDS_RECORD]}}
            entry_by_record |= {cast(str, entry.record): entry for entry in self.find(query)}
        return entry_by_record

    def entries_not_seen_in(self, source: str, run: str) -> Iterator[LedgerEntry]:
        """Entries that the run did not see, as of the last refresh, without tombstones."""
        excluded = [{"term": {"last_seen_run": run}}, {"term": {"state": "removed"}}]
        return self.find({"bool": {"filter": _of_source(source), "must_not": excluded}})

    def unread_in(self, source: str, run: str) -> Iterator[LedgerEntry]:
        """Members that the run saw but did not get, or could not read."""
        terms = [{"terms": {"state": ["skipped", "refused"]}}, {"term": {"last_seen_run": run}}]
        return self.find({"bool": {"filter": [*_of_source(source), *terms]}})

    def separated_entries(self, source: str, run: str, since: str) -> Iterator[LedgerEntry]:
        """Documents that the run saw and that were added at or after ``since``, whose identifier another document
        has.
        """
        terms: list[Json] = [
            {"term": {"last_seen_run": run}},
            {"term": {"state": "current"}},
            {"exists": {"field": "claims"}},
            {"range": {"first_seen": {"gte": since}}},
        ]
        return self.find({"bool": {"filter": [*_of_source(source), *terms]}})

    def held_records(self, source: str, run: str) -> Iterator[str]:
        """Ids of the records that entries seen in the run hold, ascending."""
        query = {
            "bool": {"filter": [*_of_source(source), {"term": {"last_seen_run": run}}, _HOLDS_RECORD, _HAS_RECORD]}
        }
        return (hit["_source"]["record"] for hit in scan(self.client, self.index, query, ["record"], sort="record"))

    def count_seen(self, source: str, run: str) -> int:
        """The number of documents that the run saw, with skipped ones, without tombstones; in real time."""
        self.refresh()
        seen_query = [*_of_source(source), {"term": {"last_seen_run": run}}]
        query = {"bool": {"filter": seen_query, "must_not": [{"term": {"state": "removed"}}]}}
        return int(self.client.count(index=self.index, query=query)["count"])

    def tombstones(self, source: str | None = None, removed_before: str | None = None) -> Iterator[LedgerEntry]:
        """Tombstones, of one source or all, optionally only from before a moment; as of the last refresh."""
        filters: list[Json] = [{"term": {"state": "removed"}}, *(_of_source(source) if source is not None else [])]
        if removed_before is not None:
            filters.append({"range": {"removed_at": {"lt": removed_before}}})
        return self.find({"bool": {"filter": filters}})

    def sources(self) -> list[str]:
        """Every source that was ever seen; empty if there is no index yet."""
        by_source = {"sources": {"terms": {"field": "source", "size": _MOST_TERMS}}}
        answer = self.client.search(index=self.index, size=0, aggs=by_source, ignore_unavailable=True)
        return [bucket["key"] for bucket in answer.get("aggregations", {}).get("sources", {}).get("buckets", ())]

    def is_empty(self, source: str) -> bool:
        """Whether nothing of this source was ever seen, as of the last refresh."""
        query = {"term": {"source": source}}
        return not self.client.count(index=self.index, query=query, terminate_after=1)["count"]

    def groups_of(self, source: str) -> SourceGroups:
        """The groups of the source's restricted documents and records, removed ones included; as of the last
        refresh.
        """
        answer = self.client.search(
            index=f"{alias(self.prefix, 'records')},{self.index}",
            size=0,
            query={"bool": {"filter": [*_of_source(source), {"exists": {"field": "access_groups"}}]}},
            aggs={"groups": {"terms": {"field": "access_groups", "size": _MOST_TERMS}}},
            track_total_hits=True,
            ignore_unavailable=True,
        ).body
        total = int(answer["hits"]["total"]["value"])
        buckets = answer.get("aggregations", {}).get("groups", {}).get("buckets", ())
        shared_groups = sorted(bucket["key"] for bucket in buckets if bucket["doc_count"] == total)
        return SourceGroups(total > 0, tuple(shared_groups))

    def find(self, query: JsonMapping) -> Iterator[LedgerEntry]:
        return (from_document(hit["_source"]) for hit in scan(self.client, self.index, query))


_MOST_TERMS = 10_000  # Elasticsearch refuses more than 65,536 in one query
_HOLDS_RECORD: Json = {"terms": {"state": list(STATES_IN_INDEX)}}
_HAS_RECORD: Json = {"exists": {"field": "record"}}


def _of_source(source: str) -> list[Json]:
    return [{"term": {"source": source}}]


def write_ledger(client: Elasticsearch, prefix: str, entries: Sequence[LedgerEntry]) -> list[bulk.Failure]:
    index = alias(prefix, "ledger")
    return bulk.write(client, (bulk.index_operation(index, entry.key, to_document(entry)) for entry in entries))


def tombstone(entry: LedgerEntry, now: str) -> LedgerEntry:
    """The tombstone: the old entry and the time of removal; if the document returns, it is read and written again."""
    return replace(entry, state="removed", removed_at=now, raw_hash="", record_hash=None, embedding_model=None)


def without_hash(entry: LedgerEntry) -> LedgerEntry:
    """The entry of a record that is missing from the index: the next run writes it again."""
    return replace(entry, raw_hash="", record_hash=None, embedding_model=None)


def kept_document(client: Elasticsearch, prefix: str, entry: LedgerEntry) -> RawRecord | None:
    """The document at the time its record was last written; None if it is no longer stored."""
    index = alias(prefix, "natives")
    answer = client.options(ignore_status=404).get(index=index, id=entry.record or entry.key)
    if not answer.get("found"):
        return None
    native, groups = ledger.native_from_document(answer["_source"]), tuple(entry.access_groups or ())
    return RawRecord(
        entry.native_id, native.content, native.origin or entry.origin, native.media_type, access_groups=groups
    )


_PAGE = 2000
_KEEP_ALIVE = "1h"  # a page that is embedded before the next one is asked for: half a second for each text


def scan(
    client: Elasticsearch,
    index: str,
    query: JsonMapping,
    fields: Sequence[str] | None = None,
    *,
    sort: str = "_shard_doc",
    shard: int | None = None,
) -> Iterator[Json]:
    """Hits with their sequence numbers, ascending by ``sort`` (a field with doc values), from one point in time.

    ``fields``: the fields of ``_source`` to return; None for all but the vectors. ``shard``: only of this one.
    """
    preference = None if shard is None else f"_shards:{shard}"
    pit = client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE, preference=preference)["id"]
    after_sort: list[Any] | None = None
    try:
        while True:
            page = _page(client, pit, query, fields, [{sort: "asc"}], after_sort)
            yield from page
            if len(page) < _PAGE:
                return
            after_sort = page[-1]["sort"]
    finally:
        client.options(ignore_status=404).close_point_in_time(id=pit)


def _page(
    client: Elasticsearch,
    pit: str,
    query: JsonMapping,
    fields: Sequence[str] | None,
    sort: list[Any],
    after_sort: list[Any] | None,
) -> list[Json]:
    answer = client.search(
        pit={"id": pit, "keep_alive": _KEEP_ALIVE},
        query=query,
        source=EXCEPT_VECTORS if fields is None else {"includes": list(fields)} if fields else False,
        sort=sort,
        search_after=after_sort,
        size=_PAGE,
        track_total_hits=False,
        seq_no_primary_term=True,
    )
    return list(answer["hits"]["hits"])
