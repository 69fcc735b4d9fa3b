"""Searches at one client: whole, by stage, and our own part."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.benchmarks.timing import Spread, TimedNode
from search_api.search.flow import SearchPipeline
from search_api.search.request import SearchRequest


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
    whole, ours, server = [], [], []
    stages: dict[str, list[float]] = {}
    for _ in range(rounds):
        for question in questions:
            before = TimedNode.spent_s
            started = time.perf_counter()
            answer = pipeline.search(replace(request, q=question))
            took = (time.perf_counter() - started) * 1000.0
            waited = (TimedNode.spent_s - before) * 1000.0
            whole.append(took)
            server.append(waited)
            ours.append(took - waited - answer.took_ms.get("embed", 0.0))
            for stage, spent in answer.took_ms.items():
                stages.setdefault(stage, []).append(spent)
    return SearchTimes(
        Spread.of(whole), Spread.of(ours), Spread.of(server), {name: Spread.of(spent) for name, spent in stages.items()}
    )
