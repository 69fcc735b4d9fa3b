"""The whole order: what is not asked changes nothing, re-ranking keeps its block, explanations add up."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import WORLD, BBox
from core.ports import CrossEncoderCard
from core.record import Resolution
from core.timespan import TimeSpan, instant_ms
from search_api.search.ranking.candidates import AreaName, Candidates, RankingFields, Target, fields_of
from search_api.search.ranking.config import RankingConfig, default_config
from search_api.search.ranking.rank import Ranking, calibrated, explain, nearest_first, rank, rerank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of
from search_api.search.ranking.signals.arms import CrossEncoderReading
from search_api.search.ranking.signals.record import KIND, Kind
from search_api.search.ranking.signals.spatial import BOXES, Spatial
from search_api.search.ranking.signals.temporal import MODIFIED_MS, RESOLUTION_M, SPANS, STEP_S, Temporal
from search_api.search.ranking.signals.temporal import ResolutionSignal as ResolutionSignal

NOW = instant_ms("2026-01-01")
CONFIG = default_config().records
CARD = CrossEncoderCard("test", max_tokens=512)
SOUTHERN_AFRICA = BBox(10, -35, 41, -8)
PERU = BBox(-82, -19, -68, 0)
EVERYTHING = Target(
    boxes=(SOUTHERN_AFRICA,),
    spans=(TimeSpan.from_iso("1990", None),),
    kind="observation",
    resolution=Resolution(metres=5_000),
    places=(AreaName("southern Africa"),),
    now_ms=NOW,
)

RAIN = [
    Candidate(
        "rain-southern-africa",
        {"bm25": 12.0, "dense": 0.6},
        (SOUTHERN_AFRICA,),
        (TimeSpan.from_iso("1981", None),),
        Resolution(metres=5_000),
        "observation",
    ),
    Candidate("rain-peru", {"bm25": 12.5, "dense": 0.62}, (PERU,), (TimeSpan.from_iso("1981", None),)),
    Candidate("rain-world", {"bm25": 12.0, "dense": 0.6}, (WORLD,), (TimeSpan.from_iso("1901", "1960"),)),
    Candidate("rain-somewhere", {"bm25": 12.2, "dense": None}),
    Candidate("soil", {"bm25": None, "dense": 0.1}, (SOUTHERN_AFRICA,), (TimeSpan.from_iso("1981", None),)),
]


def bare(row: Candidate) -> Candidate:
    return Candidate(row.id, row.arms)


class TestWhatIsNotAsked:
    def test_place_time_resolution_and_kind_change_nothing(self) -> None:
        with_all = rank(candidates_of(RAIN), Target(), CONFIG).hits()
        without = rank(candidates_of([bare(row) for row in RAIN]), Target(), CONFIG).hits()
        assert with_all == without  # ids, scores to the last bit, signals

    def test_their_weights_change_nothing_either(self) -> None:
        heavy = CONFIG.with_signals(
            *(replace(CONFIG[kind], weight=9.0) for kind in (Spatial, Temporal, Kind, ResolutionSignal))
        )
        assert rank(candidates_of(RAIN), Target(), heavy).hits() == rank(candidates_of(RAIN), Target(), CONFIG).hits()

    def test_a_place_alone_does_not_bring_time_in(self) -> None:
        hit = rank(candidates_of(RAIN), Target(boxes=(PERU,)), CONFIG).hits()[0]
        assert "temporal" not in hit.signals

    def test_spatial_off(self) -> None:
        off = Target(boxes=(PERU,), spatial="off")
        assert rank(candidates_of(RAIN), off, CONFIG).hits() == rank(candidates_of(RAIN), Target(), CONFIG).hits()


class TestWhatIsAsked:
    def test_the_right_place_and_time_win_over_slightly_better_words(self) -> None:
        assert rank(candidates_of(RAIN), Target(), CONFIG).ids()[0] == "rain-peru"
        assert rank(candidates_of(RAIN), EVERYTHING, CONFIG).ids()[0] == "rain-southern-africa"

    def test_without_any_arm_the_place_orders(self) -> None:
        rows = [Candidate("peru", boxes=(PERU,)), Candidate("africa", boxes=(SOUTHERN_AFRICA,))]
        assert rank(candidates_of(rows), Target(boxes=(SOUTHERN_AFRICA,)), CONFIG).ids() == ["africa", "peru"]

    def test_the_weights_of_the_terms_sum_to_one(self) -> None:
        terms = rank(candidates_of(RAIN), EVERYTHING, CONFIG).terms
        assert sum(term.weight for term in terms.values()) == pytest.approx(1.0)

    def test_pages_are_windows_of_one_order(self) -> None:
        ranking = rank(candidates_of(RAIN), EVERYTHING, CONFIG)
        assert ranking.hits(0, 2) + ranking.hits(2, 2) + ranking.hits(4, 2) == ranking.hits()
        assert ranking.hits(5, 2) == []


class TestFields:
    def test_doc_values_are_the_same_as_values(self) -> None:
        ids = ["fiji", "silent", "ongoing"]
        arms = {"bm25": [3.0, None, 1.0]}
        fields = [
            {
                "boxes": ["177,-19,-178,-16", "10,20,30,40"],
                "spans": ["0/86400000"],
                "resolution.scale_denominator": [50_000],
            },
            {},
            {
                "spans": ["5/", "/7"],
                "resolution.metres": [30.0],
                "resolution.time_step": ["P1D"],
                "provenance.kind": ["observation"],
                "dates.modified": ["9"],
            },
        ]
        columns = CONFIG.columns
        read = Candidates.of(ids, arms, [fields_of(one, columns) for one in fields], columns)
        values = candidates_of(
            [
                Candidate(
                    "fiji",
                    {"bm25": 3.0},
                    (BBox(177, -19, -178, -16), BBox(10, 20, 30, 40)),
                    (TimeSpan(0, 86_400_000),),
                    Resolution(scale_denominator=50_000),
                ),
                Candidate("silent", {"bm25": None}),
                Candidate(
                    "ongoing",
                    {"bm25": 1.0},
                    (),
                    (TimeSpan(5, None), TimeSpan(None, 7)),
                    Resolution(metres=30.0, time_step="P1D"),
                    "observation",
                    9,
                ),
            ]
        )
        assert read[KIND] == values[KIND]
        for one, other in (
            (read[BOXES].values, values[BOXES].values),
            (read[BOXES].owners, values[BOXES].owners),
            (read[SPANS].values, values[SPANS].values),
            (read[SPANS].starts, values[SPANS].starts),
            (read[RESOLUTION_M], values[RESOLUTION_M]),
            (read[STEP_S], values[STEP_S]),
            (read[MODIFIED_MS], values[MODIFIED_MS]),
            (read.arms["bm25"], values.arms["bm25"]),
            (read.tie, values.tie),
        ):
            np.testing.assert_allclose(one, other)
        assert read[BOXES].values[0].tolist() == [177.0, -19.0, 182.0, -16.0]

    @pytest.mark.parametrize("text", ["1,2,3", "1,2,3,4,5", "a,b,c,d", ""])
    def test_a_broken_box_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError):
            fields_of({"boxes": [text]}, [BOXES])

    def test_columns_of_different_length_are_refused(self) -> None:
        with pytest.raises(ValueError, match="length"):
            Candidates.of(["a"], {"bm25": [1.0, 2.0]}, [RankingFields()], [])


class TestRerank:
    def test_calibration(self) -> None:
        assert calibrated([0.0, 2.0], replace(CARD, temperature=2.0, offset=1.0)).tolist() == pytest.approx(
            [1 / (1 + math.exp(-1)), 1 / (1 + math.exp(-2))]
        )
        assert calibrated([-1e6, 1e6], CARD).tolist() == [0.0, 1.0]

    def test_interpolation_by_hand_and_the_block_first(self) -> None:
        rows = [Candidate(name, {"bm25": bm25}) for name, bm25 in (("a", 10.0), ("b", 8.0), ("c", 6.0))]
        config = CONFIG.with_signals(replace(CONFIG[CrossEncoderReading], weight=0.5))
        ranking = rerank(rank(candidates_of(rows), Target(), config), [-math.log(3), math.log(3)], CARD)
        # Calibrated .25 and .75: a = .5 x 1 + .5 x .25, b = .5 x .8 + .5 x .75; c was not read: .5 x .6.
        assert [(hit.id, hit.score) for hit in ranking.hits()] == [
            ("b", pytest.approx(0.775)),
            ("a", pytest.approx(0.625)),
            ("c", pytest.approx(0.3)),
        ]
        assert [hit.signals["cross_encoder"] for hit in ranking.hits()] == [
            pytest.approx(0.75),
            pytest.approx(0.25),
            None,
        ]

    def test_the_models_own_weight_comes_before_the_configurations(self) -> None:
        rows = [Candidate(name, {"bm25": bm25}) for name, bm25 in (("a", 10.0), ("b", 8.0))]
        card = replace(CARD, weight=0.1)
        ranking = rerank(rank(candidates_of(rows), Target(), CONFIG), [0.0, 0.0], card)
        assert [hit.score for hit in ranking.hits()] == [pytest.approx(0.95), pytest.approx(0.9 * 0.8 + 0.05)]

    def test_nothing_read_nothing_changed(self) -> None:
        ranking = rank(candidates_of(RAIN), Target(), CONFIG)
        assert rerank(ranking, [], CARD) is ranking

    @pytest.mark.parametrize("logits", [[0.0] * 6, [math.nan], [math.inf]])
    def test_impossible_logits_are_refused(self, logits: list[float]) -> None:
        with pytest.raises(ValueError, match="logits"):
            rerank(rank(candidates_of(RAIN), Target(), CONFIG), logits, CARD)

    @given(st.lists(st.floats(-20, 20), max_size=5), st.floats(0, 1))
    def test_the_block_stays_the_block_and_scores_fall(self, logits: list[float], share: float) -> None:
        config = CONFIG.with_signals(replace(CONFIG[CrossEncoderReading], weight=share))
        before = rank(candidates_of(RAIN), EVERYTHING, config)
        after = rerank(before, logits, CARD)
        assert set(after.ids(0, len(logits))) == set(before.ids(0, len(logits)))
        assert after.ids(len(logits)) == before.ids(len(logits))
        scores = [hit.score for hit in after.hits()]
        assert scores == sorted(scores, reverse=True)


class TestExplain:
    def explained(self, ranking: Ranking) -> list[dict[str, object]]:
        return [explain(ranking, position) for position in range(len(ranking))]

    @pytest.mark.parametrize("target", [Target(), EVERYTHING, replace(EVERYTHING, latest=True, level="regional")])
    @pytest.mark.parametrize("logits", [[], [0.5, -0.5, 2.0]])
    def test_contributions_add_up_to_the_score(self, target: Target, logits: list[float]) -> None:
        ranking = rerank(rank(candidates_of(RAIN), target, CONFIG), logits, CARD)
        for explanation, hit in zip(self.explained(ranking), ranking.hits(), strict=True):
            parts = explanation["signals"]
            assert isinstance(parts, list)
            assert sum(part["contribution"] for part in parts) == pytest.approx(hit.score)
            assert explanation["id"] == hit.id
            json.dumps(explanation, allow_nan=False)

    def reasons(self, ranking: Ranking, position: int) -> dict[str, str]:
        return {part["signal"]: part["reason"] for part in explain(ranking, position)["signals"]}

    def test_sentences(self) -> None:
        half = Candidate(
            "half",
            {"bm25": 2.0},
            (BBox(10, -10, 20, 10),),
            (TimeSpan.from_iso("2000", "2010"),),
            Resolution(metres=60),
            "derived",
        )
        asked = Target(
            boxes=(BBox(0, -10, 20, 10),),
            spans=(TimeSpan.from_iso("2005", "2014"),),
            resolution=Resolution(metres=30),
            kind="observation",
            places=(AreaName("the Congo basin"),),
            now_ms=NOW,
        )
        reasons = self.reasons(rank(candidates_of([half]), asked, CONFIG), 0)
        assert reasons == {
            "bm25": "words in the record: 100 % of what the best hit has",
            "spatial": "lies inside the Congo basin and covers 50 % of it",
            "temporal": "covers 60 % of 2005-01-01 to 2014-12-31",
            "resolution": "60 m against 30 m",
            "kind": "derived, asked for observation",
        }

    @pytest.mark.parametrize(
        ("own_m", "said"), [(0.6, "0.6 m"), (999.7, "1,000 m"), (11131.9, "11.1 km"), (1_113_190.0, "1,110 km")]
    )
    def test_a_length_has_three_digits(self, own_m: float, said: str) -> None:
        coarse = Candidate("coarse", {"bm25": 1.0}, resolution=Resolution(metres=own_m))
        asked = Target(resolution=Resolution(metres=30))
        assert self.reasons(rank(candidates_of([coarse]), asked, CONFIG), 0)["resolution"] == f"{said} against 30 m"

    def test_words_that_no_hit_has(self) -> None:
        silent = Candidate("silent", {"bm25": 0.0, "dense": 0.5})
        assert self.reasons(rank(candidates_of([silent]), Target(), CONFIG), 0)["bm25"] == "words in the record: none"

    def test_silent_records_say_what_they_do_not_state(self) -> None:
        spatial = CONFIG[Spatial]
        place = replace(spatial.place, outside=replace(spatial.place.outside, tolerance=0.0))
        blend_alone = CONFIG.with_signals(replace(spatial, place=place))
        ranking = rank(candidates_of([Candidate("a", {"bm25": 1.0, "dense": None})]), EVERYTHING, blend_alone)
        reasons = self.reasons(ranking, 0)
        assert reasons["spatial"] == "area not stated"
        assert reasons["dense"] == "not measured: adds nothing"

    def test_places_outside_and_inside(self) -> None:
        rows = [Candidate("a", {"bm25": 1.0}, (BBox(20, -20, 20.5, -19.5),)), Candidate("b", {"bm25": 1.0}, (PERU,))]
        ranking = rank(candidates_of(rows), EVERYTHING, CONFIG)
        assert self.reasons(ranking, 0)["spatial"] == "lies inside southern Africa"
        assert self.reasons(ranking, 1)["spatial"].startswith("lies outside southern Africa; ")

    @pytest.mark.parametrize(
        ("box", "sentence"),
        [
            (BBox(-180, -90, 180, 90), "covers 100 % of Zermatt; its own area is global"),
            (BBox(-60, -60, 60, 70), "covers 100 % of Zermatt; its own area is very much larger"),
            (BBox(7, 45, 8, 47), "covers 100 % of Zermatt; its own area is 20 times as large"),
        ],
        ids=["global", "continents", "some mountains"],
    )
    def test_a_much_larger_area_has_no_ratio(self, box: BBox, sentence: str) -> None:
        asked = Target(boxes=(BBox(7.6, 45.9, 7.8, 46.4),), places=(AreaName("Zermatt"),))
        assert (
            self.reasons(rank(candidates_of([Candidate("a", {"bm25": 1.0}, (box,))]), asked, CONFIG), 0)["spatial"]
            == sentence
        )

    def test_words_of_the_question_are_no_name(self) -> None:
        names = (AreaName("al norte de Lima", is_described=True), AreaName("Roma"))
        asked = Target(boxes=(PERU, BBox(10, 40, 12, 42)), places=names)
        north = self.reasons(rank(candidates_of([Candidate("a", {"bm25": 1.0}, (PERU,))]), asked, CONFIG), 0)["spatial"]
        assert north.startswith("covers 100 % of the area asked for (al norte de Lima); ")
        assert north.endswith("; lies outside Roma")

    def test_geological_times_have_years(self) -> None:
        permian = TimeSpan(-299_000_000 * 31_556_952_000, -252_000_000 * 31_556_952_000)
        rows = [Candidate("a", {"bm25": 1.0}, (), (permian,))]
        reasons = self.reasons(rank(candidates_of(rows), Target(spans=(permian,), now_ms=NOW), CONFIG), 0)
        assert reasons["temporal"] == "covers 100 % of year -2.99e+08 to year -2.52e+08"

    def test_who_ordered(self) -> None:
        config = CONFIG.with_signals(replace(CONFIG[Spatial], hausdorff_window=1))
        nearest = replace(EVERYTHING, spatial="hausdorff")
        ranking = nearest_first(rerank(rank(candidates_of(RAIN), nearest, config), [1.0, 2.0], CARD))
        explanations = self.explained(ranking)
        assert [explanation["ordered_by"] for explanation in explanations] == [
            "hausdorff",
            "cross_encoder",
            "fused",
            "fused",
            "fused",
        ]
        assert all("distance_deg" in explanation for explanation in explanations)

    def test_past_the_end(self) -> None:
        with pytest.raises(IndexError):
            explain(rank(candidates_of(RAIN), Target(), CONFIG), 5)


class TestConfig:
    def test_there_and_back(self) -> None:
        config = default_config()
        assert RankingConfig.from_json(config.to_json()) == config

    @pytest.mark.parametrize(
        ("path", "value", "named"),
        [
            ("records.surprise", 1, "surprise"),
            ("records.signals", [], "signals"),
            ("records.signals.surprise", {"weight": 1}, "surprise"),
            ("records.signals.bm25", {}, "weight"),
            ("records.signals.cross_encoder.weight", 1.5, "cross_encoder: weight"),
            ("records.signals.kind.weight", -1, "kind: weight"),
            ("records.signals.spatial.place.blend.bias", math.inf, "blend"),
            ("records.combiner", {"rrf": {"k": 0}}, "rrf: k"),
            ("records.combiner", {"best": {}}, "best"),
            ("records.max_results", 0, "max_results"),
            ("words.names.kin", 0.5, "words.names: unknown: kin"),  # the name in earlier versions
        ],
    )
    def test_a_wrong_file_is_refused_by_name(self, path: str, value: object, named: str) -> None:
        raw = json.loads(default_config().to_json())
        *sections, last = path.split(".")
        section = raw
        for name in sections:
            section = section[name]
        section[last] = value
        with pytest.raises(ValueError, match=named):
            RankingConfig.from_json(json.dumps(raw))
