"""Arranges pairs in steps, and computes the loss and the held-out measure of a cross-encoder."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.batched import batched
from encoders.cross_encoder import PairTokeniser
from encoders.onnx_session import TokenIds, pad_inputs
from encoders.torch_models import INPUTS, accepted_inputs
from training.calibration import area_under_curve
from training.examples import LabelledPair, TrainingError
from training.weights import Precision, arithmetic

if TYPE_CHECKING:
    from torch import Tensor, nn

_BATCH = 32
_SMOOTH = 0.02  # labels are .02 and .98: made pairs have errors


@dataclass(frozen=True, slots=True)
class CrossEncoderTrainingSettings:
    """``max_tokens`` of a pair during training; the model's own limit does not change. ``threads`` 0: torch's."""

    learning_rate: float = 2e-5
    batch: int = 32
    max_tokens: int = 256
    precision: Precision = "float32"
    seed: int = 0
    device: str = "cpu"
    threads: int = 0

    def __post_init__(self) -> None:
        if self.learning_rate <= 0 or self.batch < 2:
            raise TrainingError("The learning rate is above 0, and a batch holds at least 2 pairs.")


class CrossEncoderLearner:
    """training.loop.Learner. Half of each batch answers; seed and number of the step decide the draw."""

    def __init__(
        self,
        classifier: nn.Module,
        tokeniser: PairTokeniser,
        train: Sequence[LabelledPair],
        stop: Sequence[LabelledPair],
        settings: CrossEncoderTrainingSettings,
    ) -> None:
        self.module = classifier.to(settings.device)
        self._tokeniser, self._stop, self._settings = tokeniser, stop, settings
        self._names = accepted_inputs(classifier, INPUTS)
        self._by_label = [[pair for pair in train if pair.answers is label] for label in (True, False)]

    def loss(self, step: int) -> Tensor:
        """Binary cross-entropy with the label."""
        import torch

        pairs = self._draw(step)
        labels = torch.tensor([1.0 - _SMOOTH if pair.answers else _SMOOTH for pair in pairs])
        logits = self._logits([self._tokens(pair) for pair in pairs])
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, labels.to(logits.device))

    def measure(self) -> float:
        return area_under_curve(self.scores(self._stop), labels_of(self._stop))

    def scores(self, pairs: Sequence[LabelledPair]) -> NDArray[np.float64]:
        """(n,) logits, computed shortest first so that little is padded."""
        import torch

        tokens = [self._tokens(pair) for pair in pairs]
        order = sorted(range(len(tokens)), key=lambda row: len(tokens[row].ids))
        scores = np.empty(len(tokens))
        self.module.eval()
        with torch.inference_mode():
            for rows in batched(order, _BATCH):
                scores[list(rows)] = self._logits([tokens[row] for row in rows]).cpu().numpy()
        self.module.train()
        return scores

    def _draw(self, step: int) -> list[LabelledPair]:
        """As many of each label, each pair once before any a second time."""
        half = self._settings.batch // 2
        return [pair for label, pairs in enumerate(self._by_label) for pair in self._turn(label, pairs, step, half)]

    def _turn(self, label: int, pairs: Sequence[LabelledPair], step: int, count: int) -> list[LabelledPair]:
        places = range((step - 1) * count, step * count)
        orders = {epoch: self._order(label, len(pairs), epoch) for epoch in {place // len(pairs) for place in places}}
        return [pairs[orders[place // len(pairs)][place % len(pairs)]] for place in places]

    def _order(self, label: int, count: int, epoch: int) -> list[int]:
        order = list(range(count))
        random.Random(f"{self._settings.seed}:{label}:{epoch}").shuffle(order)  # noqa: S311 # nosec B311 - to be repeated
        return order

    def _tokens(self, pair: LabelledPair) -> TokenIds:
        return self._tokeniser.pairs(pair.question, [pair.text]).tokens[0]

    def _logits(self, tokens: Sequence[TokenIds]) -> Tensor:
        import torch

        arrays, _ = pad_inputs(tokens)
        inputs = {name: torch.from_numpy(arrays[name]).to(self._settings.device) for name in self._names}
        with arithmetic(self._settings.precision, self._settings.device):
            logits: Tensor = self.module(**inputs).logits
        return logits.float()[:, 0]


def labels_of(pairs: Sequence[LabelledPair]) -> NDArray[np.bool_]:
    return np.array([pair.answers for pair in pairs], dtype=bool)
