"""The parts of a training: a learner, a budget, evaluations, checkpoints. ``training.trainer`` runs it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from core.json_types import Json, JsonMapping
from training.examples import TrainingError

if TYPE_CHECKING:
    from torch import Tensor, nn

_SETTINGS, _COMPLETE = "settings.json", "trainer_state.json"  # of a checkpoint's files, the second is written last


class Learner(Protocol):
    """A model with its data. Batches depend only on the step's number, so a resumed run sees the same ones."""

    @property
    def module(self) -> nn.Module: ...

    def loss(self, step: int) -> Tensor:
        """The loss of this step's batch (steps from 1); a scalar with gradients."""
        ...

    def measure(self) -> float:
        """The held-out measure; higher is better."""
        ...


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
class Optimisation:
    """``device``: ``cpu``, or ``cuda`` for the first GPU."""

    learning_rate: float
    device: str = "cpu"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class HeldOutEvaluation:
    """The held-out measure after this many steps, and the mean loss since the previous evaluation."""

    step: int
    measure: float
    loss: float | None


OnEvaluation = Callable[[HeldOutEvaluation], None]


@dataclass(frozen=True, slots=True)
class FinishedTraining:
    """``why``: ``steps``, ``minutes`` or ``patience``. The module has the best weights, those of ``best``."""

    evaluations: tuple[HeldOutEvaluation, ...]
    best: HeldOutEvaluation
    why: str
    seconds: float

    def figures(self, measure: str) -> Json:
        """For the card: the held-out measure under that name before and after, and the course of the training."""
        return {
            measure: {"before": self.evaluations[0].measure, "after": self.best.measure},
            "steps": self.evaluations[-1].step,
            "best step": self.best.step,
            "seconds": round(self.seconds),
            "ended by": self.why,
        }


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The folder of a training's checkpoints. ``settings`` must be equal for a training to continue."""

    folder: Path
    settings: JsonMapping = field(default_factory=dict)
    resume: bool = False

    @staticmethod
    def of_output(out: Path, settings: JsonMapping | None = None, *, resume: bool = False) -> Checkpoints:
        return Checkpoints(out.parent / f".{out.name}.checkpoints", settings or {}, resume)

    def last(self) -> Path | None:
        """The last complete one."""
        complete = [path.parent for path in self.folder.glob(f"checkpoint-*/{_COMPLETE}")]
        return max(complete, key=lambda path: int(path.name.rpartition("-")[2]), default=None)

    def begin(self) -> Path | None:
        """The checkpoint to continue from; None for a new training, which deletes old ones.

        Raises TrainingError if the folder cannot be written, or if other settings made it.
        """
        settings = json.dumps(self.settings, sort_keys=True, default=str, indent=2)
        settings_file = self.folder / _SETTINGS
        if not self.resume:
            shutil.rmtree(self.folder, ignore_errors=True)
        elif settings_file.is_file() and settings_file.read_text(encoding="utf-8") != settings:
            raise TrainingError(
                f"{self.folder} is of a training with other settings or data; start again without --resume."
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            settings_file.write_text(settings, encoding="utf-8")
        except OSError as error:
            raise TrainingError(f"{self.folder} cannot be written: {error.strerror}.") from error
        return self.last()

    def discard(self) -> None:
        """Call this after the model is written."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def write_guard(self) -> Iterator[None]:
        """Raises TrainingError if the disk is full; the previous checkpoint remains."""
        from safetensors import SafetensorError

        try:
            yield
        except (OSError, RuntimeError, SafetensorError) as error:  # torch reports a full disk as RuntimeError
            reason = getattr(error, "strerror", None) or str(error)
            raise TrainingError(
                f"A checkpoint cannot be written to {self.folder}: {reason[:200]}. The previous one is kept; make room "
                "and run the same command with --resume."
            ) from error

    @contextmanager
    def read_guard(self, name: str) -> Iterator[None]:
        """Raises TrainingError if the checkpoint is damaged."""
        from safetensors import SafetensorError

        try:
            yield
        except (OSError, RuntimeError, SafetensorError) as error:
            raise TrainingError(f"{name} is damaged; start again without --resume.") from error
