"""Teaches an embedder's token layers what the fused score lacks.

Judged questions: listwise (the softmax against the grades) over fused score and late interaction together, and a part
over late interaction alone, so that it works without the fused score too. A teacher's scores are learnt as a
distribution over the same candidates (Hinton et al. 2015), also for questions without judgements, so that the layers
learn from the teacher's knowledge of other fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from training.tokens.layer_data import CandidateList, LayerData, token_rows
from training.weights import Precision, arithmetic

if TYPE_CHECKING:
    from torch import Tensor

    from training.tokens.layers import TokenLayers

_ABSENT_SCORE = -2.0  # below every similarity
_WARM_UP = 0.06
_MAX_CHUNKS = 2  # of a long text, another sample each time: memory is limited
_FUSED_SCALE, _OWN_SCALE = 12.0, 30.0  # of scores to logits, at the beginning
_SCALE_RATE, _TEACHER_RATE = 0.05, 0.005


@dataclass(frozen=True, slots=True)
class LayerSettings:
    """A step draws ``judged`` questions, each with at most ``right`` right candidates and ``wrong`` of its best
    ``depth`` wrong ones, and ``made`` generated questions, each with its answer and ``hard`` other texts.

    ``share``: weight of late interaction in the sum with the fused score; ``alone``: share of the loss over late
    interaction without the fused score. ``teacher_weight``: weight of the teacher's loss; ``sharpness`` converts its
    scores to logits. ``mix``: relative frequency of a collection, 1 if not named.
    """

    steps: int = 320
    rate: float = 1e-4
    head_rate: float = 3e-4
    judged: int = 16
    right: int = 10
    wrong: int = 24
    depth: int = 60
    made: int = 32
    hard: int = 11
    share: float = 0.5
    alone: float = 0.3
    teacher_weight: float = 1.0
    sharpness: float = 40.0
    mix: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    precision: Precision = "float32"
    device: str = "cpu"

    @property
    def candidates(self) -> int:
        """How many candidates a judged question needs."""
        return self.right + self.depth


def train_layers(
    layers: TokenLayers,
    data: LayerData,
    settings: LayerSettings,
    progress: Callable[[int, float], None],
    report_every: int = 20,
) -> None:
    """Trains ``layers`` (``training.tokens.layers``). ``progress`` gets every ``report_every``th step, with the mean
    loss since the last report. The same data, settings and processor give the same layers; a GPU adds in another order.
    """
    import torch

    torch.manual_seed(settings.seed)  # for the dropout
    learner = _LayerTrainer(layers.to(settings.device), data, settings)
    losses: list[float] = []
    layers.train()
    for step in range(settings.steps):
        losses.append(learner.step(_rate(step / settings.steps)))
        if (step + 1) % report_every == 0 or step + 1 == settings.steps:
            progress(step + 1, float(np.mean(losses)))
            losses.clear()
    layers.eval()


def _rate(progress: float) -> float:
    """Rises, then falls as a cosine to 0."""
    return min(1.0, (progress + 1e-3) / _WARM_UP) * 0.5 * (1.0 + math.cos(math.pi * progress))


class _LayerTrainer:
    """Draws questions and reduces the loss of their candidates, step by step."""

    def __init__(self, layers: TokenLayers, data: LayerData, settings: LayerSettings) -> None:
        import torch

        self._layers, self._data, self._settings = layers, data, settings
        self._sampler = _Sampler(data, settings)
        scales = [
            torch.tensor(start, device=settings.device, requires_grad=True) for start in (_FUSED_SCALE, _OWN_SCALE, 1.0)
        ]
        self._fused_scale, self._own_scale, self._teacher_scale = scales
        groups: list[tuple[list[Tensor], float]] = [
            ([*layers.upper.parameters()], settings.rate),
            ([layers.mean, layers.projection], settings.head_rate),
            (scales[:2], _SCALE_RATE),
            (scales[2:], _TEACHER_RATE),
        ]
        self._parameters = [parameter for parameters, _ in groups for parameter in parameters]
        self._rates = [rate for _, rate in groups]
        self._optimiser = torch.optim.AdamW(
            [{"params": parameters, "lr": rate} for parameters, rate in groups], weight_decay=0.0
        )

    def step(self, rate: float) -> float:
        import torch

        for group, max_rate in zip(self._optimiser.param_groups, self._rates, strict=True):
            group["lr"] = max_rate * rate
        with arithmetic(self._settings.precision, self._settings.device):
            batches = [lists for lists in (self._sampler.draw_judged(), self._sampler.draw_generated()) if lists]
            loss = torch.stack([self._loss(lists) for lists in batches]).sum()
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self._optimiser.step()
        return float(loss.detach())

    def _loss(self, lists: Sequence[CandidateList]) -> Tensor:
        """The mean over the questions."""
        import torch

        questions, weights = self._questions([candidates.question for candidates in lists])
        lengths = [len(candidates.texts) for candidates in lists]
        question_rows = torch.repeat_interleave(torch.tensor(lengths)).to(self._settings.device)
        signs, is_present, texts = self._texts(np.concatenate([candidates.texts for candidates in lists]))
        similarities = torch.bmm(questions[question_rows[texts]].to(signs.dtype), signs.transpose(1, 2)).float()
        best = similarities.masked_fill(~is_present[:, None, :], _ABSENT_SCORE).amax(-1)
        best_of_texts = torch.full((len(question_rows), best.shape[1]), _ABSENT_SCORE, device=best.device)
        best_of_texts = best_of_texts.scatter_reduce(0, texts[:, None].expand_as(best), best, "amax")
        scores = torch.split((best_of_texts * weights[question_rows]).sum(1), lengths)
        return torch.stack(
            [self._list_loss(candidate_list, row) for candidate_list, row in zip(lists, scores, strict=True)]
        ).mean()

    def _list_loss(self, candidates: CandidateList, scores: Tensor) -> Tensor:
        import torch

        loss = torch.zeros((), device=scores.device)
        if candidates.fused is not None and candidates.grades is not None:
            target = self._on(candidates.grades / candidates.grades.sum())
            fused_scores = self._fused_scale * (self._on(candidates.fused) + self._settings.share * scores)
            alone = self._settings.alone
            log_probabilities = (1.0 - alone) * torch.log_softmax(fused_scores, 0) + alone * torch.log_softmax(
                self._own_scale * scores, 0
            )
            loss = loss - (target * log_probabilities).sum()
        if candidates.teacher_scores is not None:
            target = torch.log_softmax(self._settings.sharpness * self._on(candidates.teacher_scores), 0)
            learnt = torch.log_softmax(self._settings.sharpness * self._teacher_scale * scores, 0)
            loss = loss + self._settings.teacher_weight * (target.exp() * (target - learnt)).sum()
        return loss

    def _questions(self, places: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Vectors (n, tokens, dims), and each token's share of the mean (n, tokens)."""
        batch = token_rows([self._data.questions[row] for row in places], self._data.ignored)
        content = self._on(batch.content).float()
        states = self._layers.states(self._on(batch.ids), self._on(batch.mask))
        return self._layers.project(states), content / content.sum(1, keepdim=True)

    def _texts(self, places: NDArray[np.intp]) -> tuple[Tensor, Tensor, Tensor]:
        """Signs and mask of each chunk, and the row of its text in ``places``."""
        chunks, text_numbers = [], []
        for number, place in enumerate(places):
            chunks_of_text = self._data.texts[place]
            sample = self._sampler.chunks(len(chunks_of_text))
            chunks += [chunks_of_text[row] for row in sample]
            text_numbers += [number] * len(sample)
        batch = token_rows(chunks, self._data.ignored)
        signs, is_present = self._layers.documents(
            self._on(batch.ids), self._on(batch.mask), self._on(batch.places), batch.count
        )
        return signs, is_present, self._on(np.array(text_numbers))

    def _on(self, array: NDArray[np.generic]) -> Tensor:
        import torch

        return torch.from_numpy(array).to(self._settings.device)


