"""Metrics of a process's memory for operators: loaded models, and caches."""

from __future__ import annotations

from functools import cache

from prometheus_client import Counter, Gauge

_LOADED = Gauge(
    "sonde_model_load_seconds",
    "How long a model that is loaded now took to load",
    ["role", "model"],
    multiprocess_mode="livemax",
)
_CACHE = Counter("sonde_cache_requests_total", "Looks into a memory, and whether it was there", ["cache", "outcome"])


def loaded(role: str, model: str, seconds: float) -> None:
    """Records that a model is now in this process's memory."""
    _LOADED.labels(role, model).set(seconds)


def remembered(name: str, *, hit: bool) -> None:
    """Counts one cache lookup."""
    _lookups(name, "hit" if hit else "miss").inc()


@cache
def _lookups(name: str, outcome: str) -> Counter:
    return _CACHE.labels(name, outcome)
