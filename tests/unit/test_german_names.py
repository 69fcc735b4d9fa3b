"""Names inside German words, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.gazetteer import Gazetteer, words
from reading.place_names import inner_names
from reading.places import PlaceReader

READER = PlaceReader(Gazetteer())


@pytest.mark.parametrize(
    ("text", "mention", "place"),
    [
        ("Regen in Norditalien", "italien", "Italy"),
        ("Regen in Südostasien", "Südostasien", "Southeast Asia"),
        ("Böden Österreichs", "Österreichs", "Austria"),
        ("Wind an der Ostseeküste", "Ostsee", "Baltic Sea"),
        ("Schnee im Alpenraum", "Alpenraum", "Alps"),
        ("Abfluss im Donaueinzugsgebiet", "Donaueinzugsgebiet", "Danube"),
        ("die italienischen Seen", "italienischen", "Italy"),
        ("Klima Norddeutschlands", "deutschlands", "Germany"),
        ("Berliner Luft", "Berliner", "Berlin"),
    ],
)
def test_names_inside_words(text: str, mention: str, place: str) -> None:
    (found,) = READER.read(text, "de")
    assert (found.text, found.place.name) == (mention, place)
    assert text[found.start : found.end] == mention


@pytest.mark.parametrize(
    "text", ["Wasser, Wetter, Winter und Meister", "Ostern im Westen", "Messwerte aus Wasserstoff"]
)
def test_ordinary_words_hold_no_names(text: str) -> None:
    assert READER.read(text, "de") == []


def test_an_ending_is_taken_off_in_german_only() -> None:
    assert READER.read("Jordans and Georgias of the world", "en") == []


@given(st.text(alphabet="nordsüdostwermankischx", max_size=14))
def test_what_is_proposed_lies_in_the_word(text: str) -> None:
    for word in words(f"a {text} b"):
        for inner in inner_names(word):
            assert word.start <= inner.start < inner.end <= word.end
            assert inner.key
