"""Fetches the token vectors of the best records, those not cached in their current version."""

from __future__ import annotations

from collections.abc import Mapping

import structlog

from core.batched import batched
from core.json_types import Json, JsonMapping
from core.ports import TokenCard
from core.token_bits import Bits
from es_gateway.client import Elasticsearch
from es_gateway.searching import Later, SearchBatch
from es_mappings.codecs.vectors import TOKENS, bits_of
from search_api.search.retrieval.filters import Clause
from search_api.search.retrieval.versioned_cache import Version, VersionedCache, version_of

log = structlog.get_logger(__name__)

_PART = 100
"""Records a search: Elasticsearch reads the parts side by side, and most of the time is the unpacking of texts."""


def fetch_token_vectors(
    client: Elasticsearch,
    index: str,
    versions: Mapping[str, Version],
    made_by: TokenCard,
    memory: VersionedCache[Bits | None],
) -> dict[str, Bits]:
    """By record id; a record without vectors, or with damaged ones or another encoder's, is left out (and logged).

    At most one request, none if all are cached.
    """
    batch = SearchBatch(client)
    read = ask_token_vectors(batch, index, versions, made_by, memory)
    batch.send()
    return {record: bits for record, bits in read().items() if bits is not None}


def ask_token_vectors(
    batch: SearchBatch,
    index: str,
    versions: Mapping[str, Version],
    made_by: TokenCard,
    memory: VersionedCache[Bits | None],
) -> Later[dict[str, Bits | None]]:
    """Adds a search for those that are not cached; the result caches them. None: without usable ones."""
    known = memory.known(versions)
    unknown = [record for record in versions if record not in known]
    if not unknown:
        return lambda: known
    bodies = [tokens_of({"ids": {"values": part}}, len(part)) for part in batched(unknown, _PART)]
    answers = [batch.add({"index": index}, {**body, "seq_no_primary_term": True}) for body in bodies]

    def read() -> dict[str, Bits | None]:
        hits = [hit for answer in answers for hit in answer()["hits"]["hits"]]
        found = {hit["_id"]: usable_bits(hit, made_by) for hit in hits}
        uuid = versions[unknown[0]][0]
        memory.keep({hit["_id"]: version_of(uuid, hit) for hit in hits}, found)
        return {**known, **found}

    return read


def tokens_of(query: Clause, most: int) -> Json:
    """The search for the token vectors of at most ``most`` texts."""
    return {"query": query, "size": most, "track_total_hits": False, "_source": {"includes": [TOKENS]}}


def usable_bits(hit: JsonMapping, made_by: TokenCard) -> Bits | None:
    """Those of a record or passage; None without, or with damaged ones (logged) or another encoder's."""
    try:
        return bits_of(hit["_source"], made_by)
    except ValueError as error:
        log.warning("token_vectors.unusable", text=hit["_id"], why=str(error))
        return None
