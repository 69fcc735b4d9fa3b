"""Real text makes no reader raise: of ``../shared/data`` the first 25 of one file of 200 (all of them: read_everything)."""

from __future__ import annotations

from tests.quality.read_everything import read_all
from tests.shared_data import shared_data


def test_no_text_of_the_shared_data_makes_a_reader_raise() -> None:
    tally = read_all(shared_data(), every=200, most=25)
    assert tally.failures == []
    assert tally.files > 50
    assert len(tally.texts) > 500
