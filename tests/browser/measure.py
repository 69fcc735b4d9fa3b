"""How soon the page is there: ``python -m tests.browser.measure http://127.0.0.1:8080/ [RUNS]``.

Each run is a new visit with an empty cache. Prints the median of: first contentful paint, the moment when the search
field takes a question, and when a search's hits are there (opened by its address); then the bundle's size.
"""

from __future__ import annotations

import gzip
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import chromium

PAGES = Path(__file__).resolve().parents[2] / "search_api" / "page" / "bundle"
QUESTION = "?q=rainfall+in+southern+Africa+since+1990"
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def visit(browser: Browser, address: str, until: str) -> tuple[float, float]:
    """Milliseconds from the start of the visit to the first paint, and until the selector is there."""
    context = browser.new_context(viewport={"width": 1366, "height": 900})
    page = context.new_page()
    page.add_init_script(
        f"""new MutationObserver((_, watch) => {{
          if (!document.querySelector({until!r})) return;
          window.thereAt = performance.now(); watch.disconnect();
        }}).observe(document, {{childList: true, subtree: true}})"""
    )
    page.goto(address)
    page.wait_for_selector(until)
    page.wait_for_load_state("networkidle")  # by then the first paint is on the books
    measured = float(page.evaluate(PAINT)), float(page.evaluate("window.thereAt"))
    context.close()
    return measured


@dataclass(frozen=True, slots=True)
class Soon:
    """Medians in milliseconds from the start of a visit with an empty cache."""

    first_paint_ms: float
    field_ms: float
    hits_ms: float


def soon(address: str, runs: int) -> Soon:
    """``address`` ends with a slash; needs Debian's chromium-headless-shell or chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(),
            args=["--no-sandbox", "--disable-gpu"],
        )
        start = [visit(browser, address, "#q") for _ in range(runs)]
        hits = [visit(browser, address + QUESTION, ".hit") for _ in range(runs)]
    return Soon(
        statistics.median(paint for paint, _ in [*start, *hits]),
        statistics.median(there for _, there in start),
        statistics.median(there for _, there in hits),
    )


def sizes_kb() -> dict[str, float]:
    """Of the bundle's files, gzipped."""
    return {file.name: len(gzip.compress(file.read_bytes(), mtime=0)) / 1024 for file in sorted(PAGES.iterdir())}


def main(address: str, runs: int) -> None:
    found = soon(address, runs)
    say("first contentful paint", found.first_paint_ms)
    say("search field takes a question", found.field_ms)
    say("hits are there", found.hits_ms)
    for name, size in sizes_kb().items():
        sys.stdout.write(f"{name}: {size:.1f} KB gzipped\n")


def say(what: str, took_ms: float) -> None:
    sys.stdout.write(f"{what}: {took_ms:.0f} ms\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7)
