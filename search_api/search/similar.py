"""Records like a given one: a search whose question is the record, by the retrieval and the ranking of `/search`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.geo import enclosing_box
from core.record import Record
from core.timespan import enclosing_span
from es_gateway.searching import SearchSession, with_current_index
from search_api.search.parts import SearchParts
from search_api.search.ranking.candidates import Target
from search_api.search.ranking.rank import rank
from search_api.search.request import SearchRequest
from search_api.search.result_window import fold_and_diversify
from search_api.search.retrieval import arms, bm25
from search_api.search.retrieval.clauses import Clause
from search_api.search.retrieval.plan import RetrievalPlan
from search_api.search.retrieval.record_reads import fetch_records
from search_api.search.retrieval.serving import Serving
from search_api.search.round_one import CandidateSearch
from search_api.search.round_two import find_candidates

Similar = tuple[Record, float | None]
"""A record and its cosine to the given one, None where one of them has no vector."""


def similar(parts: SearchParts, record: Record, vector: Sequence[float] | None, limit: int) -> list[Similar]:
    """Best first, never the record itself nor the same data set from another source.

    ``vector``: the record's own; without it the words alone decide. Raises Unavailable.
    """
    vector_array = None if vector is None else np.asarray(vector, dtype=np.float32)
    return with_current_index(
        parts.resolver,
        lambda serving: _similar(parts, serving, _plan(parts, serving, record, vector_array), record, limit),
    )


def _similar(parts: SearchParts, serving: Serving, plan: RetrievalPlan, record: Record, limit: int) -> list[Similar]:
    ranker, session = parts.config.similar, SearchSession.of(parts.client, record.id)
    columns = parts.config.record_columns
    candidates = find_candidates(CandidateSearch(session, plan, ranker.candidate_window, columns, parts.caches.fields))
    target = _target(record, parts.now_ms())
    ranking = rank(candidates.candidates(columns), target, ranker, serving.cosines)
    # Duplicates folded and siblings spread, as `/search` does by default.
    order = fold_and_diversify(ranking, candidates.fields, SearchRequest(limit=limit))
    hits = ranking.hits_at(order.positions[:limit])
    versions = {hit.id: candidates.versions[hit.id] for hit in hits}
    records = fetch_records(parts.client, plan.index, versions, parts.caches.records)
    return [(records[hit.id], hit.signals.get("dense")) for hit in hits if hit.id in records]


def _plan(parts: SearchParts, serving: Serving, record: Record, vector: NDArray[np.float32] | None) -> RetrievalPlan:
    language = next(iter(record.languages), None)
    weights = parts.config.words
    fields = serving.word_fields(weights)
    words = bm25.records_query(weights, fields, characteristic_text(record, weights.record_words), "", language)
    filters: list[Clause] = [
        {"bool": {"must_not": [{"term": {"id": record.id}}, {"term": {"identity": record.identity}}]}}
    ]
    index = serving.records.index
    selected = [arms.lexical_arm(index, words, filters)]
    if vector is not None:
        selected.append(arms.dense_arm(index, vector, filters))
    return RetrievalPlan(index, serving.records.uuid, tuple(filters), tuple(selected), words, {})


def characteristic_text(record: Record, max_words: int) -> str:
    """The first ``max_words`` different words of title, keywords and abstract."""
    texts = (record.title, *(keyword.term for keyword in record.keywords), record.abstract)
    words = dict.fromkeys(word for text in texts for word in text.split())
    return " ".join(list(words)[:max_words])


def _target(record: Record, now_ms: int) -> Target:
    """Where and when the record is from, as one box and one span: it may name hundreds."""
    box, span = enclosing_box(record.extents), enclosing_span(record.times)
    return Target(boxes=() if box is None else (box,), spans=() if span is None else (span,), now_ms=now_ms)
