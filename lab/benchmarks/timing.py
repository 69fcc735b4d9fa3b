"""Time by who spent it: Elasticsearch (on the wire and inside), the embedder, and the rest, which is ours."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from es_gateway.nodes import HttpNode


class TimedNode(HttpNode):
    """A node that adds up the wall time of its HTTP calls; for one client in one thread."""

    spent_s: ClassVar[float] = 0.0

    def perform_request(self, *args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        try:
            return super().perform_request(*args, **kwargs)
        finally:
            type(self).spent_s += time.perf_counter() - started


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
