"""Adapts an encoder with its examples to the port of ``training.loop``."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from core.json_types import Json
from training.embedder.batches import Hand, batch_of, dealt
from training.embedder.encoder import TrainableEncoder
from training.embedder.held_out import HeldOut
from training.examples import Candidate, Example
from training.losses import info_nce, margin_mse, matryoshka


class EmbedderTrainee:
    """training.loop.Trainee. The seed and the step's number decide its examples and negatives."""

    def __init__(self, encoder: TrainableEncoder, examples: Sequence[Example], held_out: HeldOut) -> None:
        import torch

        self.encoder, self.settings = encoder, encoder.settings
        self._examples, self._held_out = list(examples), held_out
        self._epoch, self._hands = 0, self._dealt(0)
        self._optimiser = torch.optim.AdamW(encoder.learning(), lr=self.settings.learning_rate, weight_decay=0.01)

    def step(self, number: int, rate: float) -> float:
        import torch

        for group in self._optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * rate
        drawn = random.Random(f"{self.settings.seed}:{number}")  # noqa: S311 - a draw that can be repeated
        examples = self.drawn(number)
        torch.manual_seed(drawn.randrange(2**31))  # also for dropout
        loss = self._margins(examples, drawn) if self.settings.loss == "margin_mse" else self._contrast(examples, drawn)
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.encoder.learning(), 1.0)
        self._optimiser.step()
        return float(loss.detach())

    def measure(self) -> float:
        return self._held_out.average_precision(self.encoder.embed)

    def state(self) -> Json:
        return {"weights": self.encoder.weights(), "optimiser": self._optimiser.state_dict()}

    def restore(self, state: Json) -> None:
        self.encoder.take(state["weights"])
        self._optimiser.load_state_dict(state["optimiser"])

    def drawn(self, number: int) -> list[Example]:
        """Every example once per epoch, each time in another order; ``questions_each`` of one text together."""
        count = len(self._hands)
        size = min(max(self.settings.batch // self.settings.questions_each, 1), count)
        epoch, place = divmod((number - 1) * size, count - count % size)
        if epoch != self._epoch:
            self._epoch, self._hands = epoch, self._dealt(epoch)
        return [example for hand in self._hands[place : place + size] for example in hand]

    def _dealt(self, epoch: int) -> list[Hand]:
        chance = random.Random(f"{self.settings.seed}:epoch:{epoch}")  # noqa: S311 - as above
        return dealt(self._examples, self.settings.questions_each, self.settings.siblings, chance)

    def _contrast(self, examples: list[Example], drawn: random.Random) -> Any:
        import torch

        count = self.settings.negatives
        chosen = [drawn.sample(one.negatives, min(count, len(one.negatives))) for one in examples]
        batch = batch_of(examples, chosen)
        questions, texts = self._questions(batch.questions), self.encoder.encode(batch.texts)
        device = self.settings.device
        also = torch.zeros((len(batch.questions), len(batch.texts)), dtype=torch.bool)
        for row, columns in enumerate(batch.also):
            also[row, sorted(columns)] = True
        answers = torch.tensor(batch.answers).to(device)
        return self._nested(
            lambda short: info_nce(short(questions), short(texts), answers, also.to(device), self.settings.temperature)
        )

    def _margins(self, examples: list[Example], drawn: random.Random) -> Any:
        import torch

        chosen = [drawn.choice(example.negatives) for example in examples]
        gaps = [_teacher(one.positive) - _teacher(negative) for one, negative in zip(examples, chosen, strict=True)]
        questions = self._questions([example.question for example in examples])
        positives = self.encoder.encode([example.positive.text for example in examples])
        negatives = self.encoder.encode([one.text for one in chosen])
        margins = torch.tensor(gaps).to(self.settings.device)
        return self._nested(
            lambda short: margin_mse(
                short(questions), short(positives), short(negatives), margins, self.settings.margin_scale
            )
        )

    def _questions(self, questions: Sequence[str]) -> Any:
        return self.encoder.encode([self.settings.instruction + question for question in questions])

    def _nested(self, loss: Any) -> Any:
        return matryoshka(loss, self.settings.matryoshka) if self.settings.matryoshka else loss(lambda vectors: vectors)


def _teacher(candidate: Candidate) -> float:
    return 0.0 if candidate.teacher is None else candidate.teacher
