"""Updates the indices of an earlier version to the current mappings, as far as possible in place (ADR 0023).

A new field is added to the mapping of the serving index, so that writers can use it at once. Records, passages and
users' passages keep their schema version until ``sonde reindex`` has rewritten every document; the bookkeeping indices
need only the fields.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from core.errors import IndexMismatch
from core.json_types import Json, JsonMapping
from core.ports import EmbedderCard
from es_gateway.client import Elasticsearch
from es_gateway.errors import BadRequest
from es_mappings import loader
from es_mappings.indices import ensure_indices, resolve_alias
from es_mappings.meta import SCHEMA_VERSION, IndexMeta, refuse_newer_schema
from es_mappings.names import KINDS, WITH_VECTORS, IndexKind, alias

log = structlog.get_logger(__name__)

_ADDED_KINDS: tuple[IndexKind, ...] = (
    "visits", "curation", "queries", "notebooks", "searches", "notices", "measurements",
)  # fmt: skip
"""Indices that an earlier version did not have."""


def migrate(client: Elasticsearch, prefix: str) -> None:
    """Adds missing fields to the indices of ``prefix``; idempotent and safe in several processes at once.

    Raises IndexMismatch if an index cannot take a new field in place, or if a newer Sonde wrote its records or
    passages. Bookkeeping that a newer Sonde migrated is left alone: a version that is put back must work with it.
    """
    aliases = {alias(prefix, kind): kind for kind in KINDS}
    indices = client.indices.get(
        index=list(aliases), features=["aliases", "mappings"], ignore_unavailable=True, allow_no_indices=True
    ).body
    kinds = {
        index: kind for index, body in indices.items() for name, kind in aliases.items() if name in body["aliases"]
    }
    for index, kind in kinds.items():
        if kind in WITH_VECTORS:
            refuse_newer_schema(index, IndexMeta.read(index, indices[index]["mappings"].get("_meta")))
    present: set[IndexKind] = set()
    for index, kind in kinds.items():
        body = indices[index]
        present.add(kind)
        _bring_up(client, kind, index, body["mappings"])
    _create(client, prefix, [kind for kind in _ADDED_KINDS if kind not in present])


def missing_fields(target: JsonMapping, present: JsonMapping) -> Json:
    """The ``properties`` of ``target`` that ``present`` lacks, including sub-fields of objects.

    A field with different settings in both is unchanged: only a new index can change it.
    """
    additions: Json = {}
    for name, field in target.items():
        if name not in present:
            additions[name] = field
        elif "properties" in field and (
            inner := missing_fields(field["properties"], present[name].get("properties", {}))
        ):
            additions[name] = {"properties": inner}
    return additions


def _bring_up(client: Elasticsearch, kind: IndexKind, index: str, mapping: JsonMapping) -> None:
    meta = IndexMeta.read(index, mapping.get("_meta"))
    if meta.schema_version > SCHEMA_VERSION:
        log.warning("index.of_a_newer_sonde", index=index, schema=meta.schema_version, writes=SCHEMA_VERSION)
        return
    new_fields = missing_fields(loader.mapping(kind, _card(meta))["properties"], mapping["properties"])
    more: Json = {}
    if kind not in WITH_VECTORS and meta.schema_version < SCHEMA_VERSION:
        more = {"meta": {**mapping["_meta"], "schema_version": SCHEMA_VERSION}}
    if not new_fields and not more:
        return
    try:
        client.indices.put_mapping(index=index, properties=new_fields, **more)
    except BadRequest as error:
        raise IndexMismatch(
            f"The index {index} has schema {meta.schema_version} and cannot take the new fields "
            f"{', '.join(new_fields)} in place. It still answers; run `sonde reindex` before the next harvest."
        ) from error
    log.info("index.fields_added", index=index, fields=",".join(new_fields), schema=meta.schema_version)


def _create(client: Elasticsearch, prefix: str, kinds: Sequence[IndexKind]) -> None:
    """Does nothing if there are no records yet: then all indices are still to be created."""
    records = resolve_alias(client, prefix, "records") if kinds else None
    if records is not None:
        ensure_indices(client, prefix, _card(records.meta), kinds=kinds)


def _card(meta: IndexMeta) -> EmbedderCard:
    """The parts of a model card that a mapping needs."""
    return EmbedderCard(meta.embedding_model, meta.dims, max_tokens=1, min_score=0.0, instruction=meta.instruction)
