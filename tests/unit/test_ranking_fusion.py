"""Fusion of arms: the arithmetic of TM2C2 and RRF, and that no order of arms or candidates shows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ports import CosineScale
from search_api.search.ranking.candidates import Target
from search_api.search.ranking.combiners.combiner import Combiner, ReciprocalRanks, Tm2c2, rrf, shared_weights, tm2c2
from search_api.search.ranking.config import Ranker, default_config
from search_api.search.ranking.rank import explain, rank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of
from search_api.search.ranking.signals import SIGNALS
from search_api.search.ranking.signals.arms import ArmSignal

NAN = math.nan


COMBINERS: dict[str, Combiner] = {"tm2c2": Tm2c2(), "rrf": ReciprocalRanks(60)}


def combined_by(fusion: str) -> Ranker:
    return replace(default_config().records, combiner=COMBINERS[fusion])


def arms_only(fusion: str, **weights: float) -> Ranker:
    arms = [kind for kind in SIGNALS if issubclass(kind, ArmSignal)]
    return combined_by(fusion).with_signals(*(kind(weights.get(kind.name, 0.0)) for kind in arms))


def scores(rows: list[Candidate], config: Ranker) -> dict[str, float]:
    return {hit.id: hit.score for hit in rank(candidates_of(rows), Target(), config).hits()}


def test_cosines_of_a_crowded_model_are_told_apart_from_its_floor_upwards() -> None:
    rows = [Candidate("meant", {"bm25": 0.0, "dense": 0.9}), Candidate("worded", {"bm25": 4.0, "dense": 0.8})]
    config = arms_only("tm2c2", bm25=0.25, dense=0.75)
    from_theory = rank(candidates_of(rows), Target(), config)
    from_floor = rank(candidates_of(rows), Target(), config, CosineScale(0.7))
    # from -1: .75 x 1 against .25 + .75 x 1.8 / 1.9; from .7: .75 against .25 + .75 x .1 / .2
    assert {hit.id: hit.score for hit in from_theory.hits()} == pytest.approx(
        {"worded": 0.9605, "meant": 0.75}, abs=1e-4
    )
    assert {hit.id: hit.score for hit in from_floor.hits()} == pytest.approx({"worded": 0.625, "meant": 0.75})


def test_words_of_a_foreign_language_weigh_less_beside_meaning() -> None:
    rows = [Candidate("meant", {"bm25": 0.0, "dense": 0.9}), Candidate("worded", {"bm25": 4.0, "dense": 0.8})]
    config = arms_only("tm2c2", bm25=0.25, dense=0.75)
    foreign = rank(candidates_of(rows), Target(), config, CosineScale(0.7), words_share=0.2)
    # the arms weigh .05 and .75 of .8: .9375 x 1 against .0625 + .9375 x .1 / .2
    assert {hit.id: hit.score for hit in foreign.hits()} == pytest.approx({"meant": 0.9375, "worded": 0.53125})
    alone = arms_only("tm2c2", bm25=0.25)
    assert rank(candidates_of(rows), Target(), alone, words_share=0.2).hits()[0].score == 1.0, "nothing is beside them"


def test_a_record_without_documents_counts_by_its_own_text_beside_documents_about_something_else() -> None:
    rows = [Candidate("record", {"dense": 0.6}), Candidate("unrelated", {"dense": 0.2, "passage_dense": 0.2})]
    ranking = rank(candidates_of(rows), Target(), arms_only("tm2c2", dense=0.75, passage_dense=0.25))
    # The document is the best of its arm, but no nearer for that: both arms give 1 and 1.2 / 1.6.
    assert {hit.id: hit.score for hit in ranking.hits()} == pytest.approx({"record": 1.0, "unrelated": 0.75})
    assert [hit.signals["passage_dense"] for hit in ranking.hits()] == [None, 0.2], "None: not measured"
    shown = {one["signal"]: one["reason"] for one in explain(ranking, 0)["signals"]}
    assert shown["passage_dense"] == "it has no documents: counts as its own text"
    shown = {one["signal"]: one["reason"] for one in explain(ranking, 1)["signals"]}
    assert shown["passage_dense"] == "meaning of a passage: 33 % as near to the question as the best hit"


def test_a_document_nearer_than_any_record_is_first() -> None:
    rows = [Candidate("record", {"dense": 0.6}), Candidate("right", {"dense": 0.5, "passage_dense": 0.9})]
    best = scores(rows, arms_only("tm2c2", dense=0.75, passage_dense=0.25))
    # .75 x 1 + .25 x 1.6 / 1.9 against .75 x 1.5 / 1.6 + .25 x 1
    assert best == pytest.approx({"record": 0.960526, "right": 0.953125})
    assert scores(rows, arms_only("tm2c2", dense=0.6, passage_dense=0.4)) == pytest.approx(
        {"record": 0.936842, "right": 0.9625}
    )


class TestTm2c2:
    def test_bm25_starts_at_zero(self) -> None:
        assert tm2c2(np.array([0.0, 5.0, 20.0]), 0.0).tolist() == [0.0, 0.25, 1.0]

    def test_cosines_start_at_minus_one(self) -> None:
        # (cos + 1) / (0.6 + 1)
        assert tm2c2(np.array([0.6, 0.2, -1.0]), -1.0).tolist() == pytest.approx([1.0, 0.75, 0.0])

    def test_what_was_not_measured_stays_so(self) -> None:
        assert tm2c2(np.array([4.0, NAN, 2.0]), 0.0).tolist() == pytest.approx([1.0, NAN, 0.5], nan_ok=True)

    def test_nothing_above_the_minimum_is_zero(self) -> None:
        assert tm2c2(np.array([0.0, NAN]), 0.0).tolist() == pytest.approx([0.0, NAN], nan_ok=True)
        assert tm2c2(np.array([]), 0.0).tolist() == []

    def test_two_arms_by_hand(self) -> None:
        rows = [
            Candidate("a", {"bm25": 10.0, "dense": 0.0}),
            Candidate("b", {"bm25": 5.0, "dense": 0.6}),
            Candidate("c", {"bm25": None, "dense": 0.2}),
        ]
        # weights 1 : 3; a = .25 x 1 + .75 x 1/1.6, b = .25 x .5 + .75 x 1, c = .75 x 1.2/1.6
        assert scores(rows, arms_only("tm2c2", bm25=1.0, dense=3.0)) == pytest.approx(
            {"b": 0.875, "a": 0.71875, "c": 0.5625}
        )


class TestRrf:
    def test_ranks_from_one(self) -> None:
        got = rrf(np.array([3.0, 9.0, NAN, 6.0]), np.arange(4), k=60)
        assert got.tolist() == pytest.approx([61 / 63, 1.0, NAN, 61 / 62], nan_ok=True)

    def test_ties_break_by_id(self) -> None:
        assert rrf(np.array([1.0, 1.0]), np.array([1, 0]), k=60).tolist() == pytest.approx([61 / 62, 1.0])

    def test_two_arms_by_hand(self) -> None:
        rows = [
            Candidate("a", {"bm25": 10.0, "dense": 0.1}),
            Candidate("b", {"bm25": 5.0, "dense": 0.6}),
            Candidate("c", {"bm25": None, "dense": 0.2}),
        ]
        # Ranks of a: 1 and 3, of b: 2 and 1, of c: none and 2; each weighs a half.
        assert scores(rows, arms_only("rrf", bm25=1.0, dense=1.0)) == pytest.approx(
            {"a": (1 + 61 / 63) / 2, "b": (61 / 62 + 1) / 2, "c": 61 / 62 / 2}
        )


class TestWeights:
    def test_an_arm_that_did_not_run_drops_out(self) -> None:
        arms = {"bm25": np.array([1.0]), "dense": np.array([NAN])}
        assert shared_weights(arms, {"bm25": 0.3, "dense": 0.7}) == {"bm25": 1.0}

    def test_the_others_share(self) -> None:
        arms = {name: np.array([1.0]) for name in ("bm25", "dense", "passage_bm25")}
        weights = shared_weights(arms, {"bm25": 1.0, "dense": 2.0, "passage_bm25": 1.0})
        assert weights == {"bm25": 0.25, "dense": 0.5, "passage_bm25": 0.25}

    def test_no_arms_at_all(self) -> None:
        assert shared_weights({}, {"bm25": 1.0}) == {}


class TestOrder:
    def test_ties_break_by_id_whatever_order_they_come_in(self) -> None:
        rows = [Candidate(name, {"bm25": 1.0}) for name in ("c", "a", "d", "b")]
        assert rank(candidates_of(rows), Target(), default_config().records).ids() == ["a", "b", "c", "d"]

    def test_no_candidates(self) -> None:
        assert rank(candidates_of([]), Target(), default_config().records).hits() == []

    def test_never_more_than_the_most_results(self) -> None:
        rows = [Candidate(f"{number:02d}", {"bm25": 50.0 - number}) for number in range(50)]
        config = replace(default_config().records, max_results=7)
        assert rank(candidates_of(rows), Target(), config).ids() == [f"{number:02d}" for number in range(7)]

    def test_an_id_twice_is_refused(self) -> None:
        with pytest.raises(ValueError, match="twice"):
            candidates_of([Candidate("a"), Candidate("a")])

    def test_a_signal_that_was_not_measured_is_none(self) -> None:
        rows = [Candidate("a", {"bm25": 1.0, "dense": None}), Candidate("b", {"bm25": None, "dense": 0.0})]
        by_id = {hit.id: hit.signals for hit in rank(candidates_of(rows), Target(), default_config().records).hits()}
        assert by_id == {"a": {"bm25": 1.0, "dense": None}, "b": {"bm25": None, "dense": 0.0}}


measured = st.one_of(st.none(), st.integers(-10, 10).map(lambda tenths: tenths / 10.0))
arm_names = ("bm25", "dense", "passage_bm25", "passage_dense")


@st.composite
def candidate_rows(draw: st.DrawFn) -> list[Candidate]:
    count = draw(st.integers(1, 8))
    return [Candidate(f"r{number}", {name: draw(measured) for name in arm_names}) for number in range(count)]


@given(candidate_rows(), st.permutations(arm_names), st.randoms(), st.sampled_from(["tm2c2", "rrf"]))
def test_neither_arm_order_nor_candidate_order_shows(
    rows: list[Candidate], names: list[str], random: object, fusion: str
) -> None:
    config = combined_by(fusion)
    shuffled = [Candidate(row.id, {name: row.arms[name] for name in names}) for row in rows]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one = rank(candidates_of(rows), Target(), config).hits()
    other = rank(candidates_of(shuffled), Target(), config).hits()
    assert [(hit.id, hit.score) for hit in one] == [(hit.id, hit.score) for hit in other]  # to the last bit


@given(candidate_rows(), st.sampled_from(["tm2c2", "rrf"]))
def test_scores_lie_in_0_to_1_and_fall(rows: list[Candidate], fusion: str) -> None:
    config = combined_by(fusion)
    found = [hit.score for hit in rank(candidates_of(rows), Target(), config).hits()]
    assert found == sorted(found, reverse=True)
    assert all(0.0 <= score <= 1.0 + 1e-12 for score in found)


@given(candidate_rows(), st.integers(0, 7), st.sampled_from(arm_names))
def test_a_better_score_never_ranks_lower(rows: list[Candidate], which: int, name: str) -> None:
    """RRF, where the others' values do not depend on the best one's size."""
    config = combined_by("rrf")
    row = rows[which % len(rows)]
    better = [
        Candidate(other.id, {**other.arms, name: 2.0}) if other.id == row.id and other.arms[name] is not None else other
        for other in rows
    ]
    before = rank(candidates_of(rows), Target(), config).ids().index(row.id)
    after = rank(candidates_of(better), Target(), config).ids().index(row.id)
    assert after <= before
