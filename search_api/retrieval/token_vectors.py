"""Fetches the token vectors of the best records, those not cached in their current version."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence

import structlog

from core.json_types import Json, JsonMapping
from core.token_bits import Bits, unpacked
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from es_mappings.meta import TokenMeta
from search_api.retrieval.versioned_cache import Version, VersionedCache, version_of

log = structlog.get_logger(__name__)

FIELD = "tokens"
_NO_BITS = b""


def fetch_token_vectors(
    client: Elasticsearch,
    index: str,
    versions: Mapping[str, Version],
    made_by: TokenMeta,
    memory: VersionedCache[Bits | None],
) -> dict[str, Bits]:
    """By record id; a record without vectors, or with damaged ones or another encoder's, is left out (and logged).

    At most one request, none if all are cached.
    """
    known = memory.known(versions)
    unknown = [record for record in versions if record not in known]
    if unknown:
        hits = search_all(client, [{"index": index}, _body(unknown)])[0]["hits"]["hits"]
        read = {hit["_id"]: _bits(hit, made_by) for hit in hits}
        uuid = versions[unknown[0]][0]
        memory.keep({hit["_id"]: version_of(uuid, hit) for hit in hits}, read)
        known = {**known, **read}
    return {record: bits for record, bits in known.items() if bits is not None}


def _body(ids: Sequence[str]) -> Json:
    return {
        "query": {"ids": {"values": list(ids)}},
        "size": len(ids),
        "track_total_hits": False,
        "_source": {"includes": [FIELD]},
        "seq_no_primary_term": True,
    }


def _bits(hit: JsonMapping, made_by: TokenMeta) -> Bits | None:
    stored = hit["_source"].get(FIELD)
    if stored is None:
        return None
    try:
        blob = base64.b64decode(stored, validate=True)
    except (binascii.Error, TypeError, ValueError):
        blob = _NO_BITS
    bits = unpacked(blob, made_by.code, made_by.dims)
    if bits is None:
        log.warning("token_vectors.unusable", record=hit["_id"], bytes=len(blob))
    return bits
