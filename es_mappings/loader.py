"""The only reader of the mapping files: mappings and settings of an index, for one model and one layout."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import cast

from core.json_types import Json
from core.ports import EmbedderCard
from es_mappings.meta import IndexMeta
from es_mappings.names import WITH_VECTORS, IndexKind

_OVERSAMPLING = 3.0
"""How many more neighbours a search by one bit a dimension takes before it compares them by the full vectors."""


@dataclass(frozen=True, slots=True)
class IndexShape:
    """``vector_index``: one of Elasticsearch's graphs (``hnsw``, ``int8_hnsw``, ``int4_hnsw``, ``bbq_hnsw``).

    ``shards``: of records and of passages, 1 or more; ``replicas``: copies of each, None for one where there is a
    second node. Only a new index takes another shape: `sonde reindex` makes one.
    """

    vector_index: str = "int8_hnsw"
    shards: int = 1
    replicas: int | None = None

    def settings(self) -> Json:
        """Those of an index that differ from the shared ones."""
        if self.replicas is None:
            return {"number_of_shards": self.shards}
        return {"number_of_shards": self.shards, "auto_expand_replicas": False, "number_of_replicas": self.replicas}

    def vector_options(self) -> Json:
        """The ``index_options`` of vectors that differ from the shared ones."""
        if self.vector_index == "bbq_hnsw":
            return {"type": self.vector_index, "rescore_vector": {"oversample": _OVERSAMPLING}}
        return {"type": self.vector_index}


USUAL = IndexShape()


@cache
def _file(name: str) -> Json:
    text = resources.files("es_mappings").joinpath("mappings", f"{name}.json").read_text("utf-8")
    return cast(Json, json.loads(text))


def mapping(kind: IndexKind, card: EmbedderCard, *, shape: IndexShape = USUAL) -> Json:
    """The mapping of one index for one model: ``$use`` resolved, vector dimensions and ``_meta`` filled in."""
    body = _with_shared_fields(copy.deepcopy(_file(kind)))
    if kind in WITH_VECTORS:
        vector = body["properties"]["vector"]
        vector["dims"] = card.dims
        vector["index_options"] |= shape.vector_options()
    return {**body, "_meta": IndexMeta.of(card).as_dict()}


def properties(kind: IndexKind) -> Json:
    return cast(Json, _with_shared_fields(copy.deepcopy(_file(kind)))["properties"])


def settings(kind: IndexKind | None = None, shape: IndexShape = USUAL) -> Json:
    """Index settings and analysers; those of an index with vectors have its shape."""
    shared_settings = copy.deepcopy(cast(Json, _file("shared")["settings"]))
    return shared_settings | shape.settings() if kind in WITH_VECTORS else shared_settings


def _with_shared_fields(node: Json) -> Json:
    """Replaces ``{"$use": name}`` by the shared field with that name, recursively; what stands beside it is added."""
    if "$use" in node:
        overrides = {key: value for key, value in node.items() if key != "$use"}
        return copy.deepcopy(cast(Json, _file("shared")["fields"][node["$use"]])) | overrides
    return {key: _with_shared_fields(value) if isinstance(value, dict) else value for key, value in node.items()}
