"""A search on its way through the rounds: each step returns a copy of the state with more in it. And its metrics:
time by stage and algorithm, and degraded answers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from prometheus_client import Counter, Histogram

from es_gateway.searching import SearchSession
from search_api.http.telemetry import span
from search_api.search.answer import Answer, FoundRecord
from search_api.search.curation import CurationDecisions
from search_api.search.ranking.rank import Ranking
from search_api.search.request import FacetName, SearchRequest
from search_api.search.result_window import ResultWindow, fold_and_diversify
from search_api.search.retrieval.facets import Facet
from search_api.search.retrieval.plan import RetrievalPlan
from search_api.search.retrieval.refinement import CheckedWords
from search_api.search.retrieval.serving import Serving
from search_api.search.round_one import ArmAnswers
from search_api.search.round_two import NO_CANDIDATES, CandidateSet
from search_api.search.understanding.interpretation import Interpretation
from search_api.search.understanding.topic import QueryVectors


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds by stage."""

    took_ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            with span(f"search.{name}"):
                yield
        finally:
            self.took_ms[name] = self.took_ms.get(name, 0.0) + (time.perf_counter() - started) * 1000.0


@dataclass(frozen=True, slots=True)
class SearchResults:
    """What an answer shows. ``interpretation``: with the identifiers that records have."""

    hits: tuple[FoundRecord, ...]
    window: ResultWindow
    facets: Mapping[FacetName, Facet]
    words: CheckedWords
    interpretation: Interpretation


@dataclass(frozen=True, slots=True)
class SearchState:
    """``request``: as it is answered: a place given by name (``place``) is a box in its filters, and filters leave out
    blocked records. ``vectors``: None if meaning is not used. ``degraded``: what could not be used.
    """

    request: SearchRequest
    place: str | None
    serving: Serving
    session: SearchSession
    interpretation: Interpretation
    rules: CurationDecisions
    vectors: QueryVectors | None
    plan: RetrievalPlan
    watch: Stopwatch
    degraded: tuple[str, ...] = ()
    typed: str = ""
    """The question before its spelling was corrected."""
    is_off_topic: bool = False
    """Whether no record is about the topic, so the hits are near it, or of the asked place and time."""
    arms: ArmAnswers | None = None
    """After round one."""
    candidates: CandidateSet = NO_CANDIDATES
    """After round two."""
    ranked: Ranking | None = None
    results: SearchResults | None = None
    """After round three."""

    @property
    def ranking(self) -> Ranking:
        """Of the whole window. Raises ValueError before ``rank``."""
        if self.ranked is None:
            raise ValueError("the candidates of this search are not ranked yet")
        return self.ranked

    @property
    def took_ms(self) -> Mapping[str, float]:
        return self.watch.took_ms

    def ids_with_scores(self) -> list[tuple[str, float]]:
        """The ids of the window with their scores, in the order of the list: duplicates folded, siblings spread."""
        ids, scores = self.ranking.ids(), self.ranking.score[self.ranking.order].tolist()
        order = fold_and_diversify(self.ranking, self.candidates.fields, self.request)
        return [(ids[position], scores[position]) for position in order.positions]


_STEPS_S = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_STAGES = Histogram(
    "sonde_search_stage_seconds", "Time of one stage of a search", ["algorithm", "stage"], buckets=_STEPS_S
)
_DEGRADED = Counter("sonde_search_degraded_total", "Answers given without a part that was down", ["part"])
for _part in ("dense", "cross_encoder"):
    _DEGRADED.labels(_part)  # from 0 on: the rate of a counter that appears with its first answer is none


def count_search(algorithm: str, answer: Answer) -> None:
    """Counts one answered search."""
    for stage, took_ms in answer.took_ms.items():
        _stage(algorithm, stage).observe(took_ms / 1000.0)
    for part in answer.degraded:
        _DEGRADED.labels(part).inc()


@cache
def _stage(algorithm: str, stage: str) -> Histogram:
    return _STAGES.labels(algorithm, stage)
