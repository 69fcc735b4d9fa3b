"""Adapts a late-interaction model with its examples to the port of ``training.loop``."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from core.json_types import Json
from training.embedder.batches import batch_of
from training.examples import Candidate, Example
from training.reranker.held_out import Lists
from training.reranker.model import LateModel


class RerankerTrainee:
    """training.loop.Trainee. The seed and the step's number decide its examples and negatives."""

    def __init__(self, model: LateModel, examples: Sequence[Example], held_out: Lists) -> None:
        import torch

        self.model, self.settings = model, model.settings
        self._examples, self._held_out = list(examples), held_out
        groups = model.learning()
        self._rates = [group.pop("rate") for group in groups]
        self._optimiser = torch.optim.AdamW(groups, weight_decay=0.01)

    def step(self, number: int, rate: float) -> float:
        import torch

        for group, full in zip(self._optimiser.param_groups, self._rates, strict=True):
            group["lr"] = full * rate
        chance = random.Random(f"{self.settings.seed}:{number}")  # noqa: S311 # nosec B311 - a draw to be repeated
        torch.manual_seed(chance.randrange(2**31))  # also for dropout
        self.model.module.train()
        loss = self._loss(self.drawn(number), chance)
        self._optimiser.zero_grad()
        loss.backward()
        for group in self._optimiser.param_groups:
            torch.nn.utils.clip_grad_norm_(group["params"], 1.0)
        self._optimiser.step()
        return float(loss.detach())

    def measure(self) -> float:
        return self._held_out.headline(self.model.reader())

    def state(self) -> Json:
        return {"weights": self.model.weights(), "optimiser": self._optimiser.state_dict()}

    def restore(self, state: Json) -> None:
        self.model.take(state["weights"])
        self._optimiser.load_state_dict(state["optimiser"])

    def drawn(self, number: int) -> list[Example]:
        """Every example once per epoch, each time in another order."""
        size = min(self.settings.batch, len(self._examples))
        epoch, place = divmod((number - 1) * size, len(self._examples) - len(self._examples) % size)
        order = list(range(len(self._examples)))
        random.Random(f"{self.settings.seed}:epoch:{epoch}").shuffle(order)  # noqa: S311 # nosec B311
        return [self._examples[at] for at in order[place : place + size]]

    def _loss(self, examples: list[Example], chance: random.Random) -> Any:
        import torch

        count = self.settings.negatives
        chosen = [chance.sample(one.negatives, min(count, len(one.negatives))) for one in examples]
        batch = batch_of(examples, chosen)
        read = self.model.scores(batch.questions, batch.texts, chosen_for(examples, chosen, batch.texts))
        scores = read.scores.float() * self.settings.scale
        grades, known = judged(examples, chosen, batch.texts, batch.also)
        targets, known_mask = torch.tensor(grades), torch.tensor(known)
        loss = (listwise if self.settings.loss == "listwise" else binary)(scores, targets, known_mask)
        return loss + self.settings.near_base * self.model.drift(read) if self.settings.near_base else loss


def chosen_for(examples: Sequence[Example], chosen: Sequence[Sequence[Candidate]], texts: Sequence[str]) -> list[int]:
    """For each text the first question for which it was drawn: a long text is cut for that question."""
    first: dict[str, int] = {}
    for at, (example, negatives) in enumerate(zip(examples, chosen, strict=True)):
        for one in (example.positive, *negatives):
            first.setdefault(one.text, at)
    return [first[text] for text in texts]


def judged(
    examples: Sequence[Example], chosen: Sequence[Sequence[Candidate]], texts: Sequence[str], also: Sequence[set[int]]
) -> tuple[list[list[float]], list[list[bool]]]:
    """Grades and whether they count, each (questions, texts).

    A text of another question counts as 0, unless it also answers this one (``also``) or is of the same group, because
    a sibling often does.
    """
    rows = {text: at for at, text in enumerate(texts)}
    groups: dict[int, set[str]] = {}
    for example, negatives in zip(examples, chosen, strict=True):
        for text in (example.positive, *negatives):
            groups.setdefault(rows[text.text], set()).add(example.group)
    grades = [[0.0] * len(texts) for _ in examples]
    known = [[True] * len(texts) for _ in examples]
    for at, (example, negatives) in enumerate(zip(examples, chosen, strict=True)):
        own = {rows[one.text]: float(one.grade) for one in negatives} | {
            rows[example.positive.text]: float(max(1, example.positive.grade))
        }
        for row in range(len(texts)):
            grades[at][row] = own.get(row, 0.0)
            sibling = bool(example.group) and example.group in groups[row]
            known[at][row] = row in own or not (sibling or row in also[at])
    return grades, known


def listwise(scores: Any, grades: Any, known: Any) -> Any:
    """Cross-entropy between the softmax over the known texts and the grades brought to sum 1 (ListNet's form)."""
    import torch

    logs = torch.log_softmax(scores.masked_fill(~known, -1e4), dim=1)
    wanted = grades * known
    wanted = wanted / wanted.sum(1, keepdim=True)
    return -(wanted * logs).sum(1).mean()


def binary(scores: Any, grades: Any, known: Any) -> Any:
    """Cross-entropy of each pair separately, positives weighted as much as all negatives; a score of 0 means one
    half.
    """
    import torch

    right = (grades > 0) & known
    wrong = (grades <= 0) & known
    each = torch.nn.functional.binary_cross_entropy_with_logits(scores, right.float(), reduction="none")
    return (each * right).sum() / right.sum().clamp(min=1) + (each * wrong).sum() / wrong.sum().clamp(min=1)
