"""The nodes of the check: a Kubernetes in its own namespaces, and commands inside it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NAMESPACE = "geo"
PATIENT = ("--retry", "10", "--retry-delay", "3", "--retry-all-errors")
"""For curl, where Elasticsearch may be starting again."""


@dataclass(frozen=True)
class Node:
    """``folder``: where images, volumes and the node's own files are; ``binary``: all parts of Kubernetes."""

    folder: Path
    binary: Path

    @property
    def volumes(self) -> Path:
        return self.folder / "node" / "volumes"

    @property
    def admin(self) -> Path:
        """The administrator's kubeconfig."""
        return self.folder / "node" / "keys" / "admin.yaml"

    @property
    def environment(self) -> dict[str, str]:
        given = {"SONDE_CLUSTER": str(self.folder), "SONDE_KUBERNETES": str(self.binary), "PYTHONPATH": str(ROOT)}
        return {**os.environ, **given}

    def run(self, *command: str, given: str | None = None, timeout_s: float = 900) -> str:
        """What it printed. Raises RuntimeError with its last words where it fails."""
        done = self.attempt(*command, given=given, timeout_s=timeout_s)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {(done.stderr + done.stdout)[-2000:]}")
        return done.stdout

    def attempt(
        self, *command: str, given: str | None = None, timeout_s: float = 900
    ) -> subprocess.CompletedProcess[str]:
        argv = [str(HERE / "in.sh"), *command]
        return subprocess.run(
            argv, input=given, env=self.environment, capture_output=True, text=True, timeout=timeout_s, check=False
        )

    def start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        """A module of this project, inside the namespaces; its words go to ``MODULE.log``."""
        return self.program(module, sys.executable, "-m", module, *arguments)

    def program(self, name: str, *command: str, **environment: str) -> subprocess.Popen[bytes]:
        """As ``start``; its words go to ``NAME.log``."""
        with (self.folder / f"{name}.log").open("ab") as log:
            inside = [str(HERE / "in.sh"), *command]
            return subprocess.Popen(inside, cwd=ROOT, env=self.environment | environment, stdout=log, stderr=log)

    def module(self, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.attempt(sys.executable, "-m", module, *arguments)

    def kubectl(self, *arguments: str, given: str | None = None) -> str:
        return self.run("kubectl", "-n", NAMESPACE, *arguments, given=given)

    def get(self, *arguments: str) -> Any:
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))

    def pods(self, role: str) -> list[Any]:
        """Those that are not being deleted."""
        found = self.get("pods", "-l", f"app.kubernetes.io/component={role}")["items"]
        return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]

    def ready(self, role: str, count: int) -> bool:
        pods = self.pods(role)
        return len(pods) == count and all(_is_ready(pod) for pod in pods)


@contextmanager
def running_node(node: Node) -> Iterator[None]:
    """Up and ready as long as the ``with``; its files but images are removed afterwards."""
    _end(node)
    node.folder.mkdir(parents=True, exist_ok=True)
    with (node.folder / "node.log").open("wb") as log:
        up = subprocess.Popen([HERE / "up.sh"], env=node.environment, stdout=log, stderr=log, start_new_session=True)
    try:
        wait_until(lambda: (node.folder / "node" / "up").exists() and up.poll() is None, 120, "the API answers")
        wait_until(lambda: "True" in node.kubectl("get", "nodes", "-o", _READY), 120, "the node is ready")
        yield
    finally:
        _end(node)
        up.wait()


def start_second_node(node: Node) -> None:
    """It has the images of the first, ends with it, and takes no pod before it is uncordoned."""
    node.program("second-node", str(HERE / "second-node.sh"))
    wait_until(lambda: node.kubectl("get", "nodes", "-o", _READY).split() == ["True"] * 2, 120, "two nodes are ready")
    node.run("kubectl", "cordon", "node2")


_READY = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}'


def _end(node: Node) -> None:
    subprocess.run([HERE / "down.sh", "--remove"], env=node.environment, check=True)


def load_images(node: Node, images: Sequence[str]) -> None:
    """From where they were built into the node."""
    for image in images:
        subprocess.run([HERE / "image" / "load.sh", image], env=node.environment, check=True, capture_output=True)


def emptied_volumes(node: Node, records: Path) -> None:
    """But for the one that holds ``records``."""
    for name in ("1", "2"):
        shutil.rmtree(node.volumes / name, ignore_errors=True)
        (node.volumes / name).mkdir(parents=True)
    shutil.copytree(records, node.volumes / "records", dirs_exist_ok=True)


def wait_until(holds: Callable[[], bool], seconds: float, what: str) -> float:
    """How many seconds it took. Raises TimeoutError."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > seconds:
            raise TimeoutError(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.5)
    return time.monotonic() - began


def _is_ready(pod: Any) -> bool:
    conditions = pod.get("status", {}).get("conditions", [])
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
