"""The report's plots and what lies beyond the topic, by hand-computed answers."""

from __future__ import annotations

import math

import pytest

from core.geo import BBox
from core.record import Provenance, ProvenanceKind, Record
from evaluation.collection import JudgedQuestion
from evaluation.evaluate import beyond_topic, mean_hausdorff_deg
from evaluation.report import histogram, histogram_counts, lines
from evaluation.variants import QuestionResult, Variant, ablations

_ASKED = BBox(0, 0, 10, 10)


def _record(name: str, *boxes: BBox, kind: ProvenanceKind = "unknown") -> Record:
    return Record(name, "s", name, name, extents=boxes, provenance=Provenance(kind=kind))


def _answer(*found: str, areas: tuple[BBox, ...] = (), kind: ProvenanceKind | None = None) -> QuestionResult:
    question = JudgedQuestion("q", "text", areas)
    return QuestionResult(question, tuple((name, 1.0) for name in found), (), kind, (), {})


def test_distance_is_to_the_nearest_box_and_the_mean_over_asked_places() -> None:
    moved = BBox(3, 4, 13, 14)  # by 3 and 4: 5 degrees
    assert mean_hausdorff_deg([_ASKED], [_record("a", moved, BBox(100, 0, 110, 10))]) == pytest.approx(5.0)
    assert mean_hausdorff_deg([_ASKED, moved], [_record("a", moved)]) == pytest.approx(2.5)
    assert mean_hausdorff_deg([_ASKED], [_record("a", moved), _record("b", _ASKED), _record("c")]) == pytest.approx(2.5)
    assert mean_hausdorff_deg([_ASKED], [_record("c")]) is None


def test_only_questions_with_a_place_count_and_missing_extents_are_told() -> None:
    records = {
        name: record for name in ("in", "none") if (record := _record(name, *([_ASKED] if name == "in" else [])))
    }
    found = beyond_topic([_answer("in", "none", areas=(_ASKED,)), _answer("in")], records)
    assert (found.questions_with_place, found.hausdorff_deg, found.unplaced) == (1, 0.0, 0.5)
    assert (found.questions_for_observations, found.derived) == (0, None)


def test_kinds_among_the_first_ten_of_who_asks_for_observations() -> None:
    kinds: dict[str, ProvenanceKind] = {"o": "observation", "d": "derived", "r": "reanalysis", "u": "unknown"}
    records = {name: _record(name, kind=kind) for name, kind in kinds.items()}
    found = beyond_topic([_answer(*kinds, kind="observation"), _answer("d", kind="projection")], records)
    assert (found.questions_for_observations, found.derived, found.not_observed) == (1, 0.25, 0.5)


def test_only_the_first_ten_count() -> None:
    records = {
        str(number): _record(str(number), kind="derived" if number >= 10 else "observation") for number in range(12)
    }
    assert beyond_topic([_answer(*records, kind="observation")], records).derived == 0.0


def test_values_fall_into_equal_steps_and_one_into_the_last() -> None:
    assert histogram_counts([0.0, 0.09, 0.1, 0.95, 1.0], 10) == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert sum(histogram_counts([], 4)) == 0
    assert histogram([]).startswith("<svg")


def test_names_in_a_plot_cannot_become_markup() -> None:
    drawn = lines({"<script>": [("1", 0.0), ("2", 1.0)]})
    assert "<script>" not in drawn
    assert "&lt;script&gt;" in drawn
    assert not math.isnan(float(drawn.split('points="')[1].split(",")[0]))


def test_an_ablation_switches_off_one_thing_and_never_repeats_the_whole() -> None:
    by_name = {variant.name: variant for variant in ablations(Variant())}
    assert by_name["no place"].request("x").spatial == "off"
    assert by_name["no time"].request("x").temporal is False
    assert by_name["no understanding"].request("x").interpret == frozenset()
    assert by_name["bm25 alone"].request("x").algorithm == "bm25"
    assert "no place" not in {variant.name for variant in ablations(Variant(spatial="off"))}
    assert "no late interaction" not in {variant.name for variant in ablations(Variant(rerank=False))}
