"""Two stand-ins for what is not to be had here: ``python -m tests.cluster.object_metrics API-SERVER``.

``/metrics``: kube-state-metrics, whose Go module is refused: the series that the chart asks of it.
``/pods``: Prometheus' own discovery of pods, which Debian's package lacks: the same targets and labels.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

PORT = 9180
Lists = Mapping[str, list[dict[str, Any]]]
_PATHS = {
    "deployments": "/apis/apps/v1/deployments",
    "pods": "/api/v1/pods",
    "cronjobs": "/apis/batch/v1/cronjobs",
}


def series(found: Lists) -> Iterator[str]:
    """Lines of the exposition format."""
    for one in found["deployments"]:
        labels = _labels(one, deployment=one["metadata"]["name"])
        yield f"kube_deployment_status_replicas_available{labels} {one['status'].get('availableReplicas', 0)}"
    for one in found["pods"]:
        for container in one["status"].get("containerStatuses", []):
            labels = _labels(one, pod=one["metadata"]["name"], container=container["name"])
            yield f"kube_pod_container_status_restarts_total{labels} {container['restartCount']}"
    for one in found["cronjobs"]:
        for field, name in (("lastScheduleTime", "schedule"), ("lastSuccessfulTime", "successful")):
            if when := one["status"].get(field):
                labels = _labels(one, cronjob=one["metadata"]["name"])
                yield f"kube_cronjob_status_last_{name}_time{labels} {datetime.fromisoformat(when).timestamp():.0f}"


def _labels(one: Mapping[str, Any], **more: str) -> str:
    told = {"namespace": one["metadata"]["namespace"], **more}
    return "{" + ", ".join(f'{name}="{value}"' for name, value in told.items()) + "}"


def targets(pods: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each port of each container, with the labels that ``kubernetes_sd_configs`` gives it."""
    return [
        {
            "targets": [f"{pod['status']['podIP']}:{port['containerPort']}"],
            "labels": _labels_of_port(pod, container, port),
        }
        for pod in pods
        if "podIP" in pod["status"]
        for container in pod["spec"]["containers"]
        for port in container.get("ports", [])
    ]


def _labels_of_port(pod: Mapping[str, Any], container: Mapping[str, Any], port: Mapping[str, Any]) -> dict[str, str]:
    about = pod["metadata"]
    told = {
        "namespace": about["namespace"],
        "pod_name": about["name"],
        "pod_container_name": container["name"],
        "pod_container_port_name": port.get("name", ""),
        **{f"pod_label_{escaped(name)}": value for name, value in about.get("labels", {}).items()},
    }
    return {f"__meta_kubernetes_{name}": value for name, value in told.items()}


def escaped(label: str) -> str:
    """As Prometheus writes a label of Kubernetes."""
    return "".join(one if one.isalnum() else "_" for one in label)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/pods":
            self._send(json.dumps(targets(_listed("pods"))), "application/json")
        else:
            lines = series({name: _listed(name) for name in _PATHS})
            self._send("".join(f"{line}\n" for line in lines), "text/plain; version=0.0.4")

    def _send(self, content: str, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


def _listed(name: str) -> list[dict[str, Any]]:
    headers = {"Authorization": "Bearer admin-token"}
    with httpx.Client(base_url=sys.argv[1], verify=False, headers=headers, timeout=10) as client:
        return list(client.get(_PATHS[name]).raise_for_status().json()["items"])


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), _Handler).serve_forever()
