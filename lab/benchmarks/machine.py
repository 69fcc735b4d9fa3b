"""The machine that a figure was measured on, and how times are summed up: a figure without both says little."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_gateway.nodes import HttpNode
from local_stack.testing import QUICK_START


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


def serving(client: Elasticsearch) -> str:
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
