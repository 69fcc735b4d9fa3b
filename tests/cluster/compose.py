"""``make compose-check``: compose.yaml by a real Docker, as docs/operators/docker.md says it.

A Docker daemon of its own (Debian's), Docker Compose built from its Go module, Sonde's image by the Dockerfile. The
images of Elasticsearch and Valkey are stand-ins with the same entry points (image/compose-images.sh): no registry is
reached. ``--keep-image`` does not build again. Needs root and ``PACKAGES``; leaves the images in ``SONDE_CLUSTER``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from lab.operating.upgrade import BASES
from lab.results.tables import ResultRow, ResultTable, newest_results, save_table
from local_stack.elasticsearch import prepare_server
from local_stack.part import ignore_event
from local_stack.ports import free_port
from local_stack.settings import StackConfig, default_cache
from sonde.ops.measured import this_run
from tests.cluster.go_programs import DOCKER_COMPOSE, built
from tests.cluster.node import HERE, ROOT, wait_until
from tests.cluster.progress import say, step

COMMAND = "make compose-check"
PACKAGES = {
    "buildah": "buildah",
    "dockerd": "docker.io",
    "mmdebstrap": "mmdebstrap",
    "catatonit": "catatonit",
    "iptables": "iptables",
}
THIS = "local"
"""The tag of this checkout's image."""
SAMPLES = 169
_QUESTION = {"q": "rainfall in southern Africa since 1990"}
_UP_S, _HARVEST_S, _DAEMON_S = 600, 600, 60
"""How long a state may take here, on two cores."""


@dataclass(frozen=True)
class Project:
    """A stack of Compose in a folder with its compose.yaml; ``tag``: of the image ``sonde:local`` that it runs."""

    folder: Path
    port: int
    environment: dict[str, str]
    tag: str

    def compose(self, *words: str, seconds: int = _UP_S) -> str:
        """What `docker compose` printed. Raises RuntimeError with its own words."""
        argv = [str(built(DOCKER_COMPOSE)), "--project-name", "sonde-check", *words]
        return _run(argv, self.environment | {"SONDE_PORT": str(self.port)}, self.folder, seconds)

    def up(self) -> None:
        """Until every container is healthy."""
        _run(["docker", "tag", f"localhost/sonde:{self.tag}", "sonde:local"], self.environment, self.folder)
        self.compose("up", "--detach", "--no-build")
        wait_until(lambda: all("(healthy)" in line for line in self._states()), _UP_S, "every container is healthy")

    def sonde(self, *words: str) -> str:
        """A `sonde` command in the API's container."""
        return self.compose("exec", "-T", "api", "docker-entrypoint.sh", *words)

    def search(self) -> dict[str, Any]:
        answer = httpx.get(f"http://127.0.0.1:{self.port}/search", params=_QUESTION, timeout=30)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def records(self) -> int:
        """Of the whole catalogue; 0 where nobody answers yet."""
        try:
            answer = httpx.get(f"http://127.0.0.1:{self.port}/search", params={"limit": 1}, timeout=30)
            return int(answer.json()["numberMatched"])
        except (httpx.HTTPError, KeyError, ValueError):
            return 0

    def containers(self) -> dict[str, dict[str, Any]]:
        """What Docker knows of each running service."""
        ids = self.compose("ps", "--quiet").split()
        inspected = json.loads(_run(["docker", "inspect", *ids], self.environment, self.folder))
        return {one["Config"]["Labels"]["com.docker.compose.service"]: one for one in inspected}

    def _states(self) -> list[str]:
        return self.compose("ps", "--format", "{{.Service}} {{.Status}}").splitlines()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep-image", action="store_true", help="do not build this version's image again")
    parser.add_argument("--write", action="store_true", help="write what was seen into results/VERSION/compose.json")
    parser.add_argument("--no-upgrades", action="store_true", help="this version alone")
    options = parser.parse_args(arguments)
    if missing := [package for command, package in PACKAGES.items() if shutil.which(command) is None]:
        say(f"Missing: apt-get install --no-install-recommends {' '.join(missing)}")
        return 2
    work = Path(os.environ.get("SONDE_CLUSTER", "/tmp/sonde-cluster"))
    with tempfile.TemporaryDirectory(prefix="sonde-compose-") as name, _docker(Path(name), work) as environment:
        with step("Docker Compose"):
            built(DOCKER_COMPOSE)
        with step("images"):
            _load_images(environment, options.keep_image)
        project = Project(_files("HEAD", Path(name) / "new"), free_port(), environment, THIS)
        rows = {"fresh": _course(project)}
        for version, commit in {} if options.no_upgrades else BASES.items():
            rows[f"from_{version}"] = _upgrade(project, version, commit, Path(name) / version)
    for row in rows.values():
        say(f"{row.what}: {json.dumps(row.figures)}")
    if options.write:
        save_table(newest_results() / "compose.json", ResultTable(title="Docker Compose", rows=rows))
    return 0


