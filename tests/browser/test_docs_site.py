"""The guides as a site: its search works in a folder, without a server and without the network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, expect

ROOT = Path(__file__).resolve().parents[2]


def test_the_search_works_from_a_folder(browser: Browser, tmp_path: Path) -> None:
    site = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)], cwd=ROOT, check=True
    )
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.locator(".md-search__input").first.fill("saved searches")
    expect(page.locator(".md-search-result__link").first).to_contain_text("Saved searches")
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()
