"""The browser that draws the page for tests and measurements."""

from __future__ import annotations

import shutil


def chromium() -> str | None:
    """The path of the shell, which draws pages only, else of chromium itself, which also draws, at twice the work, a
    window around each that nobody sees. None if Debian's packages for both are missing.
    """
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")