class _Sampler:
    """Draws the questions and candidates of a step; the same seed draws the same ones."""

    def __init__(self, data: LayerData, settings: LayerSettings) -> None:
        self._settings = settings
        self._random = np.random.default_rng(settings.seed)
        self._lists_by_collection = [data.judged_lists[name] for name in sorted(data.judged_lists)]
        weights = np.array([settings.mix.get(name, 1.0) for name in sorted(data.judged_lists)])
        self._chances = weights / weights.sum() if len(weights) else weights
        self._generated_lists = self._endless(data.generated_lists)

    def draw_judged(self) -> list[CandidateList]:
        """Questions with their best right candidates, and wrong ones drawn from the best."""
        return [self._judged_list() for _ in range(self._settings.judged if self._lists_by_collection else 0)]

    def draw_generated(self) -> list[CandidateList]:
        """Generated questions with their answer and other texts; empty if there are none."""
        lists = (next(self._generated_lists, None) for _ in range(self._settings.made))
        return [self._made_list(candidates) for candidates in lists if candidates is not None]

    def chunks(self, count: int) -> list[int]:
        """Rows of at most ``_MAX_CHUNKS`` chunks of a text, in order."""
        return sorted(self._random.permutation(count)[:_MAX_CHUNKS].tolist())

    def _judged_list(self) -> CandidateList:
        lists = self._lists_by_collection[int(self._random.choice(len(self._lists_by_collection), p=self._chances))]
        candidates = lists[int(self._random.integers(len(lists)))]
        grades = np.zeros(len(candidates.texts)) if candidates.grades is None else candidates.grades
        right = np.flatnonzero(grades > 0)[: self._settings.right]
        wrong = np.flatnonzero(grades <= 0)[: self._settings.depth]
        return candidates.only(
            np.concatenate([right, np.sort(self._random.permutation(wrong)[: self._settings.wrong])])
        )

    def _made_list(self, candidates: CandidateList) -> CandidateList:
        rows = 1 + self._random.permutation(len(candidates.texts) - 1)[: self._settings.hard]
        return candidates.only(np.concatenate([[0], rows]).astype(np.intp))

    def _endless(self, lists: Sequence[CandidateList]) -> Iterator[CandidateList]:
        while lists:
            for row in self._random.permutation(len(lists)):
                yield lists[int(row)]
