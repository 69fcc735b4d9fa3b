"""Every graph that the setting allows is taken by Elasticsearch and finds the nearest vector."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_indices
from es_mappings.loader import IndexShape
from es_mappings.names import concrete
from search_api.search.retrieval import clauses
from sonde.settings import IndexSettings
from tests.conftest import delete_indices
from tests.integration.small_catalogue import CARD

GRAPHS = get_args(IndexSettings.model_fields["vector_index"].annotation)
DIMS = 64  # the least that one bit a dimension takes


@pytest.mark.elasticsearch
@pytest.mark.parametrize("graph", GRAPHS)
def test_the_nearest_vector_is_found_and_scored_by_its_cosine(
    es_client: Elasticsearch, prefix: str, graph: str
) -> None:
    ensure_indices(es_client, prefix, replace(CARD, dims=DIMS), kinds=("records",), shape=IndexShape(graph))
    index = concrete(prefix, "records", 1)
    try:
        vectors = np.random.default_rng(3).normal(size=(50, DIMS)).astype(np.float32)
        for number, vector in enumerate(vectors):
            es_client.index(index=index, id=str(number), document={"id": str(number), "vector": vector.tolist()})
        es_client.indices.refresh(index=index)
        body = {"knn": clauses.nearest(vectors[7], 5, []), "size": 5}
        best = es_client.search(index=index, **body).body["hits"]["hits"][0]
        assert best["_id"] == "7"
        assert clauses.cosine(best["_score"]) == pytest.approx(1.0, abs=0.05)
    finally:
        delete_indices(es_client, prefix)
