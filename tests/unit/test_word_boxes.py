"""The boxes of a passage's words: kept as a short text, joined to lines, found by letters."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from core.document import WordBox, lines_of, read_boxes, write_boxes
from core.names import letters_of, position_of
from indexer.documents.parse.model import Block, PlacedWord
from indexer.documents.segment.units import TextPlaces

_POINTS = st.integers(0, 8000).map(lambda eighths: eighths / 8)
_WORDS = st.builds(WordBox, *[st.integers(0, 9000)] * 3, *[_POINTS] * 4)


@given(st.lists(_WORDS, max_size=30))
def test_what_is_written_is_read(words: list[WordBox]) -> None:
    assert list(read_boxes(write_boxes(words))) == words


@given(st.text(max_size=40))
def test_any_other_text_holds_no_boxes(text: str) -> None:
    assert isinstance(read_boxes(text), tuple)


def test_a_page_of_words_takes_little_room() -> None:
    words = [
        WordBox(7 * n, 7 * n + 6, 3, 72 + 35 * (n % 12), 80 + 12 * (n // 12), 104 + 35 * (n % 12), 90)
        for n in range(250)
    ]
    assert len(write_boxes(words)) < 2500


def test_neighbours_on_a_line_are_one_box() -> None:
    words = [
        WordBox(0, 3, 1, 300, 100, 320, 110),
        WordBox(4, 9, 1, 325, 102, 360, 112),
        WordBox(10, 12, 1, 72, 114, 90, 124),
        WordBox(13, 15, 2, 92, 114, 99, 124),
    ]
    assert lines_of(words) == (
        WordBox(0, 9, 1, 300, 100, 360, 112),
        WordBox(10, 12, 1, 72, 114, 90, 124),
        WordBox(13, 15, 2, 92, 114, 99, 124),
    )


@given(st.text(string.ascii_letters + "äß€½ -", max_size=60))
def test_each_letter_knows_its_place(text: str) -> None:
    letters, at = letters_of(text)
    assert len(letters) == len(at)
    assert all(letter in text[place].casefold() for letter, place in zip(letters, at, strict=True))


def test_spaces_hyphens_and_case_do_not_count() -> None:
    assert position_of("dif-\nficult Question", "A difficult question.") == (2, 20)
    assert position_of("easy", "A difficult question.") is None
    assert position_of("...", "A difficult question.") is None


def _words(*lines: str) -> tuple[PlacedWord, ...]:
    return tuple(
        PlacedWord(1, len(letters_of(word)[0]), 10.0 * column, 12.0 * row, 10.0 * column + 9, 12.0 * row + 10)
        for row, line in enumerate(lines)
        for column, word in enumerate(line.split())
    )


def test_a_word_broken_at_a_line_end_has_both_of_its_halves() -> None:
    block = Block("text", "Ice is difficult to see.", words=_words("Ice is dif-", "ficult to see."))
    found = TextPlaces([block]).find("is difficult")
    assert [(one.start, one.end, one.left, one.top) for one in found] == [(0, 2, 10, 0), (3, 6, 20, 0), (6, 12, 0, 12)]


def test_each_text_is_found_after_the_one_before() -> None:
    block = Block("text", "Ice. Ice.", words=_words("Ice. Ice."))
    places = TextPlaces([block])
    assert [places.find("Ice.")[0].left for _ in range(2)] == [0, 10]


def test_words_that_do_not_spell_the_text_have_no_place() -> None:
    spelt = Block("text", "Snow.", words=_words("Snow."))
    other = Block("text", "Ice melts.", words=_words("Ice melted."))
    places = TextPlaces([other, spelt])
    assert places.find("Ice melts.") == ()
    assert len(places.find("Snow.")) == 1
    assert places.find("Rain.") == ()
