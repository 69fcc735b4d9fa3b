"""The machine that a figure was measured on, and how times are summed up: a figure without both says little."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import psutil

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


def machine() -> dict[str, str]:
    """Processor, cores, memory, load and the versions that matter."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "load before": f"{os.getloadavg()[0]:.1f}",
        "python": platform.python_version(),
        "onnxruntime": version("onnxruntime"),
        "elasticsearch client": version("elasticsearch"),
    }


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


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except FileNotFoundError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())
