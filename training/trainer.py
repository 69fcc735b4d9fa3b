# ruff: noqa: ARG002 - the signatures are those of transformers
"""The training loop: transformers' Trainer with limits of time or steps, a held-out measure, and checkpoints from which
an interrupted run continues to the same weights. Imports torch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, cast

import structlog
import torch
from torch import Tensor
from torch.nn import Module
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from training.examples import TrainingError
from training.loop import (
    Checkpoints,
    FinishedTraining,
    HeldOutEvaluation,
    Learner,
    OnEvaluation,
    Optimisation,
    TrainingBudget,
)

log = structlog.get_logger(__name__)

_WARM_UP = 0.1  # share of the training in which the learning rate rises; then it falls to zero


def train(
    learner: Learner,
    optimisation: Optimisation,
    budget: TrainingBudget,
    checkpoints: Checkpoints,
    report: OnEvaluation = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> FinishedTraining:
    """Measures before training (step 0), then at each evaluation, which writes a checkpoint and is reported.

    Continues from the last checkpoint with ``checkpoints.resume``. Raises TrainingError if the loss is not a number or
    a checkpoint cannot be written; the last good one is then kept, as after Ctrl-C or a kill.
    """
    start = checkpoints.begin()
    base = {name: value.detach().clone() for name, value in learner.module.named_parameters() if value.requires_grad}
    budget_callback = _BudgetCallback(budget, report, clock)
    trainer = _Trainer(learner, optimisation, budget_callback, checkpoints, resumed=start is not None)
    trainer.train(resume_from_checkpoint=None if start is None else str(start))
    evaluations = _evaluations(trainer.state)
    best = _best(evaluations)
    if best.step == 0:
        learner.module.load_state_dict(base, strict=False)
    return FinishedTraining(tuple(evaluations), best, budget_callback.why, budget_callback.spent_s)


def rate(step: int, spent_s: float, budget: TrainingBudget) -> float:
    """0..1: rises over the first tenth of the training, falls to 0 at its end; by steps or minutes, whichever is
    further.
    """
    progress = min(1.0, max(step / budget.steps, spent_s / (60.0 * budget.minutes)))
    return progress / _WARM_UP if progress < _WARM_UP else (1.0 - progress) / (1.0 - _WARM_UP)


class _BudgetCallback(TrainerCallback):
    """Ends the training by time or patience, and reports each evaluation once its checkpoint is written.

    ``spent_s``: over all runs; ``why`` it ended.
    """

    def __init__(self, budget: TrainingBudget, report: OnEvaluation, clock: Callable[[], float]) -> None:
        self.budget, self.why = budget, "steps"
        self.spent_s = 0.0
        self._report, self._clock = report, clock
        self._before_s, self._started_s = 0.0, 0.0

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._before_s = max((entry.get("eval_spent_s", 0.0) for entry in state.log_history), default=0.0)
        self.spent_s, self._started_s = self._before_s, self._clock()

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self.spent_s = self._before_s + self._clock() - self._started_s
        if self.spent_s >= 60.0 * self.budget.minutes and not control.should_training_stop:
            self.why = "minutes"
            control.should_training_stop = control.should_evaluate = True
        if control.should_evaluate:
            control.should_log = control.should_save = True

    def on_evaluate(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        evaluations = _evaluations(state)
        last = evaluations[-1]
        log.info("training.look", step=last.step, measure=round(last.measure, 4), loss=last.loss)
        if last.step == 0:
            state.best_metric, state.best_global_step = last.measure, 0
            self._report(last)
            self._started_s = self._clock()  # this evaluation does not count
        elif not control.should_training_stop and self._is_stuck(evaluations):
            self.why = "patience"
            control.should_training_stop = True

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._report(_evaluations(state)[-1])

    def _is_stuck(self, evaluations: list[HeldOutEvaluation]) -> bool:
        return sum(evaluation.step > _best(evaluations).step for evaluation in evaluations) >= self.budget.patience


class _Trainer(Trainer):
    """Its data are the numbers of the steps: a learner draws its batch by them, so that a resumed run sees the same."""

    def __init__(
        self,
        learner: Learner,
        optimisation: Optimisation,
        budget_callback: _BudgetCallback,
        checkpoints: Checkpoints,
        *,
        resumed: bool,
    ) -> None:
        self._learner, self._budget_callback, self._checkpoints = learner, budget_callback, checkpoints
        parameters = [value for value in learner.module.parameters() if value.requires_grad]
        self._optimiser = torch.optim.AdamW(parameters, lr=optimisation.learning_rate, weight_decay=0.01)
        super().__init__(
            learner.module,
            _arguments(budget_callback.budget, optimisation, checkpoints, resumed=resumed),
            eval_dataset=[0],  # the learner has its own
            callbacks=[budget_callback],
            optimizers=(self._optimiser, None),
        )
        self.remove_callback(PrinterCallback)

    def get_train_dataloader(self) -> DataLoader[int]:
        steps = cast("Dataset[int]", range(1, self._budget_callback.budget.steps + 1))
        return DataLoader(steps, batch_size=1, collate_fn=lambda rows: {"step": rows[0]})

    def create_scheduler(self, num_training_steps: int, optimizer: object = None) -> LambdaLR:
        budget_callback, self._created_lr_scheduler = self._budget_callback, True
        self.lr_scheduler = LambdaLR(
            self._optimiser, lambda step: rate(step + 1, budget_callback.spent_s, budget_callback.budget)
        )
        return self.lr_scheduler

    def compute_loss(
        self, model: Module, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: object = None
    ) -> Tensor:
        loss = self._learner.loss(inputs["step"])
        if not math.isfinite(float(loss.detach())):
            last = self._checkpoints.last()
            advice = f" {last} holds an earlier state." if last is not None else ""
            raise TrainingError(
                f"The loss of step {inputs['step']} is not a number; try a lower learning rate.{advice}"
            )
        return loss

    def evaluate(self, *_: object, **__: object) -> dict[str, float]:
        metrics = {"eval_measure": self._learner.measure(), "eval_spent_s": self._budget_callback.spent_s}
        self.log(dict(metrics))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def _save_checkpoint(self, model: Module, trial: Any) -> None:
        with self._checkpoints.write_guard():
            super()._save_checkpoint(model, trial)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Module | None = None) -> None:
        with self._checkpoints.read_guard(resume_from_checkpoint):
            super()._load_from_checkpoint(resume_from_checkpoint, model)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        with self._checkpoints.read_guard(str(checkpoint)):
            super()._load_optimizer_and_scheduler(checkpoint)


def _arguments(
    budget: TrainingBudget, optimisation: Optimisation, checkpoints: Checkpoints, *, resumed: bool
) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(checkpoints.folder),
        max_steps=budget.steps,
        use_cpu=optimisation.device == "cpu",
        seed=optimisation.seed,
        logging_strategy="no",
        logging_nan_inf_filter=False,
        eval_strategy="steps",
        eval_steps=budget.look_every,
        eval_on_start=not resumed,
        save_strategy="steps",
        save_steps=budget.look_every,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="measure",
        greater_is_better=True,
        disable_tqdm=True,
        report_to=[],
    )


def _evaluations(state: TrainerState) -> list[HeldOutEvaluation]:
    losses = {entry["step"]: entry["loss"] for entry in state.log_history if "loss" in entry}
    return [
        HeldOutEvaluation(int(entry["step"]), entry["eval_measure"], losses.get(entry["step"]))
        for entry in state.log_history
        if "eval_measure" in entry
    ]


def _best(evaluations: list[HeldOutEvaluation]) -> HeldOutEvaluation:
    """The earliest of the best evaluations."""
    return max(evaluations, key=lambda evaluation: (evaluation.measure, -evaluation.step))
