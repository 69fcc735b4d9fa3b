"""A training ends when it should, keeps its best, goes on where it was broken off, and says what is wrong."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from training.checkpoints import Checkpoints
from training.examples import TrainingError
from training.loop import Evaluation, Finished, TrainingBudget, rate, train


class Walker:
    """Learns one number: each step goes by ``stride``; the best is 3. ``at`` breaks off before that step."""

    def __init__(self, stride: float = 1.0, at: int | None = None, weight: int = 1) -> None:
        self.place = torch.zeros(weight)
        self.stride, self.at = stride, at
        self.seen: list[int] = []

    def step(self, number: int, rate: float) -> float:  # noqa: ARG002
        if number == self.at:
            raise KeyboardInterrupt
        self.seen.append(number)
        self.place = self.place + self.stride
        return float(self.place[0])

    def measure(self) -> float:
        return -abs(3.0 - float(self.place[0]))

    def state(self) -> dict[str, Any]:
        return {"place": self.place}

    def restore(self, state: dict[str, Any]) -> None:
        self.place = state["place"]


def saved(folder: Path, *, resume: bool = False, **settings: object) -> Checkpoints:
    return Checkpoints(folder / "checkpoints", settings, resume=resume)


def ticking(seconds: float) -> Iterator[float]:
    now = 0.0
    while True:
        yield now
        now += seconds


def test_it_looks_before_learning_and_keeps_the_best_weights(tmp_path: Path) -> None:
    walker = Walker()
    done = train(walker, TrainingBudget(steps=6, look_every=2, patience=9), saved(tmp_path))
    assert done.looks == (
        Evaluation(0, -3.0, None),
        Evaluation(2, -1.0, 1.5),
        Evaluation(4, -1.0, 3.5),
        Evaluation(6, -3.0, 5.5),
    )
    assert (done.best, done.why, float(walker.place[0])) == (Evaluation(2, -1.0, 1.5), "steps", 2.0)


def test_it_ends_where_looking_again_and_again_shows_nothing_better(tmp_path: Path) -> None:
    done = train(Walker(), TrainingBudget(steps=99, look_every=1, patience=2), saved(tmp_path))
    assert (done.why, done.looks[-1].step, done.best.step) == ("patience", 5, 3)


def test_it_ends_after_its_minutes(tmp_path: Path) -> None:
    clock = ticking(30.0)
    done = train(Walker(), TrainingBudget(minutes=2, look_every=50), saved(tmp_path), clock=lambda: next(clock))
    assert (done.why, done.looks[-1].step, done.seconds) == ("minutes", 4, 120.0)


def test_a_broken_off_one_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    course = TrainingBudget(steps=6, look_every=2, patience=9)
    whole = train(Walker(), course, saved(tmp_path / "whole"))
    with pytest.raises(KeyboardInterrupt):
        train(Walker(at=4), course, saved(tmp_path))
    walker = Walker()
    again = train(walker, course, saved(tmp_path, resume=True))
    assert walker.seen == [3, 4, 5, 6]
    assert again.looks == whole.looks


def test_checkpoints_of_other_settings_are_refused_and_thrown_away_without_resume(tmp_path: Path) -> None:
    train(Walker(), TrainingBudget(steps=2), saved(tmp_path, seed=1))
    with pytest.raises(TrainingError, match="other settings or data"):
        saved(tmp_path, resume=True, seed=2)
    assert saved(tmp_path, seed=2).last() is None


def test_a_loss_that_is_no_number_ends_it_and_the_checkpoint_is_named(tmp_path: Path) -> None:
    course = TrainingBudget(steps=9, look_every=2)
    with pytest.raises(TrainingError, match=r"loss of step 1 is no number.*checkpoints holds the state of step 0"):
        train(Walker(stride=float("nan")), course, saved(tmp_path))
    last = saved(tmp_path, resume=True).last()
    assert last is not None
    assert [step for step, *_ in last["looks"]] == [0]


def test_a_full_disk_is_said_and_the_checkpoint_before_is_kept(tmp_path: Path) -> None:
    """The system's own limit on the size of a file stands for a full disk: writes past it fail in the same way."""
    checkpoints = saved(tmp_path)
    checkpoints.save({"trainee": {"place": torch.ones(4)}}, best=True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(TrainingError, match=r"cannot be written .* with --resume"):
            checkpoints.save({"trainee": {"place": torch.ones(100_000)}}, best=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert checkpoints.best()["place"].tolist() == [1.0] * 4
    last = checkpoints.last()
    assert last is not None
    assert last["trainee"]["place"].tolist() == [1.0] * 4
    assert sorted(path.name for path in checkpoints.folder.iterdir()) == ["best.pt", "last.pt", "settings.json"]


def test_a_damaged_checkpoint_is_named(tmp_path: Path) -> None:
    checkpoints = saved(tmp_path)
    (checkpoints.folder / "last.pt").write_bytes(b"half a file")
    with pytest.raises(TrainingError, match=r"last.pt is damaged"):
        checkpoints.last()


def test_the_rate_rises_over_a_tenth_and_falls_to_nothing() -> None:
    course = TrainingBudget(minutes=10, steps=100)
    assert [rate(step, 0.0, course) for step in (5, 10, 55, 100)] == pytest.approx([0.5, 1.0, 0.5, 0.0])
    assert rate(10, 330.0, course) == pytest.approx(
        0.5
    )  # over half of the minutes are gone, though a tenth of the steps


@given(st.integers(0, 1000), st.floats(0, 10_000))
def test_the_rate_lies_between_nought_and_one(step: int, spent_s: float) -> None:
    assert 0.0 <= rate(step, spent_s, TrainingBudget(minutes=3, steps=500)) <= 1.0


def test_finished_knows_where_it_began() -> None:
    looks = (Evaluation(0, 0.1, None), Evaluation(5, 0.2, 1.0))
    assert Finished(looks, looks[1], "steps", 1.0).before == looks[0]
