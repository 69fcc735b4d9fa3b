"""The dense arm: approximate nearest neighbours by cosine, the filters inside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from search_api.search.retrieval.filters import Clause

_OVERSAMPLING = 1.5  # candidates per shard for each requested hit


def nearest(vector: NDArray[np.float32], k: int, filters: Sequence[Clause]) -> Clause:
    """The ``knn`` section for the ``k`` nearest vectors that pass ``filters``."""
    return {
        "field": "vector",
        "query_vector": _numbers(vector),
        "k": k,
        "num_candidates": min(10_000, int(k * _OVERSAMPLING)),
        "filter": list(filters),
    }


def nearest_query(vector: NDArray[np.float32], k: int, filters: Sequence[Clause]) -> Clause:
    """The same as a query, if nothing else is searched: a ``knn`` section costs Elasticsearch a phase of its own, also
    on one shard. Each shard gives its ``k`` nearest, so ask for ``k`` hits.
    """
    return {"knn": nearest(vector, k, filters)}


def exact(vector: NDArray[np.float32], filters: Sequence[Clause]) -> Clause:
    """Every record that passes ``filters`` and has a vector, scored as ``nearest`` does.

    For some hundred given records twice as fast as ``knn`` with their ids as its filter (measured).
    """
    return {
        "script_score": {
            "query": {"bool": {"filter": [*filters, {"exists": {"field": "vector"}}]}},
            "script": {
                "source": "(1.0 + cosineSimilarity(params.vector, 'vector')) / 2.0",
                "params": {"vector": _numbers(vector)},
            },
        }
    }


def cosine(score: float) -> float:
    """The cosine behind Elasticsearch's ``_score``, which is (1 + cos) / 2."""
    return 2.0 * score - 1.0


def _numbers(vector: NDArray[np.float32]) -> list[float]:
    numbers: list[float] = np.round(vector.astype(np.float64), 6).tolist()
    return numbers
