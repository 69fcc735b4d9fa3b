"""Token vectors of records: those that are not cached in their current version are searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from core.batched import batched
from core.json_types import Json, JsonMapping
from core.ports import TokenCard
from core.token_bits import Bits
from es_gateway.client import Elasticsearch
from es_gateway.searching import Search, search_named
from es_mappings.codecs.vectors import TOKENS, bits_of
from search_api.search.caches import Version, VersionedCache, versions_of
from search_api.search.retrieval.filters import Clause

log = structlog.get_logger(__name__)

_PART = 100
"""Records a search: Elasticsearch reads the parts side by side, and most of the time is the unpacking of texts."""


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
        missing = [record for record in versions if record not in cached]
        searches: dict[str, Search] = {}
        for number, part in enumerate(batched(missing, _PART)):
            body = {**tokens_of({"ids": {"values": part}}, len(part)), "seq_no_primary_term": True}
            searches[f"token vectors {number}"] = ({"index": index}, body)
        return cls(cached, versions[missing[0]][0] if missing else "", made_by, cache, searches)

    def read(self, answers: Mapping[str, JsonMapping]) -> dict[str, Bits | None]:
        """By record id; None: without usable ones. Caches them."""
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
