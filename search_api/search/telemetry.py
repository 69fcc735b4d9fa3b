"""Metrics of searches for operators: time by stage and algorithm, and degraded answers."""

from __future__ import annotations

from functools import cache

from prometheus_client import Counter, Histogram

from search_api.search.answer import Answer

_STEPS_S = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_STAGES = Histogram(
    "sonde_search_stage_seconds", "Time of one stage of a search", ["algorithm", "stage"], buckets=_STEPS_S
)
_DEGRADED = Counter("sonde_search_degraded_total", "Answers given without a part that was down", ["part"])
for _part in ("dense", "cross_encoder"):
    _DEGRADED.labels(_part)  # from 0 on: the rate of a counter that appears with its first answer is none


def searched(algorithm: str, answer: Answer) -> None:
    """Counts one answered search."""
    for stage, took_ms in answer.took_ms.items():
        _stage(algorithm, stage).observe(took_ms / 1000.0)
    for part in answer.degraded:
        _DEGRADED.labels(part).inc()


@cache
def _stage(algorithm: str, stage: str) -> Histogram:
    return _STAGES.labels(algorithm, stage)
