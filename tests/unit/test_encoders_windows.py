"""Which stretch of a long text is read, by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from encoders.windows import best_window, wanted, windowed

TOKENS = st.integers(0, 30)


def test_a_token_twice_in_a_question_counts_with_its_larger_weight() -> None:
    assert wanted([7, 8, 7], [1.0, 2.0, 3.0]) == {7: 3.0, 8: 2.0}


def test_the_stretch_with_the_worthier_words_is_read() -> None:
    """Stretches of four tokens begin at 0, 2, 4, 6: 9 alone is worth 3, 8 and 7 together 2.5."""
    text = [8, 7, 0, 0, 0, 0, 0, 0, 9, 0]
    assert best_window(text, {9: 3.0, 8: 1.5, 7: 1.0}, 4) == [0, 0, 9, 0]
    assert best_window(text, {9: 2.0, 8: 1.5, 7: 1.0}, 4) == [8, 7, 0, 0]


def test_a_word_said_often_counts_once() -> None:
    assert best_window([5, 5, 5, 5, 0, 0, 6, 0], {5: 1.0, 6: 1.1}, 4) == [0, 0, 6, 0]


def test_without_any_word_of_the_question_the_beginning_is_read() -> None:
    assert best_window(list(range(10, 20)), {1: 1.0}, 4) == [10, 11, 12, 13]


def test_special_tokens_stay_at_both_ends() -> None:
    assert windowed([101, 1, 2, 3, 4, 9, 9, 102], {9: 1.0}, 4) == [101, 4, 9, 102]
    assert windowed([101, 102], {9: 1.0}, 4) == [101, 102]


@given(st.lists(TOKENS, max_size=40), st.dictionaries(TOKENS, st.floats(0, 10), max_size=8), st.integers(1, 20))
def test_it_is_a_stretch_of_the_text_and_never_worth_less_than_the_beginning(
    text: list[int], worth: dict[int, float], room: int
) -> None:
    read = list(best_window(text, worth, room))
    assert len(read) <= room
    assert any(text[at : at + len(read)] == read for at in range(len(text) + 1))
    assert sum(worth.get(one, 0.0) for one in set(read)) >= sum(worth.get(one, 0.0) for one in set(text[:room]))


@given(st.lists(TOKENS, min_size=1, max_size=40), st.integers(1, 20))
def test_every_token_can_be_reached(text: list[int], room: int) -> None:
    for token in set(text):
        assert token in best_window(text, {token: 1.0}, room)
