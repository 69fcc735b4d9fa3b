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
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.ports import TextKind, Vectors
from encoders.onnx_session import Compute
from encoders.pooling import unit
from encoders.token_head import content_states, token_states
from training.weights import Precision, arithmetic

if TYPE_CHECKING:
    from torch import Tensor

    from training.tokens.layers import TokenLayers


Ids = Sequence[int]
"""Token ids of one chunk of a text, special tokens included."""
_REPORT_EVERY = 5000  # texts


@dataclass(frozen=True, slots=True)
class CandidateList:
    """A question and the rows of its candidates' texts, (k,).

    A judged question has its candidates best first, with their fused scores and grades; at least one grade is above 0.
    ``teacher_scores`` if there is a teacher.
    """

    question: int
    texts: NDArray[np.intp]
    fused: NDArray[np.float32] | None = None
    grades: NDArray[np.float32] | None = None
    teacher_scores: NDArray[np.float32] | None = None

    def only(self, rows: NDArray[np.intp]) -> CandidateList:
        """With these candidates only."""
        values = (self.fused, self.grades, self.teacher_scores)
        return CandidateList(
            self.question, self.texts[rows], *(None if value is None else value[rows] for value in values)
        )


@dataclass(frozen=True, slots=True)
class LayerData:
    """``questions``: ids of each; ``texts``: the chunks of each; ``judged_lists`` by collection;
    ``generated_lists``: questions generated from the texts, with the answer first. ``ignored``: ids of tokens without
    meaning (special, punctuation).
    """

    questions: Sequence[Ids]
    texts: Sequence[Sequence[Ids]]
    judged_lists: Mapping[str, Sequence[CandidateList]]
    generated_lists: Sequence[CandidateList]
    ignored: frozenset[int]


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Ids with 0 as padding and their mask, (n, longest). ``content``: tokens with meaning, or all of a row without
    any. ``places``: (n, longest) the number of the vector that a token is added to, ``count`` for one without meaning.
    """

    ids: NDArray[np.int64]
    mask: NDArray[np.bool_]
    content: NDArray[np.bool_]
    places: NDArray[np.int64]
    count: int


def token_rows(chunks: Sequence[Ids], ignored: frozenset[int]) -> TokenRows:
    """Equal tokens of a chunk get one place, as in ``encoders.token_head``."""
    shape = (len(chunks), max(len(chunk) for chunk in chunks))
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_)
    for row, chunk in enumerate(chunks):
        ids[row, : len(chunk)], mask[row, : len(chunk)] = chunk, True
    content = mask & ~np.isin(ids, np.fromiter(ignored, dtype=np.int64, count=len(ignored)))
    empty = ~content.any(axis=1)
    content[empty] = mask[empty]
    places = np.zeros(shape, dtype=np.int64)
    count = 0
    for row in range(shape[0]):
        row_places = np.unique(ids[row][content[row]], return_inverse=True)[1]
        places[row, content[row]] = row_places
        count = max(count, int(row_places.max()) + 1)
    places[~content] = count
    return TokenRows(ids, mask, content, places, count)


@dataclass(frozen=True, slots=True)
class StateReader:
    """Reads states with ``graph`` of the prepared embedder in ``folder``, without the ``ignored`` tokens."""

    folder: Path
    graph: str
    ignored: frozenset[int]
    compute: Compute

    def read(self, texts: Sequence[str], kind: TextKind) -> Iterator[Vectors]:
        """Of each text, the states of all its chunks in order: (tokens, states), unit norm."""
        for chunks in token_states(self.folder, texts, self.compute, self.graph):
            yield np.concatenate([content_states(ids, states, kind, self.ignored) for ids, states in chunks])


@dataclass(frozen=True, slots=True)
class TokenTeacher:
    """Reads a prepared embedder's states; ``share`` of the teachers' score."""

    reader: StateReader
    share: float


def teacher_scores(
    teachers: Sequence[TokenTeacher],
    questions: Sequence[str],
    texts: Sequence[str],
    lists: Sequence[CandidateList],
    report: Callable[[str], None],
) -> list[NDArray[np.float32]]:
    """Of each list the weighted mean of the teachers' scores, (k,) -1..1.

    A teacher's tokens are centred: states of one model have a large part in common, which has no meaning. All texts'
    states are in memory in half precision, 80 KB for 100 tokens.
    """
    scores = [np.zeros(len(candidates.texts), dtype=np.float32) for candidates in lists]
    for teacher in teachers:
        report(f"{teacher.reader.folder.name} reads {len(texts)} texts and {len(questions)} questions.")
        text_states = list(_states(teacher.reader, texts, "document", report))
        question_states = list(_states(teacher.reader, questions, "query", report))
        centre = np.mean([states.mean(axis=0) for states in text_states], axis=0, dtype=np.float32)
        text_states = [unit(states - centre).astype(np.float16) for states in text_states]
        for candidates, score in zip(lists, scores, strict=True):
            question = unit(question_states[candidates.question] - centre)
            score += teacher.share * _interaction(question, [text_states[row] for row in candidates.texts])
    return scores


def _interaction(question: NDArray[np.float32], texts: Sequence[NDArray[np.float16]]) -> NDArray[np.float32]:
    similarities = np.concatenate(texts).astype(np.float32) @ question.T
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])[:-1]])
    best: NDArray[np.float32] = np.maximum.reduceat(similarities, starts, axis=0).mean(axis=1)
    return best


def _states(
    reader: StateReader, texts: Sequence[str], kind: TextKind, report: Callable[[str], None]
) -> Iterator[NDArray[np.float16]]:
    for count, states in enumerate(reader.read(texts, kind), start=1):
        if count % _REPORT_EVERY == 0:
            report(f"  {count} of {len(texts)}")
        yield states.astype(np.float16)


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
