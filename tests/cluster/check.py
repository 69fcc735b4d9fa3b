"""``make cluster-check``: builds the images, installs the chart in a real Kubernetes, and searches while things fail.

``python -m tests.cluster.check [--keep-image] [--write] [--only PART]...``. With ``--write`` what was seen goes into
results/VERSION/cluster.json. Exits with 1 where a search was lost that should not be. Needs root and ``PACKAGES``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from local_stack.elasticsearch import prepare_server
from local_stack.part import ignore_event
from local_stack.settings import StackConfig, default_cache
from tests.cluster import old_release
from tests.cluster.course import KEDA, NAMES, OLD, PARTS, SCALING, course
from tests.cluster.elastic_operator import reconciled
from tests.cluster.go_programs import built
from tests.cluster.kubernetes_binary import kubernetes_binary
from tests.cluster.node import HERE, ROOT, Node, load_images, running_node, start_second_node, wait_until
from tests.cluster.progress import say, step
from tests.cluster.table import Findings, write_findings

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
    "prometheus": "prometheus",
}
IMAGES = ("localhost/sonde:check", "localhost/valkey:9.0", "localhost/pause:1")

OPERATOR = "operator"
PROGRAMS_OF: Mapping[str, Sequence[str]] = {
    OPERATOR: ["elastic-operator"],
    SCALING: ["metrics-server"],
    KEDA: ["keda", "keda-adapter"],
}
"""What is had as Go modules alone: minutes of processor time each, where it is not in the cache."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep-image", action="store_true", help="do not build the images again")
    parser.add_argument("--write", action="store_true", help="write what was seen into results/VERSION/cluster.json")
    parser.add_argument(
        "--only",
        action="append",
        choices=[OPERATOR, *PARTS],
        help="not the others; --write keeps what these saw before",
    )
    given = parser.parse_args(arguments)
    if missing := [package for command, package in PACKAGES.items() if shutil.which(command) is None]:
        say(f"Missing: apt-get install --no-install-recommends {' '.join(missing)}")
        return 2
    node = Node(Path(os.environ.get("SONDE_CLUSTER", "/tmp/sonde-cluster")), kubernetes_binary())
    parts = given.only or [OPERATOR, *PARTS]
    with ThreadPoolExecutor(2) as pool:  # one compiles while the other fetches
        programs = pool.submit(_build_programs, parts)
        if not given.keep_image:
            _build_images(node, parts)
        programs.result()
    with step("Elasticsearch's files"):
        prepare_server(StackConfig(Path(), os.environ, default_cache()), ignore_event)  # the cluster has no way out
    found = _found(node, parts)
    for row in found.rows:
        say(row.line())
    if given.write:
        write_findings(found, NAMES)
    return int(bool(found.failures) or not all(row.holds for row in found.rows))


def _build_programs(parts: Sequence[str]) -> None:
    for part in PROGRAMS_OF.keys() & set(parts):
        for name in PROGRAMS_OF[part]:
            with step(name):
                built(name)


def _build_images(node: Node, parts: Sequence[str]) -> None:
    with step("image"):
        subprocess.run([HERE / "image" / "build.sh", ROOT, "check"], env=node.environment, check=True)
        subprocess.run([HERE / "image" / "size.sh", IMAGES[0]], env=node.environment, check=True)
    if OLD in parts:
        with step("image of 0.1.0"):
            subprocess.run(
                [HERE / "image" / "old.sh", old_release.COMMIT, old_release.TAG], env=node.environment, check=True
            )


def _found(node: Node, parts: Sequence[str]) -> Findings:
    """With what earlier runs of single parts found."""
    file = node.folder / "seen.json"
    if set(parts) == {OPERATOR, *PARTS}:
        file.unlink(missing_ok=True)
    found = Findings.kept(file)
    if OPERATOR in parts:
        with step("Elastic's operator"):
            found.note("What Elastic's operator made of the chart's resource", reconciled())
    if set(parts) & set(PARTS):
        with step("the cluster"), running_node(node):
            with step("images into the node"):
                load_images(node, (*IMAGES, old_release.IMAGE) if OLD in parts else IMAGES)
            with step("a second node"):
                start_second_node(node)
            with servers(node):
                course(node, parts, found)
    return found


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
            wait_until(lambda: _is_up(folder, process), 300, "Elasticsearch answers")
        yield
    finally:
        (folder / "stop").touch()
        process.wait(120)


def _is_up(folder: Path, process: subprocess.Popen[bytes]) -> bool:
    if process.poll() is not None:
        raise RuntimeError(f"The servers beside the pods ended: see {folder.parent}/tests.cluster.servers.log")
    return (folder / "up").exists()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
