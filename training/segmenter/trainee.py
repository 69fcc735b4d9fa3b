"""Adapts the next-sentence classifier to the port of ``training.loop``."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from encoders.onnx_session import padded
from encoders.segmenter import SentencePairTokeniser
from training.examples import TrainingError
from training.segmenter.measure import auc
from training.segmenter.sentence_boundaries import SentencePair
from training.weights import loading

_BATCH = 64
_KEPT = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")


@dataclass(frozen=True, slots=True)
class SegmenterSettings:
    """``layers`` of the base that are kept, from below (0: all); ``window`` sentences on each side of a joint;
    ``max_tokens`` of both sides together, in training and in service. ``threads`` 0: torch's.
    """

    layers: int = 3
    window: int = 2
    max_tokens: int = 128
    batch: int = 32
    learning_rate: float = 5e-5
    seed: int = 0
    device: str = "cpu"
    threads: int = 0

    def __post_init__(self) -> None:
        if self.window < 1 or self.batch < 1 or self.learning_rate <= 0 or self.max_tokens < 16:
            raise TrainingError("Window and batch are at least 1, max_tokens at least 16, and the rate is above 0.")


class SegmenterTrainee:
    """training.loop.Trainee; the seed and the step's number decide its boundaries."""

    def __init__(
        self,
        base: Path,
        boundaries: Sequence[SentencePair],
        held_out: Sequence[SentencePair],
        settings: SegmenterSettings,
    ) -> None:
        """Raises ModelMissing if ``base`` is not an encoder with weights."""
        import torch

        self.base, self.settings = base, settings
        self.module = _loaded(base, settings)
        self._tokens = SentencePairTokeniser(base / "tokenizer.json", settings.max_tokens)
        self._pairs, self._held_out = list(boundaries), list(held_out)
        self._optimiser = torch.optim.AdamW(self.module.parameters(), lr=settings.learning_rate, weight_decay=0.01)

    def step(self, number: int, rate: float) -> float:
        import torch

        for group in self._optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * rate
        torch.manual_seed(random.Random(f"{self.settings.seed}:{number}").randrange(2**31))  # noqa: S311 # nosec B311
        boundaries = self.drawn(number)
        labels = torch.tensor([pair.label for pair in boundaries]).to(self.settings.device)
        loss: Any = torch.nn.functional.cross_entropy(self._logits(boundaries), labels)
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), 1.0)
        self._optimiser.step()
        return float(loss.detach())

    def measure(self) -> float:
        """The probability that a true joint coheres more than a false one, 0..1."""
        scores = self.coherence(self._held_out)
        false = np.array([pair.label == 1 for pair in self._held_out])
        return auc(scores[~false], scores[false])

    def state(self) -> Json:
        weights = {name: value.detach().cpu().clone() for name, value in self.module.state_dict().items()}
        return {"weights": weights, "optimiser": self._optimiser.state_dict()}

    def restore(self, state: Json) -> None:
        self.module.load_state_dict(state["weights"])
        self._optimiser.load_state_dict(state["optimiser"])

    def drawn(self, number: int) -> list[SentencePair]:
        """Every joint once per epoch, each time in another order."""
        size = min(self.settings.batch, len(self._pairs))
        epoch, place = divmod((number - 1) * size, len(self._pairs) - len(self._pairs) % size)
        order = list(range(len(self._pairs)))
        random.Random(f"{self.settings.seed}:epoch:{epoch}").shuffle(order)  # noqa: S311 # nosec B311
        return [self._pairs[at] for at in order[place : place + size]]

    def coherence(self, boundaries: Sequence[SentencePair]) -> NDArray[np.float64]:
        """(n,) probability that the second continues the first."""
        import torch

        self.module.eval()
        found = []
        with torch.inference_mode():
            for at in range(0, len(boundaries), _BATCH):
                found.append(torch.softmax(self._logits(boundaries[at : at + _BATCH]), dim=1)[:, 0].cpu().numpy())
        self.module.train()
        return np.concatenate(found).astype(np.float64)

    def save(self, folder: Path) -> None:
        """Weights and tokenizer. Raises OSError if the disk fails."""
        self.module.save_pretrained(str(folder), safe_serialization=True)
        for name in _KEPT:
            if (self.base / name).is_file():
                shutil.copyfile(self.base / name, folder / name)

    def _logits(self, boundaries: Sequence[SentencePair]) -> Any:
        import torch

        tokens = self._tokens.tokens([pair.before for pair in boundaries], [pair.behind for pair in boundaries])
        feed, _ = padded(tokens)
        return self.module(
            **{name: torch.from_numpy(value).to(self.settings.device) for name, value in feed.items()}
        ).logits


def _loaded(base: Path, settings: SegmenterSettings) -> Any:
    with loading(base, threads=settings.threads, seed=settings.seed) as transformers:
        config = transformers.AutoConfig.from_pretrained(str(base), local_files_only=True)  # nosec B615
        config.num_labels = 2
        config.num_hidden_layers = min(settings.layers or config.num_hidden_layers, config.num_hidden_layers)
        module = transformers.AutoModelForSequenceClassification.from_pretrained(  # nosec B615
            str(base), config=config, use_safetensors=True, local_files_only=True
        )
    return module.to(settings.device).train()
