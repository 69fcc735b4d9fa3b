"""The API under more load than its pods carry by their autoscaler's rule: pods are added, and taken away again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.cluster.faults import API_PODS, Release, service_url
from tests.cluster.node import Node, wait_until
from tests.cluster.progress import say
from tests.cluster.searched import asked

MOST = 4
_CLIENTS = 9
_CPU_PERCENT = 60  # of the request: here Elasticsearch takes the processor before the pods reach the chart's share
_AUTOSCALING = {"api": {"autoscaling": {"enabled": True, "min": API_PODS, "max": MOST, "cpuPercent": _CPU_PERCENT}}}


def scaled_under_load(release: Release) -> None:
    """Clients without a pause until there are more pods, all ready; then the check's own searches alone, until the
    autoscaler has taken them away.
    """
    node = release.node
    release.must("install", _AUTOSCALING)
    try:
        wait_until(lambda: _share(node) is not None, 180, "the autoscaler knows the pods' processor time")
        with _load(node):
            took_s = wait_until(lambda: _more_are_ready(node), 300, "the autoscaler has added a pod, and it is ready")
            say(f"{_ready(node)} pods are ready after {took_s:.0f} s")
        took_s = wait_until(lambda: _wanted(node) == API_PODS, 300, "the autoscaler has taken the pods away")
        say(f"{API_PODS} pods again {took_s:.0f} s after the load")
    finally:
        _without(release)


def _without(release: Release) -> None:
    """Without the autoscaler, which owns the number of pods: Helm refuses to set another one than it finds."""
    node = release.node
    node.kubectl("delete", "hpa", "demo-sonde-api")
    node.kubectl("scale", "deployment/demo-sonde-api", f"--replicas={API_PODS}")
    release.must("install")
    release.wait()


@contextmanager
def _load(node: Node) -> Iterator[None]:
    with ExitStack() as clients:
        files = [clients.enter_context(asked(node, service_url(node), f"load{one}", "0")) for one in range(_CLIENTS)]
        yield
    counts = [json.loads(file.read_text("utf-8")) for file in files]
    say(f"the load's own searches: {sum(one['asked'] for one in counts)}, lost: {sum(one['lost'] for one in counts)}")


def _more_are_ready(node: Node) -> bool:
    return _wanted(node) > API_PODS and _ready(node) == _wanted(node)


def _ready(node: Node) -> int:
    return int(node.get("deployment", "demo-sonde-api")["status"].get("readyReplicas", 0))


def _wanted(node: Node) -> int:
    return int(node.get("deployment", "demo-sonde-api")["spec"]["replicas"])


def _share(node: Node) -> int | None:
    """Processor time in percent of what the pods request, as the autoscaler last read it."""
    for metric in node.get("hpa", "demo-sonde-api")["status"].get("currentMetrics") or []:
        if share := metric.get("resource", {}).get("current", {}).get("averageUtilization"):
            return int(share)
    return None
