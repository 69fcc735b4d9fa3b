"""What a page shows of its hits: whole records with highlights, and the best passage of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.json_types import Json, JsonMapping
from core.record import Record
from es_gateway.client import Elasticsearch
from es_gateway.searching import Search, search_named
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import WITHOUT
from search_api.search.caches import Version, VersionedCache, versions_of
from search_api.search.retrieval.arms import PassageKey
from search_api.search.retrieval.filters import Clause, language_suffix

_HIGHLIGHTED = ("title", "abstract", "keywords.term")
_FRAGMENTS = {"number_of_fragments": 2, "fragment_size": 160}
_USUAL_CHARACTERS = 10_000
MOST_RECORDS = 4_000
"""In the cache: some 10 KB each, and as much again for its display form; a larger record counts as several."""


@dataclass(frozen=True, slots=True)
class BestPassage:
    """The best passage of a record."""

    id: str
    text: str
    section_path: tuple[str, ...] = ()
    first_page: int | None = None


def weight_of(record: Record) -> int:
    """The size in usual records: outlines of coasts can have megabytes."""
    texts = (record.abstract, record.provenance.lineage or "", str(record.geometry or ""))
    return min(1 + sum(map(len, texts)) // _USUAL_CHARACTERS, MOST_RECORDS)


@dataclass(frozen=True, slots=True)
class PageRecords:
    """Records at the versions found; only those that are not cached in that version are searched."""

    cached: Mapping[str, Record]
    index_uuid: str
    cache: VersionedCache[Record]
    searches: Mapping[str, Search]

    @classmethod
    def of(
        cls, index: str, versions: Mapping[str, Version], cache: VersionedCache[Record], highlight: Json | None = None
    ) -> PageRecords:
        """``highlight``: from :func:`marks`; None for no highlights."""
        cached = cache.get(versions)
        missing = [record for record in versions if record not in cached]
        searches: dict[str, Search] = {}
        if missing:
            body = {**_of_ids(missing), "_source": WITHOUT, "seq_no_primary_term": True}
            searches["records"] = ({"index": index}, body)
        if highlight and versions:
            body = {**_of_ids(list(versions)), "_source": False, "highlight": highlight}
            searches["highlights"] = ({"index": index}, body)
        return cls(cached, versions[missing[0]][0] if missing else "", cache, searches)

    def read(self, answers: Mapping[str, JsonMapping]) -> dict[str, Record]:
        """By id, without records deleted since the search."""
        if "records" not in answers:
            return dict(self.cached)
        hits = {hit["_id"]: hit for hit in answers["records"]["hits"]["hits"]}
        records = {record: from_document(hit["_source"]) for record, hit in hits.items()}
        self.cache.put(versions_of(self.index_uuid, hits), records)
        return {**self.cached, **records}


def fetch_records(
    client: Elasticsearch, index: str, versions: Mapping[str, Version], cache: VersionedCache[Record]
) -> dict[str, Record]:
    """The same in a request of its own, none if all are cached."""
    records = PageRecords.of(index, versions, cache)
    return records.read(search_named(client, records.searches))


def read_highlights(answers: Mapping[str, JsonMapping]) -> dict[str, dict[str, list[str]]]:
    """The marked texts of ``PageRecords`` by id and field."""
    hits = answers["highlights"]["hits"]["hits"] if "highlights" in answers else ()
    return {hit["_id"]: _by_field(hit["highlight"]) for hit in hits if "highlight" in hit}


@dataclass(frozen=True, slots=True)
class PagePassages:
    """The best passages of records; only those that are not cached in their version are searched."""

    best: Mapping[str, PassageKey]
    cached: Mapping[str, BestPassage]
    cache: VersionedCache[BestPassage]
    searches: Mapping[str, Search]

    @classmethod
    def of(cls, index: str, best: Mapping[str, PassageKey], cache: VersionedCache[BestPassage]) -> PagePassages:
        """``best``: by record id."""
        names = {_name(key): key for key in best.values()}
        cached = cache.get({name: key.version for name, key in names.items()})
        missing = [key for name, key in names.items() if name not in cached]
        return cls(best, cached, cache, {"passages": ({"index": index}, _passages_body(missing))} if missing else {})

    def read(self, answers: Mapping[str, JsonMapping]) -> dict[str, BestPassage]:
        """By record id."""
        passages = dict(self.cached)
        if "passages" in answers:
            hits = answers["passages"]["hits"]["hits"]
            by_name = {f"{hit['_source']['document']}#{hit['_source']['ordinal']}": hit for hit in hits}
            fetched = {name: _passage(hit) for name, hit in by_name.items()}
            uuid = next(iter(self.best.values())).version[0]
            self.cache.put(versions_of(uuid, by_name), fetched)
            passages |= fetched
        return {record: passages[_name(key)] for record, key in self.best.items() if _name(key) in passages}


def marks(words: Clause, language: str | None) -> Json:
    """Marks the words of a lexical query in each text, whichever field the query asks: these texts have no index."""
    readings = ("", language_suffix(language or "en"))
    return {
        "highlight_query": words,
        "require_field_match": False,
        "fields": {f"{name}{reading}": _FRAGMENTS for name in _HIGHLIGHTED for reading in readings},
        "encoder": "html",
    }


def _of_ids(ids: Sequence[str]) -> Json:
    return {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "track_total_hits": False}


def _by_field(marked: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Joins the language sub-fields of a field (``title.en`` and ``title`` are both the title)."""
    folded: dict[str, list[str]] = {}
    for name, fragments in sorted(marked.items()):
        folded.setdefault(name.split(".")[0], fragments)
    return folded


def _name(key: PassageKey) -> str:
    return f"{key.document}#{key.ordinal}"


def _passages_body(keys: Sequence[PassageKey]) -> Json:
    each = [
        {"bool": {"filter": [{"term": {"document": key.document}}, {"term": {"ordinal": key.ordinal}}]}} for key in keys
    ]
    return {
        "query": {"bool": {"should": each, "minimum_should_match": 1}},
        "size": len(keys),
        "seq_no_primary_term": True,
        "_source": {"includes": ["document", "ordinal", "text", "section_path", "first_page"]},
    }


def _passage(hit: JsonMapping) -> BestPassage:
    source = hit["_source"]
    return BestPassage(hit["_id"], source["text"], tuple(source.get("section_path", ())), source.get("first_page"))
