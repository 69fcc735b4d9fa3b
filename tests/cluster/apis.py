"""Servers of further APIs beside the API server: Kubernetes' metrics server, which autoscalers ask."""

from __future__ import annotations

import yaml

from tests.cluster.go_programs import built
from tests.cluster.node import Node, wait_until

_PORT = 4443


def served_api(group: str, version: str, namespace: str, port: int) -> str:
    """Manifests that make the API server ask a server of its own host for a group of resources."""
    name = group.partition(".")[0]
    port_of = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"{name}-api", "namespace": namespace}}
    service = port_of | {"spec": {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": port}]}}
    spec = {
        "group": group,
        "version": version,
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "insecureSkipTLSVerify": True,
        "service": {"name": f"{name}-api", "namespace": namespace, "port": port},
    }
    api = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService"}
    return yaml.safe_dump_all([service, {**api, "metadata": {"name": f"{version}.{group}"}, "spec": spec}])


def start_metrics_server(node: Node) -> None:
    """Kubernetes' own, built from its Go module: a program beside the kubelet and no pod. It ends with the node."""
    node.program(
        "metrics-server",
        str(built("metrics-server")),
        *(f"--{kind}kubeconfig={node.admin}" for kind in ("", "authentication-", "authorization-")),
        *(f"--secure-port={_PORT}", "--bind-address=127.0.0.1", f"--cert-dir={node.folder / 'metrics-server'}"),
        *("--kubelet-insecure-tls", "--kubelet-preferred-address-types=InternalIP"),
        *("--metric-resolution=12s", "--kubelet-request-timeout=8s"),
    )
    node.run("kubectl", "apply", "-f", "-", given=served_api("metrics.k8s.io", "v1beta1", "kube-system", _PORT))
    wait_until(lambda: _tells(node), 120, "the metrics server tells of pods")


def _tells(node: Node) -> bool:
    return node.attempt("kubectl", "top", "pods", "-A").returncode == 0
