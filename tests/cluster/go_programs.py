"""Programs that are had as Go modules alone: Kubernetes' metrics server, Elastic's operator, KEDA, Docker Compose.

Each is built inside its module as Go's proxy gives it, so by the module's own go.mod and go.sum. Minutes of processor
time each; ``python -m tests.cluster.go_programs`` builds all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from local_stack.state import file_lock
from tests.cluster.kubernetes_binary import cache_folder
from tests.cluster.progress import say

_BUILD_S = 3600.0
DOCKER_COMPOSE = "docker-compose"


@dataclass(frozen=True)
class Program:
    """``checksum``: of the module, as in a go.sum. ``variables``: what the linker sets."""

    module: str
    version: str
    checksum: str
    package: str
    variables: tuple[str, ...] = ()


_KEDA = ("github.com/kedacore/keda/v2", "v2.21.0", "h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=")
PROGRAMS: Mapping[str, Program] = {
    "metrics-server": Program(
        "sigs.k8s.io/metrics-server",
        "v0.8.0",
        "h1:Zlsi3sBWEtFKCD3+xSysThvXyLQ363rUAlqpnsY5JwI=",
        "./cmd/metrics-server",
    ),
    "elastic-operator": Program(
        "github.com/elastic/cloud-on-k8s/v3",
        "v3.5.0",
        "h1:sR4oj+gNnwI9hgsKhBwjUlx+5F2T/kND40hrzaogtek=",
        "./cmd",
        ("github.com/elastic/cloud-on-k8s/v3/pkg/about.version=3.5.0",),
    ),
    "keda": Program(*_KEDA, "./cmd/operator"),
    "keda-adapter": Program(*_KEDA, "./cmd/adapter"),
    DOCKER_COMPOSE: Program(
        "github.com/docker/compose/v2",
        "v2.40.3",
        "h1:XeYkQu1svDtyfZPv5nTwFryQ25ZJMkIlc4pz9HalMPI=",
        "./cmd",
        ("github.com/docker/compose/v2/internal.Version=v2.40.3",),
    ),
}


class NoProgram(Exception):
    """Go refused to fetch or to build it; the message has its words."""


def program_file(name: str) -> Path:
    """Where the program lies, built or not."""
    return cache_folder().parent / "programs" / f"{name}-{PROGRAMS[name].version}"


def built(name: str) -> Path:
    """The program, built where it is not there yet. Raises NoProgram."""
    file = program_file(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(file.with_name(f"{name}.lock")):
        if not file.exists():
            _build(PROGRAMS[name], file)
    return file


def module_folder(program: Program) -> Path:
    """Raises NoProgram where the module is not the pinned one, or cannot be had."""
    told = json.loads(_go(Path.cwd(), "mod", "download", "-json", f"{program.module}@{program.version}"))
    if told.get("Sum") != program.checksum:
        raise NoProgram(f"{program.module} {program.version} has another checksum: {told}")
    return Path(told["Dir"])


def _build(program: Program, file: Path) -> None:
    partial = file.with_suffix(".partial")
    link = " ".join(("-s", "-w", *(f"-X {one}" for one in program.variables)))
    _go(module_folder(program), "build", "-p", "1", "-trimpath", "-ldflags", link, "-o", str(partial), program.package)
    partial.rename(file)


def _go(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "GOFLAGS": "-buildvcs=false -mod=readonly", "CGO_ENABLED": "0"}
    path = f"{os.environ.get('PATH', '')}{os.pathsep}/usr/local/go/bin"
    done = subprocess.run(
        ["nice", "-n", "15", "go", *arguments],
        cwd=folder,
        env={**environment, "PATH": path},
        capture_output=True,
        text=True,
        timeout=_BUILD_S,
        check=False,
    )
    if done.returncode:
        raise NoProgram((done.stderr + done.stdout)[-2000:])
    return done.stdout


if __name__ == "__main__":
    for one in sys.argv[1:] or PROGRAMS:
        begun = time.monotonic()
        size = built(one).stat().st_size >> 20
        say(f"{one}: {size} MB, {time.monotonic() - begun:.0f} s")
