"""Pieces of text that are too short to say anything alone go with their neighbour, under their heading."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.document import WordBox
from indexer.documents.segment.units import Piece, join_short

LONG = " ".join(f"Sentence {n} says a little about the water of the lake." for n in range(4))


def count(texts: list[str]) -> list[int]:
    return [len(text.split()) + 2 for text in texts]


def piece(text: str, *path: str, kind: str = "text", page: int = 1, room: int = 60) -> Piece:
    return Piece(text, kind, path, None, room, page, page)  # type: ignore[arg-type]


def texts(*pieces: Piece) -> list[str]:
    return [one.text for one in join_short(pieces, count)]


def test_a_short_piece_goes_with_its_own_section() -> None:
    assert texts(piece(LONG, "Lakes"), piece("It was cold.", "Lakes"), piece(LONG, "Moors")) == [
        f"{LONG}\nIt was cold.",
        LONG,
    ]


def test_else_with_the_next_section_and_keeps_its_heading() -> None:
    (first, second) = join_short(
        [piece("Two kinds.", "1 Water"), piece(LONG, "1 Water", "1.1 Lakes"), piece(LONG, "x")], count
    )
    assert first.text == f"Water\nTwo kinds.\n{LONG}"
    assert first.path == ("1 Water", "1.1 Lakes")
    assert second.text == LONG


def test_the_last_one_goes_with_the_one_before() -> None:
    (only,) = join_short([piece(LONG, "Ends", page=3), piece("Ask us.", "Data availability", page=4)], count)
    assert only.text == f"{LONG}\nData availability\nAsk us."
    assert (only.path, only.first_page, only.last_page) == (("Ends",), 3, 4)


def test_a_full_neighbour_gives_up_its_nearest_sentences() -> None:
    parts = texts(piece(LONG, room=44), piece("It was cold.", room=44))
    sentence = "Sentence {} says a little about the water of the lake.".format
    assert parts == [f"{sentence(0)} {sentence(1)}", f"{sentence(2)} {sentence(3)}\nIt was cold."]


def test_captions_and_tables_may_be_short_and_take_nothing() -> None:
    given_ = [piece("Figure 1.", kind="caption"), piece("a | b", kind="table"), piece("Alone.")]
    assert texts(*given_) == ["Figure 1.", "a | b", "Alone."]


def test_text_on_a_far_page_is_no_neighbour() -> None:
    assert texts(piece(LONG, page=1), piece("Alone.", page=5)) == [LONG, "Alone."]


def test_words_keep_their_places() -> None:
    short = replace(piece("Very cold.", "A"), words=(WordBox(0, 4, 1, 0, 0, 9, 9), WordBox(5, 9, 1, 10, 0, 19, 9)))
    long = replace(piece(LONG, "B"), words=(WordBox(0, 8, 1, 0, 20, 9, 29),))
    (whole,) = join_short([short, long], count)
    assert [whole.text[one.start : one.end] for one in whole.words] == ["Very", "cold", "Sentence"]


@given(
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from("ABC"), st.sampled_from(["text", "caption"])), max_size=12)
)
def test_no_word_is_lost_and_no_piece_is_too_long(drawn: list[tuple[int, str, str]]) -> None:
    pieces = [
        piece(" ".join(f"w{n}x{k}" for k in range(length)) + ".", path, kind=kind, room=60)
        for n, (length, path, kind) in enumerate(drawn)
    ]
    found = join_short(pieces, count)
    said = [word for one in found for word in one.text.split()]
    for one in pieces:
        assert all(word in said for word in one.text.split())
    assert all(one.length <= 60 for one in found)
