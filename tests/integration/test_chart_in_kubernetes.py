"""The chart in a real Kubernetes without nodes: examples are admitted; upgrades, hooks and autoscalers act.

Pods are created and stay without a node; `tests/cluster` runs them for real (`make cluster-check`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helm_python import Config, HelmError

from tests.cluster.control_plane import ControlPlane, control_plane
from tests.cluster.kubernetes_binary import NoKubernetes, kubernetes_binary
from tests.cluster.pretended_kubelet import jobs_end
from tests.unit.go_modules import go_module
from tests.unit.rendered_chart import CHART, EXAMPLES, Manifest, Rendered, example
from tests.unit.test_chart_custom_resources import DEFINITIONS

VALUES: dict[str, Any] = {
    "image": {"tag": "first"},
    "elasticsearch": {"url": "http://elasticsearch:9200"},
    "broker": {"bundled": {"enabled": True}},
    "library": {"enabled": True},
    "api": {"autoscaling": {"enabled": True, "min": 2, "max": 8}},
}


@pytest.fixture(scope="module")
def kubernetes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    try:
        binary = kubernetes_binary()
    except NoKubernetes as error:
        pytest.skip(str(error))
    with control_plane(binary, tmp_path_factory.mktemp("kubernetes")) as control:
        files = [go_module(one.module) / one.path for one in DEFINITIONS.values()]
        control.done("create", *(f"--filename={file}" for file in files))
        control.done("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        yield control


@pytest.fixture
def namespace(kubernetes: ControlPlane, request: pytest.FixtureRequest) -> str:
    """A namespace of this test under the restricted profile."""
    name = str(request.node.originalname).replace("_", "-")[:50].strip("-")
    levels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
    given = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": levels}}]
    kubernetes.done("apply", "-f", "-", given=given)
    _eventually(lambda: kubernetes.get("serviceaccounts", "-n", name)["items"] != [])
    return name


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_is_admitted_under_the_restricted_profile(
    kubernetes: ControlPlane, namespace: str, name: str
) -> None:
    rendered = Rendered.of(example(name))
    done = _dry_run(kubernetes, namespace, [*rendered.manifests, *_bare_pods(rendered)])
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.count("server dry run") > len(rendered.manifests)


def test_a_pod_that_breaks_the_profile_would_be_refused(kubernetes: ControlPlane, namespace: str) -> None:
    pod = _bare_pods(Rendered.of(example("minimal")))[0]
    del pod["spec"]["containers"][0]["securityContext"]["capabilities"]
    done = _dry_run(kubernetes, namespace, [pod])
    assert "violates PodSecurity" in done.stderr


def test_a_release_gets_its_pods_and_keeps_what_its_autoscaler_set(kubernetes: ControlPlane, namespace: str) -> None:
    with Config(kubeconfig_path=kubernetes.kubeconfig, namespace=namespace) as helm:
        with jobs_end(kubernetes, namespace, well=True):
            helm.install(str(CHART), "demo", VALUES, namespace=namespace, timeout=60)
        workers = dict.fromkeys(("worker-harvest", "worker-documents", "worker-embed", "worker-library"), 1)
        owners = {"api": 2, "beat": 1, "valkey": 1, **workers}
        _eventually(lambda: _pods(kubernetes, namespace) == owners)

        _scale(kubernetes, namespace, 1)
        _eventually(lambda: _replicas(kubernetes, namespace) == 2)  # the autoscaler's least

        _scale(kubernetes, namespace, 5)  # as an autoscaler does under load
        with jobs_end(kubernetes, namespace, well=True):
            helm.upgrade(str(CHART), "demo", VALUES | {"image": {"tag": "second"}}, namespace=namespace, timeout=60)
        api = kubernetes.get("deployment", "demo-sonde-api", "-n", namespace)
        assert (api["spec"]["replicas"], _image(api)) == (5, "sonde:second")


def test_a_migration_that_fails_stops_the_upgrade_and_the_next_one_succeeds(
    kubernetes: ControlPlane, namespace: str
) -> None:
    def image() -> str:
        return _image(kubernetes.get("deployment", "demo-sonde-api", "-n", namespace))

    second = VALUES | {"image": {"tag": "second"}}
    with Config(kubeconfig_path=kubernetes.kubeconfig, namespace=namespace) as helm:
        with jobs_end(kubernetes, namespace, well=True):
            helm.install(str(CHART), "demo", VALUES, namespace=namespace, timeout=60)
        with jobs_end(kubernetes, namespace, well=False), pytest.raises(HelmError):
            helm.upgrade(str(CHART), "demo", second, namespace=namespace, timeout=60)
        assert image() == "sonde:first"
        _eventually(lambda: kubernetes.get("jobs", "-n", namespace)["items"] == [])

        with jobs_end(kubernetes, namespace, well=True):
            helm.upgrade(str(CHART), "demo", second, namespace=namespace, timeout=60)
        assert image() == "sonde:second"
        helm.rollback("demo", version=1, timeout=60)
        assert image() == "sonde:first"
        helm.uninstall("demo", timeout=60)
    _eventually(lambda: kubernetes.get("deployments,statefulsets,jobs,hpa", "-n", namespace)["items"] == [])
    kept = {one["metadata"]["name"] for one in kubernetes.get("pvc", "-n", namespace)["items"]}
    assert kept == {"demo-sonde-library", "data-demo-sonde-valkey-0"}


def test_a_first_install_that_failed_is_repeated_by_the_same_command(kubernetes: ControlPlane, namespace: str) -> None:
    with Config(kubeconfig_path=kubernetes.kubeconfig, namespace=namespace) as helm:
        with jobs_end(kubernetes, namespace, well=False), pytest.raises(HelmError):
            helm.install(str(CHART), "demo", VALUES, namespace=namespace, timeout=60)
        assert kubernetes.get("deployments", "-n", namespace)["items"] == []
        with jobs_end(kubernetes, namespace, well=True):  # `helm upgrade --install` does this
            helm.upgrade(str(CHART), "demo", VALUES, namespace=namespace, timeout=60)
    assert kubernetes.get("deployment", "demo-sonde-api", "-n", namespace)["spec"]["replicas"] == 2


def _dry_run(kubernetes: ControlPlane, namespace: str, manifests: list[Manifest]) -> Any:
    for one in manifests:
        one["metadata"]["namespace"] = namespace
    return kubernetes.kubectl("create", "--dry-run=server", "--validate=strict", "-f", "-", given=manifests)


def _bare_pods(rendered: Rendered) -> list[Manifest]:
    """Each pod on its own: of what is inside a Deployment the profile warns only."""
    volumes = [{"name": "data", "emptyDir": {}}]  # of a StatefulSet's claim
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{name}-pod", "labels": pod["metadata"]["labels"]},
            "spec": pod["spec"] | {"volumes": pod["spec"].get("volumes", volumes)},
        }
        for name, pod in rendered.pods()
    ]


def _pods(kubernetes: ControlPlane, namespace: str) -> dict[str, int]:
    """How many pods of each role there are."""
    found: dict[str, int] = {}
    for pod in kubernetes.get("pods", "-n", namespace)["items"]:
        role = pod["metadata"]["labels"]["app.kubernetes.io/component"]
        found[role] = found.get(role, 0) + 1
    return found


def _scale(kubernetes: ControlPlane, namespace: str, replicas: int) -> None:
    kubernetes.done("scale", "deploy/demo-sonde-api", "-n", namespace, f"--replicas={replicas}")


def _replicas(kubernetes: ControlPlane, namespace: str) -> int:
    return int(kubernetes.get("deployment", "demo-sonde-api", "-n", namespace)["spec"]["replicas"])


def _image(deployment: Manifest) -> str:
    return str(deployment["spec"]["template"]["spec"]["containers"][0]["image"])


def _eventually(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.2)
