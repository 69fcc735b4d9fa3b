"""The rule of relevance on hand-made records: every grade as arithmetic, and the law of the split."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import BBox
from core.record import Keyword, Record
from core.timespan import TimeSpan
from tests.quality.build_ncar import OTHERS, judge, overruled, quick_subset
from tests.quality.ncar_groups import clusters, group_of, kind_of, shared_groups, split
from tests.quality.ncar_questions import read_question, read_topics
from tests.quality.ncar_rule import (
    FEW_KEYWORDS,
    Question,
    Topic,
    extent_grade,
    grade,
    period_grade,
    span_grade,
    topic_grade,
)

RAIN = Topic("rain", title=re.compile("rain"), keywords=re.compile("^rain$", re.M), abstract=re.compile("rain"))


def record(title: str = "Rain", *, abstract: str = "", keywords: tuple[str, ...] = (), **more: object) -> Record:
    terms = tuple(Keyword(term) for term in keywords)
    return Record("s:1", "s", "1", title, abstract=abstract, keywords=terms, **more)  # type: ignore[arg-type]


def question(box: BBox | None, period: TimeSpan | None = None, names: str | None = None) -> Question:
    return Question("q", "rain", "rain", RAIN, box, period, None if names is None else re.compile(names))


def boxed(*box: float) -> Record:
    return record(extents=(BBox(*box),))


def test_topic_by_where_it_is_said() -> None:
    assert topic_grade(RAIN, record("rain at stations")) == 3
    assert topic_grade(RAIN, record("gauges", keywords=("rain",))) == 2
    assert topic_grade(RAIN, record("gauges", keywords=("rain", *"abcdefghijklmno"))) == 1  # one of 16 keywords
    assert len("abcdefghijklmno") == FEW_KEYWORDS
    assert topic_grade(RAIN, record("gauges", abstract="measures rain")) == 1
    assert topic_grade(RAIN, record("gauges", keywords=("rain gauge",))) == 0  # the pattern is a whole keyword


def test_topic_excluded_and_needed() -> None:
    radar = Topic("t", title=re.compile("rain"), never=re.compile("radar"), needs=re.compile("gauge"))
    assert topic_grade(radar, record("rain gauge")) == 3
    assert topic_grade(radar, record("rain gauge and radar")) == 0
    assert topic_grade(radar, record("rain")) == 0
    anywhere = Topic("t", title=re.compile("rain"), needs_anywhere=re.compile("gauge"))
    assert topic_grade(anywhere, record("rain", abstract="by gauge")) == 3


def test_a_local_place() -> None:
    ten_by_ten = question(BBox(0, -5, 10, 5))  # about 14 degrees across
    assert extent_grade(ten_by_ten, boxed(5, 0, 5, 0)) == 3  # a station inside
    assert extent_grade(ten_by_ten, boxed(0, -5, 20, 5)) == 3  # all of it, twice as large
    assert extent_grade(ten_by_ten, boxed(-10, -10, 20, 10)) == 2  # all of it, about six times as large
    assert extent_grade(ten_by_ten, boxed(-180, -90, 180, 90)) == 1  # the world
    assert extent_grade(ten_by_ten, boxed(8, -5, 28, 5)) == 1  # a tenth of it inside
    assert extent_grade(ten_by_ten, boxed(11, 0, 12, 1)) == 0


def test_a_region_wants_more_than_a_station() -> None:
    region = question(BBox(0, -15, 30, 15))  # about 42 degrees across
    assert extent_grade(region, boxed(5, 0, 5, 0)) == 2
    assert extent_grade(region, boxed(5, 0, 10, 5)) == 3  # 25 of 900 square degrees: 2.8 %


def test_who_asks_for_the_world_wants_most_of_it() -> None:
    world = question(BBox(-180, -90, 180, 90))
    assert extent_grade(world, boxed(-180, -90, 180, 90)) == 3
    assert extent_grade(world, boxed(-180, 0, 180, 90)) == 2  # one half
    assert extent_grade(world, boxed(-180, 0, -90, 90)) == 1  # an eighth
    assert extent_grade(world, boxed(0, 0, 10, 10)) == 0


def test_across_the_antimeridian() -> None:
    fiji = question(BBox(175, -22, -175, -12))
    assert extent_grade(fiji, boxed(178, -18, -179, -16)) == 3
    assert extent_grade(fiji, boxed(-20, -18, 20, -16)) == 0


def test_a_place_in_words() -> None:
    hawaii = question(BBox(-161, 18, -154, 23), names="hawaii")
    assert extent_grade(hawaii, record("rain of hawaii")) == 3
    assert extent_grade(hawaii, record("rain", abstract="in hawaii")) == 2
    assert extent_grade(hawaii, record("rain of guam")) == 0
    assert extent_grade(hawaii, record("rain of hawaii", extents=(BBox(-180, -90, 180, 90),))) == 2
    assert extent_grade(question(None), record()) == 3


def span(start: str | None, end: str | None) -> TimeSpan:
    return TimeSpan.from_iso(start, end)


@pytest.mark.parametrize(
    ("asked", "said", "points"),
    [
        (("2001-06", "2001-08"), ("2001-07-03", "2001-07-04"), 3),  # inside
        (("2001-06", "2001-08"), ("1950", "2020"), 3),  # all of it
        (("2001-06", "2001-08"), ("2001-08", "2001-10"), 2),  # a third of either: 31 of 92 days
        (("2001-06", "2001-08"), ("2001-08-30", "2003"), 1),
        (("2001-06", "2001-08"), ("2001-09", "2002"), 0),
        (("1990", "1999"), ("1992", "1992"), 3),  # a tenth, inside
        (("1990", "1999"), ("1992-05", "1992-05"), 2),  # one month of 120
        (("1900", "1999"), ("1992-05", "1992-05"), 1),  # one month of 1200
        (("1900", "1999"), ("1970", "2020"), 3),  # three tenths, and more than half of the record
        (("1900", "1999"), ("1970", "2050"), 2),  # three tenths, but 30 of 81 years of the record
        ((None, "1949"), ("1900", "2000"), 3),  # 50 years before it
        ((None, "1949"), ("1945", "2000"), 2),  # 5 of the 20 years that count
        (("2020", None), ("2021", None), 3),
    ],
)
def test_periods(asked: tuple[str | None, str | None], said: tuple[str | None, str | None], points: int) -> None:
    assert span_grade(span(*asked), span(*said)) == points


def test_a_record_without_a_time() -> None:
    assert period_grade(span("1990", "1999"), ()) == 1
    assert period_grade(None, ()) == 3


def test_the_least_of_three_counts() -> None:
    asked = question(BBox(0, -5, 10, 5), span("2001", "2001"))
    fits = record("rain", extents=(BBox(5, 0, 5, 0),), times=(span("2001-05", "2001-06"),))
    assert grade(asked, fits).relevance == 3
    wide = record("rain", extents=(BBox(-180, -90, 180, 90),), times=fits.times)
    assert grade(asked, wide).relevance == 1
    assert judge([asked], [fits, record("snow", extents=fits.extents, times=fits.times)]) == {"q": {"s:1": 3}}


def test_a_question_is_read() -> None:
    topics = read_topics({"rain": {"any": ["rain"], "never": ["radar"]}})
    entry = {"id": "q", "text": "rain", "topic_words": "rain", "topic": "rain", "box": [0, -5, 10, 5], "from": 1990}
    read = read_question(entry, topics)
    assert (read.box, read.period, read.place_names) == (BBox(0, -5, 10, 5), span("1990", None), None)
    assert topic_grade(read.topic, record("RAIN")) == 3


def test_groups() -> None:
    assert group_of("ncar_eol:edu.ucar.eol::347.012") == "eol-347"
    assert group_of("ncar_eol:edu.ucar.eol::106.ARCSS077") == "eol-106"
    assert group_of("ncar_rda:edu.ucar.gdex::d633001") == group_of("ncar_rda:edu.ucar.gdex::d630000") == "rda-ERA5"
    assert group_of("ncar_rda:edu.ucar.gdex::d571000") == "rda-d571"
    assert group_of("ncar_rda:edu.ucar.gdex::d010014") != group_of("ncar_rda:edu.ucar.gdex::d010091")
    assert kind_of(frozenset({"rda-d571", "eol-1"}), 60.0) == "archives"
    assert kind_of(frozenset({"eol-2"}), 60.0) == "northern campaigns"


def test_clusters() -> None:
    groups = {name: frozenset(held) for name, held in {"a": "x", "b": "xy", "c": "y", "d": "z"}.items()}
    assert clusters(groups) == [["a", "b", "c"], ["d"]]


QUESTIONS = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3),
    st.frozensets(st.sampled_from("uvwxyz"), min_size=1, max_size=3),
    min_size=1,
    max_size=12,
)


@given(QUESTIONS)
def test_the_halves_never_share_a_group(groups: dict[str, frozenset[str]]) -> None:
    kinds = dict.fromkeys(groups, "any")
    halves = split(groups, kinds)
    assert halves.keys() == groups.keys()
    assert not shared_groups(halves, groups)


@given(QUESTIONS)
def test_a_pinned_question_is_tested(groups: dict[str, frozenset[str]]) -> None:
    pinned = min(groups)
    assert split(groups, dict.fromkeys(groups, "any"), frozenset({pinned}))[pinned] == "test"


def test_two_unrelated_clusters_go_apart() -> None:
    groups = {"a": frozenset("x"), "b": frozenset("x"), "c": frozenset("y"), "d": frozenset("y")}
    assert split(groups, dict.fromkeys(groups, "any")) == {"a": "tune", "b": "tune", "c": "test", "d": "test"}


def test_hand_overrules() -> None:
    assert overruled({"q": {"a": 3, "b": 1}, "r": {"a": 1}}, {"q": {"a": 0, "c": 2}}) == {"q": {"b": 1, "c": 2}}


def test_the_quick_subset() -> None:
    ids = [f"n{number:05}" for number in range(3_000)]
    quick = quick_subset(ids, {"q": {"n00001": 3}, "r": {"n00002": 3}}, {"q": "test", "r": "tune"}, ["n00003"])
    assert {"n00001", "n00003"} <= set(quick)
    assert len(quick) == len(set(quick)) == OTHERS + 2
    assert quick == sorted(quick)
