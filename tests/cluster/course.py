"""The course of the check: what is installed in the cluster, what is done to it, and what must be left."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import yaml

from tests.cluster.apis import start_metrics_server
from tests.cluster.backing_up import backed_up, restored
from tests.cluster.draining import drained
from tests.cluster.faults import (
    FAULTS,
    Release,
    interrupted_harvest,
    merged,
    records,
    samples_folder,
    service_url,
    upload,
    uploads,
)
from tests.cluster.keda import scaled_by_queue, start_keda
from tests.cluster.node import HERE, ROOT, Node, emptied_volumes, wait_until
from tests.cluster.old_release import BACK, BECOMES, REINDEX, upgraded_with_data
from tests.cluster.progress import say, step
from tests.cluster.scaling import scaled_under_load
from tests.cluster.search_nodes import left_address, master_killed
from tests.cluster.searched import searched
from tests.cluster.table import Findings
from tests.cluster.watching_pods import watched

OLD, FAILING, SCALING, KEDA, WATCHING = "old-release", "faults", "scaling", "keda", "watching"
PARTS = (OLD, FAILING, SCALING, KEDA, WATCHING)
LATER: Mapping[str, Callable[[Release], None]] = {
    "backup by the chart's job": backed_up,
    "drain of the node that all pods are on": drained,
    "load until the autoscaler adds API pods, and takes them away": scaled_under_load,
    "`kill -9` of the master of three Elasticsearch nodes": master_killed,
}
WAITING = "documents wait until KEDA adds a worker"
NAMES = (BECOMES, REINDEX, BACK, *FAULTS, *LATER, WAITING)
KEPT = {"records", "demo-sonde-library", "data-demo-sonde-valkey-0"}


def course(node: Node, parts: Sequence[str], found: Findings) -> None:
    """Fills ``found``. Raises where something does not hold that has no row."""
    if OLD in parts:
        _beside(node)
        upgraded_with_data(node, _values(), found)
        with step("0.1.0 is cleared away"):
            node.kubectl("delete", "pods", "--all", "--grace-period=0", "--force")  # else a worker ends its task first
            node.run("kubectl", "delete", "namespace", "geo", "--timeout=300s")
            node.run("kubectl", "delete", "pv", "--all", "--timeout=60s")
    if set(parts) - {OLD}:
        _beside(node)
        _of_this_version(node, parts, found)


def _of_this_version(node: Node, parts: Sequence[str], found: Findings) -> None:
    one, two = (Release(node, merged(_values(), {"api": {"replicas": count}})) for count in (1, 2))
    key = _installed(one)
    if FAILING in parts:
        _try_all(two, FAULTS, found)
    if SCALING in parts:
        start_metrics_server(node)
        _try_all(two, LATER, found)
        found.note("A backup", [restored(two, key, left_address(node))])
    assert records(node) == _files(), "records are gone"
    assert uploads(node, key) == ["ready"], "the upload is gone"
    say(_memory(node))
    if KEDA in parts:
        start_keda(node)
        _try_all(two, {WAITING: partial(scaled_by_queue, key=key)}, found)
    if WATCHING in parts:
        found.note("Prometheus over the pods", watched(two))
    with step("uninstall"):
        two.must("uninstall")
    left = {one["metadata"]["name"] for one in node.get("pvc")["items"]}
    assert left == KEPT, left


def _try_all(release: Release, faults: Mapping[str, Callable[[Release], None]], found: Findings) -> None:
    """One that does not end as it should is told, and the others follow."""
    url = service_url(release.node)
    for name, fault in faults.items():
        try:
            found.add(searched(release.node, url, name, partial(fault, release)))
        except (RuntimeError, TimeoutError) as error:
            found.fail(f"{name}: {error}")
            release.must("install")
            release.wait()


def _installed(release: Release) -> str:
    """With every record harvested, and one document of a user, whose key it returns."""
    node = release.node
    with step("install values-small.yaml"):
        release.must("install")
        release.wait(1)
    with step("first harvest, whose worker is deleted"):
        interrupted_harvest(release)
    with step("helm test"):
        release.must("test")
    with step("upload"):
        key = upload(node)
        wait_until(lambda: uploads(node, key) == ["ready"], 300, "the upload is ready")
    say(_memory(node))
    return key


def _beside(node: Node) -> None:
    emptied_volumes(node, samples_folder())
    node.run("kubectl", "apply", "-f", "-", given=_text("beside.yaml").replace("$volumes", str(node.volumes)))


def _values() -> dict[str, Any]:
    small = yaml.safe_load((ROOT / "helm" / "sonde" / "values-small.yaml").read_text("utf-8"))
    return merged(small, yaml.safe_load(_text("values.yaml")))


def _text(name: str) -> str:
    return (HERE / name).read_text("utf-8")


def _files() -> int:
    return len(list(samples_folder().glob("*.xml")))


def _memory(node: Node) -> str:
    """Each pod's working set, as the kubelets count it."""
    found = {}
    for name in ("node1", "node2"):
        stats = json.loads(node.run("kubectl", "get", "--raw", f"/api/v1/nodes/{name}/proxy/stats/summary"))
        for pod in stats["pods"]:
            found[pod["podRef"]["name"]] = pod.get("memory", {}).get("workingSetBytes", 0) >> 20
    return "MiB: " + ", ".join(f"{name} {size}" for name, size in sorted(found.items()))
