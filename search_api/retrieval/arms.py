"""The arms of one search as request bodies, and their answers as scores by record id.

An arm looks either at records or at passages. ``body(k, ids)`` asks for its best ``k``; with ``ids`` it asks for the
scores of just those records (the completion: a candidate that another arm found gets this arm's score too).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.hit import SignalName
from core.json_types import Json, JsonMapping
from search_api.ranking.fields import AnyColumn, DocValue, RankingFields, doc_values, fields_of
from search_api.retrieval import bm25, knn
from search_api.retrieval.filters import Clause
from search_api.retrieval.versioned_cache import Version, version_of

BROWSING_ORDER: tuple[Json, ...] = (
    {"dates.modified": {"order": "desc", "missing": "_last"}},
    {"id": "asc"},
)
"""Lately changed first."""


PassageKey = tuple[str, int]
"""A passage's document and its ordinal there."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to find records. ``measured`` turns Elasticsearch's ``_score`` into the arm's own scale.

    An arm without a signal only brings candidates; the others score them.
    """

    signal: SignalName | None
    index: str
    on_passages: bool
    body: Callable[[int, Sequence[str] | None], Json]
    measured: Callable[[float], float]
    missing: float | None
    """What a candidate has that the completion did not return: 0 for words that do not occur, None for no vector."""


def lexical_arm(index: str, query: Clause, filters: Sequence[Clause]) -> Arm:
    """BM25 over records."""

    def body(k: int, ids: Sequence[str] | None) -> Json:
        return {"query": _among(query, filters, ids), "size": k, **for_records()}

    return Arm("bm25", index, False, body, lambda score: score, 0.0)


def _among(query: Clause, filters: Sequence[Clause], ids: Sequence[str] | None) -> Clause:
    """The query under its filters; for given ids it only scores (0 where no word occurs), so that all come back."""
    if ids is None:
        return {"bool": {"must": [query], "filter": list(filters)}}
    return {"bool": {"should": [bm25.scoring(query)], "filter": [*filters, {"ids": {"values": list(ids)}}]}}


def dense_arm(index: str, vector: NDArray[np.float32], filters: Sequence[Clause]) -> Arm:
    """Cosine over records."""

    def body(k: int, ids: Sequence[str] | None) -> Json:
        only: list[Clause] = [{"ids": {"values": list(ids)}}] if ids is not None else []
        return {"knn": knn.nearest(vector, k, [*filters, *only]), "size": k, **for_records()}

    return Arm("dense", index, False, body, knn.cosine, None)


def browsing_arm(index: str, filters: Sequence[Clause]) -> Arm:
    """Whatever passes the filters, lately changed first: for a question without words on a topic."""

    def body(k: int, _ids: Sequence[str] | None) -> Json:
        return {
            "query": {"bool": {"filter": list(filters)}},
            "sort": list(BROWSING_ORDER),
            "size": k,
            **for_records(),
        }

    return Arm(None, index, False, body, lambda score: score, None)


def passage_lexical_arm(index: str, query: Clause, filters: Sequence[Clause]) -> Arm:
    """BM25 over passages; a record's score is its best passage's."""

    def body(k: int, ids: Sequence[str] | None) -> Json:
        must = {"bool": {"must": [query], "filter": [*filters, *_of_records(ids)]}}
        return {"query": must, "size": k, **_for_passages()}

    return Arm("passage_bm25", index, True, body, lambda score: score, 0.0)


def passage_dense_arm(index: str, vector: NDArray[np.float32], filters: Sequence[Clause]) -> Arm:
    """Cosine over passages; a record's score is its best passage's."""

    def body(k: int, ids: Sequence[str] | None) -> Json:
        return {"knn": knn.nearest(vector, k, [*filters, *_of_records(ids)]), "size": k, **_for_passages()}

    return Arm("passage_dense", index, True, body, knn.cosine, None)


def _of_records(ids: Sequence[str] | None) -> list[Clause]:
    return [{"exists": {"field": "record"}}] if ids is None else [{"terms": {"record": list(ids)}}]


def for_records(fields: Sequence[DocValue] = ()) -> Json:
    """Ids come from a doc value: for ``_id`` every hit's stored fields, ``_source`` among them, would be unpacked."""
    return {
        "stored_fields": "_none_",
        "docvalue_fields": ["id", *fields],
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }


def fields_body(ids: Sequence[str], filters: Sequence[Clause], columns: Sequence[AnyColumn]) -> Json:
    """What ranking reads of those of the records that pass the filters; asked once, not with every arm.

    Doc values alone: ``_source`` is read only for the hits of the page.
    """
    passing = {"bool": {"filter": [*filters, {"ids": {"values": list(ids)}}]}}
    return {"query": passing, "size": len(ids), **for_records(doc_values(columns))}


def read_fields(
    answer: JsonMapping, index_uuid: str, columns: Sequence[AnyColumn]
) -> tuple[dict[str, RankingFields], dict[str, Version]]:
    """The answer to ``fields_body`` by record id, and the version of each."""
    hits = {hit["fields"]["id"][0]: hit for hit in answer["hits"]["hits"]}
    fields = {record: fields_of(hit["fields"], columns) for record, hit in hits.items()}
    return fields, {record: version_of(index_uuid, hit) for record, hit in hits.items()}


def _for_passages() -> Json:
    """A passage is told by its document and its place there, doc values both: an ``_id`` would unpack its text."""
    return {
        "stored_fields": "_none_",
        "docvalue_fields": ["record", "document", "ordinal"],
        "collapse": {"field": "record"},
        "track_total_hits": False,
    }


@dataclass(frozen=True, slots=True)
class Scored:
    """What one arm said: scores by record id, ids that hold every word, and how prominently the asked place is named.

    ``named``: 1 in the title, .5 elsewhere; who does not name it is absent.
    """

    scores: Mapping[str, float]
    all_words: frozenset[str]
    named: Mapping[str, float]
    passages: Mapping[str, PassageKey]
    """Record id to its best passage (passage arms only)."""
    versions: Mapping[str, Version]
    """Record id to the version that was found (arms over records only)."""


def read_answer(arm: Arm, answer: JsonMapping, index_uuid: str) -> Scored:
    """One item of an ``_msearch`` answer, already checked for errors."""
    scores: dict[str, float] = {}
    passages: dict[str, PassageKey] = {}
    words: set[str] = set()
    named: dict[str, float] = {}
    versions: dict[str, Version] = {}
    name = "record" if arm.on_passages else "id"
    for hit in answer["hits"]["hits"]:
        fields = hit["fields"]
        record = fields[name][0]
        scores[record] = arm.measured(hit["_score"] or 0.0)
        if arm.on_passages:
            passages[record] = fields["document"][0], fields["ordinal"][0]
        else:
            versions[record] = version_of(index_uuid, hit)
        matched = hit.get("matched_queries", ())
        if bm25.ALL_WORDS in matched:
            words.add(record)
        if bm25.NAMED in matched:
            named[record] = 1.0 if bm25.NAMED_IN_TITLE in matched else 0.5
    return Scored(scores, frozenset(words), named, passages, versions)
