"""The dense arm: approximate nearest neighbours by cosine, the filters inside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from search_api.retrieval.filters import Clause

_OVERSAMPLING = 1.5  # candidates per shard for each requested hit


def nearest(vector: NDArray[np.float32], k: int, filters: Sequence[Clause]) -> Clause:
    """The ``knn`` section for the ``k`` nearest vectors that pass ``filters``."""
    return {
        "field": "vector",
        "query_vector": [round(float(value), 6) for value in vector],
        "k": k,
        "num_candidates": min(10_000, int(k * _OVERSAMPLING)),
        "filter": list(filters),
    }


def cosine(score: float) -> float:
    """The cosine behind Elasticsearch's ``_score``, which is (1 + cos) / 2."""
    return 2.0 * score - 1.0
