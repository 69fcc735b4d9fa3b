"""The machine that a figure was measured on: a figure without it says little."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import psutil

from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from local_stack.testing import QUICK_START


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
    said = f"{number}, heap {heap} GiB"
    if any(set(QUICK_START) & set(node["jvm"]["input_arguments"]) for node in nodes):
        said += f", a node for tests ({' '.join(QUICK_START)}): too slow to measure"
    return said


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except FileNotFoundError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())
