"""A training ends when it should, keeps its best, continues where it was interrupted, and names what is wrong."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lazy_module import LazyModule
from training.examples import TrainingError
from training.loop import Checkpoints, FinishedTraining, HeldOutEvaluation, Optimisation, TrainingBudget

torch, trainer = LazyModule("torch"), LazyModule("training.trainer")

STRIDE = Optimisation(learning_rate=1.0)


class Walker:
    """Learns one number, which every step makes larger; the best is 3. ``at`` breaks off before that step."""

    def __init__(self, at: int | None = None, weight: int = 1, slope: float = 1.0) -> None:
        self.module = torch.nn.Linear(weight, 1, bias=False)
        torch.nn.init.zeros_(self.module.weight)
        self.at, self.slope = at, slope
        self.seen: list[int] = []

    @property
    def place(self) -> float:
        return self.module.weight[0, 0].item()

    def loss(self, step: int) -> torch.Tensor:
        if step == self.at:
            raise KeyboardInterrupt
        self.seen.append(step)
        return -self.slope * self.module.weight.sum()

    def measure(self) -> float:
        return -abs(3.0 - self.place)


def saved(folder: Path, *, resume: bool = False, **settings: Any) -> Checkpoints:
    return Checkpoints(folder / "checkpoints", settings, resume)


def ticking(seconds: float) -> Iterator[float]:
    now = 0.0
    while True:
        yield now
        now += seconds


def test_it_measures_before_learning_and_keeps_the_best_weights(tmp_path: Path) -> None:
    walker = Walker()
    reported: list[HeldOutEvaluation] = []
    budget = TrainingBudget(steps=13, look_every=2, patience=9)
    done = trainer.train(walker, STRIDE, budget, saved(tmp_path), reported.append)
    assert [evaluation.step for evaluation in done.evaluations] == [0, 2, 4, 6, 8, 10, 12, 13]
    assert list(done.evaluations) == reported
    assert (done.evaluations[0].measure, done.evaluations[0].loss) == (-3.0, None)
    assert 0 < done.best.step < 12
    assert done.best.measure == max(evaluation.measure for evaluation in done.evaluations)
    assert (done.why, walker.measure()) == ("steps", pytest.approx(done.best.measure))


def test_weights_that_nothing_improved_are_those_of_the_beginning(tmp_path: Path) -> None:
    walker = Walker(slope=-1.0)
    done = trainer.train(walker, STRIDE, TrainingBudget(steps=4, look_every=2), saved(tmp_path))
    assert (done.best.step, walker.place) == (0, 0.0)
    assert done.figures("AP")["AP"] == {"before": -3.0, "after": -3.0}


def test_it_ends_where_looking_again_and_again_shows_nothing_better(tmp_path: Path) -> None:
    done = trainer.train(Walker(), STRIDE, TrainingBudget(steps=40, look_every=1, patience=2), saved(tmp_path))
    assert (done.why, done.evaluations[-1].step) == ("patience", done.best.step + 2)


def test_it_ends_after_its_minutes(tmp_path: Path) -> None:
    clock = ticking(30.0)
    done = trainer.train(
        Walker(), STRIDE, TrainingBudget(minutes=2, look_every=50), saved(tmp_path), clock=lambda: next(clock)
    )
    assert (done.why, done.evaluations[-1].step, done.seconds) == ("minutes", 4, 120.0)


def test_an_interrupted_one_continues_as_if_nothing_had_been(tmp_path: Path) -> None:
    budget = TrainingBudget(steps=6, look_every=2, patience=9)
    whole = trainer.train(Walker(), STRIDE, budget, saved(tmp_path / "whole"))
    with pytest.raises(KeyboardInterrupt):
        trainer.train(Walker(at=4), STRIDE, budget, saved(tmp_path))
    walker = Walker()
    again = trainer.train(walker, STRIDE, budget, saved(tmp_path, resume=True))
    assert walker.seen == [3, 4, 5, 6]
    assert again.evaluations == whole.evaluations


def test_checkpoints_of_other_settings_are_refused_and_deleted_without_resume(tmp_path: Path) -> None:
    trainer.train(Walker(), STRIDE, TrainingBudget(steps=2), saved(tmp_path, seed=1))
    with pytest.raises(TrainingError, match="other settings or data"):
        saved(tmp_path, resume=True, seed=2).begin()
    assert saved(tmp_path, seed=2).begin() is None


def test_a_loss_that_is_no_number_ends_it_and_the_checkpoint_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="loss of step 1 is not a number"):
        trainer.train(Walker(slope=float("nan")), STRIDE, TrainingBudget(steps=9, look_every=2), saved(tmp_path))
    walker = Walker()

    def spoil(evaluation: HeldOutEvaluation) -> None:
        walker.slope = float("nan") if evaluation.step == 2 else 1.0

    with pytest.raises(TrainingError, match=r"step 3 .*checkpoint-2 holds"):
        trainer.train(walker, STRIDE, TrainingBudget(steps=9, look_every=2), saved(tmp_path), spoil)


def test_a_full_disk_is_named_and_the_checkpoint_before_is_kept(tmp_path: Path) -> None:
    """The system's own limit on the size of a file stands for a full disk: writes past it fail in the same way."""
    checkpoints = saved(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(evaluation: HeldOutEvaluation) -> None:
        if evaluation.step == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))

    try:
        with pytest.raises(TrainingError, match=r"cannot be written .* with --resume"):
            trainer.train(Walker(weight=100_000), STRIDE, TrainingBudget(steps=4, look_every=1), checkpoints, fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    last = checkpoints.last()
    assert last is not None
    assert last.name == "checkpoint-1"


def test_a_damaged_checkpoint_is_named(tmp_path: Path) -> None:
    budget = TrainingBudget(steps=4, look_every=2)
    with pytest.raises(KeyboardInterrupt):
        trainer.train(Walker(at=3), STRIDE, budget, saved(tmp_path))
    (tmp_path / "checkpoints" / "checkpoint-2" / "model.safetensors").write_bytes(b"half a file")
    with pytest.raises(TrainingError, match=r"checkpoint-2 is damaged"):
        trainer.train(Walker(), STRIDE, budget, saved(tmp_path, resume=True))


def test_the_rate_rises_over_a_tenth_and_falls_to_nothing() -> None:
    budget = TrainingBudget(minutes=10, steps=100)
    assert [trainer.rate(step, 0.0, budget) for step in (5, 10, 55, 100)] == pytest.approx([0.5, 1.0, 0.5, 0.0])
    assert trainer.rate(10, 330.0, budget) == pytest.approx(
        0.5
    )  # over half of the minutes are gone, though a tenth of the steps


@given(st.integers(0, 1000), st.floats(0, 10_000))
def test_the_rate_lies_between_nought_and_one(step: int, spent_s: float) -> None:
    assert 0.0 <= trainer.rate(step, spent_s, TrainingBudget(minutes=3, steps=500)) <= 1.0


def test_figures_show_where_it_began() -> None:
    evaluations = (HeldOutEvaluation(0, 0.1, None), HeldOutEvaluation(5, 0.2, 1.0))
    assert FinishedTraining(evaluations, evaluations[1], "steps", 1.0).figures("AP")["AP"] == {
        "before": 0.1,
        "after": 0.2,
    }
