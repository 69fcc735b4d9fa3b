"""The judged collections together: weights, means, and what each stage adds over all of them."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from core.errors import SondeError
from evaluation.all_collections import WEIGHTS, AllResults, CollectionResult, Figures
from sonde.cli.evaluate import evaluate_command
from sonde.wiring.evaluating import LOADERS, has_halves


def _result(name: str, weight: float, ndcg: float, **stages: float) -> CollectionResult:
    without = {stage: Figures(value, value / 2) for stage, value in stages.items()}
    return CollectionResult(name, weight, 10, 5, Figures(ndcg, ndcg / 2), {}, without)


_RESULTS = (
    AllResults()
    .with_result(_result("samples", 1.0, 0.8, plain=0.7, wordy=0.9))
    .with_result(_result("ncar", 0.5, 0.2, plain=0.2, wordy=0.1))
    .with_missing("typed", "Name its folder.")
)


def test_each_collection_but_the_quick_one_is_in_the_table() -> None:
    assert WEIGHTS.keys() == LOADERS.keys() - {"typed_quick"}
    assert {name for name, weight in WEIGHTS.items() if weight != 1.0} == {"ncar"}


def test_the_mean_is_weighted_by_collection_and_not_by_question() -> None:
    mean = _RESULTS.mean()
    assert mean is not None
    assert mean.ndcg_at_10 == pytest.approx((0.8 + 0.5 * 0.2) / 1.5)
    assert mean.success_at_1 == pytest.approx(mean.ndcg_at_10 / 2)
    assert AllResults().mean() is None


def test_a_stage_is_worth_what_the_mean_loses_without_it() -> None:
    plain, wordy = _RESULTS.stages()
    assert (plain.name, plain.better, plain.worse) == ("plain", 1, 0)
    assert plain.gain == pytest.approx(0.1 / 1.5)
    assert (wordy.better, wordy.worse) == (1, 1)
    assert wordy.gain == pytest.approx((-0.1 + 0.5 * 0.1) / 1.5)


def test_everything_is_written() -> None:
    written = _RESULTS.as_dict()
    assert [one["name"] for one in written["collections"]] == ["samples", "ncar"]
    assert written["collections"][1]["stages"][0] == {"name": "plain", "ndcg_at_10": 0.2, "success_at_1": 0.1}
    assert written["missing"] == [{"name": "typed", "why": "Name its folder."}]
    assert AllResults().as_dict() == {"mean": None, "collections": [], "missing": [], "stages": []}


def test_a_translation_has_the_halves_of_its_original() -> None:
    halved = {name for name in WEIGHTS if has_halves(name)}
    assert halved == {"ncar", "typed", "pira", "pira_pt", "climate_fever", "pubmedqa"}


@pytest.mark.parametrize("options", [["--collection", "samples"], ["--live"], ["--run", "x.run"], ["--fetch-only"]])
def test_what_is_for_one_collection_is_refused(options: list[str]) -> None:
    done = CliRunner().invoke(evaluate_command, ["--all", *options])
    assert isinstance(done.exception, SondeError)
    assert str(done.exception) == f"{options[0]} is for one collection, not for --all."
