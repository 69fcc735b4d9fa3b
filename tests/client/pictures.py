"""``python -m tests.client.pictures URL``: docs/pictures/notebook.png, a result as a notebook shows it."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from sonde_client import Client
from tests.browser.chromium import chromium

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"


def taken(html: str) -> Image.Image:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 100})
        page.set_content(f"<meta charset=utf-8><body style='font-family:sans-serif'>{html}")
        picture = page.screenshot(full_page=True)
        browser.close()
    return Image.open(BytesIO(picture)).convert("RGB")


if __name__ == "__main__":
    with Client(sys.argv[1]) as sonde:
        shown = sonde.search("rainfall in southern Africa since 1990", limit=3)._repr_html_()
    taken(shown).quantize(200).save(PICTURES / "notebook.png", optimize=True)
