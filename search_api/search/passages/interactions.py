"""How well the words of a question match those of passages, each in its context, by the passages' token vectors."""

from __future__ import annotations

from collections.abc import Sequence

from core.ports import TokenCard, Vectors
from core.token_bits import late_interaction
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.search.passages.scope import PassageScope
from search_api.search.retrieval.token_vectors import tokens_of, usable_bits


def interactions(
    client: Elasticsearch, within: Sequence[PassageScope], ids: Sequence[str], question: Vectors, made_by: TokenCard
) -> dict[str, float]:
    """-1..1 by passage id; without passages that have no token vectors, or another encoder's, or damaged ones.

    ``question``: (tokens, dims). One request, filtered by owner as every search for passages is.
    """
    if not ids or not within:
        return {}
    those = {"ids": {"values": list(ids)}}
    bodies = [
        part
        for scope in within
        for part in (scope.header, tokens_of({"bool": {"filter": [those, scope.clause]}}, len(ids)))
    ]
    hits = [hit for answer in search_all(client, bodies) for hit in answer["hits"]["hits"]]
    texts = {hit["_id"]: bits for hit in hits if (bits := usable_bits(hit, made_by)) is not None}
    scores = late_interaction(question, list(texts.values()))
    return dict(zip(texts, scores.tolist(), strict=True))
