"""What a question of the longest kind costs: work that grows with its length, not with the square of it.

Work is counted in calls (of Python and of C functions, generators each time they go on), which do not depend on the
machine. Real milliseconds are measured by ``python -m tests.quality.understanding_speed``.
"""

from __future__ import annotations

import sys
from datetime import date
from types import FrameType
from typing import Any

import pytest

from core.geo import Entity
from reading.coordinates import written_boxes
from reading.gazetteer import Gazetteer
from reading.places import MAX_RECOGNISED, PlaceReader
from reading.times import TimeReader
from reading.vocabulary import only_own_vocabulary
from search_api.search.request import ALL_PARTS
from search_api.search.understanding.understand import MOST_READ, Understander
from tests.quality.understanding_speed import HOSTILE

LONGEST = 2_000  # characters of q
MOST_CALLS = 160_000  # the costliest takes 136,000; one of them took 18 million (4.7 for half the text)
PLACES = PlaceReader(Gazetteer())
TIMES = TimeReader(lambda: date(2026, 3, 1))
UNDERSTANDER = Understander(PLACES, TIMES, vocabulary=only_own_vocabulary)


def work(read: Any, text: str) -> int:
    counted = 0

    def count(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    read(text[:200])  # what is loaded or remembered once is no work of this text
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read(text)
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_question_of_the_longest_kind_is_bounded_work(unit: str) -> None:
    text = (unit * LONGEST)[:LONGEST]
    assert work(lambda text: UNDERSTANDER.understand(text, ALL_PARTS), text) < MOST_CALLS


@pytest.mark.parametrize("unit", HOSTILE[:12] + HOSTILE[12::5])
def test_twice_the_text_is_at_most_twice_the_work(unit: str) -> None:
    """For passages, of which everything is read. A few words more or less at the cut are within the 20 %."""
    text = (unit * LONGEST)[:LONGEST]
    for read in (PLACES.read, TIMES.read):
        assert work(read, text) <= 2.2 * work(read, text[: LONGEST // 2]) + 200


@pytest.mark.parametrize("start", ["1", "10N", "between 1", "bbox", "lat 1", "1.5", "1.5,"])
@pytest.mark.parametrize("run", [" ", "9", "\t", ",", "."])
def test_a_long_run_ends_at_once(start: str, run: str) -> None:
    """With adjacent patterns for white space this took the cube of its length: it would not end within the limit."""
    assert isinstance(written_boxes(start + run * 20_000 + "x"), list)


def test_of_a_list_of_names_the_first_are_read_and_the_answer_says_so() -> None:
    few = UNDERSTANDER.understand("rain in Kenya, Uganda and Malawi, 1990, 1995", ALL_PARTS)
    many = UNDERSTANDER.understand("Kenya, Peru, 1990; " * 60, ALL_PARTS)
    names = "Peru Chad Mali Niger Sudan Egypt Libya Ghana Togo Benin Gabon Kenya Nepal India Japan China Italy Spain"
    countries = [*names.split(), *["France", "Greece", "Norway", "Sweden", "Poland", "Latvia", "Cuba"]]
    different = UNDERSTANDER.understand(", ".join([*countries, *map(str, range(1900, 1990, 3))]), ALL_PARTS)
    assert few.unread == ()
    assert many.unread == ("place", "time", "entities")
    assert (len(many.places), len(many.times)) == (2, 1), "each is said once"
    assert different.unread[:2] == ("place", "time")
    assert (len(different.places), len(different.times)) == (MOST_READ, MOST_READ)


def test_the_recogniser_reads_the_beginning_of_a_question() -> None:
    recogniser = Remembering()
    reader = PlaceReader(Gazetteer(), recogniser, Gazetteer())
    text = ("rain in Kenya " * 100).strip()
    reader.read(text, "en", MOST_READ)
    reader.read(text, "en")
    assert recogniser.lengths == [MAX_RECOGNISED, len(text)]


class Remembering:
    """A recogniser that finds nothing and remembers how much it was given."""

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def entities(self, text: str) -> list[Entity]:
        self.lengths.append(len(text))
        return []
