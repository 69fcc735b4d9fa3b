"""What our own thinking costs: reading a question, ranking a thousand candidates, a thousand Hausdorff distances."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from core.extent import BBox
from core.geo import hausdorff_deg_many
from core.timespan import TimeSpan
from lab.benchmarks.timing import Spread
from search_api.search.ranking.candidates import Candidates
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.described import Candidate, candidates_of
from search_api.search.ranking.place import BOXES
from search_api.search.ranking.rank import rank
from search_api.search.ranking.target import Target
from search_api.search.request import ALL_PARTS
from search_api.search.understanding.understand import Understander

_ROUNDS = 200
_CANDIDATES = 1_000
_SEED = 20_04
_ASKED = BBox(6.0, 36.0, 19.0, 47.0)
_DAY_MS = 86_400_000


def time_understanding(understander: Understander, questions: Sequence[str], rounds: int = 5) -> Spread:
    """Milliseconds of reading one question, after one round to warm up."""
    for question in questions:
        understander.understand(question, ALL_PARTS)
    took = []
    for question in [*questions] * rounds:
        started = time.perf_counter()
        understander.understand(question, ALL_PARTS)
        took.append((time.perf_counter() - started) * 1000.0)
    return Spread.of(took)


def time_ranking(ranker: Ranker, count: int = _CANDIDATES) -> Spread:
    """Milliseconds of ranking ``count`` candidates of two arms by text, place, time and resolution."""
    candidates, target = (
        made_up(count),
        Target(boxes=(_ASKED,), span=TimeSpan(0, 10_000 * _DAY_MS), now_ms=20_000 * _DAY_MS),
    )
    rank(candidates, target, ranker)
    return Spread.of([_took_ms(lambda: rank(candidates, target, ranker)) for _ in range(_ROUNDS)])


def time_hausdorff(count: int = _CANDIDATES) -> Spread:
    """Milliseconds of the plain Hausdorff distances of one box to ``count`` others."""
    boxes = made_up(count)[BOXES].values
    hausdorff_deg_many(_ASKED, boxes)
    return Spread.of([_took_ms(lambda: hausdorff_deg_many(_ASKED, boxes)) for _ in range(_ROUNDS)])


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
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000.0
