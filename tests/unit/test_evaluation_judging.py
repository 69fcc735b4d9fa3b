"""Pools, judgements on disk, and agreement by hand-computed and published answers."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SondeError
from evaluation.judgements import (
    JudgementFile,
    RelevanceJudgement,
    agreement,
    cohen_kappa,
    fleiss_kappa,
    pool,
    qrels_of,
    unjudged,
)


def test_the_pool_is_the_first_k_of_any_run() -> None:
    one = {"q2": [("a", 2.0), ("b", 1.0)], "q1": [("c", 1.0)]}
    other = {"q2": [("d", 2.0), ("a", 1.0)]}
    assert {question: set(found) for question, found in pool([one, other], 1).items()} == {
        "q1": {"c"},
        "q2": {"a", "d"},
    }
    assert list(pool([one, other], 1)) == ["q1", "q2"]
    with pytest.raises(ValueError, match="depth"):
        pool([one], 0)


def test_the_order_of_a_pool_tells_nothing_of_runs_or_ranks() -> None:
    ranked = [(f"d{number:02}", float(-number)) for number in range(20)]
    there, back = {"q": ranked}, {"q": ranked[::-1]}
    assert pool([there, back], 20) == pool([back, there], 20)
    assert pool([there], 20)["q"] != [document for document, _ in ranked]


def test_kappa_by_hand() -> None:
    """Agreed on 35 of 50; by chance (25 x 30 + 25 x 20) / 50^2 = .5: (.7 - .5) / (1 - .5) = .4."""
    a = [1] * 25 + [0] * 25
    b = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(a, b, 2) == pytest.approx(0.4)


def test_a_near_miss_costs_less_with_weights() -> None:
    """Margins 1/4 each both sides. Linear: mean distance .25 seen, 1.25 by chance; quadratic: .25 and 2.5."""
    a, b = [0, 1, 2, 3], [1, 1, 2, 3]
    seen, by_chance = 1 / 4, sum(abs(x - y) for x in a for y in b) / 16
    assert cohen_kappa(a, b, 4, "linear") == pytest.approx(1 - seen / by_chance)
    squared = sum((x - y) ** 2 for x in a for y in b) / 16
    assert cohen_kappa(a, b, 4, "quadratic") == pytest.approx(1 - seen / squared)


def test_kappa_says_nothing_where_all_grades_are_one() -> None:
    assert math.isnan(cohen_kappa([2, 2], [2, 2], 4))
    assert math.isnan(fleiss_kappa([[2, 0], [2, 0]]))


def test_kappa_refuses_what_it_cannot_compare() -> None:
    for a, b in (([1], [1, 2]), ([], []), ([4], [1])):
        with pytest.raises(ValueError):
            cohen_kappa(a, b, 4)
    for counts in ([], [[1, 0]], [[2, 0], [1, 0]]):
        with pytest.raises(ValueError):
            fleiss_kappa(counts)


def test_fleiss_by_the_published_example() -> None:
    """Fourteen raters, ten subjects, five categories: .210 (Fleiss 1971, as Wikipedia's worked example has it)."""
    counts = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    assert fleiss_kappa(counts) == pytest.approx(0.2099, abs=5e-5)


_GRADES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


@given(_GRADES)
def test_kappa_does_not_care_who_is_who_and_never_passes_one(pairs: list[tuple[int, int]]) -> None:
    a, b = [one for one, _ in pairs], [other for _, other in pairs]
    for weights in ("none", "linear", "quadratic"):
        there, back = cohen_kappa(a, b, 4, weights), cohen_kappa(b, a, 4, weights)
        assert there == pytest.approx(back, nan_ok=True)
        assert math.isnan(there) or there <= 1.0 + 1e-12


def _say(judge: str, document: str, grade: int | None, *, undone: bool = False) -> RelevanceJudgement:
    return RelevanceJudgement(judge=judge, question="q", document=document, grade=grade, undone=undone)


def test_judgements_are_there_again_after_the_file_is_opened_anew(tmp_path: Path) -> None:
    file = JudgementFile.open(tmp_path / "j.jsonl")
    for one in (_say("ada", "d1", 3), _say("ada", "d2", None), _say("bob", "d1", 1), _say("ada", "d1", 2)):
        file.add(one)
    again = JudgementFile.open(tmp_path / "j.jsonl")
    assert again.grades() == file.grades() == {("q", "d1"): {"bob": 1, "ada": 2}}
    assert unjudged({"q": ["d1", "d2", "d3"]}, again.of("ada")) == [("q", "d3")]
    assert unjudged({"q": ["d1", "d2", "d3"]}, again.of("bob")) == [("q", "d2"), ("q", "d3")]


def test_what_was_taken_back_is_asked_again(tmp_path: Path) -> None:
    file = JudgementFile.open(tmp_path / "j.jsonl")
    for one in (_say("ada", "d1", 3), _say("ada", "d1", None, undone=True)):
        file.add(one)
    assert JudgementFile.open(tmp_path / "j.jsonl").of("ada") == {}


def test_a_line_cut_off_by_a_power_cut_is_cut_away(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    JudgementFile.open(path).add(_say("ada", "d1", 3))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    file = JudgementFile.open(path)
    file.add(_say("ada", "d2", 1))
    assert JudgementFile.open(path).grades() == {("q", "d1"): {"ada": 3}, ("q", "d2"): {"ada": 1}}


def test_a_line_that_is_no_judgement_is_named(tmp_path: Path) -> None:
    (tmp_path / "j.jsonl").write_text('{"judge": "ada", "question": "q", "document": "d", "grade": 9}\n')
    with pytest.raises(SondeError, match="line 1 is no judgement"):
        JudgementFile.open(tmp_path / "j.jsonl")


def test_the_median_grade_counts_the_lower_one_of_two() -> None:
    grades = {("q", "a"): {"x": 1, "y": 3, "z": 2}, ("q", "b"): {"x": 0, "y": 3}, ("r", "a"): {"x": 2}}
    assert qrels_of(grades) == {"q": {"a": 2, "b": 0}, "r": {"a": 2}}


def test_agreement_of_each_two_on_what_both_judged_and_of_all() -> None:
    grades = {
        ("q", "a"): {"x": 3, "y": 3, "z": 3},
        ("q", "b"): {"x": 0, "y": 0, "z": 0},
        ("q", "c"): {"x": 1, "y": 1},
        ("q", "d"): {"x": 2},
    }
    found = agreement(grades)
    assert [(one.of, one.pairs) for one in found] == [
        (("x", "y"), 3),
        (("x", "z"), 2),
        (("y", "z"), 2),
        (("x", "y", "z"), 2),
    ]
    assert all(one.kappa == pytest.approx(1.0) for one in found)
