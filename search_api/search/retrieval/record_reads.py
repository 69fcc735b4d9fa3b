"""Reads records by their version, through the caches: what a page shows, and token vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from core.batched import batched
from core.json_types import Json, JsonMapping
from core.ports import TokenCard
from core.record import Record
from core.token_bits import Bits
from es_gateway.client import Elasticsearch
from es_gateway.searching import Search, search_named
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import EXCEPT_VECTORS, TOKENS, bits_of
from search_api.search.caches import Version, VersionedCache, versions_of
from search_api.search.retrieval.arms import PassageKey
from search_api.search.retrieval.clauses import Clause, language_suffix

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
        cls,
        index: str,
        versions: Mapping[str, Version],
        cache: VersionedCache[Record],
        highlight: Json | None = None,
        marked: Sequence[str] | None = None,
    ) -> PageRecords:
        """``highlight``: from :func:`marks`; None for no highlights. ``marked``: the records to highlight, else all."""
        cached = cache.get(versions)
        misses = [record for record in versions if record not in cached]
        searches: dict[str, Search] = {}
        if misses:
            body = {**_of_ids(misses), "_source": EXCEPT_VECTORS, "seq_no_primary_term": True}
            searches["records"] = ({"index": index}, body)
        highlighted = list(versions if marked is None else marked)
        if highlight and highlighted:
            body = {**_of_ids(highlighted), "_source": False, "highlight": highlight}
            searches["highlights"] = ({"index": index}, body)
        return cls(cached, versions[misses[0]][0] if misses else "", cache, searches)

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
    """The records at these versions, in one extra request; sends no request if all are cached."""
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
        misses = [key for name, key in names.items() if name not in cached]
        return cls(best, cached, cache, {"passages": ({"index": index}, _passages_body(misses))} if misses else {})

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
    """Marks the words of a lexical query in each text, although the query searches other fields: the sub-fields of a
    text by language are not indexed.
    """
    language_suffixes = ("", language_suffix(language or "en"))
    return {
        "highlight_query": words,
        "require_field_match": False,
        "fields": {f"{name}{suffix}": _FRAGMENTS for name in _HIGHLIGHTED for suffix in language_suffixes},
        "encoder": "html",
    }


def _of_ids(ids: Sequence[str]) -> Json:
    return {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "track_total_hits": False}


def _by_field(marked: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Joins the language sub-fields of a field (``title.en`` and ``title`` are both the title)."""
    by_field: dict[str, list[str]] = {}
    for name, fragments in sorted(marked.items()):
        by_field.setdefault(name.split(".")[0], fragments)
    return by_field


def _name(key: PassageKey) -> str:
    return f"{key.document}#{key.ordinal}"


def _passages_body(keys: Sequence[PassageKey]) -> Json:
    clauses = [
        {"bool": {"filter": [{"term": {"document": key.document}}, {"term": {"ordinal": key.ordinal}}]}} for key in keys
    ]
    return {
        "query": {"bool": {"should": clauses, "minimum_should_match": 1}},
        "size": len(keys),
        "seq_no_primary_term": True,
        "_source": {"includes": ["document", "ordinal", "text", "section_path", "first_page"]},
    }


def _passage(hit: JsonMapping) -> BestPassage:
    source = hit["_source"]
    return BestPassage(hit["_id"], source["text"], tuple(source.get("section_path", ())), source.get("first_page"))


log = structlog.get_logger(__name__)

_PART = 100
"""Records in one search: Elasticsearch reads the parts side by side, and most of the time is the unpacking of texts."""


@dataclass(frozen=True, slots=True)
class TokenPrefetch:
    """Token vectors are read for the ``depth`` most promising candidates, which will probably be the best ones."""

    made_by: TokenCard
    cache: VersionedCache[Bits | None]
    depth: int


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The token vectors of some records, and the searches for those that are not cached."""

    cached: Mapping[str, Bits | None]
    index_uuid: str
    made_by: TokenCard
    cache: VersionedCache[Bits | None]
    searches: Mapping[str, Search]

    @classmethod
    def of(
        cls, index: str, versions: Mapping[str, Version], made_by: TokenCard, cache: VersionedCache[Bits | None]
    ) -> TokenVectors:
        cached = cache.get(versions)
        misses = [record for record in versions if record not in cached]
        searches: dict[str, Search] = {}
        for number, part in enumerate(batched(misses, _PART) if misses else ()):
            body = {**tokens_of({"ids": {"values": part}}, len(part)), "seq_no_primary_term": True}
            searches[f"token vectors {number}"] = ({"index": index}, body)
        return cls(cached, versions[misses[0]][0] if misses else "", made_by, cache, searches)

    def read(self, answers: Mapping[str, JsonMapping]) -> dict[str, Bits | None]:
        """By record id; None for a record without usable ones. Caches them."""
        if not self.searches:
            return dict(self.cached)
        hits = {hit["_id"]: hit for name in self.searches for hit in answers[name]["hits"]["hits"]}
        vectors = {record: usable_bits(hit, self.made_by) for record, hit in hits.items()}
        self.cache.put(versions_of(self.index_uuid, hits), vectors)
        return {**self.cached, **vectors}


def fetch_token_vectors(
    client: Elasticsearch,
    index: str,
    versions: Mapping[str, Version],
    made_by: TokenCard,
    cache: VersionedCache[Bits | None],
) -> dict[str, Bits]:
    """By record id; a record without vectors, or with damaged ones or another encoder's, is left out (and logged).

    At most one request, none if all are cached.
    """
    vectors = TokenVectors.of(index, versions, made_by, cache)
    answers = search_named(client, vectors.searches)
    return {record: bits for record, bits in vectors.read(answers).items() if bits is not None}


def tokens_of(query: Clause, count: int) -> Json:
    """The search for the token vectors of at most ``count`` texts."""
    return {"query": query, "size": count, "track_total_hits": False, "_source": {"includes": [TOKENS]}}


def usable_bits(hit: JsonMapping, made_by: TokenCard) -> Bits | None:
    """The token vectors of a record or passage; None if it has none, damaged ones (logged) or another encoder's."""
    try:
        return bits_of(hit["_source"], made_by)
    except ValueError as error:
        log.warning("token_vectors.unusable", text=hit["_id"], why=str(error))
        return None
