"""Elastic's operator (ECK), built from its Go module, against an API server: what it makes of the chart's resource.

``python -m tests.cluster.elastic_operator``. No pod runs, so no image is needed. Exits with 1
where something is missing that the chart's pods name.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sonde.cli.plan import Demand, chart_values
from tests.cluster.control_plane import ControlPlane, control_plane
from tests.cluster.go_programs import PROGRAMS, built, module_folder
from tests.cluster.kubernetes_binary import kubernetes_binary
from tests.cluster.node import wait_until
from tests.cluster.progress import say, step
from tests.unit.rendered_chart import Manifest, Rendered, example

_MAKES_WITHIN_S = 120.0
_NAME = "demo-sonde-search"
_MILLION = 1_000_000


def charts() -> dict[str, tuple[str, dict[str, Any]]]:
    """Where values with an Elasticsearch come from, and the values, by the namespace that they are tried in."""
    planned = chart_values(Demand(records=_MILLION, passages=_MILLION, searches=20.0))
    return {"small": ("`values-small.yaml`", example("small")), "million": ("`sonde plan` for a million", planned)}


def reconciled() -> list[str]:
    """Lines of the page, one for each values file. Raises RuntimeError, or TimeoutError where nothing is made."""
    with tempfile.TemporaryDirectory(prefix="sonde-eck-") as folder:
        with step("API server"):
            control = control_plane(kubernetes_binary(), Path(folder))
        with control as kubernetes, _operator(kubernetes, Path(folder)):
            return [_made(kubernetes, name, *values) for name, values in charts().items()]


@contextmanager
def _operator(kubernetes: ControlPlane, folder: Path) -> Iterator[None]:
    program, module = built("elastic-operator"), module_folder(PROGRAMS["elastic-operator"])
    kubernetes.done("create", "-f", str(module / "config" / "crds" / "v1" / "all-crds.yaml"))
    kubernetes.done("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    kubernetes.done("create", "namespace", "elastic-system")
    options = ("--enable-webhook=false", "--operator-namespace=elastic-system", "--disable-telemetry")
    more = ("--metrics-port=0", "--enable-leader-election=false", "--set-default-security-context=false")
    with (folder / "operator.log").open("wb") as log:
        process = subprocess.Popen(
            [str(program), "manager", *options, *more],
            env={**os.environ, "KUBECONFIG": str(kubernetes.kubeconfig)},
            stdout=log,
            stderr=log,
        )
    try:
        yield
    except TimeoutError as error:
        raise RuntimeError(f"{error}: {(folder / 'operator.log').read_text('utf-8')[-3000:]}") from error
    finally:
        process.terminate()
        process.wait(30)


def _made(kubernetes: ControlPlane, name: str, origin: str, values: dict[str, Any]) -> str:
    """What the operator makes of the chart's Elasticsearch, in the namespace ``name``."""
    kubernetes.done("create", "namespace", name)
    user = {"username": "sonde", "password": "only-for-the-check", "roles": "sonde"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "search-user"}, "stringData": user}
    chart = Rendered.of(values)
    (search,) = chart.of_kind("Elasticsearch")
    role = chart.one("Secret", f"{_NAME}-role")
    given = [secret | {"type": "kubernetes.io/basic-auth"}, role, search]
    for one in given:
        one["metadata"]["namespace"] = name
    kubernetes.done("apply", "-f", "-", given=given)
    took_s = wait_until(lambda: _is_there(kubernetes, name), _MAKES_WITHIN_S, f"{name}: the StatefulSet is made")
    found = kubernetes.get("statefulset", f"{_NAME}-es-default", "-n", name)
    _require(kubernetes, name, search, found)
    replicas = found["spec"]["replicas"]
    say(f"{name}: {replicas} nodes of {found['spec']['template']['spec']['containers'][0]['image']}, {took_s:.0f} s")
    return f"- {origin}: a StatefulSet of {replicas}, its service, certificates and Sonde's user."


def _is_there(kubernetes: ControlPlane, namespace: str) -> bool:
    names = {one["metadata"]["name"] for one in kubernetes.get("statefulsets", "-n", namespace)["items"]}
    return f"{_NAME}-es-default" in names


def _require(kubernetes: ControlPlane, namespace: str, asked: Manifest, made: Manifest) -> None:
    """What the pods of the chart name, and what the chart asks for. Raises RuntimeError."""
    (nodes,) = asked["spec"]["nodeSets"]
    wrong = []
    if made["spec"]["replicas"] != nodes["count"]:
        wrong.append(f"{made['spec']['replicas']} replicas")
    (container,) = [one for one in made["spec"]["template"]["spec"]["containers"] if one["name"] == "elasticsearch"]
    (wanted,) = nodes["podTemplate"]["spec"]["containers"]
    if container["resources"]["requests"] != wanted["resources"]["requests"]:
        wrong.append(f"requests {container['resources']}")
    if kubernetes.get("service", f"{_NAME}-es-http", "-n", namespace)["spec"]["ports"][0]["port"] != 9200:
        wrong.append("another port")
    if "ca.crt" not in _secret(kubernetes, namespace, f"{_NAME}-es-http-certs-public"):
        wrong.append("no CA for Sonde's pods")
    realm = _secret(kubernetes, namespace, f"{_NAME}-es-xpack-file-realm")
    if b"sonde:" not in base64.b64decode(realm.get("users", "")):
        wrong.append("no user for Sonde")
    if wrong:
        raise RuntimeError(f"{namespace}: {', '.join(wrong)}")


def _secret(kubernetes: ControlPlane, namespace: str, name: str) -> dict[str, Any]:
    return dict(kubernetes.get("secret", name, "-n", namespace).get("data", {}))


if __name__ == "__main__":
    for line in reconciled():
        say(line)
    sys.exit(0)
