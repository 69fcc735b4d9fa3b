"""Time, resolution and kind in ranking."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from core.geo import WORLD, BBox
from core.record import ProvenanceKind, Resolution
from core.timespan import TimeSpan, instant_ms
from search_api.search.ranking.candidates import Candidates, Level, Target
from search_api.search.ranking.config import default_config
from search_api.search.ranking.rank import rank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of
from search_api.search.ranking.signals.record import Kind
from search_api.search.ranking.signals.signal import RankingInput
from search_api.search.ranking.signals.temporal import RESOLUTION_M, STEPS_S, Temporal, closeness
from search_api.search.ranking.signals.temporal import ResolutionSignal as ResolutionSignal

NOW = instant_ms("2026-01-01")
CONFIG = default_config().records
TEMPORAL = CONFIG[Temporal]
RESOLUTION = CONFIG[ResolutionSignal]
BERLIN = BBox(13.09, 52.34, 13.76, 52.68)
EUROPE = BBox(-25, 34, 45, 72)


def years(start: str | None, end: str | None) -> TimeSpan:
    return TimeSpan.from_iso(start, end)


def time_scores(asked: TimeSpan | None, *records: tuple[TimeSpan, ...], latest: bool = False) -> list[float]:
    candidates = candidates_of([Candidate(str(number), {}, (), spans) for number, spans in enumerate(records)])
    target = Target(spans=() if asked is None else (asked,), latest=latest, now_ms=NOW)
    return TEMPORAL.scores(candidates, target).tolist()


class TestSpans:
    def test_covering_all_is_one_however_long(self) -> None:
        assert time_scores(years("2003-05", "2003-05"), (years("1901", None),)) == [1.0]

    def test_half_covered_and_wholly_inside(self) -> None:
        # 1990s asked, 1990..1994 of it: 1826 of 3652 days, and a share of the rest for lying inside.
        share = 1826 / 3652
        assert time_scores(years("1990", "1999"), (years("1990", "1994"),)) == [
            pytest.approx(share + TEMPORAL.inside_share * (1 - share))
        ]

    def test_a_wrong_time_is_zero_and_none_is_not_measured(self) -> None:
        wrong, silent = time_scores(years("1990", "1999"), (years("2005", "2010"),), ())
        assert wrong == 0.0
        assert math.isnan(silent)

    def test_the_best_of_several_spans(self) -> None:
        assert time_scores(years("1990", "1999"), (years("1901", "1910"), years("1980", "2010"))) == [1.0]

    def test_since_1990(self) -> None:
        ongoing, ended, projection = time_scores(
            years("1990", None), (years("1979", None),), (years("1950", "1980"),), (years("2030", "2100"),)
        )
        assert (ongoing, ended, projection) == (1.0, 0.0, 0.0)

    def test_before_1950(self) -> None:
        early, across, late = time_scores(
            years(None, "1949"), (years("1500", "1900"),), (years("1900", "1999"),), (years("1950", None),)
        )
        assert (early, across, late) == (1.0, pytest.approx(0.5, abs=1e-3), 0.0)


class TestLatest:
    def test_halves_with_every_half_life(self) -> None:
        day = 86_400_000
        spans = [TimeSpan(0, NOW - 730 * day), TimeSpan(0, None), TimeSpan(0, NOW - 1460 * day)]
        assert time_scores(None, *((span,) for span in spans), latest=True) == pytest.approx([0.5, 1.0, 0.25])

    def test_without_a_span_the_date_of_change_counts(self) -> None:
        changed = NOW - 730 * 86_400_000
        candidates = candidates_of([Candidate("a", modified_ms=changed), Candidate("b")])
        one, other = TEMPORAL.scores(candidates, Target(latest=True, now_ms=NOW))
        assert one == pytest.approx(0.5)
        assert math.isnan(other)


class TestTarget:
    def test_a_time_needs_a_now(self) -> None:
        with pytest.raises(ValueError, match="now_ms"):
            Target(spans=(years("1990", None),))

    def test_a_span_without_ends_asks_for_nothing(self) -> None:
        assert not Target(spans=(TimeSpan(None, None),), now_ms=NOW).asks_time


def resolved(*metres: float | None) -> Candidates:
    rows = [Candidate(str(number), resolution=Resolution(metres=value)) for number, value in enumerate(metres)]
    return candidates_of(rows)


class TestResolution:
    def test_the_same_is_one_the_double_and_the_half_alike(self) -> None:
        scores = RESOLUTION.scores(resolved(30, 60, 15, 3000, None), Target(resolution=Resolution(metres=30)))
        expected = [1.0, math.sqrt(0.5), math.sqrt(0.5), 0.1, math.nan]
        assert scores.tolist() == pytest.approx(expected, nan_ok=True)

    def test_a_map_scale_is_half_a_millimetre(self) -> None:
        # 1:50 000 shows 25 m.
        asked = Target(resolution=Resolution(scale_denominator=50_000))
        assert RESOLUTION.scores(resolved(25), asked).tolist() == [1.0]

    def test_time_steps(self) -> None:
        rows = [Candidate(step, resolution=Resolution(time_step=step)) for step in ("P1D", "PT6H", "P1M")]
        scores = RESOLUTION.scores(candidates_of(rows), Target(resolution=Resolution(time_step="P1D")))
        assert scores.tolist() == pytest.approx([1.0, 0.5, math.sqrt(1 / 30.436875)])

    @pytest.mark.parametrize(
        ("fields", "hours"),
        [
            ({"title_sort": ["reanalysis, monthly means"], "resolution.time_step": ["PT1H"]}, [1.0]),
            ({"title_sort": ["era9 hourly data"]}, [1.0]),
            ({"title_sort": ["daily 3-hourly and 6-hourly data"]}, [3.0, 6.0, 24.0]),
            ({"title_sort": ["30-minute rainfall"]}, [0.5]),
            ({"title_sort": ["data of a daily life, in a month"]}, [24.0]),
            ({"title_sort": ["rainfall of may"]}, []),
            ({}, []),
        ],
        ids=["stated", "title", "several", "minutes", "noun", "none", "no title"],
    )
    def test_a_time_step_that_is_not_stated_is_read_from_the_title(
        self, fields: dict[str, list[str]], hours: list[float]
    ) -> None:
        assert sorted(STEPS_S.read(fields)) == [3600.0 * count for count in hours]

    @pytest.mark.parametrize(
        ("level", "best"), [("global", "world"), ("continental", "europe"), ("local", "berlin"), ("national", "italy")]
    )
    def test_levels_go_by_the_extent(self, level: Level, best: str) -> None:
        extents = {"world": WORLD, "europe": EUROPE, "berlin": BERLIN, "italy": BBox(6.6, 36.6, 18.5, 47.1)}
        candidates = candidates_of([Candidate(name, boxes=(box,)) for name, box in extents.items()])
        scores = dict(zip(extents, RESOLUTION.scores(candidates, Target(level=level)).tolist(), strict=True))
        assert scores[best] == 1.0
        assert all(value < 1.0 for name, value in scores.items() if name != best)

    def test_the_size_of_the_place_says_what_to_expect(self) -> None:
        # Berlin in 500 cells is some 80 m a cell, Europe some 10 km.
        candidates = resolved(100, 10_000)
        fine, coarse = RESOLUTION.expected(candidates, Target(boxes=(BERLIN,)))
        assert fine > coarse
        fine, coarse = RESOLUTION.expected(candidates, Target(boxes=(EUROPE,)))
        assert coarse > fine

    def test_words_replace_the_expectation(self) -> None:
        rows = [Candidate("a", {"bm25": 1.0}, (BERLIN,), resolution=Resolution(metres=30))]
        asked = Target(boxes=(BERLIN,), resolution=Resolution(metres=30))
        hit = rank(candidates_of(rows), asked, CONFIG).hits()[0]
        assert hit.signals["resolution"] == 1.0

    def test_a_resolution_of_zero_is_no_resolution(self) -> None:
        assert math.isnan(closeness(resolved(0.0)[RESOLUTION_M], 30.0)[0])


class TestKind:
    def test_the_same_a_near_and_a_wrong_kind(self) -> None:
        kinds: tuple[ProvenanceKind, ...] = ("observation", "derived", "projection", "unknown")
        scores = CONFIG[Kind].scores("observation", kinds).tolist()
        assert scores == pytest.approx([1.0, 0.4, 0.0, math.nan], nan_ok=True)

    def test_observations_first_and_unknown_before_wrong(self) -> None:
        kinds: tuple[ProvenanceKind, ...] = ("projection", "unknown", "observation")
        rows = [Candidate(kind, {"bm25": 1.0}, kind=kind) for kind in kinds]
        ids = rank(candidates_of(rows), Target(kind="observation"), replace(CONFIG)).ids()
        assert ids == ["observation", "unknown", "projection"]


class TestSeveral:
    JULY_2004, AUGUST_2006 = years("2004-07", "2004-07"), years("2006-08", "2006-08")

    def scores(self, target: Target, *records: tuple[TimeSpan, ...]) -> list[float]:
        rows = [Candidate(str(number), {}, (), spans) for number, spans in enumerate(records)]
        return TEMPORAL.scores(candidates_of(rows), target).tolist()

    def test_each_period_counts_and_what_is_between_does_not(self) -> None:
        asked = Target(spans=(self.JULY_2004, self.AUGUST_2006), now_ms=NOW)
        both = (self.JULY_2004, self.AUGUST_2006)
        assert self.scores(asked, both, (self.JULY_2004,), (years("2005", "2005"),)) == [1.0, 0.5, 0.0]

    @pytest.mark.parametrize(
        ("start", "end", "score"),
        [
            ("1998-01", "1998-02", 1.0),
            ("1998-11", "1999-01", 1.0),
            ("1998-05", "1998-08", 0.0),
            ("1998-05", "1999-06", 1.0),
            (None, "1950-06", 1.0),
            ("1990", None, 1.0),
        ],
    )
    def test_months_of_any_year(self, start: str | None, end: str | None, score: float) -> None:
        asked = Target(months=(12, 1, 2), now_ms=NOW)
        assert self.scores(asked, (years(start, end),)) == [score]

    def test_the_wrong_months_of_the_right_year_count_half(self) -> None:
        asked = Target(spans=(years("1998", "1998"),), months=(12, 1, 2), now_ms=NOW)
        summer, year = self.scores(asked, (years("1998-06", "1998-08"),), (years("1998", "1998"),))
        assert (summer, year) == (pytest.approx(0.5 * 0.925, abs=0.001), 1.0)

    def test_only_months_are_a_small_preference(self) -> None:
        asked = Target(months=(1,), now_ms=NOW)
        rows = candidates_of([Candidate("a", {}, (), (years("1998-06", "1998-06"),)), Candidate("silent", {})])
        measured = TEMPORAL.measure(RankingInput(rows, asked))
        assert measured is not None
        assert measured.counted is not None
        assert (measured.weight, measured.counted.tolist()) == (TEMPORAL.weight * 0.5, [0.0, 1.0])
