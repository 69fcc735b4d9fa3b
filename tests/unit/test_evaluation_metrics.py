"""Measures by hand-computed answers; Table 3 of Wetzel and Mäs (doi:10.3390/ijgi13110380); significance by its laws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics import AP_OVER_K, ap_over_k, means, measure, paired_randomisation

_RUN = {"q1": [("d1", 0.9), ("d2", 0.8), ("d3", 0.7)], "q2": [("d9", 1.0)]}
_QRELS = {"q1": {"d1": 3, "d3": 1, "d4": 2}, "q2": {"d1": 1}, "q3": {"d2": 1}}


def test_paper_000_table_3() -> None:
    relevant = [True, False, False, True, True]
    assert [ap_over_k(relevant, k) for k in (1, 2, 3, 4)] == [1.0, 1 / 2, 1 / 3, 0.375]
    assert ap_over_k(relevant, 5) == pytest.approx((1 + 2 / 4 + 3 / 5) / 5)  # .42


def test_ap_over_k_divides_by_k_even_where_fewer_were_found() -> None:
    assert ap_over_k([True], 100) == 0.01
    assert ap_over_k([], 3) == 0.0
    with pytest.raises(ValueError, match="k is at least 1"):
        ap_over_k([True], 0)


def test_measures_of_one_question() -> None:
    row = measure(_RUN, _QRELS).by_question["q1"]
    # gains 3, 0, 1 against the ideal 3, 2, 1, discounted by log2(rank + 1)
    assert row["nDCG@10"] == pytest.approx((3 + 1 / 2) / (3 + 2 / math.log2(3) + 1 / 2))
    assert row["AP"] == pytest.approx((1 + 2 / 3) / 3)
    assert row["P@10"] == pytest.approx(0.2)
    assert row["R@1"] == pytest.approx(1 / 3)
    assert row["R@3"] == pytest.approx(2 / 3)
    assert row["RR"] == 1.0
    assert row[AP_OVER_K] == pytest.approx((1 + 2 / 3) / 100)


def test_a_question_without_an_answer_counts_zero() -> None:
    measured = measure(_RUN, _QRELS)
    assert set(measured.by_question) == {"q1", "q2", "q3"}
    assert measured.by_question["q3"]["nDCG@10"] == 0.0
    assert measured.means["RR"] == pytest.approx(1 / 3)


def test_order_counts_and_scores_do_not() -> None:
    tied = {"q1": [("d3", 0.5), ("d1", 0.5)]}
    assert measure(tied, {"q1": {"d3": 1}}).means["RR"] == 1.0
    assert measure(tied, {"q1": {"d1": 1}}).means["RR"] == 0.5


def test_a_grade_of_zero_or_less_is_not_relevant() -> None:
    measured = measure({"q": [("a", 3.0), ("b", 2.0), ("c", 1.0)]}, {"q": {"a": 0, "b": -1, "c": 1}})
    assert measured.means["RR"] == pytest.approx(1 / 3)
    assert measured.means[AP_OVER_K] == pytest.approx(1 / 300)


def test_means_skip_what_a_row_does_not_have() -> None:
    assert means([{"a": 1.0, "b": 4.0}, {"a": 2.0}]) == {"a": 1.5, "b": 4.0}


def test_all_sign_changes_are_as_extreme_for_one_question() -> None:
    found = paired_randomisation({"q": 1.0}, {"q": 0.4})
    assert found.p == 1.0
    assert found.difference == pytest.approx(0.6)
    assert (found.better, found.worse, found.same) == (1, 0, 0)


def test_ten_gains_of_one_size_are_hardly_chance() -> None:
    """Of the 2^10 sign changes only two (all up, all down) are as extreme: p = 1/512."""
    better = {str(number): 0.6 for number in range(10)}
    worse = {str(number): 0.5 for number in range(10)}
    found = paired_randomisation(better, worse, permutations=200_000)
    assert found.p == pytest.approx(2 / 1024, rel=0.2)
    assert found.p < 0.05


def test_runs_on_different_questions_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="not measured on the same questions"):
        paired_randomisation({"a": 1.0}, {"b": 1.0})
    with pytest.raises(ValueError, match="not measured on the same questions"):
        paired_randomisation({}, {})


_VALUES = st.dictionaries(st.text(min_size=1, max_size=3), st.tuples(*[st.floats(0, 1)] * 2), min_size=1, max_size=20)


@given(_VALUES)
def test_the_test_does_not_care_which_run_comes_first(values: dict[str, tuple[float, float]]) -> None:
    a, b = ({name: pair[side] for name, pair in values.items()} for side in (0, 1))
    there, back = (paired_randomisation(*pair, permutations=200) for pair in ((a, b), (b, a)))
    assert there.p == back.p
    assert there.difference == -back.difference
    assert 0.0 < there.p <= 1.0


@given(_VALUES)
def test_a_run_does_not_differ_from_itself(values: dict[str, tuple[float, float]]) -> None:
    a = {name: pair[0] for name, pair in values.items()}
    found = paired_randomisation(a, a, permutations=100)
    assert (found.p, found.difference) == (1.0, 0.0)