def _course(project: Project) -> ResultRow:
    """docs/operators/docker.md from the secrets to the end. Raises RuntimeError, TimeoutError or AssertionError."""
    _run(["./compose-secrets.sh"], project.environment, project.folder)
    figures: dict[str, float] = {}
    with step("up"):
        figures["up_s"] = _timed(project.up)
    with step("the samples are harvested by schedule"):
        figures["harvest_s"] = round(wait_until(lambda: project.records() == SAMPLES, _HARVEST_S, "all samples"))
    _require(bool(project.search()["features"]), "a search finds something")
    _require(project.sonde("keys", "add", "--subject", "you", "--scope", "admin").startswith("sonde_"), "a key")
    say(project.sonde("doctor"))
    with step("limits, accounts, ports"):
        _check_containers(project)
    with step("a worker, the API, Elasticsearch and Valkey are killed"):
        for service in ("worker", "api", "elasticsearch", "valkey"):
            project.compose("kill", "--signal", "KILL", service)
            project.compose("up", "--detach", "--no-build")
        wait_until(lambda: project.records() == SAMPLES, _UP_S, "all samples after kills")
    with step("restart"):
        figures["restart_s"] = _timed(lambda: project.compose("restart"))
        wait_until(lambda: project.records() == SAMPLES, _UP_S, "all samples after a restart")
    with step("down, and up with the same volumes"):
        project.compose("down")
        project.up()
        wait_until(lambda: project.records() == SAMPLES, _UP_S, "all samples of the volumes")
    project.compose("down", "--volumes")
    return _row("secrets, up, harvest, search, doctor, kills, restart, down, up, down", figures)


def _upgrade(project: Project, version: str, commit: str, folder: Path) -> ResultRow:
    """Data of ``version`` are served by this one from the same volumes, and are the same number after `reindex`."""
    with step(f"image of {version}"):
        _run([str(HERE / "image" / "old.sh"), commit, version], project.environment, ROOT, 3600)
        _load(f"localhost/sonde:{version}", project.environment)
    old = replace(project, folder=_files(commit, folder), tag=version)
    _publish_port(old.folder / "compose.yaml")
    _run(["./compose-secrets.sh"], old.environment, old.folder)
    with step(f"{version} with data"):
        old.up()
        old.sonde("harvest", "samples")
        wait_until(lambda: old.records() == SAMPLES, _HARVEST_S, f"all samples in {version}")
    shutil.copytree(old.folder / ".compose-secrets", project.folder / ".compose-secrets", dirs_exist_ok=True)
    _run(["./compose-secrets.sh"], project.environment, project.folder)  # those that are new
    with step(f"{version} becomes this version"):
        took_s = _timed(project.up)
        wait_until(lambda: project.records() == SAMPLES, _UP_S, "all samples after the upgrade")
    with step("reindex"):
        project.sonde("reindex")
        wait_until(lambda: project.records() == SAMPLES, _UP_S, "all samples after the reindex")
        _require(bool(project.search()["features"]), "a search finds something after the upgrade")
    project.compose("down", "--volumes")
    return _row(f"{version} with data becomes this version, `sonde reindex`", {"up_s": took_s})


