"""Creating the indices and finding out what serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elasticsearch import BadRequestError, Elasticsearch

from core.errors import IndexMismatch
from core.ports import EmbedderCard
from es_mappings import loader
from es_mappings.meta import IndexMeta, refuse_unknown_schema
from es_mappings.names import KINDS, WITH_VECTORS, IndexKind, alias, concrete

_DESCRIBING = ("mappings", "settings")


@dataclass(frozen=True, slots=True)
class ServingIndex:
    """An alias resolved together with the recipe of the index behind it, for one request or one run to keep."""

    alias: str
    index: str
    meta: IndexMeta
    uuid: str
    """Elasticsearch's name for just this index: another one of the same name has another."""


def ensure_indices(
    client: Elasticsearch,
    prefix: str,
    card: EmbedderCard,
    *,
    kinds: Sequence[IndexKind] = KINDS,
    vector_index: str = "int8_hnsw",
) -> list[str]:
    """Creates what is missing, as generation 1 behind its alias; returns the names created.

    Safe to call from several processes at once: creation and alias are one request, and the loser finds it done.
    """
    created = []
    for kind in kinds:
        if client.indices.exists_alias(name=alias(prefix, kind)):
            continue
        index = concrete(prefix, kind, 1)
        try:
            client.indices.create(
                index=index,
                mappings=loader.mapping(kind, card, vector_index=vector_index),
                settings=loader.settings(),
                aliases={alias(prefix, kind): {"is_write_index": True}},
            )
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":
                raise
            continue
        created.append(index)
    return created


_ADDED_BESIDE_VECTORS: Mapping[str, Any] = {"access_groups": {"type": "keyword"}}
_ADDED_TO_RECORDS: Mapping[str, Any] = {"edition": {"type": "keyword", "index": False, "doc_values": False}}
"""Fields that came without a new schema: an index that lacks them serves as before."""


def add_new_fields(client: Elasticsearch, prefix: str, kinds: Sequence[IndexKind] = ("runs", "ledger")) -> None:
    """Teaches bookkeeping indices of an earlier version the fields that were added since; needs no reindex."""
    for kind in kinds:
        client.indices.put_mapping(index=alias(prefix, kind), properties=loader.properties(kind))
    for kind in WITH_VECTORS:
        added = {**_ADDED_BESIDE_VECTORS, **(_ADDED_TO_RECORDS if kind == "records" else {})}
        if client.indices.exists_alias(name=alias(prefix, kind)):
            client.indices.put_mapping(index=alias(prefix, kind), properties=added)


def add_new_index(client: Elasticsearch, prefix: str, kind: IndexKind) -> None:
    """Makes an index without vectors that an earlier version did not have; nothing where it is there already."""
    records = None if client.indices.exists_alias(name=alias(prefix, kind)) else resolved(client, prefix, "records")
    if records is not None:
        meta = records.meta
        card = EmbedderCard(meta.embedding_model, meta.dims, max_tokens=1, min_score=0.0, instruction=meta.instruction)
        ensure_indices(client, prefix, card, kinds=(kind,))


def serving(client: Elasticsearch, prefix: str, kind: IndexKind) -> ServingIndex | None:
    """The index behind the alias with its ``_meta``, in one request; None where there is none yet.

    Raises IndexMismatch where the alias spans several indices or the schema is not one this version knows.
    """
    found = resolved(client, prefix, kind)
    if found is not None:
        refuse_unknown_schema(found.index, found.meta)
    return found


def resolved(client: Elasticsearch, prefix: str, kind: IndexKind) -> ServingIndex | None:
    """The same whatever its schema: what a reindex begins from. Raises IndexMismatch where the alias spans several."""
    name = alias(prefix, kind)
    found = client.options(ignore_status=404).indices.get(index=name, features=_DESCRIBING).body
    if "error" in found or not found:
        return None
    if len(found) > 1:
        raise IndexMismatch(f"The alias {name} spans {', '.join(sorted(found))}; it must stand for one index.")
    index, body = next(iter(found.items()))
    return _described(name, index, body)


def described(client: Elasticsearch, index: str) -> ServingIndex:
    """A concrete index that need not serve, under its own name. Raises NotFoundError where there is none."""
    return _described(index, index, client.indices.get(index=index, features=_DESCRIBING).body[index])


def _described(name: str, index: str, body: Mapping[str, Any]) -> ServingIndex:
    meta = IndexMeta.read(index, body["mappings"].get("_meta"))
    return ServingIndex(name, index, meta, body["settings"]["index"]["uuid"])
