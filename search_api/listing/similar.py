"""Records similar to a given one: by its vector, else by its characteristic words."""

from __future__ import annotations

from core.json_types import Json
from core.record import Record
from es_mappings.codecs.records import from_document
from search_api.listing.reader import RecordReader
from search_api.retrieval.knn import cosine

_OVERSAMPLING = 3


def similar(reader: RecordReader, record: Record, limit: int) -> list[tuple[Record, float | None]]:
    """Best first, without the record itself and the same data set from other sources; a cosine if it was measured."""
    vector = reader.vector(record.id)
    others = {"bool": {"must_not": [{"term": {"id": record.id}}, {"term": {"identity": record.identity}}]}}
    fields = {"size": limit, "_source": {"excludes": ["vector"]}, "track_total_hits": False}
    if vector is None:
        body: Json = {"query": {"bool": {"must": [_like(record)], "filter": [others]}}, **fields}
    else:
        candidates = min(10_000, max(50, limit * _OVERSAMPLING))
        nearest = {"field": "vector", "query_vector": vector, "k": limit, "num_candidates": candidates}
        body = {"knn": {**nearest, "filter": [others]}, **fields}
    hits = reader.search(body)["hits"]["hits"]
    return [
        (from_document(hit["_source"]), None if vector is None else round(cosine(hit["_score"]), 6)) for hit in hits
    ]


def _like(record: Record) -> Json:
    return {
        "more_like_this": {
            "fields": ["title", "abstract", "keywords.term"],
            "like": record.embedding_text,
            "min_term_freq": 1,
            "min_doc_freq": 1,
            "max_query_terms": 25,
        }
    }
