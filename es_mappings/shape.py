"""How the large indices are laid out in Elasticsearch: shards, copies, and the graph of the vectors."""

from __future__ import annotations

from dataclasses import dataclass

from core.json_types import Json

_OVERSAMPLED = 3.0
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
            return {"type": self.vector_index, "rescore_vector": {"oversample": _OVERSAMPLED}}
        return {"type": self.vector_index}


USUAL = IndexShape()
