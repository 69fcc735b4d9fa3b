"""A virtual environment for a server, made once from its hash-locked requirements and kept under the cache folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import platformdirs
import pytest

_HERE = Path(__file__).resolve().parent
_LOCKS = {
    "pycsw2": "pycsw2.lock",
    "pycsw3": "pycsw3.lock",
    "pygeoapi": "pygeoapi.lock",
    "ckan": "ckan.lock",
    "stac_api": "stac_api.lock",
}


def python_of(server: str) -> Path:
    """The interpreter of the server's environment, which is made where it is not there yet (about half a minute).

    Where the registry cannot be reached the test is skipped with that reason; under CI it fails.
    """
    lock = _HERE / _LOCKS[server]
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    cache = Path(os.environ.get("SONDE_STACK__CACHE") or platformdirs.user_cache_path("sonde"))
    folder = cache / "test-servers" / f"{server}-{digest}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{server}.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)  # two suites at once make it once
        if not (folder / "complete").exists():
            _make(folder, lock)
    return folder / "bin" / "python"


def find_uv() -> str:
    """The uv of the path, else that of `make env`; without any the test is skipped, under CI it fails."""
    made = _HERE.parents[1] / ".venv-tools" / "bin" / "uv"
    found = shutil.which("uv") or (str(made) if made.exists() else None)
    if found is None:
        not_possible("there is no uv: `make env` brings one")
    return found


def _make(folder: Path, lock: Path) -> None:
    uv = find_uv()
    shutil.rmtree(folder, ignore_errors=True)
    for command in (
        [uv, "venv", "--quiet", "--python", "3.11", str(folder)],
        [uv, "pip", "install", "--quiet", "--python", str(folder / "bin/python"), "--require-hashes", "-r", str(lock)],
    ):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, timeout=280)
        if done.returncode != 0:
            not_possible(done.stderr.strip()[-400:])
    (folder / "complete").touch()


def not_possible(reason: str) -> NoReturn:
    """Skips; fails under CI, where everything is to be had."""
    message = f"the server's environment could not be made: {reason}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
