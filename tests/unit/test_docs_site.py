"""The docs are a site whose pages are all reached and whose links all lead somewhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "portals" / "search-api.html").is_file()


def test_every_page_stands_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    docs = ROOT / "docs"
    names = [str(page.relative_to(docs)) for page in (*docs.glob("*.md"), *docs.glob("tutorials/*.md"))]
    assert [name for name in names if f" {name}\n" not in navigation] == []
