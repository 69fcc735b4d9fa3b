"""The learned combiner: it adds up, never punishes a better signal, and serves only where it was better."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search_api.search.ranking.combiners.additive import Additive, HeldOut
from search_api.search.ranking.config import RankingConfig, default_config
from search_api.search.ranking.described import Candidate, candidates_of
from search_api.search.ranking.explain import explain
from search_api.search.ranking.rank import Ranking, rank
from search_api.search.ranking.target import Target
from sonde.wiring.training.combiner import decided, with_model
from training.combiner.fit import KNOTS, FitSettings, Fitted, Model, fitted
from training.combiner.lists import SignalList
from training.examples import TrainingError

BETTER = HeldOut(100, 0.5, 0.02, 0.001)
CURVES = {"bm25": [0.0, 0.6, 0.8, 0.9, 1.0], "dense": [0.0, 0.0, 0.0, 0.0, 1.0]}
MODEL = Additive(BETTER, KNOTS, CURVES, {"bm25": 2.0, "dense": 0.5})
RANKER = default_config().records


def ranked(rows: list[Candidate], model: Additive | None = MODEL) -> Ranking:
    ranker = RANKER if model is None else replace(RANKER, combiner=model)
    return rank(candidates_of(rows), Target(), ranker)


def test_a_curve_and_a_factor_change_what_a_signal_counts() -> None:
    ranking = ranked([Candidate("a", {"bm25": 4.0, "dense": -1.0}), Candidate("b", {"bm25": 1.0, "dense": 1.0})])
    # Weights .25 x 2 and .75 x .5 of their sum; bm25 of b is a quarter of the best, which counts .6.
    words, meaning = 0.5 / 0.875, 0.375 / 0.875
    score = {one: float(value) for one, value in zip(ranking.candidates.ids, ranking.score, strict=True)}
    assert score == pytest.approx({"a": words, "b": words * 0.6 + meaning})


def test_straight_curves_are_the_weighted_sum() -> None:
    rows = [Candidate("a", {"bm25": 4.0, "dense": 0.1}), Candidate("b", {"bm25": 1.0, "dense": 0.9})]
    same = ranked(rows, Additive(BETTER, KNOTS, {"bm25": list(KNOTS)}, {"dense": 1.0}))
    assert same.score == pytest.approx(ranked(rows, None).score)


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(-1, 1)), min_size=2, max_size=8))
def test_the_explanation_adds_up_and_a_better_signal_never_costs_a_place(rows: list[tuple[float, float]]) -> None:
    ranking = ranked([Candidate(f"r{at}", {"bm25": one, "dense": other}) for at, (one, other) in enumerate(rows)])
    for place, index in enumerate(ranking.order.tolist()):
        parts = explain(ranking, place)["signals"]
        assert np.isclose(sum(part["contribution"] for part in parts), ranking.score[index])
    for at, one in enumerate(rows):
        for over, other in enumerate(rows):
            if one[0] >= other[0] and one[1] >= other[1]:
                assert ranking.score[at] >= ranking.score[over] - 1e-12


def test_a_model_that_was_not_better_is_refused_where_it_is_read() -> None:
    content = json.loads(default_config().to_json())
    content["records"]["combiner"] = {"additive": asdict(MODEL)}
    read = RankingConfig.from_json(json.dumps(content))
    assert read.records.combiner == replace(MODEL, knots=list(KNOTS))
    assert RankingConfig.from_json(read.to_json()) == read
    for worse in ({"gain": -0.01}, {"p": 0.2}):
        content["records"]["combiner"]["additive"]["held_out"] = asdict(BETTER) | worse
        with pytest.raises(ValueError, match="did not beat the weighted sum"):
            RankingConfig.from_json(json.dumps(content))


def test_a_curve_that_falls_is_refused() -> None:
    for curve in ([0.0, 0.5, 0.4, 0.9, 1.0], [0.1, 0.2, 0.3, 0.4, 1.0], [0.0, 1.0]):
        with pytest.raises(ValueError, match="does not rise"):
            replace(MODEL, curves={"bm25": curve})


def judged(count: int, seed: int, *, right: str | None) -> list[SignalList]:
    """Questions where the signal ``right`` tells the answers, and the other is chance; None: both are."""
    random, found = np.random.default_rng(seed), []
    for number in range(count):
        scaled = {name: random.random(12).astype(np.float32) for name in ("bm25", "dense")}
        says = scaled[right] if right is not None else random.random(12)
        grades = np.zeros(12, dtype=np.float32)
        grades[np.argsort(-says)[:2]] = 1.0
        late = np.zeros(12, dtype=np.float32)
        weights, arms = {"bm25": 0.25, "dense": 0.75}, frozenset(("bm25", "dense"))
        found.append(SignalList(str(number), "made", scaled, weights, arms, grades, [1.0, 1.0], late, 0.0))
    return found


def test_what_tells_the_answers_is_learnt_and_serves() -> None:
    found = fitted(judged(60, 1, right="bm25"), FitSettings(folds=3))
    decision = decided(found)
    assert decision.refused == ""
    assert decision.held_out.gain > 0.2
    assert found.model.factors["bm25"] > 4 * found.model.factors["dense"]
    read = RankingConfig.from_json(with_model(default_config(), found, decision))
    assert isinstance(read.records.combiner, Additive)
    assert read.passages == default_config().passages


def test_chance_is_refused_and_so_is_too_little() -> None:
    decision = decided(fitted(judged(60, 3, right=None), FitSettings(folds=3)))
    assert "as good on questions" in decision.refused
    with pytest.raises(TrainingError, match="at least 20"):
        fitted(judged(10, 1, right="bm25"), FitSettings())


def test_a_gain_on_the_whole_does_not_excuse_a_loss_on_one_collection() -> None:
    before = {**{f"large {n}": 0.4 for n in range(90)}, **{f"small {n}": 0.4 for n in range(10)}}
    after = {key: 0.5 if key.startswith("large") else 0.39 for key in before}
    assert decided(Fitted(Model({}), before, after)).refused == "it loses 0.0100 on small"
