"""What the check does to a release while somebody searches; each returns when the release is whole again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.node import HERE, PATIENT, ROOT, Node, wait_until

API_PODS = 2
CHART = ROOT / "helm" / "sonde"
WORKERS_OF_0_1_0 = ("worker-harvest", "worker-documents", "worker-embed")
WORKERS = (*WORKERS_OF_0_1_0, "worker-library")


@dataclass(frozen=True)
class Release:
    """The release of the check with its values."""

    node: Node
    values: Mapping[str, Any]
    name: str = "demo"
    chart: Path = CHART
    workers: Sequence[str] = WORKERS

    def helm(self, command: str, changes: Mapping[str, Any] | None = None, timeout_s: int = 600) -> str | None:
        """What Helm says where it fails; None where it succeeds."""
        file = self.node.folder / "values.yaml"
        file.write_text(yaml.safe_dump(merged(self.values, changes or {})))
        given = [str(file)] if command == "install" else []
        done = self.node.module(
            "tests.cluster.release", command, self.name, *given, f"--timeout={timeout_s}", f"--chart={self.chart}"
        )
        return done.stderr[-2000:] if done.returncode else None

    def must(self, command: str, changes: Mapping[str, Any] | None = None) -> None:
        if wrong := self.helm(command, changes):
            raise RuntimeError(wrong)

    def whole(self, api_pods: int = API_PODS) -> bool:
        node = self.node
        return node.ready("api", api_pods) and all(node.ready(role, 1) for role in (*self.workers, "beat", "valkey"))

    def wait(self, api_pods: int = API_PODS) -> None:
        wait_until(lambda: self.whole(api_pods), 600, "every pod is ready")


def merged(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """As Helm lays one file of values over another."""
    found = dict(values)
    for key, value in changes.items():
        inner = found.get(key)
        found[key] = merged(inner, value) if isinstance(inner, Mapping) and isinstance(value, Mapping) else value
    return found


def two_replicas(release: Release) -> None:
    release.must("install", {"podAnnotations": {"check/round": "two"}})
    release.wait()


def upgrade(release: Release) -> None:
    """Every pod is replaced."""
    release.must("install", {"podAnnotations": {"check/round": "three"}})
    release.wait()


def rollback(release: Release) -> None:
    release.must("rollback")
    release.wait()


def failed_migration(release: Release) -> None:
    """An upgrade to an Elasticsearch that is not there is refused, and leaves no job."""
    nowhere = {"elasticsearch": {"url": "http://nowhere:9200"}}
    if release.helm("install", nowhere, timeout_s=60) is None:
        raise RuntimeError("an upgrade without its Elasticsearch was taken")
    wait_until(lambda: release.node.get("jobs")["items"] == [], 120, "the failed job is removed")


def recovery(release: Release) -> None:
    """The same command with the right values, after the upgrade that failed."""
    release.must("install", {"podAnnotations": {"check/round": "four"}})
    release.wait()


def api_pod_deleted(release: Release) -> None:
    _delete(release, "api", 1)


def every_worker_deleted(release: Release) -> None:
    for role in (*release.workers, "beat"):
        _delete(release, role, 1)


def broker_restarted(release: Release) -> None:
    _delete(release, "valkey", 1)
    time.sleep(10)  # what depends on it notices


def api_master_killed(release: Release) -> None:
    """`kill -9` of the first process of one API pod, from the node."""
    uid = release.node.pods("api")[0]["metadata"]["uid"]
    command = f'for p in $(pgrep -f [s]onde.server); do grep -q "{uid}" /proc/$p/cgroup && echo $p; done | head -1'
    release.node.run("sh", "-c", f"kill -9 $({command})")
    wait_until(lambda: not release.whole(), 30, "the kill is seen")
    release.wait()


FAULTS: Mapping[str, Callable[[Release], None]] = {
    "upgrade from one API pod to two": two_replicas,
    "upgrade, every pod replaced": upgrade,
    "rollback": rollback,
    "upgrade with a migration that fails": failed_migration,
    "the next upgrade": recovery,
    "one API pod deleted": api_pod_deleted,
    "every worker and beat deleted": every_worker_deleted,
    "broker's pod deleted": broker_restarted,
    "`kill -9` of an API pod's first process": api_master_killed,
}


def _delete(release: Release, role: str, count: int, api_pods: int = API_PODS) -> None:
    pods = release.node.pods(role)[:count]
    for pod in pods:
        release.node.kubectl("delete", "pod", pod["metadata"]["name"])  # waits until it is gone
    wait_until(lambda: release.whole(api_pods), 300, "every pod is ready")


def records(node: Node) -> int:
    """How many records the API has."""
    return int(json.loads(ask(node, "/collections/all/items?limit=1"))["numberMatched"])


def ask(node: Node, path: str, *options: str) -> str:
    return node.run("curl", "--silent", "--fail", *options, f"{service_url(node)}{path}")


def interrupted_harvest(release: Release) -> None:
    """The first harvest loses its worker when some records are there, and ends with all of them."""
    node, all_records = release.node, len(list(samples_folder().glob("*.xml")))
    wait_until(lambda: records(node) > 0, 300, "the first records are there")
    seen = records(node)
    _delete(release, "worker-harvest", 1, api_pods=1)
    wait_until(lambda: records(node) == all_records, 600, f"all records are there after {seen} of them")


def upload(node: Node, user: str = "check") -> str:
    """A key made in a pod; the user uploads a document by it. The same document of another user is read again."""
    key = key_of(node, user, "library", "search")
    file = f"file=@{HERE / 'upload.txt'}"
    ask(node, "/library/documents", "-H", f"Authorization: Bearer {key}", "-F", file, *PATIENT)
    return key


def key_of(node: Node, subject: str, *scopes: str) -> str:
    options = [word for scope in scopes for word in ("--scope", scope)]
    add = ("sonde", "keys", "add", "--subject", subject, *options, "--json")
    return str(json.loads(node.kubectl("exec", "deploy/demo-sonde-api", "--", *add))["key"])


def uploads(node: Node, key: str) -> list[str]:
    """The states of that user's documents."""
    answer = json.loads(ask(node, "/library/documents", "-H", f"Authorization: Bearer {key}"))
    return [one["state"] for one in answer["documents"]]


def service_url(node: Node) -> str:
    return f"http://{node.get('service', 'demo-sonde-api')['spec']['clusterIP']}"


def samples_folder() -> Path:
    return ROOT / "samples" / "records"
