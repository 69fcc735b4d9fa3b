"""The page in a real browser, on the real service: Debian's Chromium without its own windows, driven by Playwright."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect, sync_playwright
from werkzeug.serving import make_server

from tests.browser.chromium import chromium
from tests.service import Service

SHOTS = os.environ.get("SONDE_SHOTS")
"""The folder for pictures of the pages; without it none are made."""
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-pings",
)

expect.set_options(timeout=30_000)  # the machine may be busy with other tests: what never comes fails all the same

Visit = Callable[..., Page]
Shoot = Callable[[Page, str], None]


@pytest.fixture(scope="session")
def address(samples: Service) -> Iterator[str]:
    """Where the samples are served, with a slash at the end."""
    with served(samples.app) as url:
        yield url


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """The app on a port of its own; its address with a slash at the end."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("chromium is missing: .ci/run installs it")
        pytest.skip("needs Debian's package chromium-headless-shell or chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path, args=list(_QUIET))


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    """Opens an address below the service's, or below ``at``.

    The page may neither fail silently nor ask anybody else for anything.
    """
    pages: list[Page] = []
    wrong: list[str] = []

    def open_page(
        path: str = "", *, at: str = address, before: Callable[[Page], object] | None = None, **options: Any
    ) -> Page:
        context = browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1366, "height": 900}, **options})
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: _note(message.type, message.text, wrong))
        page.on("request", lambda request: None if _is_own(request.url, at) else wrong.append(request.url))
        pages.append(page)
        if before is not None:
            before(page)
        page.goto(at + path)
        return page

    yield open_page
    for page in pages:
        page.context.close()
    assert wrong == []


def open_record(page: Page, number: int = 0) -> None:
    """The page of a hit's record: beside the list first, then whole."""
    page.locator(".hit h2 a").nth(number).click()
    page.get_by_role("link", name="Open as a page").click()
    expect(page.get_by_role("heading", level=1)).not_to_have_class("unseen")


def until(page: Page, holds: str) -> None:
    """Waits for a condition in the page; its policy forbids what Playwright's own wait_for_function does."""
    look = f"() => ({holds}) ? done() : performance.now() > end ? fail(location.href) : requestAnimationFrame(look)"
    page.evaluate(
        f"() => new Promise((done, fail) => {{ const end = performance.now() + 30000; const look = {look}; look(); }})"
    )


def _note(kind: str, text: str, wrong: list[str]) -> None:
    """The browser's own note on an answer of 4xx or 5xx is no fault of the page: tests ask for such answers."""
    if kind in ("error", "warning") and not re.match(
        r"Failed to load resource: (the server responded|net::ERR_(?:FAILED|INTERNET_DISCONNECTED))", text
    ):
        wrong.append(text)


def _is_own(url: str, address: str) -> bool:
    return url.startswith((address, "data:", "blob:"))


@pytest.fixture
def shoot() -> Shoot:
    """Keeps a picture of the page, if SHOTS says where."""

    def keep(page: Page, name: str) -> None:
        if SHOTS:
            page.screenshot(path=Path(SHOTS) / f"{name}.png")

    return keep
