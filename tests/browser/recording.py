"""A short recording of a search, frame by frame from a running service: an animated WebP, made by `make tour`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

_VIEW = {"width": 1200, "height": 760}
_WIDTH_PX = 900
_LOOK_MS = 1_800
"""How long a frame is shown that has something new to read."""
_KEY_MS = 110
_WHOLE_SEARCH_MS = 1_000
"""The page begins the whole search this long after the last key, or sooner."""
_FIELD = "What are you looking for?"
_WORDS = ("rainfall", " in southern Africa", " since 1990")

Frame = tuple[Image.Image, int]


def record(browser: Browser, url: str, target: Path) -> int:
    """The number of frames in ``target``. Raises playwright's Error if a step does not appear."""
    context = browser.new_context(locale="en-GB", viewport=_VIEW)  # type: ignore[arg-type]
    try:
        page = context.new_page()
        page.goto(url)
        page.get_by_label(_FIELD).wait_for()
        pictures, times_ms = zip(*_walk(page), strict=True)
    finally:
        context.close()
    first, *others = pictures
    first.save(target, append_images=others, duration=list(times_ms), loop=0, quality=70, method=4)
    return len(pictures)


def _walk(page: Page) -> Iterator[Frame]:
    """A question is typed, read as what, where and when; the map goes along; a hit is opened; and back."""
    yield _frame(page, _LOOK_MS)
    field = page.get_by_label(_FIELD)
    for words in _WORDS:
        for letter in words:
            field.press_sequentially(letter)
            yield _frame(page, _KEY_MS)
        page.wait_for_timeout(_WHOLE_SEARCH_MS)
        _settled(page)
        yield _frame(page, _LOOK_MS)
    page.keyboard.press("Enter")
    page.wait_for_load_state("networkidle")
    _settled(page)
    yield _frame(page, _LOOK_MS)
    page.locator(".hit h2 a").first.click()
    page.locator(".detail .title").wait_for()
    page.wait_for_load_state("networkidle")
    yield _frame(page, 2 * _LOOK_MS)
    page.go_back()
    _settled(page)
    yield _frame(page, _LOOK_MS)


def _settled(page: Page) -> None:
    page.wait_for_selector(".columns[aria-busy=false] .hit")


def _frame(page: Page, shown_ms: int) -> Frame:
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return taken.resize((_WIDTH_PX, round(taken.height * _WIDTH_PX / taken.width)), Image.Resampling.LANCZOS), shown_ms
