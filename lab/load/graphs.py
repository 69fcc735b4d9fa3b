"""Compares graphs of vectors: share of true neighbours, speed, and size."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import SondeError
from core.json_types import Json
from core.ports import EmbedderCard
from es_gateway.client import Elasticsearch
from es_mappings import loader
from es_mappings.loader import IndexShape
from indexer.store.bulk import Operation, index_operation, write
from lab.load.catalogue import MadeVectors, wait_for_merges
from lab.measures import Spread
from search_api.search.retrieval.clauses import nearest

GRAPHS = ("hnsw", "int8_hnsw", "int4_hnsw", "bbq_hnsw")
"""Those that Elasticsearch has freely."""
_FIRST = 10
WINDOW = 150
"""As many neighbours as a search takes: ``candidate_window`` of the default ranking."""
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class GraphFigures:
    """``recall_first``, ``recall_window``: shares (0..1) of the true 10 and 150 nearest; bytes on disk; seconds.

    ``memory_bytes``: what the graph's search reads of it, and therefore what should stay in the file cache.
    """

    graph: str
    vectors: int
    recall_first: float
    recall_window: float
    took_ms: Spread
    disk_bytes: int
    memory_bytes: int
    built_s: float


def compare_graphs(
    client: Elasticsearch,
    card: EmbedderCard,
    made_vectors: MadeVectors,
    questions: NDArray[np.float32],
    number: int,
    graphs: Sequence[str],
) -> Iterator[GraphFigures]:
    """``number`` of the vectors in each of the graphs. ``asked``: [questions, dims], unit norm.

    One index after another, each deleted after its figures. The neighbours by float32 products are the true ones.
    """
    vectors = np.empty((number, card.dims), np.float32)  # as lists, a million take 12 GB
    for place in range(number):
        vectors[place] = made_vectors.at(place)["vector"]
    true = _true_neighbours(vectors, questions)
    for graph in graphs:
        index = f"sonde-bench-{uuid.uuid4().hex[:12]}"
        try:
            yield _measure_graph(client, index, graph, card, vectors, questions, true)
        finally:
            client.options(ignore_status=404).indices.delete(index=index)


def _true_neighbours(vectors: NDArray[np.float32], questions: NDArray[np.float32]) -> NDArray[np.int64]:
    """The places of the nearest, nearest first; [questions, window]."""
    return np.argsort(-(questions @ vectors.T), axis=1)[:, :WINDOW]


def _measure_graph(
    client: Elasticsearch,
    index: str,
    graph: str,
    card: EmbedderCard,
    vectors: NDArray[np.float32],
    questions: NDArray[np.float32],
    true: NDArray[np.int64],
) -> GraphFigures:
    shape = IndexShape(vector_index=graph, replicas=0)
    fields = loader.mapping("records", card, shape=shape)["properties"]
    mappings = {"dynamic": "strict", "properties": {"vector": fields["vector"]}}
    client.indices.create(index=index, mappings=mappings, settings=loader.settings("records", shape))
    started_s = time.perf_counter()
    if failures := write(client, _operations(index, vectors)):
        raise SondeError(f"{len(failures)} vectors were refused: {failures[0].reason}")
    wait_for_merges(client, [index])
    build_s = time.perf_counter() - started_s
    places, spread = _search_all(client, index, questions)
    stats = client.indices.stats(index=index, metric="store,dense_vector").body["_all"]["primaries"]
    return GraphFigures(
        graph,
        len(vectors),
        _recall(places, true, _FIRST),
        _recall(places, true, WINDOW),
        spread,
        stats["store"]["size_in_bytes"],
        _memory(stats["dense_vector"]),
        build_s,
    )


def _operations(index: str, vectors: NDArray[np.float32]) -> Iterator[Operation]:
    for place, vector in enumerate(vectors):
        yield index_operation(index, str(place), {"vector": vector.tolist()})


def _search_all(client: Elasticsearch, index: str, questions: NDArray[np.float32]) -> tuple[list[list[int]], Spread]:
    """The found places of each question, and how long one took on a warm index."""
    bodies: list[Json] = [
        {"knn": nearest(vector, WINDOW, ()), "size": WINDOW, "_source": False, "track_total_hits": False}
        for vector in questions
    ]
    places, took = [], []
    for lap in range(_ROUNDS + 1):
        for body in bodies:
            started_s = time.perf_counter()
            hits = client.search(index=index, **body).body["hits"]["hits"]
            if lap:
                took.append((time.perf_counter() - started_s) * 1000.0)
            else:
                places.append([int(hit["_id"]) for hit in hits])
    return places, Spread.of(took)


def _recall(places: Sequence[Sequence[int]], true: NDArray[np.int64], limit: int) -> float:
    shares = [
        len(set(nearest_found[:limit]) & set(exact[:limit].tolist())) / limit
        for nearest_found, exact in zip(places, true, strict=True)
    ]
    return float(np.mean(shares))


def _memory(stats: Json) -> int:
    """Without the full vectors that only re-scoring reads (``vec``), unless the graph itself is of them."""
    off_heap = stats["off_heap"]
    compressed = sum(off_heap[f"total_{part}_size_bytes"] for part in ("veq", "veb"))
    vectors = compressed or off_heap["total_vec_size_bytes"]
    return int(vectors + off_heap["total_vex_size_bytes"])
