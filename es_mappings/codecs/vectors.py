"""The vector of a record or passage and its token vectors, as fields of its document."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from core.json_types import Json, JsonMapping
from core.ports import EmbedderCard, Encoded, TokenCard
from core.token_bits import Bits, pack, unpack

VECTOR, TOKENS = "vector", "tokens"
FIELDS = (VECTOR, TOKENS)
"""The fields that an embedder makes. Whoever reads documents for other reasons leaves them out."""

EXCEPT_VECTORS: Mapping[str, list[str]] = {"excludes": list(FIELDS)}
"""A ``_source`` without them."""


def to_fields(encoded: Encoded, card: EmbedderCard, token_card: TokenCard | None) -> list[Json]:
    """The fields of each text; token vectors only if the index wants those that the embedder makes."""
    documents: list[Json] = [{VECTOR: vector.tolist()} for vector in encoded.vectors]
    if encoded.tokens is None or token_card is None or card.tokens != token_card:
        return documents
    bits = [base64.b64encode(pack(tokens)).decode("ascii") for tokens in encoded.tokens]
    return [
        {**fields, TOKENS: {"by": token_card.code, "bits": token_bits}}
        for fields, token_bits in zip(documents, bits, strict=True)
    ]


def of_document(source: JsonMapping) -> Json:
    """The fields of a stored document, those that it has."""
    return {name: source[name] for name in FIELDS if source.get(name) is not None}


def has_all(tokens: TokenCard | None) -> Json:
    """The query for documents with everything that the embedder makes for an index with these token vectors."""
    filters: list[Json] = [{"exists": {"field": VECTOR}}]
    if tokens is not None:
        filters.append({"term": {f"{TOKENS}.by": tokens.code}})
    return {"bool": {"filter": filters}}


def bits_of(source: JsonMapping, card: TokenCard) -> Bits | None:
    """A text's token vectors. None if it has none, or another encoder's. Raises ValueError if they are damaged."""
    stored_tokens = source.get(TOKENS)
    if stored_tokens is None or stored_tokens.get("by") != card.code:
        return None
    try:
        bits = unpack(base64.b64decode(stored_tokens["bits"], validate=True), card.dims)
    except (binascii.Error, KeyError, TypeError):
        bits = None
    if bits is None:
        raise ValueError(f"is cut, or not {card.dims} bits a token")
    return bits
