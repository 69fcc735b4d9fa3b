"""Place in ranking: named hard places, both modes, and records that do not say where they are."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import WORLD, BBox, box_array
from search_api.search.ranking.candidates import Relation, Rows, SpatialMode, Target
from search_api.search.ranking.config import default_config
from search_api.search.ranking.rank import explain, nearest_first, rank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of
from search_api.search.ranking.signals.spatial import FEATURES, Spatial, blend_features, blend_scores

CONFIG = default_config().records
PLACE = CONFIG[Spatial].place

ITALY = BBox(6.6, 36.6, 18.5, 47.1)
EUROPE = BBox(-25, 34, 45, 72)
FRANCE = BBox(-5, 42, 6, 51)
AUSTRALIA = BBox(113, -44, 154, -10)
FIJI = BBox(177, -19, -178, -16)
TONGA = BBox(-176, -22, -173, -15)
BERING_SEA = BBox(162, 52, -157, 66)
ARCTIC = BBox(-180, 66.5, 180, 90)
SVALBARD = BBox(10, 76, 34, 81)
ANTARCTICA = BBox(-180, -90, 180, -60)


def rows_of(*each: tuple[BBox, ...]) -> Rows:
    return Rows.of(box_array(box for boxes in each for box in boxes), [len(boxes) for boxes in each])


def score(asked: BBox, *boxes: BBox, relation: Relation | None = None) -> float:
    return float(blend_scores(rows_of(boxes), Target(boxes=(asked,), relation=relation), PLACE)[0])


def order(asked: tuple[BBox, ...], mode: SpatialMode = "blend", **places: tuple[BBox, ...]) -> list[str]:
    candidates = candidates_of([Candidate(name, {"bm25": 1.0}, boxes) for name, boxes in places.items()])
    return nearest_first(rank(candidates, Target(boxes=asked, spatial=mode), CONFIG)).ids()


class TestBlend:
    def test_features_of_the_same_box_are_all_one(self) -> None:
        assert blend_features(rows_of((ITALY,)), ITALY, None, PLACE)[:, 0].tolist() == pytest.approx([1.0] * 6)

    def test_the_score_is_the_logistic_of_the_weighted_features(self) -> None:
        # All features 1: bias + sum of the weights.
        blend = PLACE.blend
        all_of_them = blend.bias + sum(getattr(blend, name) for name in FEATURES)
        assert score(ITALY, ITALY) == pytest.approx(1 / (1 + math.exp(-all_of_them)))

    def test_features_by_hand(self) -> None:
        # At the equator: asked 0..4 x -2..2, record 2..6 x -2..2. Half is shared, centres 2 apart, Hausdorff 2.
        features = blend_features(rows_of((BBox(2, -2, 6, 2),)), BBox(0, -2, 4, 2), None, PLACE)[:, 0]
        diagonal = math.hypot(4, 4)
        expected = [math.exp(-2 / diagonal), 0.5, 0.5, 0.0, math.exp(-2 / diagonal), 1.0]
        assert features.tolist() == pytest.approx(expected, abs=1e-5)

    def test_worldwide_does_not_win_a_regional_question(self) -> None:
        assert order(
            (ITALY,), world=(WORLD,), italy=(ITALY,), europe=(EUROPE,), france=(FRANCE,), far=(AUSTRALIA,)
        ) == [
            "italy",
            "europe",
            "world",
            "france",
            "far",
        ]

    def test_worldwide_wins_a_worldwide_question(self) -> None:
        assert order((WORLD,), italy=(ITALY,), world=(WORLD,), europe=(EUROPE,))[0] == "world"

    def test_a_record_without_extent_is_between_right_and_wrong(self) -> None:
        assert order((ITALY,), silent=(), italy=(ITALY,), far=(AUSTRALIA,)) == ["italy", "silent", "far"]

    def test_fiji_across_the_antimeridian(self) -> None:
        both_sides = (BBox(177, -19, 180, -16), BBox(-180, -19, -178, -16))
        east_side = (both_sides[1],)
        assert order((FIJI,), australia=(AUSTRALIA,), fiji=(FIJI,), east_side=east_side, tonga=(TONGA,)) == [
            "fiji",
            "east_side",
            "tonga",
            "australia",
        ]
        assert score(FIJI, *both_sides) > 0.5

    def test_bering_sea(self) -> None:
        alaskan_side = BBox(-170, 55, -160, 64)
        # Asked as a box that does not cross, the same latitudes elsewhere must lose.
        assert order((BERING_SEA,), moscow=(BBox(30, 52, 60, 66),), alaska=(alaskan_side,)) == ["alaska", "moscow"]

    def test_poles(self) -> None:
        assert order((ARCTIC,), antarctica=(ANTARCTICA,), svalbard=(SVALBARD,), world=(WORLD,), arctic=(ARCTIC,)) == [
            "arctic",
            "svalbard",
            "world",
            "antarctica",
        ]
        south_pole = BBox(0, -90, 0, -90)
        assert score(ANTARCTICA, south_pole) > score(ARCTIC, south_pole)

    def test_points(self) -> None:
        zugspitze = BBox(10.98, 47.42, 10.98, 47.42)
        alps = BBox(5, 43, 17, 48)
        assert order((zugspitze,), alps=(alps,), there=(zugspitze,), world=(WORLD,), fiji=(FIJI,)) == [
            "there",
            "alps",
            "world",
            "fiji",
        ]
        assert score(alps, zugspitze) > score(alps, FIJI)

    def test_several_boxes_of_a_record_the_nearest_and_best_count(self) -> None:
        assert score(ITALY, AUSTRALIA, ITALY) == pytest.approx(score(ITALY, ITALY))

    def test_of_two_asked_places_who_serves_both_wins(self) -> None:
        assert order((ITALY, FRANCE), italy=(ITALY,), both=(FRANCE, ITALY), far=(AUSTRALIA,)) == [
            "both",
            "italy",
            "far",
        ]

    def test_within_prefers_what_lies_inside_and_contains_what_covers(self) -> None:
        rome = BBox(12.2, 41.7, 12.8, 42.1)
        assert score(ITALY, rome, relation="within") > score(ITALY, EUROPE, relation="within")
        assert score(ITALY, rome, relation="contains") < score(ITALY, EUROPE, relation="contains")

    def test_disjoint_turns_it_round(self) -> None:
        assert score(ITALY, AUSTRALIA, relation="disjoint") == pytest.approx(1.0)
        assert score(ITALY, ITALY, relation="disjoint") == pytest.approx(0.0, abs=1e-9)

    @given(st.integers(-180, 180), st.integers(-90, 80), st.integers(0, 360), st.integers(0, 10))
    def test_scores_lie_between_0_and_1(self, west: int, south: int, width: int, height: int) -> None:
        east = west + width if west + width <= 180 else max(west + width - 360, -180)
        box = BBox(west, south, min(east, 180), south + height)
        for asked in (ITALY, FIJI, ARCTIC, WORLD, BBox(0, 90, 0, 90)):
            assert 0.0 < score(asked, box) < 1.0


class TestHausdorffMode:
    def test_by_distance_ascending_with_the_worldwide_last(self) -> None:
        # From Italy in plain degrees: France hypot(12.5, 5.4) = 13.6 and Europe hypot(31.6, 24.9) = 40.2.
        got = order((ITALY,), "hausdorff", world=(WORLD,), europe=(EUROPE,), italy=(ITALY,), france=(FRANCE,))
        assert got == ["italy", "france", "europe", "world"]

    def test_without_extent_below_an_exact_match_and_above_a_wrong_place(self) -> None:
        # Taken to be one diagonal of Italy away, 15.9 degrees.
        got = order((ITALY,), "hausdorff", silent=(), far=(AUSTRALIA,), italy=(ITALY,), france=(FRANCE,))
        assert got == ["italy", "france", "silent", "far"]

    def test_only_the_best_window_moves(self) -> None:
        rows = [Candidate(f"{number}", {"bm25": 10.0 - number}, (box,)) for number, box in enumerate([WORLD, EUROPE])]
        rows.append(Candidate("2", {"bm25": 1.0}, (ITALY,)))
        config = CONFIG.with_signals(replace(CONFIG[Spatial], hausdorff_window=2))
        ranking = nearest_first(rank(candidates_of(rows), Target(boxes=(ITALY,), spatial="hausdorff"), config))
        assert ranking.ids() == ["1", "0", "2"]
        scores = [hit.score for hit in ranking.hits()]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] == pytest.approx(1 + 1 / (1 + math.hypot(31.6, 24.9)))

    def test_equal_distances_keep_their_order(self) -> None:
        rows = [Candidate(name, {"bm25": bm25}, (ITALY,)) for name, bm25 in (("a", 1.0), ("b", 3.0), ("c", 3.0))]
        assert nearest_first(rank(candidates_of(rows), Target(boxes=(ITALY,), spatial="hausdorff"), CONFIG)).ids() == [
            "b",
            "c",
            "a",
        ]

    def test_no_place_no_change(self) -> None:
        rows = [Candidate("a", {"bm25": 1.0}, (ITALY,)), Candidate("b", {"bm25": 2.0}, (WORLD,))]
        ranking = rank(candidates_of(rows), Target(spatial="hausdorff"), CONFIG)
        assert nearest_first(ranking) is ranking

    def test_text_alone_decides_who_is_in_the_window(self) -> None:
        rows = [Candidate("a", {"bm25": 1.0}, (ITALY,)), Candidate("b", {"bm25": 2.0}, (WORLD,))]
        ranking = rank(candidates_of(rows), Target(boxes=(ITALY,), spatial="hausdorff"), CONFIG)
        assert ranking.ids() == ["b", "a"]
        assert set(ranking.terms) == {"bm25"}


class TestRows:
    def test_best_and_least_by_owner(self) -> None:
        rows = Rows.of(np.zeros((3, 4)), [2, 0, 1])
        assert rows.best(np.array([1.0, 5.0, 2.0])).tolist() == pytest.approx([5.0, math.nan, 2.0], nan_ok=True)
        assert rows.least(np.array([1.0, 5.0, 2.0])).tolist() == pytest.approx([1.0, math.nan, 2.0], nan_ok=True)

    def test_of_one_candidate(self) -> None:
        rows = Rows.of(np.arange(12.0).reshape(3, 4), [0, 2, 0, 1, 0])
        assert [rows.of_candidate(index)[:, 0].tolist() for index in range(5)] == [[], [0.0, 4.0], [], [8.0], []]

    def test_nobody_has_any(self) -> None:
        assert np.isnan(Rows.of(np.empty((0, 4)), [0, 0]).best(np.empty(0))).all()


class TestAcrossTheAntimeridian:
    def test_hausdorff_counts_the_shorter_way(self) -> None:
        # Fiji runs over the line; Tonga lies just east of it, at -175, and Vanuatu west of it.
        got = order((FIJI,), "hausdorff", kenya=(BBox(34, -5, 42, 5),), tonga=(BBox(-176, -22, -173, -15),))
        assert got == ["tonga", "kenya"]


class TestNamedInWords:
    def test_without_extent_it_counts_whether_its_words_name_the_place(self) -> None:
        rows = [
            Candidate("far", {"bm25": 1.0}, (AUSTRALIA,)),
            Candidate("silent", {"bm25": 1.0}),
            Candidate("abstract", {"bm25": 1.0}, place_prominence=0.5),
            Candidate("title", {"bm25": 1.0}, place_prominence=1.0),
            Candidate("exact", {"bm25": 1.0}, (ITALY,)),
        ]
        ranking = rank(candidates_of(rows), Target(boxes=(ITALY,)), CONFIG)
        assert ranking.ids() == ["exact", "title", "abstract", "silent", "far"]

    def test_its_words_change_nothing_for_a_record_with_an_extent(self) -> None:
        rows = [
            Candidate("a", {"bm25": 1.0}, (FRANCE,)),
            Candidate("b", {"bm25": 1.0}, (FRANCE,), place_prominence=1.0),
        ]
        ranking = rank(candidates_of(rows), Target(boxes=(ITALY,)), CONFIG)
        assert ranking.score[0] == ranking.score[1]

    def test_the_area_that_its_title_names_counts_less_than_a_stated_one(self) -> None:
        rows = [
            Candidate("far", {"bm25": 1.0}, (AUSTRALIA,)),
            Candidate("elsewhere", {"bm25": 1.0}, estimated_boxes=(AUSTRALIA,)),
            Candidate("silent", {"bm25": 1.0}),
            Candidate("around", {"bm25": 1.0}, estimated_boxes=(BBox(-10, 35, 30, 60),)),
            Candidate("estimated", {"bm25": 1.0}, estimated_boxes=(ITALY,)),
            Candidate("exact", {"bm25": 1.0}, (ITALY,)),
        ]
        ranking = rank(candidates_of(rows), Target(boxes=(ITALY,)), CONFIG)
        assert ranking.ids() == ["exact", "estimated", "around", "silent", "elsewhere", "far"]

    def test_a_title_that_names_only_elsewhere_counts_as_outside(self) -> None:
        rows = [
            Candidate("elsewhere", {"bm25": 1.0}, estimated_boxes=(AUSTRALIA,)),
            Candidate("named in the text", {"bm25": 1.0}, estimated_boxes=(AUSTRALIA,), place_prominence=0.5),
            Candidate("silent", {"bm25": 1.0}),
            Candidate("inside", {"bm25": 1.0}, (ITALY,)),
        ]
        ranking = rank(candidates_of(rows), Target(boxes=(ITALY,)), CONFIG)
        values = dict(zip(ranking.candidates.ids, ranking.terms["spatial"].counted.tolist(), strict=True))
        assert values["elsewhere"] < values["silent"] < values["named in the text"] < values["inside"]
        reasons = explain(ranking, ranking.ids().index("elsewhere"))["signals"]
        (codes,) = [[reason["code"] for reason in part["reasons"]] for part in reasons if part["signal"] == "spatial"]
        assert codes == ["title_elsewhere", "stands_back"]

    def test_an_estimated_area_is_said(self) -> None:
        rows = [Candidate("a", {"bm25": 1.0}, estimated_boxes=(ITALY,)), Candidate("b", {"bm25": 1.0})]
        ranking = rank(candidates_of(rows), Target(boxes=(ITALY,)), CONFIG)
        (part,) = [part for part in explain(ranking, 0)["signals"] if part["signal"] == "spatial"]
        assert part["reason"] == "area not stated: estimated from the places in the title"

    def test_nor_for_a_question_without_a_place(self) -> None:
        rows = [Candidate("a", {"bm25": 1.0}), Candidate("b", {"bm25": 1.0}, place_prominence=1.0)]
        ranking = rank(candidates_of(rows), Target(), CONFIG)
        assert ranking.score[0] == ranking.score[1]
