"""Nothing jumps while the page loads: the browser's own measure of layout shift (Web Vitals' CLS)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Visit

MOST = 0.05
RECORD = "records/samples%3Aera5-single-levels-hourly"
_DESKTOP, _PHONE = {"width": 1366, "height": 900}, {"width": 390, "height": 844}
_WATCH = """
    window.shift = 0;
    new PerformanceObserver(list => {
        for (const one of list.getEntries()) if (!one.hadRecentInput) window.shift += one.value;
    }).observe({type: "layout-shift", buffered: true});
"""


def shift(page: Page) -> float:
    """The sum so far: never less than the CLS, which counts only the worst five seconds."""
    page.wait_for_load_state("networkidle")
    return float(page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(shift))))"))


@pytest.mark.parametrize("viewport", [_DESKTOP, _PHONE], ids=["desktop", "phone"])
def test_nothing_jumps_while_results_records_and_sources_load(visit: Visit, viewport: dict[str, int]) -> None:
    for path in ("?q=earthquakes+in+Italy+since+1990&type=dataset", "?q=temperature", RECORD, "sources"):
        page = visit(path, viewport=viewport, before=lambda page: page.add_init_script(_WATCH))
        assert shift(page) < MOST, path
