"""The files of the page's bundle that a visit loads."""

from __future__ import annotations

import re
from pathlib import Path

BUNDLE = Path(__file__).resolve().parents[1] / "search_api" / "page" / "bundle"


def files_of_a_visit() -> list[Path]:
    """Page, map and style sheet, with all that their scripts import at once; not what is loaded when a part opens."""
    scripts: set[str] = set()
    _add_imports("page.js", scripts)
    _add_imports("map.js", scripts)
    return [BUNDLE / "page.css", *(BUNDLE / name for name in sorted(scripts))]


def _add_imports(name: str, scripts: set[str]) -> None:
    if name in scripts:
        return
    scripts.add(name)
    for imported in re.findall(r'(?:from|import)"\./([^"]+)"', (BUNDLE / name).read_text("utf-8")):
        _add_imports(imported, scripts)
