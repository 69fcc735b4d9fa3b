"""`make audit`: known vulnerabilities of what ships (requirements-models.lock) and of the page's packages (web/).

An advisory service that is not reached looks like one that knows of nothing: pip-audit then skips every package, npm
says "found 0". So each is first asked for a package that is known to be vulnerable, and where it does not say so, the
audit says that it did not take place. Exit code 0: nothing known; 1: something found; 3: not audited.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOUND, NOT_AUDITED = 1, 3
_TIMEOUT_S = 300
_LOCK = "requirements-models.lock"  # holds all of requirements.lock

_OLD_PYTHON = "jinja2==2.4.1\n"
_OLD_NODE = "minimist", "0.0.8"


def main() -> int:
    """The worst of the two codes."""
    return max(_python(), _node())


def _python() -> int:
    with tempfile.TemporaryDirectory() as folder:
        canary = Path(folder) / "requirements.txt"
        canary.write_text(_OLD_PYTHON, "utf-8")
        if not _vulnerable(_pip_audit(canary)):
            return _not_audited(_LOCK, "pip-audit does not know jinja2 2.4.1 as vulnerable")
    told = _pip_audit(ROOT / _LOCK)
    skipped = [one["name"] for one in told if "skip_reason" in one]
    if skipped:
        return _not_audited(_LOCK, f"{len(skipped)} of {len(told)} packages were skipped")
    found = _vulnerable(told)
    for one in found:
        ids = ", ".join(vulnerability["id"] for vulnerability in one["vulns"])
        _say(f"{_LOCK}: {one['name']} {one['version']}: {ids}")
    _say(f"{_LOCK}: {len(told)} packages, {len(found)} with known vulnerabilities")
    return FOUND if found else 0


def _pip_audit(requirements: Path) -> list[dict[str, Any]]:
    program = str(Path(sys.executable).parent / "pip-audit")
    options = ("--disable-pip", "--no-deps", "--format", "json", "--progress-spinner", "off")
    told = _run(program, "-r", str(requirements), *options)
    return list(told.get("dependencies", ())) if told else []


def _vulnerable(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in told if one.get("vulns")]


def _node() -> int:
    npm = shutil.which("npm")
    if npm is None:
        return _not_audited("web/", "npm is not installed")
    with tempfile.TemporaryDirectory() as folder:
        _write_old_package(Path(folder))
        if not _npm_total(npm, Path(folder)):
            return _not_audited("web/", "npm audit does not know minimist 0.0.8 as vulnerable")
    total = _npm_total(npm, ROOT / "web")
    if total is None:
        return _not_audited("web/", "npm audit gave no answer")
    _say(f"web/: {total} known vulnerabilities")
    return FOUND if total else 0


def _write_old_package(folder: Path) -> None:
    name, version = _OLD_NODE
    package: dict[str, Any] = {"name": "canary", "version": "1.0.0", "dependencies": {name: version}}
    packages = {"": package, f"node_modules/{name}": {"version": version}}
    lock = {"name": "canary", "version": "1.0.0", "lockfileVersion": 3, "packages": packages}
    (folder / "package.json").write_text(json.dumps(package), "utf-8")
    (folder / "package-lock.json").write_text(json.dumps(lock), "utf-8")


def _npm_total(npm: str, folder: Path) -> int | None:
    told = _run(npm, "audit", "--json", "--package-lock-only", folder=folder)
    counted = (told or {}).get("metadata", {}).get("vulnerabilities", {})
    return int(counted["total"]) if "total" in counted else None


def _run(*command: str, folder: Path | None = None) -> dict[str, Any] | None:
    """What the command says as JSON, whatever its exit code; None where it says nothing of the kind."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, cwd=folder, check=False)
        told = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return told if isinstance(told, dict) else None


def _not_audited(what: str, why: str) -> int:
    _say(f"{what}: NOT AUDITED. The advisory service is not reached from here: {why}.")
    return NOT_AUDITED


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
