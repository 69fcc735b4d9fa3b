"""How well the words of a question match those of passages, each in its context, by the passages' token vectors."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from core.json_types import Json, JsonMapping
from core.ports import TokenCard, Vectors
from core.token_bits import Bits, late_interaction
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from es_mappings.codecs.vectors import TOKENS, bits_of
from search_api.answers.scope import PassageScope

log = structlog.get_logger(__name__)


def interactions(
    client: Elasticsearch, within: Sequence[PassageScope], ids: Sequence[str], question: Vectors, made_by: TokenCard
) -> dict[str, float]:
    """-1..1 by passage id; without passages that have no token vectors, or another encoder's, or damaged ones.

    ``question``: (tokens, dims). One request, filtered by owner as every search for passages is.
    """
    if not ids or not within:
        return {}
    bodies = [part for scope in within for part in (scope.header, _body(scope, ids))]
    hits = [hit for answer in search_all(client, bodies) for hit in answer["hits"]["hits"]]
    texts = {hit["_id"]: bits for hit in hits if (bits := _bits(hit, made_by)) is not None}
    scores = late_interaction(question, list(texts.values()))
    return dict(zip(texts, scores.tolist(), strict=True))


def _body(scope: PassageScope, ids: Sequence[str]) -> Json:
    return {
        "query": {"bool": {"filter": [{"ids": {"values": list(ids)}}, scope.clause]}},
        "size": len(ids),
        "track_total_hits": False,
        "_source": {"includes": [TOKENS]},
    }


def _bits(hit: JsonMapping, made_by: TokenCard) -> Bits | None:
    try:
        return bits_of(hit["_source"], made_by)
    except ValueError as error:
        log.warning("token_vectors.unusable", passage=hit["_id"], why=str(error))
        return None
