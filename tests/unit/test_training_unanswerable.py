"""Unanswerable twins: each differs from an answerable question in one thing that its text does not have."""

from __future__ import annotations

import re

import pytest

from core.geo import BBox
from core.timespan import TimeSpan
from training.corpora import CorpusDocument
from training.examples import CandidateText, Example, LabelledPair
from training.questions.unanswerable import UnanswerableTwins

ALPS, KENYA = BBox(5, 43, 16, 48), BBox(34, -5, 42, 5)
SNOW = "Snow course of the high valleys\nDaily snow depth was read at 12 km spacing in Austria from 1971 to 1989."
DUST = "Dust in the air\nMonthly aerosol load over Kenya from 2001 to 2009, one sampler for each 30 m of height."


def example(number: int, question: str, text: str, *labels: str) -> Example:
    return Example(f"e{number}", question, CandidateText(f"t{number}", text, 1, labels=labels), group=f"g{number}")


EXAMPLES = [
    example(1, "Snow Depth in Austria 1971 to 1989", SNOW, "snow depth", "alpine hydrology", "austria"),
    example(2, "aerosol load in Kenya 2001-2009", DUST, "aerosol load", "mineral dust"),
]
DOCUMENTS = [
    CorpusDocument("t1", "", SNOW, boxes=(ALPS,), times=(TimeSpan.from_iso("1971", "1989"),)),
    CorpusDocument("t2", "", DUST, boxes=(KENYA,), times=(TimeSpan.from_iso("2001", "2009"),)),
]


@pytest.fixture(scope="module")
def pairs() -> list[LabelledPair]:
    return UnanswerableTwins(EXAMPLES, DOCUMENTS).pairs()


def of(pairs: list[LabelledPair], origin: str, group: str = "g1") -> list[LabelledPair]:
    return [pair for pair in pairs if pair.origin == origin and pair.group == group]


def test_another_year_moves_the_whole_period_out_of_the_texts_own(pairs: list[LabelledPair]) -> None:
    (twin,) = of(pairs, "another year", "g2")
    first, last = map(int, re.findall(r"\d{4}", twin.question))
    assert last - first == 8
    assert last <= 2001 - 3
    assert not twin.answers


def test_an_open_period_has_no_other_year() -> None:
    document = CorpusDocument("t1", "", SNOW, boxes=(ALPS,), times=(TimeSpan.from_iso("1971", None),))
    assert not of(UnanswerableTwins(EXAMPLES, [document, DOCUMENTS[1]]).pairs(), "another year")


def test_another_place_is_apart_from_the_texts_boxes(pairs: list[LabelledPair]) -> None:
    (twin,) = of(pairs, "another place")
    assert twin.question == "Snow Depth in Kenya 1971 to 1989"
    near = [CorpusDocument("t1", "", SNOW, boxes=(ALPS, KENYA)), DOCUMENTS[1]]
    assert not of(UnanswerableTwins(EXAMPLES, near).pairs(), "another place")


def test_another_variable_leaves_the_other_words_as_they_are(pairs: list[LabelledPair]) -> None:
    """A place among the keywords is no variable; capitals stay, so that they tell nothing."""
    (twin,) = of(pairs, "another variable")
    assert twin.question in ("aerosol load in Austria 1971 to 1989", "mineral dust in Austria 1971 to 1989")


@pytest.mark.parametrize(("origin", "right", "wrong"), [
    ("another time step", r"daily .+", r"(hourly|weekly|monthly|annual) .+"),
    ("another unit", r".+ 12 km", r".+ 12 (m|cm|mm)"),
    ("excluded", r".+ (aerosol load|mineral dust)", r".+ (snow depth|alpine hydrology)"),
])  # fmt: skip
def test_a_new_form_occurs_with_and_without_an_answer(
    pairs: list[LabelledPair], origin: str, right: str, wrong: str
) -> None:
    with_answer, without = of(pairs, origin)
    assert (with_answer.answers, without.answers) == (True, False)
    assert re.fullmatch(right, with_answer.question)
    assert re.fullmatch(wrong, without.question)


def test_the_same_seed_gives_the_same_pairs(pairs: list[LabelledPair]) -> None:
    assert UnanswerableTwins(EXAMPLES, DOCUMENTS).pairs() == pairs


def test_examples_of_a_file_have_twins_without_documents() -> None:
    pairs = UnanswerableTwins(EXAMPLES, []).pairs()
    assert {pair.origin for pair in pairs} >= {"another year", "another place", "another variable", "excluded"}
