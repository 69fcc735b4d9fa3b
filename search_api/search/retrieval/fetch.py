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
from search_api.search.retrieval.arms import PassageKey
from search_api.search.retrieval.filters import Clause
from search_api.search.retrieval.language_fields import language_suffix
from search_api.search.retrieval.passage_found import PassageFound
from search_api.search.retrieval.versioned_cache import Version, VersionedCache, version_of

_HIGHLIGHTED = ("title", "abstract", "keywords.term")
_FRAGMENTS = {"number_of_fragments": 2, "fragment_size": 160}


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
    highlight: Json | None = None,
) -> Later[Fetched]:
    """Records at the versions found; those not cached in their current version are asked for.

    ``highlight``: from :func:`marks`; None for no highlights.
    """
    known = memory.known(versions)
    unknown = [record for record in versions if record not in known]
    header = {"index": index}
    sources = batch.add(header, _source_body(unknown)) if unknown else None
    marked = batch.add(header, _highlights_body(list(versions), highlight)) if highlight and versions else None

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


def _highlights_body(ids: Sequence[str], highlight: Json) -> Json:
    return {**_those(ids), "_source": False, "highlight": highlight}


def marks(words: Clause, language: str | None) -> Json:
    """Marks the words of a lexical query in each text, whichever field the query asks: these texts have no index."""
    readings = ("", language_suffix(language or "en"))
    return {
        "highlight_query": words,
        "require_field_match": False,
        "fields": {f"{name}{reading}": _FRAGMENTS for name in _HIGHLIGHTED for reading in readings},
        "encoder": "html",
    }


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
    batch: SearchBatch, index: str, best: Mapping[str, PassageKey], memory: VersionedCache[PassageFound]
) -> Later[dict[str, PassageFound]]:
    """The best passage of each record, by record id; those not cached in their current version are asked for."""
    names = {_name(key): key for key in best.values()}
    known = memory.known({name: key.version for name, key in names.items()})
    unknown = [key for name, key in names.items() if name not in known]
    answer = batch.add({"index": index}, _passages_body(unknown)) if unknown else None

    def read() -> dict[str, PassageFound]:
        found = dict(known)
        if answer is not None:
            hits = {_name_of(hit["_source"]): hit for hit in answer()["hits"]["hits"]}
            fetched = {name: _passage(hit) for name, hit in hits.items()}
            uuid = unknown[0].version[0]
            memory.keep({name: version_of(uuid, hit) for name, hit in hits.items()}, fetched)
            found |= fetched
        return {record: found[_name(key)] for record, key in best.items() if _name(key) in found}

    return read


def _name(key: PassageKey) -> str:
    return f"{key.document}#{key.ordinal}"


def _name_of(source: JsonMapping) -> str:
    return f"{source['document']}#{source['ordinal']}"


def _passages_body(keys: Sequence[PassageKey]) -> Json:
    return {
        "query": {"bool": {"should": [_passage_clause(key) for key in keys], "minimum_should_match": 1}},
        "size": len(keys),
        "seq_no_primary_term": True,
        "_source": {"includes": ["document", "ordinal", "text", "section_path", "first_page"]},
    }


def _passage_clause(key: PassageKey) -> Clause:
    return {"bool": {"filter": [{"term": {"document": key.document}}, {"term": {"ordinal": key.ordinal}}]}}


def _passage(hit: JsonMapping) -> PassageFound:
    source = hit["_source"]
    return PassageFound(hit["_id"], source["text"], tuple(source.get("section_path", ())), source.get("first_page"))
