"""A Java that Elasticsearch runs on: 21 or newer, with the modules its entitlements need."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from local_stack.accounts import Account, can_reach
from local_stack.errors import RequirementMissing

MINIMUM_VERSION = 21
NEEDED_MODULES = frozenset({"jdk.attach", "jdk.incubator.vector", "jdk.jdi", "jdk.management.agent", "jdk.net"})
INSTALLED_UNDER = Path("/usr/lib/jvm")
_VERSION = re.compile(r'version "(?P<version>[^"]+)"')


@dataclass(frozen=True, slots=True)
class Java:
    """A Java home. ``modules`` is empty if the Java does not list its modules."""

    home: Path
    version: int
    modules: frozenset[str] = frozenset()

    @property
    def program(self) -> Path:
        return self.home / "bin" / "java"

    @property
    def compiler(self) -> Path | None:
        """``javac``; None for a runtime without it."""
        path = self.home / "bin" / "javac"
        return path if path.exists() else None


def find_java(
    environment: Mapping[str, str], account: Account | None = None, installed_folder: Path = INSTALLED_UNDER
) -> Java:
    """The first that does of ES_JAVA_HOME, JAVA_HOME, the PATH and ``/usr/lib/jvm/*``.

    Raises RequirementMissing that names each one looked at and why it does not do.
    """
    refusals: list[str] = []
    for home in candidates(environment, installed_folder):
        java = describe(home)
        refusal = "does not start" if java is None else why_unfit(java, account)
        if java is not None and refusal is None:
            return java
        refusals.append(f"{home} {refusal}")
    refusals_text = "; ".join(refusals) or "none found"
    raise RequirementMissing(
        f"Elasticsearch needs a JDK {MINIMUM_VERSION} or newer ({refusals_text}). Install one "
        "(Debian: apt-get install openjdk-21-jdk-headless, or a Temurin JDK) or name it in ES_JAVA_HOME"
    )


def candidates(environment: Mapping[str, str], installed_folder: Path = INSTALLED_UNDER) -> Iterator[Path]:
    """Java homes in the order they are tried, each once."""
    known_homes: set[Path] = set()
    for home in _homes(environment, installed_folder):
        if home not in known_homes and _may_run(home / "bin" / "java"):
            known_homes.add(home)
            yield home


def _homes(environment: Mapping[str, str], installed_folder: Path) -> Iterator[Path]:
    for name in ("ES_JAVA_HOME", "JAVA_HOME"):
        if environment.get(name):
            yield Path(environment[name]).resolve()
    for folder in environment.get("PATH", "").split(os.pathsep):
        if folder and _may_run(Path(folder) / "java"):
            yield (Path(folder) / "java").resolve().parent.parent
    if installed_folder.is_dir():
        yield from (path.resolve() for path in sorted(installed_folder.iterdir()))


def _may_run(program: Path) -> bool:
    return os.access(program, os.X_OK)  # unlike exists(), says no where a folder on the way is closed to us


def describe(home: Path) -> Java | None:
    """What the home says of itself in ``release``, or, without that file, what its ``java -version`` prints."""
    release = _release(home / "release")
    version = major_version(release.get("JAVA_VERSION", "")) or major_version(_printed_version(home / "bin" / "java"))
    return None if version is None else Java(home, version, frozenset(release.get("MODULES", "").split()))


def _release(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    lines = (line.partition("=") for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
    return {name: value.strip('"') for name, _, value in lines}


def _printed_version(program: Path) -> str:
    try:
        completed = subprocess.run([str(program), "-version"], capture_output=True, text=True, timeout=30, check=False)  # noqa: S603 - a Java that was found
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = _VERSION.search(completed.stderr + completed.stdout)
    return match["version"] if match else ""


def major_version(version: str) -> int | None:
    """21 for ``21.0.3``, 8 for ``1.8.0_402``, 26 for ``26-ea``; None for any other text."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match[1]) if match else None


def why_unfit(java: Java, account: Account | None) -> str | None:
    """Why Elasticsearch would not run on it, as the end of a sentence; None where it does."""
    if java.version < MINIMUM_VERSION:
        return f"is Java {java.version}"
    missing_modules = sorted(NEEDED_MODULES - java.modules) if java.modules else []
    if missing_modules:
        return f"lacks {', '.join(missing_modules)}: a full JDK is needed"
    if account is not None and not can_reach(account, java.home):
        return f"cannot be entered by the account {account.name}"
    return None
