"""The Maven repository this machine is set up with; no host is written down here."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from local_stack.errors import FetchFailed, RequirementMissing

_URL = re.compile(r"https?://[^\s\x1b]+")
_TIMEOUT_S = 300


def repository_url(environment: Mapping[str, str]) -> str:
    """Its address without a slash at the end, mirrors and proxies of Maven's settings included."""
    asked = "project.repositories[0].url"
    printed = _maven(environment, "-q", "help:evaluate", f"-Dexpression={asked}", "-DforceStdout")
    match = _URL.search(printed)
    if match is None:
        raise FetchFailed("Maven does not say which repository it uses (mvn help:evaluate): look at its settings.xml")
    return match[0].rstrip("/")


def copy_artifact(environment: Mapping[str, str], coordinates: str, folder: Path) -> Path:
    """Fetches one artifact (``group:name:version``) into a folder, verified by Maven; its path there."""
    _maven(environment, "-q", "dependency:copy", f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}")
    _, name, version = coordinates.split(":")
    return folder / f"{name}-{version}.jar"


def _maven(environment: Mapping[str, str], *arguments: str) -> str:
    program = shutil.which("mvn", path=environment.get("PATH"))
    if program is None:
        raise RequirementMissing(
            "Maven is needed once, to fetch Elasticsearch: install it (Debian: apt-get install maven), "
            "or name a running Elasticsearch in its url setting"
        )
    try:
        run = subprocess.run(  # noqa: S603 - mvn from the PATH we were given
            [program, "-B", *arguments],
            env=dict(environment),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise FetchFailed(f"Maven did not answer within {_TIMEOUT_S} s") from error
    if run.returncode != 0:
        raise FetchFailed(f"Maven failed: {' '.join(run.stdout.split())[:400]}")
    return run.stdout
