"""An encoder with its examples behind the port of ``training.loop``."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from training.embedder.encoder import TrainableEncoder
from training.embedder.held_out import HeldOut
from training.examples import Candidate, Example
from training.losses import info_nce, margin_mse, matryoshka


@dataclass(frozen=True, slots=True)
class Batch:
    """``texts``: the answers of all questions, then their negatives, each text once. ``also[i]``: rows of texts that
    are no negatives of question i though they are not its answer here."""

    questions: list[str]
    texts: list[str]
    answers: list[int]
    also: list[set[int]]


def batch_of(examples: Sequence[Example], negatives: Sequence[Sequence[Candidate]]) -> Batch:
    """Pure. The same text is one row; what a question's graded candidates call relevant is no negative of it."""
    rows: dict[str, int] = {}
    answers = [rows.setdefault(example.positive.text, len(rows)) for example in examples]
    for chosen in negatives:
        for one in chosen:
            rows.setdefault(one.text, len(rows))
    right: dict[str, set[str]] = {}
    for example in examples:
        held = right.setdefault(example.question, set())
        held |= {one.text for one in example.candidates if one.grade > 0} | {example.positive.text}
    also = [
        {rows[text] for text in right[example.question] if text in rows} - {answer}
        for example, answer in zip(examples, answers, strict=True)
    ]
    return Batch([example.question for example in examples], list(rows), answers, also)


class EmbedderTrainee:
    """training.loop.Trainee. Which examples and negatives a step sees follows from the seed and its number."""

    def __init__(self, encoder: TrainableEncoder, examples: Sequence[Example], held_out: HeldOut) -> None:
        import torch

        self.encoder, self.settings = encoder, encoder.settings
        self._examples, self._held_out = list(examples), held_out
        self._optimiser = torch.optim.AdamW(encoder.learning(), lr=self.settings.learning_rate, weight_decay=0.01)

    def step(self, number: int, rate: float) -> float:
        import torch

        for group in self._optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * rate
        drawn = random.Random(f"{self.settings.seed}:{number}")  # noqa: S311 - a draw that can be repeated
        examples = self.drawn(number)
        torch.manual_seed(drawn.randrange(2**31))  # dropout too
        loss = self._margins(examples, drawn) if self.settings.loss == "margin_mse" else self._contrast(examples, drawn)
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.encoder.learning(), 1.0)
        self._optimiser.step()
        return float(loss.detach())

    def measure(self) -> float:
        return self._held_out.mrr(self.encoder.embed)

    def state(self) -> dict[str, Any]:
        return {"weights": self.encoder.weights(), "optimiser": self._optimiser.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        self.encoder.take(state["weights"])
        self._optimiser.load_state_dict(state["optimiser"])

    def drawn(self, number: int) -> list[Example]:
        """Every example once an epoch, in an order of its own each time."""
        size = min(self.settings.batch, len(self._examples))
        epoch, place = divmod((number - 1) * size, len(self._examples) - len(self._examples) % size)
        order = list(range(len(self._examples)))
        random.Random(f"{self.settings.seed}:epoch:{epoch}").shuffle(order)  # noqa: S311 - as above
        return [self._examples[at] for at in order[place : place + size]]

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
