"""A version of Sonde as an operator has it: its files, its own environment, and its command."""

from __future__ import annotations

import io
import os
import subprocess  # nosec B404: git, uv, and Sonde's own command
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import SondeError

CHECKOUT = Path(__file__).resolve().parents[2]
_COMMAND_S = 3600.0
_READY = ".installed"


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
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SONDE_", "PYTHONPATH"))}
        path = f"{self.python.parent}{os.pathsep}{inherited.get('PATH', '')}"
        return ran(
            [str(self.python), *arguments], {**inherited, **self.environment, "PATH": path}, self.checkout, self.name
        )


def this_one(environment: Mapping[str, str]) -> Release:
    """The version that runs this command."""
    return Release("now", CHECKOUT, Path(sys.executable), environment)


def installed(name: str, commit: str, folder: Path, uv: Path, environment: Mapping[str, str]) -> Release:
    """The version of a commit, in ``folder`` with the packages of its own lock; one that is there is used again."""
    python = folder / ".venv" / "bin" / "python"
    if not (folder / ".venv" / _READY).exists():
        folder.mkdir(parents=True, exist_ok=True)
        _unpack(commit, folder)
        ran([sys.executable, "-m", "venv", "--without-pip", ".venv"], os.environ, folder, commit)
        for packages in (("sync", "--require-hashes", "requirements.lock"), ("install", "--no-deps", "-e", ".")):
            ran([str(uv), "pip", packages[0], "-q", "--python", str(python), *packages[1:]], os.environ, folder, commit)
        (folder / ".venv" / _READY).touch()
    return Release(name, folder, python, environment)


def _unpack(commit: str, folder: Path) -> None:
    archive = ["git", "-C", str(CHECKOUT), "archive", commit]
    done = subprocess.run(archive, capture_output=True, check=False)  # noqa: S603  # nosec B603: our own
    if done.returncode:
        raise SondeError(f"The commit {commit} is not in this checkout: {done.stderr.decode(errors='replace')}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
        files.extractall(folder, filter="data")


def ran(command: Sequence[str], environment: Mapping[str, str], folder: Path, name: str) -> str:
    done = subprocess.run(  # noqa: S603  # nosec B603: constants and paths of this machine
        command, env=dict(environment), cwd=folder, capture_output=True, text=True, timeout=_COMMAND_S, check=False
    )
    if done.returncode:
        said = "\n".join((done.stdout[-2000:], done.stderr[-2000:])).strip()
        raise SondeError(f"{name}: {' '.join(command[1:])} ended with {done.returncode}:\n{said}")
    return done.stdout
