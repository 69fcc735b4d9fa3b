"""``click.py DIST FOLDER``: a reader's way through STAC Browser: catalogue, collection, item, both searches.

DIST is what ``build.sh`` made. Run with the Python of `make env`. Writes pictures of the pages into FOLDER and prints
their titles. Exits with 1 if the browser reports an error, an answer is refused, or a page lacks what it should show.
"""

from __future__ import annotations

import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import chromium

TIMEOUT_MS = 20_000


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_args: object) -> None:
        """Nothing: the pages are what is looked at."""


def walk(page: Page, address: str, out: Path) -> None:
    page.goto(address)
    page.get_by_role("link", name="hand-written sample catalogue").first.click(timeout=TIMEOUT_MS)
    keep(page, out, "collection")
    item = page.locator(".item-card a").first  # `.items a` would be the hidden entries of the filter's list
    item.wait_for(timeout=TIMEOUT_MS)
    report(f"first item: {item.inner_text().strip()}")
    item.click()
    page.get_by_role("heading", name="Asset").first.wait_for(timeout=TIMEOUT_MS)
    keep(page, out, "item")
    page.goto(f"{address}#/search/")
    search(page, "Search for Collections", ".catalog-card")
    keep(page, out, "search-collections")
    search(page, "Search for Items", ".item-card")
    keep(page, out, "search")


def search(page: Page, tab: str, card: str) -> None:
    """Submits the form on this tab, and waits for its results."""
    page.get_by_role("tab", name=tab).click(timeout=TIMEOUT_MS)
    submit = page.get_by_role("button", name="Submit").filter(visible=True)
    submit.click(timeout=TIMEOUT_MS)
    cards = page.locator(card).filter(visible=True)
    cards.first.wait_for(timeout=TIMEOUT_MS)
    report(f"{tab}: {cards.count()} found")


def keep(page: Page, out: Path, name: str) -> None:
    page.mouse.move(0, 0)  # a link under the pointer opens a box over the page
    page.wait_for_load_state("networkidle")
    page.locator(".popover").wait_for(state="detached", timeout=TIMEOUT_MS)
    page.screenshot(path=out / f"stac-browser-{name}.png")
    report(f"{name}: {page.title()}")


def report(text: str) -> None:
    sys.stdout.write(text + "\n")


def main(dist: str, folder: str) -> int:
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_QuietHandler, directory=dist))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 800})
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "response",
            lambda answer: wrong.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None,
        )
        try:
            walk(page, f"http://127.0.0.1:{server.server_port}/", out)
        finally:
            page.screenshot(path=out / "stac-browser-last.png")
        browser.close()
    server.shutdown()
    report("\n".join(wrong) or "no errors")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
