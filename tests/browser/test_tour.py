"""`make tour` takes the same pictures twice, keeps the first ones beside, and says what does not appear."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.browser.compared import compared
from tests.browser.recording import record
from tests.browser.tour import STATES, State, set_aside, tour

_FEW = [one for one in STATES if one.name in ("catalogue", "missing")]


def test_two_runs_of_one_page_look_alike(browser: Browser, address: str, tmp_path: Path) -> None:
    out = tmp_path / "tour"
    tour(browser, address, out, _FEW)
    before = set_aside(out)
    made = tour(browser, address, out, _FEW)
    assert len(made) == 4
    assert [one.share for one in compared(before, out, tmp_path / "marks")] == pytest.approx([0.0] * 4, abs=0.001)


def test_a_state_that_does_not_appear_is_named(
    browser: Browser, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.browser.tour.PATIENCE_MS", 500)
    with pytest.raises(SystemExit, match=r"nowhere-desktop-en\.png: .*[Tt]imeout"):
        tour(browser, address, tmp_path, [State("nowhere", "Not there", "docs", ".no-such-thing")])


def test_the_recording_goes_from_an_empty_field_to_a_record(browser: Browser, address: str, tmp_path: Path) -> None:
    frames = record(browser, address, tmp_path / "search.webp")
    with Image.open(tmp_path / "search.webp") as shown:
        assert shown.format == "WEBP"
        assert 30 < getattr(shown, "n_frames", 1) <= frames
        assert shown.width == 900
    assert (tmp_path / "search.webp").stat().st_size < 3_000_000
