"""The list of long files names files that exist."""

from __future__ import annotations

from pathlib import Path

from tests.longest_first import LONGEST

_ROOT = Path(__file__).parents[2]


def test_every_long_file_is_there() -> None:
    assert [path for path in LONGEST if not (_ROOT / path).is_file()] == []
