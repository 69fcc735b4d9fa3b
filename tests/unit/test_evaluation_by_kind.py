"""Success among the first ten and empty answers by kind, computed by hand."""

from __future__ import annotations

from evaluation.collection import JudgedCollection, JudgedQuestion
from evaluation.evaluate import by_kind
from evaluation.metrics import measure

_QRELS = {"a": {"d1": 2, "d2": 1}, "b": {"d1": 2, "d2": 1}, "c": {"d3": 1}}


def _collection(*questions: JudgedQuestion) -> JudgedCollection:
    return JudgedCollection("c", (), questions, {one.id: _QRELS[one.id] for one in questions}, {})


def test_a_goal_must_be_reached_where_there_is_one() -> None:
    collection = _collection(
        JudgedQuestion("a", "x", kind="exact"),
        JudgedQuestion("b", "x", kind="acronym", goals=frozenset({"d2"})),
        JudgedQuestion("c", "x", kind="exact"),
    )
    run = {"a": [("d9", 2.0), ("d1", 1.0)], "b": [("d1", 1.0)], "c": []}
    exact, acronym, everything = by_kind(run, collection, measure(run, collection.qrels))
    assert (exact.kind, exact.questions, exact.success_at_10, exact.first, exact.empty) == ("exact", 2, 0.5, 0.0, 1)
    assert (acronym.success_at_10, acronym.first, acronym.empty) == (0.0, 0.0, 0)
    assert (everything.kind, everything.questions, everything.empty) == ("all", 3, 1)
    assert everything.success_at_10 == 1 / 3


def test_the_eleventh_is_too_late() -> None:
    collection = _collection(JudgedQuestion("a", "x", kind="exact"))
    run = {"a": [*((f"n{n}", 20.0 - n) for n in range(10)), ("d1", 1.0)]}
    assert by_kind(run, collection, measure(run, collection.qrels))[0].success_at_10 == 0


def test_questions_without_a_kind_give_no_table() -> None:
    collection = _collection(JudgedQuestion("a", "x"))
    assert by_kind({}, collection, measure({}, collection.qrels)) == []
