"""What counts as a hit: what the question draws by meaning, and what matches by a condition."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hit import SignalName
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_gateway.searching import SearchSession
from search_api.search.caches import VersionedCache
from search_api.search.retrieval.arms import Arm, ArmScores
from search_api.search.retrieval.plan import Nearness, RetrievalPlan
from search_api.search.round_one import ArmAnswers, CandidateSearch, Draw, RoundOne
from search_api.search.round_two import CandidateSet


def arm(signal: SignalName | None, *, is_meaning: bool = True) -> Arm:
    return Arm(signal, "records", False, lambda _k, _ids: {}, None, lambda _k: {}, is_meaning)


def drawn(*answers: Mapping[str, float] | None, judged: bool = True) -> Draw:
    return Draw.of([arm("dense") for _ in answers], answers, judged=judged)


def test_a_question_draws_what_is_near_enough() -> None:
    near = drawn({"near": 0.5, "far": 0.1}, None)
    assert (near.best, near.ids(0.2)) == (0.5, {"near"})
    assert near.ids(float("inf")) == frozenset()


def test_the_best_passage_counts_as_much_as_the_record() -> None:
    assert drawn({"a": 0.1, "b": 0.4}, {"a": 0.3}).cosines == {"a": 0.3, "b": 0.4}


def test_words_of_passages_draw_only_if_meaning_judges_nothing() -> None:
    arms, answers = [arm("passage_bm25", is_meaning=False)], [{"a": 7.0}]
    assert Draw.of(arms, answers, judged=True).ids(0.2) == frozenset()
    assert Draw.of(arms, answers, judged=False).ids(0.2) == {"a"}


def test_a_hit_matches_by_a_condition_or_was_drawn() -> None:
    ids, dense = ("near", "far", "wordy"), np.array([0.1, 0.2, 0.3])
    found = CandidateSet(
        ids, {"dense": dense}, {}, frozenset(), {}, {}, matching=frozenset({"wordy"}), drawn=frozenset({"near"})
    )
    assert found.hits().ids == ("near", "wordy")
    assert found.hits().arms["dense"].tolist() == [0.1, 0.3]


def test_the_window_is_whole_if_it_holds_all_that_was_drawn() -> None:
    whole = CandidateSet(("a",), {}, {}, frozenset(), {}, {}, drawn=frozenset({"a"}))
    assert whole.is_whole
    assert not CandidateSet(("a",), {}, {}, frozenset(), {}, {}, drawn=frozenset({"a", "b"})).is_whole
    assert not CandidateSet(("a",), {}, {}, frozenset(), {}, {}, overflowing=True).is_whole


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=3), st.floats(-1, 1), max_size=6),
    st.floats(-1, 1),
    st.floats(-1, 1),
)
def test_a_higher_bar_never_lets_in_more(cosines: dict[str, float], low: float, high: float) -> None:
    low, high = sorted((low, high))
    assert drawn(cosines).ids(high) <= drawn(cosines).ids(low)


def test_a_part_of_an_answer_has_only_its_own_versions() -> None:
    """A version of another record would bring it back as a candidate, if its values are cached."""
    answer = ArmScores({"a": 0.9, "b": 0.8}, {}, {"a": ("u", 1, 1), "b": ("u", 2, 1)})
    assert answer.best(1).versions.keys() == answer.among({"a"}).scores.keys() == {"a"}
    assert answer.best(2) is answer


def filtered_round(drawn_ids: str, inside_ids: str, window: int = 2) -> ArmAnswers:
    """Round one of a filtered question; the letters are records, the nearest first."""

    def answer(ids: str) -> Json:
        hits = [{"_score": 1 - place / 10, "_seq_no": 0, "_primary_term": 1} for place in range(len(ids))]
        return {"hits": {"hits": [{**hit, "fields": {"id": [id]}} for hit, id in zip(hits, ids, strict=True)]}}

    plan = RetrievalPlan("records", "uuid", ({"match_all": {}},), (arm("dense"),), {}, {}, Nearness(0.0))
    session = SearchSession(Elasticsearch("http://127.0.0.1:9"), "")
    search = CandidateSearch(session, plan, window, (), VersionedCache("facts", 9), most_drawn=4)
    return RoundOne.of(search).read({"draw 0": answer(drawn_ids), "arm 0": answer(inside_ids)})


@pytest.mark.parametrize(
    ("drawn_ids", "inside_ids", "is_whole"),
    [
        pytest.param("abcd", "bz", True, id="ends-after-the-draw"),
        pytest.param("abcd", "b", True, id="nothing-else-passes"),
        pytest.param("abcd", "bd", False, id="more-of-the-draw-may-pass"),
    ],
)
def test_candidates_hold_what_is_drawn_and_passes(drawn_ids: str, inside_ids: str, is_whole: bool) -> None:
    answers = filtered_round(drawn_ids, inside_ids)
    assert answers.has_whole_draw is is_whole
    assert set(answers.ids) == set(inside_ids) & set(drawn_ids)
