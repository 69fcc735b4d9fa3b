"""``make cluster-check``: builds the image, installs the chart in a real Kubernetes, and searches while things fail.

``python -m tests.cluster.check [--keep-image] [--write]``. With ``--write`` the table of searches asked and lost goes
into docs/operate.md. Exits with 1 where a search was lost that should not be. Needs root and ``PACKAGES``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

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
from tests.cluster.kubernetes_binary import kubernetes_binary
from tests.cluster.node import HERE, ROOT, Node, fill_volumes, load_images, running_node, wait_until
from tests.cluster.table import Row, write_table

PACKAGES = {
    "buildah": "buildah",
    "podman": "podman",
    "runc": "runc",
    "containerd": "containerd",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    "mmdebstrap": "mmdebstrap",
    "catatonit": "catatonit",
    "iptables": "iptables",
    "conntrack": "conntrack",
    "socat": "socat",
    "dnsmasq": "dnsmasq-base",
}
IMAGES = ("localhost/sonde:check", "localhost/valkey:9.0", "localhost/pause:1")
_SEARCH = "/search?q=rainfall+in+southern+Africa"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep-image", action="store_true", help="do not build the image again")
    parser.add_argument("--write", action="store_true", help="write the table into docs/operate.md")
    given = parser.parse_args(arguments)
    if missing := [package for command, package in PACKAGES.items() if shutil.which(command) is None]:
        say(f"Missing: apt-get install --no-install-recommends {' '.join(missing)}")
        return 2
    node = Node(Path(os.environ.get("SONDE_CLUSTER", "/tmp/sonde-cluster")), kubernetes_binary())
    if not given.keep_image:
        with step("image"):
            subprocess.run([HERE / "image" / "build.sh", ROOT, "check"], env=node.environment, check=True)
            subprocess.run([HERE / "image" / "size.sh", IMAGES[0]], env=node.environment, check=True)
    with step("node"), running_node(node):
        rows = _check(node)
    for row in rows:
        say(row.line())
    if given.write:
        write_table(rows)
    return int(not all(row.holds for row in rows))


def _check(node: Node) -> list[Row]:
    with step("images into the node"):
        load_images(node, IMAGES)
    fill_volumes(node, samples_folder())
    with servers(node):
        node.run("kubectl", "apply", "-f", "-", given=_text("beside.yaml").replace("$volumes", str(node.volumes)))
        release = Release(node, _values())
        with step("install values-small.yaml"):
            release.must("install")
            wait_until(lambda: release.whole(1), 300, "every pod is ready")
        with step("first harvest, whose worker is deleted"):
            interrupted_harvest(release)
        with step("helm test"):
            release.must("test")
        with step("upload"):
            key = upload(node)
            wait_until(lambda: uploads(node, key) == ["ready"], 300, "the upload is ready")
        say(_memory(node))
        two = Release(node, merged(_values(), {"api": {"replicas": 2}}))
        rows = [_under(two, name, fault) for name, fault in FAULTS.items()]
        assert records(node) == _files(), "records are gone"
        assert uploads(node, key) == ["ready"], "the upload is gone"
        say(_memory(node))
        with step("uninstall"):
            two.must("uninstall")
        left = {one["metadata"]["name"] for one in node.get("pvc")["items"]}
        assert left == {"records", "demo-sonde-library", "data-demo-sonde-valkey-0"}, left
        return rows


def _under(release: Release, name: str, fault: Callable[[Release], None]) -> Row:
    """One fault while somebody searches four times a second, from five seconds before to five seconds after it."""
    file = release.node.folder / "asked.json"
    for old in (file, file.with_suffix(".stop")):
        old.unlink(missing_ok=True)
    asking = release.node.start("tests.cluster.asking", f"{service_url(release.node)}{_SEARCH}", str(file))
    with step(name):
        time.sleep(5)
        began = time.monotonic()
        fault(release)
        took_s = time.monotonic() - began
        time.sleep(5)
        file.with_suffix(".stop").touch()
        asking.wait(60)
    row = Row.of(name, took_s, json.loads(file.read_text("utf-8")))
    say(row.line())
    return row


@contextmanager
def servers(node: Node) -> Iterator[None]:
    folder = node.folder / "servers"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    for old in ("up", "stop"):
        (folder / old).unlink(missing_ok=True)
    process = node.start("tests.cluster.servers", str(folder))
    try:
        with step("Elasticsearch"):
            wait_until((folder / "up").exists, 300, "Elasticsearch answers")
        yield
    finally:
        (folder / "stop").touch()
        process.wait(120)


def _values() -> dict[str, Any]:
    small = yaml.safe_load((ROOT / "helm" / "sonde" / "values-small.yaml").read_text("utf-8"))
    return merged(small, yaml.safe_load(_text("values.yaml")))


def _text(name: str) -> str:
    return (HERE / name).read_text("utf-8")


def _files() -> int:
    return len(list(samples_folder().glob("*.xml")))


def _memory(node: Node) -> str:
    """Each pod's working set, as the kubelet counts it."""
    stats = json.loads(node.run("kubectl", "get", "--raw", "/api/v1/nodes/node1/proxy/stats/summary"))
    found = {pod["podRef"]["name"]: pod.get("memory", {}).get("workingSetBytes", 0) >> 20 for pod in stats["pods"]}
    return "MiB: " + ", ".join(f"{name} {size}" for name, size in sorted(found.items()))


@contextmanager
def step(name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    say(f"{time.strftime('%T')} {name}: {time.monotonic() - began:.0f} s")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
