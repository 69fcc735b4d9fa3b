"""The late interaction's share of the order: it moves what it measured, and is neutral about the rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.token_bits import pack, unpack
from search_api.search.ranking.candidates import Target
from search_api.search.ranking.config import default_config
from search_api.search.ranking.rank import Ranking, explain, interact, interactions, rank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of
from search_api.search.ranking.signals.arms import LateInteraction, best_scores

CONFIG = default_config().records
ROWS = [Candidate(name, {"bm25": 12.0 - place, "dense": 0.6 - place / 50}) for place, name in enumerate("abcdef")]


def _ranked() -> Ranking:
    return rank(candidates_of(ROWS), Target(), CONFIG)


def test_a_far_better_match_comes_before_a_slightly_better_word() -> None:
    assert interact(_ranked(), np.array([0.1, 0.9, 0.1]), 2).ids()[0] == "b"


def test_what_nobody_measured_changes_nothing() -> None:
    before = _ranked()
    assert interact(before, np.full(3, np.nan), 2) is before
    assert interact(before, np.empty(0), 2) is before


def test_a_record_without_token_vectors_stays_among_its_neighbours() -> None:
    assert interact(_ranked(), np.array([0.5, np.nan, 0.5, 0.5]), 2).ids()[:4] == ["a", "b", "c", "d"]
    assert best_scores(np.array([np.nan, 0.4, np.nan, 0.8, -0.2])).tolist() == pytest.approx([0.4, 0.4, 0.6, 0.8, 0.0])


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=len(ROWS)))
def test_scores_never_rise_along_the_order_and_the_rest_follows(scores: list[float]) -> None:
    before = _ranked()
    after = interact(before, np.array(scores), 2)
    along = after.score[after.order]
    assert (np.diff(along) <= 1e-9).all()
    assert set(after.ids(0, len(scores))) == set(before.ids(0, len(scores)))


def test_the_explanation_says_what_it_counted() -> None:
    after = interact(_ranked(), np.array([0.5, np.nan, 0.2]), 2)
    told = {part["signal"]: part for part in explain(after, after.ids().index("a"))["signals"]}
    own = told[LateInteraction.name]
    assert own["raw"] == pytest.approx(0.5)
    assert own["reasons"] == [{"code": "interaction", "raw": 0.5}]
    unread = {part["signal"]: part for part in explain(after, after.ids().index("b"))["signals"]}
    assert unread[LateInteraction.name]["raw"] is None
    assert unread[LateInteraction.name]["reasons"][0]["code"] == "no_interaction"


def test_texts_without_token_vectors_are_not_measured() -> None:
    question = np.eye(1, 8, dtype=np.float32)
    same = unpack(pack(np.ones((1, 8), np.float32)), 8)
    found = interactions(question, [None, same])
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(8**-0.5)
