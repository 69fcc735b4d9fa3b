"""The rule and the measures of ``ask_places``, by hand-computed answers."""

from __future__ import annotations

import re

import pytest

from core.geo import BBox
from core.record import Record
from core.timespan import TimeSpan
from search_api.search.ranking.config import default_config
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import Temporal
from tests.quality.ask_places import PlaceQuestion, lies_in, load_questions, measures, variants

ASKED = BBox(0, 0, 10, 10)


@pytest.mark.parametrize(
    ("extent", "lies"),
    [
        (BBox(1, 1, 2, 2), True),  # inside
        (BBox(5, 0, 14, 10), True),  # covers half of what is asked
        (BBox(9, 9, 12, 12), False),  # a ninth of its own, a hundredth of what is asked
        (BBox(-180, -90, 180, 90), False),  # the whole world
        (BBox(20, 0, 30, 10), False),
    ],
)
def test_what_lies_in_the_asked_box(extent: BBox, lies: bool) -> None:
    assert lies_in(extent, ASKED) is lies


def test_a_record_answers_by_topic_place_and_year() -> None:
    asked = PlaceQuestion("Which rain?", re.compile("rain"), ASKED, 2004, 2004)
    rain = {"extents": (BBox(1, 1, 2, 2),), "times": (TimeSpan.from_iso("2004-06-01", "2005-01-01"),)}
    earlier = {**rain, "times": (TimeSpan.from_iso("2001-06-01", "2002-01-01"),)}
    assert asked.answered_by(Record("a:1", "a", "1", "rain gauges", **rain))
    assert not asked.answered_by(Record("a:1", "a", "1", "wind", **rain))
    assert not asked.answered_by(Record("a:1", "a", "1", "rain gauges", **earlier))
    assert not asked.answered_by(Record("a:1", "a", "1", "rain gauges"))


def test_measures_of_one_question() -> None:
    found = measures(["a", "x", "b"], frozenset(("a", "b")))
    assert found["nDCG@10"] == pytest.approx((1 + 0.5) / (1 + 0.6309297))
    assert (found["P@1"], found["P@8"], found["R@64"]) == (1.0, 0.25, 1.0)


def test_text_alone_has_neither_place_nor_period_and_the_shipped_weights_are_among_the_variants() -> None:
    by_name = dict(variants(default_config()))
    alone = by_name["text alone"].passages
    assert alone.find(Spatial) is None
    assert alone.find(Temporal) is None
    assert default_config() in by_name.values()


def test_there_are_twenty_six_questions() -> None:
    assert len(load_questions()) == 26
