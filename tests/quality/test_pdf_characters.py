"""Running text kept and furniture dropped on three hand-checked files; the measure itself by hand."""

from __future__ import annotations

import pytest

from tests.quality.pdf_characters import FILES, is_left, letters, measure, stretches_kept
from tests.shared_data import shared_data


def test_a_letter_counts_where_its_stretch_was_kept_in_order() -> None:
    assert stretches_kept("abcdefgh", "xxabcdxxefghxx", 4) == 8
    assert stretches_kept("abcdefgh", "abcd", 4) == 4
    assert stretches_kept("abcdefgh", "dcba", 4) == 0
    assert letters("Ä-b c1 ﬁ") == "abcfi"


def test_a_head_is_left_where_it_stands_in_the_text_and_a_number_where_there_is_one_too_many() -> None:
    assert is_left("Journal  of Mud 3", "So it was. Journal of Mud 3 And so on.", "So it was. And so on.")
    assert not is_left("Journal of Mud 3", "So it was. And so on.", "")
    assert is_left("5", "the 5 best 5 lakes", "the best 5 lakes")
    assert not is_left("5", "the best 5 lakes", "the best 5 lakes")


@pytest.mark.parametrize("name", sorted(FILES))
def test_running_text_is_kept_and_furniture_is_dropped(name: str) -> None:
    found = measure(shared_data("pdfs", name).read_bytes(), FILES[name])
    assert found["characters"] > 4000
    assert found["furniture"] > 10
    assert found["kept"] >= 0.99
    assert found["dropped"] >= 0.95
