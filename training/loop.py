"""The training loop: limits of time or steps, a held-out measure, and checkpoints that survive a crash.

The model is behind a port (``Trainee``); this module knows neither its loss nor its data.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from core.json_types import Json
from training.checkpoints import Checkpoints
from training.examples import TrainingError

log = structlog.get_logger(__name__)

_WARM_UP = 0.1  # share of the training in which the learning rate rises; then it falls to zero


class Trainee(Protocol):
    """A model with its data. Batches depend only on the step's number, so a resumed run sees the same ones."""

    def step(self, number: int, rate: float) -> float:
        """One update; the learning rate is multiplied by ``rate`` (0..1). Returns the loss."""
        ...

    def measure(self) -> float:
        """The held-out measure; higher is better."""
        ...

    def state(self) -> Json:
        """Tensors and plain values for ``restore``: weights and the optimiser's moments."""
        ...

    def restore(self, state: Json) -> None: ...


@dataclass(frozen=True, slots=True)
class TrainingBudget:
    """Ends after ``minutes`` or ``steps``, whichever comes first, or after ``patience`` evaluations in a row without
    improvement. Only ``steps`` makes two runs equal; minutes depend on the machine.
    """

    minutes: float = 30.0
    steps: int = 100_000
    look_every: int = 100
    patience: int = 5


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The held-out measure after this many steps, and the mean loss since the previous evaluation."""

    step: int
    measure: float
    loss: float | None


@dataclass(frozen=True, slots=True)
class Finished:
    """``why``: ``steps``, ``minutes`` or ``patience``. The trainee has the best weights, those of ``best``."""

    looks: tuple[Evaluation, ...]
    best: Evaluation
    why: str
    seconds: float

    @property
    def before(self) -> Evaluation:
        return self.looks[0]

    def figures(self, measure: str) -> Json:
        """For the card: the held-out measure under that name before and after, and the course of the training."""
        return {
            measure: {"before": self.before.measure, "after": self.best.measure},
            "steps": self.looks[-1].step,
            "best step": self.best.step,
            "seconds": round(self.seconds),
            "ended by": self.why,
        }


@dataclass
class _Run:
    looks: list[Evaluation] = field(default_factory=list)
    spent_s: float = 0.0
    losses: list[float] = field(default_factory=list)

    @property
    def best(self) -> Evaluation:
        """The earliest of the best evaluations."""
        return max(self.looks, key=lambda look: (look.measure, -look.step))


def train(
    trainee: Trainee,
    course: TrainingBudget,
    checkpoints: Checkpoints,
    told: Callable[[Evaluation], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> Finished:
    """Continues from the last checkpoint if there is one. Step 0 is the measure before training, and its time does not
    count.

    Each evaluation writes a checkpoint. Raises TrainingError if the loss is not a number or a checkpoint cannot be
    written; the last good one is then kept, as after Ctrl-C or a kill.
    """
    run = _resumed(trainee, checkpoints)
    before_s = run.spent_s
    step = run.looks[-1].step if run.looks else 0
    if not run.looks:
        _look(trainee, run, checkpoints, 0, told)
    started = clock()
    while (why := _ended(run, course, step)) is None:
        step += 1
        loss = trainee.step(step, rate(step, run.spent_s, course))
        if not math.isfinite(loss):
            raise TrainingError(
                f"The loss of step {step} is no number; try a lower learning rate. {checkpoints.folder} holds "
                f"the state of step {run.looks[-1].step}."
            )
        run.losses.append(loss)
        run.spent_s = before_s + clock() - started
        if step % course.look_every == 0 or _ended(run, course, step) is not None:
            _look(trainee, run, checkpoints, step, told)
    if run.best.step != run.looks[-1].step:
        trainee.restore(checkpoints.best())
    return Finished(tuple(run.looks), run.best, why, run.spent_s)


def rate(step: int, spent_s: float, course: TrainingBudget) -> float:
    """0..1: rises over the first tenth of the training, falls to 0 at its end; by steps or minutes, whichever is
    further.
    """
    done = min(1.0, max(step / course.steps, spent_s / (60.0 * course.minutes)))
    return done / _WARM_UP if done < _WARM_UP else (1.0 - done) / (1.0 - _WARM_UP)


def _ended(run: _Run, course: TrainingBudget, step: int) -> str | None:
    if step >= course.steps:
        return "steps"
    if run.spent_s >= 60.0 * course.minutes:
        return "minutes"
    since = sum(look.step > run.best.step for look in run.looks)
    return "patience" if since >= course.patience else None


def _look(trainee: Trainee, run: _Run, checkpoints: Checkpoints, step: int, told: Callable[[Evaluation], None]) -> None:
    loss = sum(run.losses) / len(run.losses) if run.losses else None
    look = Evaluation(step, trainee.measure(), loss)
    run.losses.clear()
    run.looks.append(look)
    log.info("training.look", step=step, measure=round(look.measure, 4), loss=loss)
    written = [(one.step, one.measure, one.loss) for one in run.looks]
    state = {"looks": written, "spent_s": run.spent_s, "trainee": trainee.state()}
    checkpoints.save(state, best=run.best.step == step)
    told(look)


def _resumed(trainee: Trainee, checkpoints: Checkpoints) -> _Run:
    state = checkpoints.last()
    if state is None:
        return _Run()
    trainee.restore(state["trainee"])
    return _Run([Evaluation(*look) for look in state["looks"]], float(state["spent_s"]))
