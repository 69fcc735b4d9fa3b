"""The checkout that Sonde runs from, and its commit; light, because each measuring command needs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def own_commit() -> str:
    """The commit of this checkout, with ``+`` where it holds changes; empty where it is none."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    return commit + "+" if commit and _git("status", "--porcelain", "--untracked-files=no") else commit


def _git(*words: str) -> str:
    try:
        # Our own words; no shell reads them.
        done = subprocess.run(  # noqa: S603 # nosec B603 B607
            ["git", *words],  # noqa: S607
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