def _check_containers(project: Project) -> None:
    for service, container in project.containers().items():
        host = container["HostConfig"]
        _require(host["Memory"] > 0, f"{service} has a limit of memory")
        _require(bool(host["LogConfig"]["Config"].get("max-size")), f"{service} has a limit of its log")
        processes = _run(["docker", "top", container["Id"], "-eo", "pid,uid"], project.environment, project.folder)
        accounts = {line.split()[1] for line in processes.splitlines()[1:]}
        _require("0" not in accounts, f"no process of {service} is root's")
        for bindings in container["NetworkSettings"]["Ports"].values():
            _require(all(one["HostIp"] == "127.0.0.1" for one in bindings or []), f"{service} is for this machine only")


@contextmanager
def _docker(folder: Path, work: Path) -> Iterator[dict[str, str]]:
    """A daemon of its own; the images stay in ``work``. Yields the environment of its clients."""
    socket, pid = folder / "docker.sock", folder / "docker.pid"
    argv = [
        "dockerd",
        "--host",
        f"unix://{socket}",
        "--data-root",
        str(work / "docker"),
        "--exec-root",
        str(folder / "exec"),
    ]
    argv += ["--pidfile", str(pid), "--bridge", "none"]
    with (folder / "dockerd.log").open("wb") as log:
        daemon = subprocess.Popen(argv, stdout=log, stderr=log)
        try:
            wait_until(socket.exists, _DAEMON_S, "Docker is there")
            environment = {**os.environ, "DOCKER_HOST": f"unix://{socket}"}
            try:
                yield environment
            finally:
                _remove_containers(environment)
        finally:
            daemon.terminate()
            daemon.wait(_DAEMON_S)


def _remove_containers(environment: dict[str, str]) -> None:
    words = " && ".join(("docker ps -aq | xargs -r docker rm -f", "docker volume prune -f", "docker network prune -f"))
    subprocess.run(["sh", "-c", words], env=environment, check=False, capture_output=True)


def _load_images(environment: dict[str, str], keep_image: bool) -> None:
    if not keep_image:
        _run([str(HERE / "image" / "build.sh"), str(ROOT), THIS], environment, ROOT, 3600)
    _load(f"localhost/sonde:{THIS}", environment)
    _, java, home = prepare_server(StackConfig(Path(), os.environ, default_cache()), ignore_event)
    _run([str(HERE / "image" / "compose-images.sh"), str(home), str(java.home)], environment, ROOT, 1200)


def _load(image: str, environment: dict[str, str]) -> None:
    _run([str(HERE / "image" / "load-docker.sh"), image], environment, ROOT, 1200)


def _files(commit: str, folder: Path) -> Path:
    """What of a checkout compose.yaml reads."""
    folder.mkdir()
    archive = [
        "git",
        "-C",
        str(ROOT),
        "archive",
        commit,
        "compose.yaml",
        "compose-secrets.sh",
        "sources.yaml",
        "samples",
    ]
    subprocess.run(f"{' '.join(archive)} | tar -x -C {folder}", shell=True, check=True)
    return folder


def _publish_port(file: Path) -> None:
    """Earlier files name the port 8080, which others may use here."""
    file.write_text(file.read_text().replace('"127.0.0.1:8080:8080"', '"127.0.0.1:${SONDE_PORT}:8080"'))


def _timed(action: Callable[[], object]) -> float:
    began = time.monotonic()
    action()
    return round(time.monotonic() - began)


def _row(what: str, figures: dict[str, float]) -> ResultRow:
    run = this_run()
    return ResultRow(
        what=what,
        figures=figures,
        command=COMMAND,
        version=run["version"],
        commit=run["commit"],
        machine=run["machine"],
        measured_on=run["at"][:10],
        note="Debian's Docker; Elasticsearch's and Valkey's images are stand-ins with the same entry points.",
    )


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise RuntimeError(f"does not hold: {what}")


def _run(argv: list[str], environment: dict[str, str], folder: Path, seconds: int = 120) -> str:
    """Standard output. Raises RuntimeError with what it printed."""
    done = subprocess.run(
        argv, env=environment, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv[:6])} ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
