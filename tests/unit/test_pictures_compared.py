"""Pictures of two runs are compared state by state."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.browser.compared import compared


def _picture(path: Path, *, dot: tuple[int, int, int] | None = None, size: tuple[int, int] = (20, 10)) -> None:
    path.parent.mkdir(exist_ok=True)
    drawn = Image.new("RGB", size, "white")
    if dot is not None:
        drawn.paste(dot, (0, 0, 10, 2))
    drawn.save(path)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    before, now = tmp_path / "before", tmp_path / "now"
    for folder in (before, now):
        _picture(folder / "same.png", dot=(10, 20, 30))
    _picture(before / "moved.png")
    _picture(now / "moved.png", dot=(200, 0, 0))
    _picture(before / "edge.png", dot=(100, 100, 100))
    _picture(now / "edge.png", dot=(110, 100, 100))
    _picture(before / "taller.png")
    _picture(now / "taller.png", size=(20, 20))
    _picture(before / "gone.png")
    _picture(now / "new.png")
    return before, now


def test_what_changed_is_named_with_its_share_of_the_picture(runs: tuple[Path, Path], tmp_path: Path) -> None:
    found = compared(*runs, tmp_path / "marks")
    assert [(one.file, one.kind, one.share) for one in found] == [
        ("taller.png", "changed", 0.5), ("moved.png", "changed", 0.1), ("gone.png", "gone", 0.0),
        ("new.png", "new", 0.0), ("edge.png", "same", 0.0), ("same.png", "same", 0.0),
    ]  # fmt: skip


def test_where_it_changed_is_drawn_in_red(runs: tuple[Path, Path], tmp_path: Path) -> None:
    compared(*runs, tmp_path / "marks")
    with Image.open(tmp_path / "marks" / "moved.png") as marked:
        assert (marked.getpixel((0, 0)), marked.getpixel((15, 8))) == ((214, 39, 40), (255, 255, 255))
    assert sorted(path.name for path in (tmp_path / "marks").iterdir()) == ["moved.png", "taller.png"]
