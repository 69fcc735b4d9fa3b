"""What things cost: a harvest, embedding, searches at one client, and our own part without an index."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from core.geo import BBox, hausdorff_deg_many
from core.ports import Embedder
from core.timespan import TimeSpan
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_gateway.nodes import HttpNode
from es_mappings.codecs.runs import RunReport
from evaluation.collections.ncar import records_of
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts, Options
from indexer.sources.folder import FolderSource
from indexer.write.embed import embed_missing
from local_stack.testing import QUICK_START
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.candidates import Candidates, Target
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.rank import rank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of
from search_api.search.ranking.signals.spatial import BOXES
from search_api.search.request import ALL_PARTS, SearchRequest
from search_api.search.understanding.understand import Understander
from sonde.ops.capacity import current_capacity


class TimedNode(HttpNode):
    """A node that adds up the wall time of its HTTP calls; for one client in one thread."""

    spent_s: ClassVar[float] = 0.0

    def perform_request(self, *args: Any, **kwargs: Any) -> Any:
        started_s = time.perf_counter()
        try:
            return super().perform_request(*args, **kwargs)
        finally:
            type(self).spent_s += time.perf_counter() - started_s


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles of a list of milliseconds."""

    p50: float
    p95: float
    p99: float
    count: int

    @classmethod
    def of(cls, values_ms: Sequence[float]) -> Spread:
        p50, p95, p99 = (float(value) for value in np.percentile(np.asarray(values_ms), (50, 95, 99)))
        return cls(p50, p95, p99, len(values_ms))


def describe_node(client: Elasticsearch) -> str:
    """Elasticsearch's version and heap, and whether it can be measured at all.

    A node of the tests runs without Java's second compiler, because that starts in half the time. Its vectors are then
    compared several times slower than where Sonde is installed.
    """
    number = client.info().body["version"]["number"]
    try:
        nodes = client.nodes.info(metric="jvm").body["nodes"].values()
    except ElasticsearchError:
        return f"{number}, heap not told"
    heap = " + ".join(f"{node['jvm']['mem']['heap_max_in_bytes'] / 2**30:.1f}" for node in nodes)
    text = f"{number}, heap {heap} GiB"
    if any(set(QUICK_START) & set(node["jvm"]["input_arguments"]) for node in nodes):
        text += f", a node for tests ({' '.join(QUICK_START)}): too slow to measure"
    return text


_ROUNDS = 200
_CANDIDATES = 1_000
_SEED = 20_04
_QUESTION_BOX = BBox(6.0, 36.0, 19.0, 47.0)
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class HarvestTime:
    """One harvest of one archive."""

    report: RunReport
    seconds: float


def time_harvest(client: Elasticsearch, prefix: str, path: Path) -> HarvestTime:
    """From the first page to the stored report, without vectors."""
    parts = HarvestParts(client, prefix, readers=current_capacity().cores)
    started_s = time.perf_counter()
    report = harvest(path.name.partition(".")[0], FolderSource(path), parts, Options())
    return HarvestTime(report, time.perf_counter() - started_s)


@dataclass(frozen=True, slots=True)
class EmbeddingTime:
    """``bare``: the model on the texts alone, with token vectors if it makes them; ``whole``: filling the index with
    them. Texts a second.
    """

    bare: float
    whole: float
    texts: int
    reads_tokens: int
    longer_share: float


def time_embedding(client: Elasticsearch, prefix: str, source: str, path: Path, embedder: Embedder) -> EmbeddingTime:
    """Bare on all texts, then all missing vectors of the source, then bare again: the machine drifts."""
    texts = [record.embedding_text for record in records_of(path, "bench")]
    lengths = np.asarray(embedder.count_tokens(texts))
    before = _bare(embedder, texts)
    started_s = time.perf_counter()
    report = embed_missing(source, HarvestParts(client, prefix, lambda _name: embedder), Options())
    texts_per_s = report.embedded / (time.perf_counter() - started_s)
    bare = (before + _bare(embedder, texts)) / 2.0
    reads = embedder.card.max_tokens
    return EmbeddingTime(bare, texts_per_s, report.embedded, reads, float((lengths > reads).mean()))


