"""The page: whole records for its ids, with highlights and their best passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.json_types import Json, JsonMapping
from core.record import Record
from es_gateway.client import Elasticsearch
from es_gateway.searching import Later, SearchBatch
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import WITHOUT
from search_api.retrieval.arms import PassageKey
from search_api.retrieval.filters import Clause
from search_api.retrieval.versioned_cache import Version, VersionedCache, version_of

_HIGHLIGHTED = ("title*", "abstract*", "keywords.term*")


@dataclass(frozen=True, slots=True)
class PassageFound:
    """The best passage of a record."""

    id: str
    text: str
    section_path: tuple[str, ...] = ()
    first_page: int | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """Records and highlights by id; without ids deleted since the search."""

    records: Mapping[str, Record]
    highlights: Mapping[str, Mapping[str, list[str]]]


def fetch_records(
    client: Elasticsearch, index: str, versions: Mapping[str, Version], memory: VersionedCache[Record]
) -> Mapping[str, Record]:
    """Records at the versions found: one request for those that are not cached, none if all are."""
    batch = SearchBatch(client)
    fetched = ask_records(batch, index, versions, memory)
    batch.send()
    return fetched().records


def ask_records(
    batch: SearchBatch,
    index: str,
    versions: Mapping[str, Version],
    memory: VersionedCache[Record],
    highlight: Clause | None = None,
) -> Later[Fetched]:
    """Records at the versions found; those not cached in their current version are asked for.

    ``highlight`` is the lexical query whose words are marked; None for no marks.
    """
    known = memory.known(versions)
    unknown = [record for record in versions if record not in known]
    header = {"index": index}
    sources = batch.add(header, _source_body(unknown)) if unknown else None
    marked = batch.add(header, _highlight_body(list(versions), highlight)) if highlight and versions else None

    def read() -> Fetched:
        records = known if sources is None else {**known, **_kept(sources(), versions[unknown[0]][0], memory)}
        hits = () if marked is None else marked()["hits"]["hits"]
        return Fetched(records, {hit["_id"]: _by_field(hit["highlight"]) for hit in hits if "highlight" in hit})

    return read


def _kept(answer: JsonMapping, index_uuid: str, memory: VersionedCache[Record]) -> dict[str, Record]:
    hits = answer["hits"]["hits"]
    read = {hit["_id"]: from_document(hit["_source"]) for hit in hits}
    memory.keep({hit["_id"]: version_of(index_uuid, hit) for hit in hits}, read)
    return read


def _source_body(ids: Sequence[str]) -> Json:
    return {**_those(ids), "_source": WITHOUT, "seq_no_primary_term": True}


def _highlight_body(ids: Sequence[str], words: Clause) -> Json:
    marks = {
        "highlight_query": words,
        "fields": {name: {"number_of_fragments": 2, "fragment_size": 160} for name in _HIGHLIGHTED},
        "encoder": "html",
    }
    return {**_those(ids), "_source": False, "highlight": marks}


def _those(ids: Sequence[str]) -> Json:
    return {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "track_total_hits": False}


def _by_field(marked: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Joins the language sub-fields of a field (``title.en`` and ``title`` are both the title)."""
    folded: dict[str, list[str]] = {}
    for name, fragments in sorted(marked.items()):
        parts = name.split(".")
        field = "keywords" if parts[0] == "keywords" else parts[0]
        folded.setdefault(field, fragments)
    return folded


def ask_passages(
    batch: SearchBatch, index: str, best: Mapping[str, PassageKey]
) -> Later[dict[str, tuple[PassageFound, ...]]]:
    """The best passage of each record, by record id."""
    if not best:
        return dict
    body = {
        "query": {"bool": {"should": [_passage_clause(key) for key in best.values()], "minimum_should_match": 1}},
        "size": len(best),
        "_source": {"includes": ["document", "ordinal", "text", "section_path", "first_page"]},
    }
    answer = batch.add({"index": index}, body)

    def read() -> dict[str, tuple[PassageFound, ...]]:
        hits = answer()["hits"]["hits"]
        found = {(hit["_source"]["document"], hit["_source"]["ordinal"]): _passage(hit) for hit in hits}
        return {record: (found[key],) for record, key in best.items() if key in found}

    return read


def _passage_clause(key: PassageKey) -> Clause:
    document, ordinal = key
    return {"bool": {"filter": [{"term": {"document": document}}, {"term": {"ordinal": ordinal}}]}}


def _passage(hit: JsonMapping) -> PassageFound:
    source = hit["_source"]
    return PassageFound(hit["_id"], source["text"], tuple(source.get("section_path", ())), source.get("first_page"))
