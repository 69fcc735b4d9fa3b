"""The settings of a reranker's training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from training.examples import TrainingError
from training.precision import Precision

LossName = Literal["listwise", "binary"]


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    """``listwise``: softmax over the answer, ``negatives`` of its own (drawn in each step) and the texts of the batch's
    other questions: ``against`` in all. Grades of candidates, if any, are learnt in proportion. ``binary``: each pair
    separately, by its grade.

    ``layers`` of the base that are kept, from below; of these the upper ``learning_layers`` learn at ``learning_rate``,
    the others and the word table are frozen (0: only the new parts learn, at ``head_rate``). ``scale`` converts a
    similarity (-1..1) to a logit. ``max_tokens`` of a text during training, ``served_tokens`` in service.
    ``near_base`` weighs a second loss: tokens' vectors stay near those of the whole base (distillation; 0: none).
    ``precision`` of the arithmetic; ``bfloat16`` is some three times as fast if the processor supports it.
    ``general_share``: the share of questions from general text, if there is any. ``threads`` 0: torch's.
    """

    loss: LossName = "listwise"
    layers: int = 4
    learning_layers: int = 4
    negatives: int = 3
    batch: int = 8
    scale: float = 20.0
    learning_rate: float = 5e-5
    head_rate: float = 5e-4
    max_tokens: int = 128
    served_tokens: int = 128
    question_tokens: int = 48
    near_base: float = 0.0
    precision: Precision = "float32"
    general_share: float = 0.1
    seed: int = 0
    threads: int = 0

    @property
    def against(self) -> int:
        """The number of texts that compete with each question's answer in a step, without duplicates."""
        return self.batch * (1 + self.negatives) - 1

    def __post_init__(self) -> None:
        if min(self.learning_rate, self.head_rate, self.scale) <= 0 or self.layers < 1 or self.batch < 1:
            raise TrainingError("Rates and scale are above 0, layers and batch at least 1.")
        if self.negatives < 1:
            raise TrainingError("A reranker learns from an answer beside what is none: negatives is at least 1.")
        if self.near_base < 0.0:
            raise TrainingError(f"near_base is {self.near_base}; it weighs a loss and is at least 0.")
        if not 0.0 <= self.general_share < 1.0:
            raise TrainingError(f"The share of general text is {self.general_share}, outside 0..1.")
        if not 0 <= self.learning_layers <= self.layers:
            raise TrainingError("learning_layers lie between 0 and layers.")
        if not 8 <= self.question_tokens <= self.max_tokens <= self.served_tokens <= 512:
            raise TrainingError("Tokens: 8 <= question_tokens <= max_tokens <= served_tokens <= 512.")
