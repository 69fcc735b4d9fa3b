"""A version of Sonde as an operator has it: its files, its environment, its command, and the settings of its stack."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import SondeError
from local_stack.ports import free_port

CHECKOUT = Path(__file__).resolve().parents[2]
_COMMAND_S = 3600.0
_READY = ".installed"
BATCH = 20


@dataclass(frozen=True, slots=True)
class Release:
    """``environment``: the settings of the stack, the same for every version that works on its data."""

    name: str
    checkout: Path
    python: Path
    environment: Mapping[str, str]

    def sonde(self, *arguments: str) -> str:
        """What a command of this version printed. Raises SondeError with what it said where it fails."""
        return self.run("-m", "sonde", *arguments)

    def run(self, *arguments: str) -> str:
        """As ``sonde``, of this version's Python."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("SONDE_", "PYTHONPATH"))}
        path = f"{self.python.parent}{os.pathsep}{variables.get('PATH', '')}"
        return run_command(
            [str(self.python), *arguments], {**variables, **self.environment, "PATH": path}, self.checkout, self.name
        )


def this_release(environment: Mapping[str, str]) -> Release:
    """The version that runs this command."""
    return Release("now", CHECKOUT, Path(sys.executable), environment)


def install(name: str, commit: str, folder: Path, uv: Path, environment: Mapping[str, str]) -> Release:
    """The version of a commit, in ``folder`` with the packages of its lock; an existing one is used again."""
    python = folder / ".venv" / "bin" / "python"
    if not (folder / ".venv" / _READY).exists():
        folder.mkdir(parents=True, exist_ok=True)
        _unpack(commit, folder)
        run_command([sys.executable, "-m", "venv", "--without-pip", ".venv"], os.environ, folder, commit)
        for packages in (("sync", "--require-hashes", "requirements.lock"), ("install", "--no-deps", "-e", ".")):
            run_command(
                [str(uv), "pip", packages[0], "-q", "--python", str(python), *packages[1:]], os.environ, folder, commit
            )
        (folder / ".venv" / _READY).touch()
    return Release(name, folder, python, environment)


def _unpack(commit: str, folder: Path) -> None:
    archive = ["git", "-C", str(CHECKOUT), "archive", commit]
    process = subprocess.run(archive, capture_output=True, check=False)  # noqa: S603  # nosec B603: our own
    if process.returncode:
        raise SondeError(f"The commit {commit} is not in this checkout: {process.stderr.decode(errors='replace')}")
    with tarfile.open(fileobj=io.BytesIO(process.stdout)) as files:
        files.extractall(folder, filter="data")


def run_command(command: Sequence[str], environment: Mapping[str, str], folder: Path, name: str) -> str:
    process = subprocess.run(  # noqa: S603  # nosec B603: constants and paths of this machine
        command, env=dict(environment), cwd=folder, capture_output=True, text=True, timeout=_COMMAND_S, check=False
    )
    if process.returncode:
        output = "\n".join((process.stdout[-2000:], process.stderr[-2000:])).strip()
        raise SondeError(f"{name}: {' '.join(command[1:])} ended with {process.returncode}:\n{output}")
    return process.stdout


def own_stack(data: Path) -> Mapping[str, str]:
    """As environment variables, which 0.1.0 knows too."""
    ports = ("ELASTICSEARCH__PORT", "ELASTICSEARCH__TRANSPORT_PORT", "BROKER__PORT", "API__PORT")
    return {
        **{f"SONDE_{name}": str(free_port()) for name in ports},
        "SONDE_STACK__FOLDER": str(data / "stack"),
        "SONDE_LIBRARY__FOLDER": str(data / "library"),
        "SONDE_MODELS__FOLDER": str(data / "models"),
        "SONDE_HARVEST__SOURCES": str(data / "sources.yaml"),
        "SONDE_HARVEST__SLICE_S": "10",
        "SONDE_HARVEST__BATCH": str(BATCH),
        "SONDE_NET__ALLOWED_HOSTS": '["127.0.0.1"]',
        "SONDE_ELASTICSEARCH__HEAP": "768m",
        "SONDE_ELASTICSEARCH__TIMEOUT_S": "15",
    }
