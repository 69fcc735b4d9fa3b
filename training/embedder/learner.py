"""Arranges questions and texts in steps, and computes the loss of each step."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from core.ports import Vectors
from encoders.pooling import unit
from evaluation.collection import Qrels
from evaluation.metrics import RunMeasures, measure
from evaluation.trec import Run
from training.embedder.encoder import EmbedderTrainingSettings, TrainableEncoder
from training.examples import CandidateText, Example

Embed = Callable[[Sequence[str]], Vectors]
_DEPTH = 100
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class HeldOut:
    """``qrels``: question id -> text id -> grade; equal questions are joined, with all their answers and every text
    that has the question as a label.
    """

    questions: dict[str, str]
    texts: dict[str, str]
    qrels: Qrels
    instruction: str = ""

    @staticmethod
    def of(examples: Sequence[Example], instruction: str = "", extra: Sequence[str] = ()) -> HeldOut:
        """``extra``: further texts to search, which answer none of the questions."""
        texts: dict[str, str] = {}
        questions: dict[str, str] = {}
        qrels: dict[str, dict[str, int]] = {}
        examples_with_labels: dict[str, dict[str, int]] = {}
        for example in examples:
            question = questions.setdefault(example.question, f"q{len(questions)}")
            for candidate in example.candidates:
                name = texts.setdefault(candidate.text, f"t{len(texts)}")
                grade = max(candidate.grade, 1) if candidate is example.positive else candidate.grade
                if grade > 0:
                    qrels.setdefault(question, {})[name] = grade
                for label in candidate.labels:
                    examples_with_labels.setdefault(label, {})[name] = 1
        for text, question in questions.items():
            qrels[question] = {**examples_with_labels.get(text.casefold(), {}), **qrels[question]}
        for text in extra:
            texts.setdefault(text, f"t{len(texts)}")
        return HeldOut(
            {name: text for text, name in questions.items()},
            {name: text for text, name in texts.items()},
            qrels,
            instruction,
        )

    def average_precision(self, embed: Embed) -> float:
        """Mean AP@100, the measure during training: 1 / rank if there is one answer."""
        return self.evaluate(embed).means["AP@100"]

    def evaluate(self, embed: Embed, dims: int | None = None) -> RunMeasures:
        """Every measure; ``dims``: with vectors shortened to this many numbers."""
        return measure(self.run(embed, dims), self.qrels)

    def run(self, embed: Embed, dims: int | None = None) -> Run:
        """The best hundred texts of each question by cosine; ties in the order of the texts."""
        names, question_names = list(self.texts), list(self.questions)
        documents = _short(embed(list(self.texts.values())), dims)
        questions = _short(embed([self.instruction + text for text in self.questions.values()]), dims)
        run: dict[str, list[tuple[str, float]]] = {}
        for start in range(0, len(questions), _BLOCK):
            cosines = questions[start : start + _BLOCK] @ documents.T
            for question, row in zip(question_names[start : start + _BLOCK], cosines, strict=True):
                best = np.argsort(-row, kind="stable")[:_DEPTH]
                run[question] = [(names[position], float(row[position])) for position in best]
        return run


def _short(vectors: Vectors, dims: int | None) -> Vectors:
    return vectors if dims is None else unit(vectors[:, :dims])


if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch import Tensor, nn

Group = list[Example]
"""Examples with the same answer text, which is encoded once for all of them."""


class EmbedderLearner:
    """training.loop.Learner. The seed and the step's number decide its examples and negatives."""

    def __init__(self, encoder: TrainableEncoder, examples: Sequence[Example], held_out: HeldOut) -> None:
        self._encoder, self._settings = encoder, encoder.settings
        self._examples, self._held_out = list(examples), held_out
        self._epoch, self._groups = 0, self._group(0)
        self._loss = loss_of(encoder.model, encoder.settings)

    @property
    def module(self) -> nn.Module:
        module: nn.Module = self._encoder.module
        return module

    def measure(self) -> float:
        return self._held_out.average_precision(self._encoder.embed)

    def loss(self, step: int) -> Tensor:
        random_source = random.Random(f"{self._settings.seed}:{step}")  # noqa: S311 # nosec B311 - a draw to be repeated
        examples = self.draw(step)
        inputs = self._with_margins if self._settings.loss == "margin_mse" else self._with_batch_negatives
        texts, labels = inputs(examples, random_source)
        questions = [self._settings.instruction + example.question for example in examples]
        loss: Tensor = self._loss([self._encoder.features(column) for column in (questions, *texts)], labels)
        return loss

    def draw(self, step: int) -> list[Example]:
        """Every example once per epoch, each time in another order; ``questions_each`` of one text together."""
        count = len(self._groups)
        size = min(max(self._settings.batch // self._settings.questions_each, 1), count)
        epoch, place = divmod((step - 1) * size, count - count % size)
        if epoch != self._epoch:
            self._epoch, self._groups = epoch, self._group(epoch)
        return [example for group in self._groups[place : place + size] for example in group]

    def _group(self, epoch: int) -> list[Group]:
        chance = random.Random(f"{self._settings.seed}:epoch:{epoch}")  # noqa: S311 # nosec B311 - as above
        return group_examples(self._examples, self._settings.questions_each, self._settings.siblings, chance)

    def _with_batch_negatives(
        self, examples: list[Example], random_source: random.Random
    ) -> tuple[list[list[str]], Any]:
        import torch

        count = self._settings.negatives
        batch = batch_of(
            examples,
            [random_source.sample(example.negatives, min(count, len(example.negatives))) for example in examples],
        )
        also = torch.zeros((len(examples), len(batch.texts)), dtype=torch.bool)
        for row, columns in enumerate(batch.also):
            also[row, sorted(columns)] = True
        device = self._settings.device
        return [batch.texts], (torch.tensor(batch.answers).to(device), also.to(device))

    def _with_margins(self, examples: list[Example], random_source: random.Random) -> tuple[list[list[str]], Any]:
        import torch

        negatives = [random_source.choice(example.negatives) for example in examples]
        margins = [
            (example.positive.teacher or 0.0) - (negative.teacher or 0.0)
            for example, negative in zip(examples, negatives, strict=True)
        ]
        columns = [[example.positive.text for example in examples], [negative.text for negative in negatives]]
        return columns, torch.tensor(margins).to(self._settings.device)


def loss_of(model: nn.Module, settings: EmbedderTrainingSettings) -> nn.Module:
    """MarginMSE (Hofstaetter et al. 2020; GPL, Wang et al. 2022) or InfoNCE, with Matryoshka (Kusupati et al. 2022) as
    the mean over the sizes.
    """
    from sentence_transformers.sentence_transformer.losses import MarginMSELoss, MatryoshkaLoss
    from sentence_transformers.util import pairwise_cos_sim

    embeds = cast("SentenceTransformer", model)  # they only call it
    loss: nn.Module = (
        MarginMSELoss(embeds, lambda a, b: settings.margin_scale * pairwise_cos_sim(a, b))
        if settings.loss == "margin_mse"
        else info_nce(model, settings.temperature)
    )
    sizes = settings.matryoshka
    return MatryoshkaLoss(embeds, loss, sizes, [1.0 / len(sizes)] * len(sizes)) if sizes else loss


def info_nce(model: nn.Module, temperature: float) -> nn.Module:
    """-log of the answer's share among all texts of the batch: softmax over cos / ``temperature``.

    The library's MultipleNegativesRankingLoss has a text for each question and no mask. Here questions share texts, and
    a text that also answers a question is not a negative of it. Equations 1 and 2 of GeoGPT-RAG
    (doi:10.48550/arXiv.2509.09686).
    """
    import torch
    from sentence_transformers.util import cos_sim

    class InfoNce(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, columns: Sequence[dict[str, Tensor]], labels: tuple[Tensor, Tensor]) -> Tensor:
            """Features of n questions and m texts; (n,) row of each question's answer, (n, m) true if a text also
            answers the question.
            """
            questions, texts = (self.model(features)["sentence_embedding"] for features in columns)
            answers, also = labels
            scores = (cos_sim(questions, texts) / temperature).masked_fill(also, float("-inf"))
            return torch.nn.functional.cross_entropy(scores, answers)

    return InfoNce()


@dataclass(frozen=True, slots=True)
class Batch:
    """``texts``: the answers of all questions, then their negatives, each text once. ``also[i]``: rows of texts that
    are not negatives of question i although they are not its answer here: judged to answer it, or labelled with it.
    """

    texts: list[str]
    answers: list[int]
    also: list[set[int]]


def batch_of(examples: Sequence[Example], negatives: Sequence[Sequence[CandidateText]]) -> Batch:
    """Pure. Equal texts share a row; texts that a question's graded candidates mark as relevant are not its
    negatives.
    """
    rows: dict[str, int] = {}
    answers = [rows.setdefault(example.positive.text, len(rows)) for example in examples]
    for negative in chain.from_iterable(negatives):
        rows.setdefault(negative.text, len(rows))
    right: dict[str, set[int]] = {}
    for example in examples:
        right_texts = {text.text for text in example.candidates if text.grade > 0} | {example.positive.text}
        right.setdefault(example.question.casefold(), set()).update(rows[text] for text in right_texts if text in rows)
    for text in chain((example.positive for example in examples), *negatives):
        for label in right.keys() & set(text.labels):
            right[label].add(rows[text.text])
    also = [right[example.question.casefold()] - {answer} for example, answer in zip(examples, answers, strict=True)]
    return Batch(list(rows), answers, also)


def group_examples(examples: Sequence[Example], group_size: int, siblings: int, chance: random.Random) -> list[Group]:
    """Pure. Every example once, in groups of up to ``group_size`` with one text. Up to ``siblings`` groups of a project
    follow each other; the order is otherwise random, by ``chance``.
    """
    order = list(examples)
    chance.shuffle(order)
    groups = [[example] for example in order] if group_size == 1 else _group_by_text(order, group_size)
    if siblings == 1:
        return groups
    by_project: dict[str, list[Group]] = {}
    for group in groups:
        by_project.setdefault(group[0].group or group[0].positive.id, []).append(group)
    runs = [
        project_groups[start : start + siblings]
        for project_groups in by_project.values()
        for start in range(0, len(project_groups), siblings)
    ]
    chance.shuffle(runs)
    return [group for run in runs for group in run]


def _group_by_text(order: Sequence[Example], group_size: int) -> list[Group]:
    """In the order in which each text first occurs; the groups of a text follow each other, unless siblings separate
    them.
    """
    by_text: dict[str, Group] = {}
    for example in order:
        by_text.setdefault(example.positive.text, []).append(example)
    # Round by round, so that all texts occur before the second group of any.
    longest = max((len(text_examples) for text_examples in by_text.values()), default=0)
    return [
        text_examples[start : start + group_size]
        for start in range(0, longest, group_size)
        for text_examples in by_text.values()
        if start < len(text_examples)
    ]
