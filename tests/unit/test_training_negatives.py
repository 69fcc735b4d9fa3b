"""Negatives: the arithmetic of BM25 and SimANS, and wrong places and times."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import BBox
from core.ports import EmbedderCard, TextKind, Vectors
from core.timespan import TimeSpan
from training.corpora import CorpusDocument, PseudoQuestion
from training.hard_negatives import (
    Bm25Index,
    Mining,
    PlaceAndTime,
    SimAns,
    disjoint,
    elsewhere,
    mine_negatives,
    never_overlapping,
    place_and_time_of,
    probabilities,
    sample,
)

ALPS, ANDES, PACIFIC = BBox(5, 43, 16, 48), BBox(-80, -50, -65, 10), BBox(170, -10, -160, 10)
NINETIES, LATER = TimeSpan.from_iso("1990", "1999"), TimeSpan.from_iso("2000", None)


def test_bm25_by_hand() -> None:
    """Two texts of two words each, so that length counts nothing: idf of a word in one of two = ln 2."""
    found = Bm25Index(["snow depth", "rain depth"])
    assert found.scores("snow").tolist() == pytest.approx([math.log(2.0), 0.0])
    assert found.scores("depth").tolist() == pytest.approx([math.log(1.2)] * 2)
    assert found.best("Snow, snow!", 5) == [0]
    assert found.best("glacier", 5) == []


def test_simans_by_hand() -> None:
    """With a = 10, b = 0: a candidate as good as the answer has weight 1, one .2 below it exp(-.4)."""
    low = math.exp(-0.4)
    found = probabilities([0.5, 0.3, 0.6], 0.5, SimAns(a=10.0, b=0.0, margin=0.0))
    assert found.tolist() == pytest.approx([1 / (1 + low), low / (1 + low), 0.0])  # .6 is above the answer: dropped


def test_where_the_margin_drops_everything_nothing_is_drawn() -> None:
    found = probabilities([0.9, 0.8], 0.5, SimAns())
    assert found.tolist() == [0.0, 0.0]
    assert sample(found, 3, np.random.default_rng(0)) == []


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="a > 0"):
        SimAns(a=0.0)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.floats(-1, 1), st.integers(1, 40), st.integers(0, 9))
def test_a_draw_has_no_one_twice_and_nobody_above_the_margin(
    scores: list[float], positive: float, count: int, seed: int
) -> None:
    how = SimAns(margin=0.1)
    drawn = sample(probabilities(scores, positive, how), count, np.random.default_rng(seed))
    assert len(set(drawn)) == len(drawn) <= count
    assert all(scores[at] <= positive - how.margin for at in drawn)


def test_apart_across_the_antimeridian() -> None:
    assert disjoint([ALPS], [ANDES])
    assert not disjoint([PACIFIC], [BBox(-170, 0, -165, 5)])
    assert not disjoint([ALPS], [])  # what does not say where is not elsewhere


def test_never_together() -> None:
    assert never_overlapping([NINETIES], [LATER])
    assert not never_overlapping([NINETIES], [TimeSpan.from_iso(None, "1995")])
    assert not never_overlapping([], [LATER])


def _document(
    name: str, box: BBox | None = None, span: TimeSpan | None = None, keyword: str = "Snow"
) -> CorpusDocument:
    boxes, spans = (box,) if box else (), (span,) if span else ()
    return CorpusDocument(name, name, f"{name} snow depth measured by hand", (keyword,), boxes, spans, "test", name)


def test_same_topic_elsewhere() -> None:
    here = _document("here", ALPS, NINETIES)
    others = [
        _document("near", ALPS, NINETIES),
        _document("far", ANDES, NINETIES, "snow"),
        _document("late", ALPS, LATER),
        _document("other topic", ANDES, LATER, "Rain"),
    ]
    asked = PlaceAndTime((ALPS,), (NINETIES,))
    assert [(one.id, why) for one, why in elsewhere(here, asked, others, 5)] == [("far", "place"), ("late", "time")]


def test_what_a_question_does_not_say_cannot_be_wrong() -> None:
    """Of "snow" any record of snow is right; of "snow in the Alps" one of another time is."""
    here = _document("here", ALPS, NINETIES)
    others = [_document("far", ANDES, NINETIES), _document("late", ALPS, LATER)]
    assert elsewhere(here, place_and_time_of("snow depth"), others, 5) == []
    assert [(one.id, why) for one, why in elsewhere(here, place_and_time_of("snow depth in the Alps"), others, 5)] == [
        ("far", "place")
    ]
    assert [(one.id, why) for one, why in elsewhere(here, place_and_time_of("snow depth 1990 to 1999"), others, 5)] == [
        ("late", "time")
    ]


def test_where_the_question_asks_is_not_wrong_though_its_record_lies_elsewhere() -> None:
    """PseudoQuestion of Chile by mistake, a record of the Andes is no negative."""
    here = _document("here", ALPS, NINETIES)
    assert elsewhere(here, place_and_time_of("snow depth in Chile"), [_document("far", ANDES, NINETIES)], 5) == []


class _ByLength:
    """Texts to a direction that turns with their length: enough to tell them disjoint by hand."""

    card = EmbedderCard("by length", 2, 64, 0.0)

    def embed(self, texts: list[str], kind: TextKind) -> Vectors:  # noqa: ARG002 - the port has it
        turn = np.array([len(text) * 0.01 for text in texts], dtype=np.float32)
        return np.stack([np.cos(turn), np.sin(turn)], axis=1)

    def count_tokens(self, texts: list[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def test_mined_negatives_are_named_and_never_the_answer() -> None:
    here = _document("here", ALPS, NINETIES)
    documents = [here, _document("far", ANDES, NINETIES), _document("like it", ALPS), _document("here", ALPS)]
    documents[3] = CorpusDocument("twin", "HERE", "another text under the same title", ("Snow",))
    asked = [PseudoQuestion("snow depth in the Alps", here.title_and_text, "title", here)]
    (found,) = mine_negatives(asked, documents, _ByLength(), Mining(count=5, simans=SimAns(margin=-2.0)))
    assert {one.id: one.why for one in found.negatives} == {"far": "place", "like it": "fused"}
    assert found.positive.text == here.title_and_text
    assert found.group == "here"