def _bare(embedder: Embedder, texts: Sequence[str]) -> float:
    started_s = time.perf_counter()
    embedder.encode(texts, "document")
    return len(texts) / (time.perf_counter() - started_s)


def time_understanding(understander: Understander, questions: Sequence[str], rounds: int = 5) -> Spread:
    """Milliseconds of reading one question, after one round to warm up."""
    for question in questions:
        understander.understand(question, ALL_PARTS)
    took = []
    for question in [*questions] * rounds:
        started_s = time.perf_counter()
        understander.understand(question, ALL_PARTS)
        took.append((time.perf_counter() - started_s) * 1000.0)
    return Spread.of(took)


def time_ranking(ranker: Ranker, count: int = _CANDIDATES) -> Spread:
    """Milliseconds of ranking ``count`` candidates of two arms by text, place, time and resolution."""
    candidates, target = (
        made_up(count),
        Target(boxes=(_QUESTION_BOX,), spans=(TimeSpan(0, 10_000 * _DAY_MS),), now_ms=20_000 * _DAY_MS),
    )
    rank(candidates, target, ranker)
    return Spread.of([_took_ms(lambda: rank(candidates, target, ranker)) for _ in range(_ROUNDS)])


def time_hausdorff(count: int = _CANDIDATES) -> Spread:
    """Milliseconds of the plain Hausdorff distances of one box to ``count`` others."""
    boxes = made_up(count)[BOXES].values
    hausdorff_deg_many(_QUESTION_BOX, boxes)
    return Spread.of([_took_ms(lambda: hausdorff_deg_many(_QUESTION_BOX, boxes)) for _ in range(_ROUNDS)])


def made_up(count: int) -> Candidates:
    """Candidates with a box and a period each, the same ones every time."""
    numbers = np.random.default_rng(_SEED)
    west, south = numbers.uniform(-180, 140, count), numbers.uniform(-80, 60, count)
    start = numbers.integers(0, 9_000, count) * _DAY_MS
    return candidates_of(
        [
            Candidate(
                f"made:{place}",
                {"bm25": float(numbers.uniform(0, 20)), "dense": float(numbers.uniform(0, 0.7))},
                (BBox(west[place], south[place], west[place] + 20.0, south[place] + 20.0),),
                (TimeSpan(int(start[place]), int(start[place]) + 1_000 * _DAY_MS),),
            )
            for place in range(count)
        ]
    )


def _took_ms(work: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    work()
    return (time.perf_counter() - started_s) * 1000.0


@dataclass(frozen=True, slots=True)
class SearchTimes:
    """Milliseconds. ``ours`` is everything but Elasticsearch's HTTP calls and the embedder (spaCy counts as ours)."""

    whole: Spread
    ours: Spread
    elasticsearch: Spread
    stages: dict[str, Spread]


def time_searches(
    pipeline: SearchPipeline, questions: Sequence[str], request: SearchRequest, rounds: int
) -> SearchTimes:
    """Each question ``rounds`` times, one after the other, after one round to warm up; ``request`` gives the options.

    The pipeline's client must use ``TimedNode``.
    """
    for question in questions:
        pipeline.search(replace(request, q=question))
    total_ms, own_ms, server_ms = [], [], []
    stages: dict[str, list[float]] = {}
    for _ in range(rounds):
        for question in questions:
            before = TimedNode.spent_s
            started_s = time.perf_counter()
            answer = pipeline.search(replace(request, q=question))
            took = (time.perf_counter() - started_s) * 1000.0
            waited_ms = (TimedNode.spent_s - before) * 1000.0
            total_ms.append(took)
            server_ms.append(waited_ms)
            own_ms.append(took - waited_ms - answer.took_ms.get("embed", 0.0))
            for stage, spent_ms in answer.took_ms.items():
                stages.setdefault(stage, []).append(spent_ms)
    return SearchTimes(
        Spread.of(total_ms),
        Spread.of(own_ms),
        Spread.of(server_ms),
        {name: Spread.of(spent_ms) for name, spent_ms in stages.items()},
    )
