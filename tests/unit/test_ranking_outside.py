"""What lies wholly outside the asked place stands behind what lies inside it and is as good in all else."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import WORLD, BBox
from core.ports import CrossEncoderCard
from core.timespan import TimeSpan, instant_ms
from search_api.search.ranking.candidates import AreaName, Relation, Target
from search_api.search.ranking.config import Ranker, default_config
from search_api.search.ranking.rank import Ranking, explain, nearest_first, rank, rerank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of
from search_api.search.ranking.signals.spatial import BOXES, OutsidePlace, Spatial, wholly_outside
from search_api.search.ranking.signals.temporal import Temporal

CONFIG = default_config().records
PLACE = CONFIG[Spatial].place


def standing_back(outside: OutsidePlace, config: Ranker = CONFIG) -> Ranker:
    """The configuration with other numbers for what lies outside."""
    spatial = config[Spatial]
    return config.with_signals(replace(spatial, place=replace(spatial.place, outside=outside)))


BEFORE = standing_back(OutsidePlace(0.0, PLACE.outside.margin))
CARD = CrossEncoderCard("test", max_tokens=512)

AMAZON = BBox(-79.6, -20.5, -48.2, 5.3)
MANAUS = BBox(-60.1, -2.7, -59.9, -2.5)
LAUDER = BBox(169.6, -45.1, 169.8, -44.9)  # a station in New Zealand
SOUTH_AMERICA = BBox(-82, -56, -34, 13)
IN_2014 = TimeSpan.from_iso("2014-01-01", "2014-12-31")


def order(*rows: Candidate, config: Ranker = CONFIG, asked: Target | None = None) -> list[str]:
    return rank(candidates_of(rows), asked or Target(boxes=(AMAZON,)), config).ids()


def outside(asked: BBox, *boxes: BBox) -> bool:
    candidates = candidates_of([Candidate("a", boxes=boxes)])
    return bool(wholly_outside(candidates[BOXES], Target(boxes=(asked,)), PLACE)[0])


class TestWhatIsOutside:
    def test_elsewhere_is_and_without_an_extent_is_not(self) -> None:
        assert outside(AMAZON, LAUDER)
        assert not outside(AMAZON)

    @pytest.mark.parametrize("box", [MANAUS, SOUTH_AMERICA, WORLD, BBox(-48.2, -10, -40, 0), BBox(-60, 5.3, -60, 5.3)])
    def test_what_lies_inside_covers_overlaps_or_touches_is_not(self, box: BBox) -> None:
        assert not outside(AMAZON, box)

    def test_nor_is_what_lies_just_beside_it(self) -> None:
        # The diagonal of ten by ten degrees at the equator is 14.1: a twentieth of it is .7.
        asked = BBox(0, -5, 10, 5)
        assert PLACE.outside.margin == 0.05
        assert not outside(asked, BBox(10.6, 0, 11, 1))
        assert outside(asked, BBox(10.8, 0, 11, 1))

    def test_one_box_inside_is_enough_and_one_of_several_places(self) -> None:
        assert not outside(AMAZON, LAUDER, MANAUS)
        candidates = candidates_of([Candidate("a", boxes=(LAUDER,))])
        both = Target(boxes=(AMAZON, BBox(166, -48, 179, -34)))
        assert not wholly_outside(candidates[BOXES], both, PLACE)[0]

    def test_across_the_antimeridian(self) -> None:
        fiji = BBox(177, -19, -178, -16)
        assert not outside(fiji, BBox(-179, -18, -178.5, -17))
        assert not outside(BBox(-179, -18, -178.5, -17), fiji)
        assert outside(fiji, BBox(-170, -18, -169, -17))


class TestStandingBack:
    # Almost the same words; the one at Lauder says them better, and its period fits.
    LIDAR = (
        Candidate("manaus", {"bm25": 9.0, "dense": 0.50}, (MANAUS,), (TimeSpan.from_iso("2011-01-01", "2012-12-31"),)),
        Candidate("lauder", {"bm25": 10.0, "dense": 0.56}, (LAUDER,), (IN_2014,)),
    )

    def test_a_lidar_in_new_zealand_is_not_first_for_the_amazon(self) -> None:
        asked = Target(boxes=(AMAZON,), spans=(IN_2014,), now_ms=instant_ms("2026-01-01"))
        heavy_time = BEFORE.with_signals(replace(BEFORE[Temporal], weight=0.4))
        assert order(*self.LIDAR, config=heavy_time, asked=asked) == ["lauder", "manaus"]
        assert order(*self.LIDAR, config=standing_back(OutsidePlace(0.2, 0.05), heavy_time), asked=asked)[0] == "manaus"

    def test_the_world_comes_before_a_neighbour_that_does_not_touch(self) -> None:
        rows = (Candidate("world", {"bm25": 1.0}, (WORLD,)), Candidate("beside", {"bm25": 1.0}, (BBox(9, 0, 16, 7),)))
        asked = Target(boxes=(BBox(0, 0, 7, 7),))
        assert order(*rows, asked=asked) == ["world", "beside"]

    def test_another_topic_inside_does_not_come_first(self) -> None:
        rows = (Candidate("lidar", {"bm25": 10.0, "dense": 0.6}, (LAUDER,)), Candidate("fish", {}, (MANAUS,)))
        assert order(*rows) == ["lidar", "fish"]

    def test_those_outside_keep_their_order_and_so_do_those_inside(self) -> None:
        inside = tuple(Candidate(f"in-{n}", {"bm25": 10.0 - n}, (MANAUS,)) for n in range(4))
        away = tuple(Candidate(f"out-{n}", {"bm25": 10.0 - n}, (LAUDER,)) for n in range(4))
        for rows in (inside, away):
            assert order(*rows) == order(*rows, config=BEFORE) == [row.id for row in rows]

    @pytest.mark.parametrize("mode", ["hausdorff", "off"])
    def test_the_other_modes_are_as_they_were(self, mode: str) -> None:
        rows = candidates_of(self.LIDAR)
        asked = Target(boxes=(AMAZON,))
        now, was = (nearest_first(rank(rows, replace(asked, spatial=mode), one)) for one in (CONFIG, BEFORE))
        assert now.hits() == was.hits()

    @pytest.mark.parametrize("asked", [Target(), Target(boxes=(AMAZON,), relation="disjoint")])
    def test_without_a_place_and_away_from_one_nothing_changes(self, asked: Target) -> None:
        rows = candidates_of(self.LIDAR)
        assert rank(rows, asked, CONFIG).hits() == rank(rows, asked, BEFORE).hits()


class TestExplained:
    def part(self, ranking: Ranking, name: str) -> dict[str, object]:
        found = [explain(ranking, place) for place in range(len(ranking))]
        (signals,) = [one["signals"] for one in found if one["id"] == name]
        (part,) = [part for part in signals if part["signal"] == "spatial"]
        return dict(part)

    def test_it_is_said_of_those_outside_alone(self) -> None:
        rows = [*TestStandingBack.LIDAR, Candidate("silent", {"bm25": 1.0})]
        ranking = rank(candidates_of(rows), Target(boxes=(AMAZON,), places=(AreaName("the Amazon"),)), CONFIG)
        lauder = self.part(ranking, "lauder")
        assert lauder["reason"] == "lies outside the Amazon; it counts less than a record inside the place asked for"
        reasons = lauder["reasons"]
        assert isinstance(reasons, list)
        assert [reason["code"] for reason in reasons] == ["outside_place", "stands_back"]
        for name in ("manaus", "silent"):
            assert "counts less" not in str(self.part(ranking, name)["reason"])

    @pytest.mark.parametrize("relation", [None, "disjoint"])
    def test_it_is_not_said_where_nothing_stands_back(self, relation: Relation | None) -> None:
        config = BEFORE if relation is None else CONFIG
        asked = Target(boxes=(AMAZON,), relation=relation)
        ranking = rank(candidates_of(TestStandingBack.LIDAR), asked, config)
        assert "wholly outside" not in str(self.part(ranking, "lauder")["reason"])


SIDES = st.integers(0, 40)
EXTENTS = st.builds(
    lambda west, south, width, height: BBox(west, south, min(west + width, 180), min(south + height, 90)),
    st.integers(-180, 170),
    st.integers(-90, 80),
    SIDES,
    SIDES,
)
SPANS = st.integers(1950, 2030).map(lambda year: (TimeSpan.from_iso(f"{year}-01-01", f"{year}-12-31"),))
ROWS = st.builds(
    lambda bm25, dense, boxes, spans: (bm25, dense, boxes, spans),
    st.none() | st.floats(0, 30),
    st.none() | st.floats(-1, 1),
    st.lists(EXTENTS, max_size=2).map(tuple),
    SPANS | st.just(()),
)
ASKED = st.lists(EXTENTS, min_size=1, max_size=2).map(
    lambda boxes: Target(boxes=tuple(boxes), spans=(IN_2014,), now_ms=instant_ms("2026-01-01"))
)


class TestTheLaw:
    @given(st.lists(ROWS, min_size=2, max_size=12), ASKED, st.floats(0.001, 2), st.lists(st.floats(-9, 9), max_size=12))
    def test_only_what_is_better_by_the_tolerance_comes_before_what_lies_inside(
        self,
        rows: list[tuple[float | None, float | None, tuple[BBox, ...], tuple[TimeSpan, ...]]],
        asked: Target,
        tolerance: float,
        logits: list[float],
    ) -> None:
        config = standing_back(replace(PLACE.outside, tolerance=tolerance))
        candidates = candidates_of(
            [Candidate(f"{n:02}", {"bm25": r[0], "dense": r[1]}, r[2], r[3]) for n, r in enumerate(rows)]
        )
        fused = rank(candidates, asked, config)
        for ranking in (fused, rerank(fused, logits[: len(fused)], CARD)):
            assert broken(ranking) == []
            scores = ranking.score[ranking.order]
            assert all(better >= worse for better, worse in pairwise(scores))
            assert scores[-1] >= 0.0
            assert scores[0] <= 1.0 + 1e-9


def broken(ranking: Ranking) -> list[tuple[str, str]]:
    """Pairs (outside, inside) in which the first comes before the second without being better by the tolerance."""
    target, spatial, candidates = ranking.inputs.target, ranking.ranker[Spatial], ranking.candidates
    place, outside = ranking.terms["spatial"], wholly_outside(candidates[BOXES], target, spatial.place)
    inside = ~np.isnan(place.raw) & ~outside
    # In the scores as they are, weights being brought to sum 1: the place's own weight tells by how much.
    whole = spatial.weight * (1.0 + spatial.neutral) + spatial.place.outside.tolerance
    enough = spatial.place.outside.tolerance * place.weight / whole
    rest = ranking.score - place.weight * place.counted
    return [
        (candidates.ids[b], candidates.ids[a])
        for at, b in enumerate(ranking.order)
        if outside[b]
        for a in ranking.order[at + 1 :]
        if inside[a] and rest[b] - rest[a] < enough - 1e-9
    ]
