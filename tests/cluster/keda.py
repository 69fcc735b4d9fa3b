"""KEDA beside the cluster, built from its Go module: it scales the release's workers by the length of their queues."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.cluster.apis import served_api
from tests.cluster.faults import Release, service_url
from tests.cluster.go_programs import PROGRAMS, built, module_folder
from tests.cluster.node import Node, wait_until
from tests.cluster.progress import say

METRICS_PORT = 9280
_SCALERS_PORT, _API_PORT = 9666, 9643
_ENVIRONMENT = {"WATCH_NAMESPACE": "", "POD_NAMESPACE": "keda", "KEDA_CLUSTER_OBJECT_NAMESPACE": "keda"}
_UPLOADS = 80
_SCALED = {"keda": {"enabled": True, "min": 1, "max": 2, "tasksPerReplica": 5}}


def start_keda(node: Node) -> None:
    """Operator and metrics server; they end with the node."""
    folder = node.folder / "keda"
    _keys(folder)
    definitions = module_folder(PROGRAMS["keda"]) / "config" / "crd" / "bases"
    node.run("kubectl", "create", "namespace", "keda")
    node.run("kubectl", "create", "-f", str(definitions))
    addresses = (f"--metrics-bind-address=127.0.0.1:{METRICS_PORT}", "--health-probe-bind-address=0")
    scalers = f"127.0.0.1:{_SCALERS_PORT}"
    node.program(
        "keda",
        *(str(built("keda")), f"--cert-dir={folder}", f"--metrics-service-bind-address={scalers}", *addresses),
        **_ENVIRONMENT,
    )
    node.program(
        "keda-adapter",
        *(str(built("keda-adapter")), f"--cert-dir={folder}", f"--secure-port={_API_PORT}", "--port=9283"),
        *(f"--tls-cert-file={folder}/tls.crt", f"--tls-private-key-file={folder}/tls.key"),
        *(f"--{kind}-kubeconfig={node.admin}" for kind in ("lister", "authentication", "authorization")),
        f"--metrics-service-address=localhost:{_SCALERS_PORT}",
        **_ENVIRONMENT,
    )
    node.run("kubectl", "apply", "-f", "-", given=served_api("external.metrics.k8s.io", "v1beta1", "keda", _API_PORT))


def scaled_by_queue(release: Release, key: str) -> None:
    """KEDA makes an autoscaler for each worker; while users' documents wait, it adds one that reads them."""
    node = release.node
    release.must("install", _SCALED)
    wait_until(lambda: _autoscalers(node) == 4, 120, "KEDA has made an autoscaler for each worker")
    folder = node.folder / "uploads"
    folder.mkdir(exist_ok=True)
    for number in range(_UPLOADS):
        (folder / f"{number}.txt").write_text(f"Rainfall at station {number}\n\n" + "Monthly totals. " * number)
    send = (
        f'curl -s -f -o /dev/null -H "Authorization: Bearer {key}" -F "file=@$f" {service_url(node)}/library/documents'
    )
    node.run("sh", "-c", f"for f in {folder}/*.txt; do {send} || exit 1; done")
    took_s = wait_until(lambda: _ready(node) == 2, 240, "KEDA has added a worker for documents, and it is ready")
    say(f"KEDA's second worker for documents is ready {took_s:.0f} s after the last of {_UPLOADS} uploads")


def _autoscalers(node: Node) -> int:
    return len([one for one in node.get("hpa")["items"] if one["metadata"]["name"].startswith("keda-hpa-")])


def _ready(node: Node) -> int:
    return int(node.get("deployment", "demo-sonde-worker-library")["status"].get("readyReplicas", 0))


def _keys(folder: Path) -> None:
    """One certificate for KEDA's two programs, which speak TLS with each other; it signs itself."""
    folder.mkdir(exist_ok=True)
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    files = ("-keyout", str(folder / "tls.key"), "-out", str(folder / "tls.crt"))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=keda"]
    subprocess.run([*command, "-addext", names, *files], check=True, capture_output=True)
    shutil.copyfile(folder / "tls.crt", folder / "ca.crt")
