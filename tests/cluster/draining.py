"""The node that everything runs on is drained while somebody searches; the other one takes the pods."""

from __future__ import annotations

from tests.cluster.faults import Release


def drained(release: Release) -> None:
    """Returns when every pod is ready on the second node; the first then takes pods again."""
    node = release.node
    node.run("kubectl", "uncordon", "node2")
    node.run("kubectl", "drain", "node1", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=300s")
    release.wait()
    if where := {pod["spec"]["nodeName"] for pod in node.get("pods")["items"]} - {"node2"}:
        raise RuntimeError(f"pods are still on {where}")
    node.run("kubectl", "uncordon", "node1")
