"""Real text makes no reader raise: of one file of 150 in ``../shared/data`` the first 80 texts.

All of them: ``python -m tests.quality.read_everything``.
"""

from __future__ import annotations

from tests.quality.read_everything import read_all
from tests.shared_data import shared_data


def test_no_text_of_the_shared_data_makes_a_reader_raise() -> None:
    tally = read_all(shared_data(), every=150, most=80)
    assert tally.failures == []
    assert tally.files > 50
    assert len(tally.texts) > 500
