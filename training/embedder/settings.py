"""The settings of an embedder's training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from training.examples import TrainingError
from training.precision import Precision

LossName = Literal["infonce", "margin_mse"]


def task_instruction(task: str) -> str:
    """The text before a question in paper 001: ``Instruct: {I}``, and ``Query: {q}`` on the next line."""
    return f"Instruct: {task}\nQuery: "


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """``infonce``: each answer competes with the answers of the other questions and with ``negatives`` of its own, at
    ``temperature``. ``margin_mse`` (GPL): learns a teacher's margins; ``margin_scale`` converts cosines to logits.

    ``matryoshka``: sizes at which shortened vectors are trained too; empty: whole vectors only. ``lora``: low-rank
    adapters of ``rank`` and ``alpha`` (paper 001: 8 and 16) instead of all weights; merged when the model is written.
    ``frozen``: this many of the lowest layers, with the word vectors, keep the base's weights.
    ``questions_each``: up to this many of the ``batch`` questions share one answer text, which is encoded once.
    ``siblings``: up to this many such texts of one group are in a batch, as near misses of each other.
    ``max_tokens`` of a document during training; the model's own limit does not change. ``precision``: as in
    ``training.precision``. ``threads`` 0: torch's.
    """

    loss: LossName = "infonce"
    temperature: float = 0.05
    margin_scale: float = 20.0
    instruction: str = ""
    matryoshka: tuple[int, ...] = ()
    lora: bool = False
    rank: int = 8
    alpha: int = 16
    frozen: int = 0
    learning_rate: float = 2e-5
    batch: int = 32
    negatives: int = 1
    questions_each: int = 1
    siblings: int = 1
    max_tokens: int = 128
    precision: Precision = "float32"
    seed: int = 0
    device: str = "cpu"
    threads: int = 0

    def __post_init__(self) -> None:
        if self.temperature <= 0 or self.learning_rate <= 0 or self.batch < 2:
            raise TrainingError("Temperature and learning rate are above 0, and a batch holds at least 2 questions.")
        if self.questions_each < 1 or self.siblings < 1:
            raise TrainingError("questions_each and siblings are at least 1.")
        if self.frozen < 0 or (self.frozen and self.lora):
            raise TrainingError("frozen is 0 or more layers, and adapters have none: say lora or frozen.")
        if self.loss == "margin_mse" and self.negatives < 1:
            raise TrainingError("margin_mse compares an answer with a negative: negatives is at least 1.")
