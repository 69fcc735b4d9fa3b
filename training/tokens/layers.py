"""The token layers of an embedder: copies of its last layers that learn for late interaction alone.

The embedder itself stays as it is. Its lower states are read once and go both ways: through its own last layers to the
vector, through these to the token vectors. Imports torch.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from core.ports import TextKind, Vectors
from encoders.onnx_graphs import BELOW, OWN_LAYERS
from encoders.onnx_session import Compute
from encoders.pooling import unit
from encoders.quantise import quantise
from encoders.token_head import TokenHead, content_states, token_states
from encoders.torch_export import trace
from training.examples import TrainingError

Ids = Sequence[int]
"""Of one part of a text, special tokens included."""
_REPORT_EVERY = 5000  # texts


@dataclass(frozen=True, slots=True)
class CandidateList:
    """A question and the places of its candidates' texts, (k,); of a judged one, best first by the fused score, with
    these scores and the grades, of which one at least is above 0. ``teacher_scores`` if there is a teacher.
    """

    question: int
    texts: NDArray[np.intp]
    fused: NDArray[np.float32] | None = None
    grades: NDArray[np.float32] | None = None
    teacher_scores: NDArray[np.float32] | None = None

    def chosen(self, places: NDArray[np.intp]) -> CandidateList:
        """With these candidates only."""
        values = (self.fused, self.grades, self.teacher_scores)
        return CandidateList(
            self.question, self.texts[places], *(None if each is None else each[places] for each in values)
        )


@dataclass(frozen=True, slots=True)
class LayerData:
    """``questions``: ids of each; ``texts``: the parts of each; ``judged`` by collection; ``made``: questions that were
    made from the texts, the answer first. ``ignored``: ids of tokens without meaning (special ones, punctuation).
    """

    questions: Sequence[Ids]
    texts: Sequence[Sequence[Ids]]
    judged: Mapping[str, Sequence[CandidateList]]
    made: Sequence[CandidateList]
    ignored: frozenset[int]


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Ids with 0 as padding and their mask, (n, longest); ``content``: the tokens that count, or all of a row that
    has none. ``places``: (n, longest) the vector that a token is joined to, ``count`` for a token that does not count.
    """

    ids: NDArray[np.int64]
    mask: NDArray[np.bool_]
    content: NDArray[np.bool_]
    places: NDArray[np.int64]
    count: int


def rows(parts: Sequence[Ids], ignored: frozenset[int]) -> TokenRows:
    """Equal tokens of a part get one place, as in ``encoders.token_head``."""
    shape = (len(parts), max(len(part) for part in parts))
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_)
    for row, part in enumerate(parts):
        ids[row, : len(part)], mask[row, : len(part)] = part, True
    content = mask & ~np.isin(ids, np.fromiter(ignored, dtype=np.int64, count=len(ignored)))
    empty = ~content.any(axis=1)
    content[empty] = mask[empty]
    places = np.zeros(shape, dtype=np.int64)
    count = 0
    for row in range(shape[0]):
        own = np.unique(ids[row][content[row]], return_inverse=True)[1]
        places[row, content[row]] = own
        count = max(count, int(own.max()) + 1)
    places[~content] = count
    return TokenRows(ids, mask, content, places, count)


@dataclass(frozen=True, slots=True)
class StateReader:
    """``graph`` of the prepared embedder in ``folder``, without the ``ignored`` tokens."""

    folder: Path
    graph: str
    ignored: frozenset[int]
    compute: Compute

    def read(self, texts: Sequence[str], kind: TextKind) -> Iterator[Vectors]:
        """Each text whole, the states of its parts after each other: (tokens, states), unit norm."""
        for parts in token_states(self.folder, texts, self.compute, self.graph):
            yield np.concatenate([content_states(ids, states, kind, self.ignored) for ids, states in parts])


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
        of_texts = list(_states(teacher.reader, texts, "document", report))
        of_questions = list(_states(teacher.reader, questions, "query", report))
        centre = np.mean([states.mean(axis=0) for states in of_texts], axis=0, dtype=np.float32)
        of_texts = [unit(states - centre).astype(np.float16) for states in of_texts]
        for candidates, score in zip(lists, scores, strict=True):
            question = unit(of_questions[candidates.question] - centre)
            score += teacher.share * _interaction(question, [of_texts[at] for at in candidates.texts])
    return scores


def _interaction(question: NDArray[np.float32], texts: Sequence[NDArray[np.float16]]) -> NDArray[np.float32]:
    similar = np.concatenate(texts).astype(np.float32) @ question.T
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])[:-1]])
    best: NDArray[np.float32] = np.maximum.reduceat(similar, starts, axis=0).mean(axis=1)
    return best


def _states(
    reader: StateReader, texts: Sequence[str], kind: TextKind, report: Callable[[str], None]
) -> Iterator[NDArray[np.float16]]:
    for at, states in enumerate(reader.read(texts, kind), start=1):
        if at % _REPORT_EVERY == 0:
            report(f"  {at} of {len(texts)}")
        yield states.astype(np.float16)


if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BertModel
    from transformers.models.bert.modeling_bert import BertLayer

_UNSEEN = -1e4  # of a score before the softmax


class TokenLayers(torch.nn.Module):
    """The lower layers of a BERT, frozen, copies of its last ``OWN_LAYERS``, and the head.

    Raises TrainingError for a model of too few layers.
    """

    def __init__(self, base: BertModel, head: TokenHead, dropout: float = 0.1) -> None:
        super().__init__()
        layers = getattr(getattr(base, "encoder", None), "layer", ())
        if len(layers) <= OWN_LAYERS:
            raise TrainingError(f"The embedder is no BERT of more than {OWN_LAYERS} layers.")
        self.lower = copy.deepcopy(base).requires_grad_(False)
        self.lower.encoder.layer = self.lower.encoder.layer[:-OWN_LAYERS]
        self.lower.pooler = None
        self.width = base.config.hidden_size
        heads = base.config.num_attention_heads
        self.own = torch.nn.ModuleList(_Layer(each, heads, dropout) for each in layers[-OWN_LAYERS:])
        self.mean = torch.nn.Parameter(torch.from_numpy(head.mean.copy()))
        self.projection = torch.nn.Parameter(torch.from_numpy(head.projection.copy()))

    def forward(self, below: Tensor, mask: Tensor) -> Tensor:
        """(n, tokens, states) of lower ones; ``mask``: (n, tokens), true for a token."""
        for layer in self.own:
            below = layer(below, mask)
        return below

    def states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(n, tokens, states), unit norm."""
        self.lower.train(False)
        with torch.no_grad():
            below = self.lower(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return functional.normalize(self(below, mask).float(), dim=-1)

    def documents(self, ids: Tensor, mask: Tensor, places: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Signs (n, count, dims) of norm 1 and which of them are there (n, count), as they are stored.

        ``places``: (n, tokens) which vector a token is joined to, ``count`` for none. The gradient passes through the
        signs unchanged (Bengio et al. 2013).
        """
        states = self.states(ids, mask)
        rows, _, width = states.shape
        joined = torch.zeros(rows, count + 1, width, device=states.device)
        joined = joined.scatter_add(1, places[:, :, None].expand(-1, -1, width), states)[:, :count]
        there = torch.zeros(rows, count + 1, device=states.device, dtype=torch.bool)
        there = there.scatter(1, places, value=True)[:, :count]
        floats = self.projected(functional.normalize(joined, dim=-1))
        signs = floats + (torch.sign(floats) / floats.shape[-1] ** 0.5 - floats).detach()
        return signs, there

    def projected(self, states: Tensor) -> Tensor:
        """(..., dims), unit norm, of unit states."""
        return functional.normalize((states - self.mean) @ self.projection, dim=-1)


class _Layer(torch.nn.Module):
    """BERT's layer (Devlin et al. 2019) with the weights of ``given``."""

    def __init__(self, source: BertLayer, heads: int, dropout: float) -> None:
        super().__init__()
        self.layer = copy.deepcopy(source).requires_grad_(True)
        self.heads, self.dropout = heads, dropout

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        attention, layer = self.layer.attention, self.layer
        rows, tokens, width = states.shape

        def split(linear: torch.nn.Linear) -> Tensor:
            return cast("Tensor", linear(states)).view(rows, tokens, self.heads, width // self.heads).transpose(1, 2)

        own = attention.self
        query = split(own.query)
        seen = (1.0 - mask[:, None, None, :].to(query.dtype)) * _UNSEEN
        read = functional.scaled_dot_product_attention(query, split(own.key), split(own.value), attn_mask=seen)
        read = read.transpose(1, 2).reshape(rows, tokens, width)
        read = functional.dropout(attention.output.dense(read), self.dropout, self.training)
        states = attention.output.LayerNorm(states + read)
        inner = functional.gelu(layer.intermediate.dense(states))
        inner = functional.dropout(layer.output.dense(inner), self.dropout, self.training)
        return cast("Tensor", layer.output.LayerNorm(states + inner))


def export_layers(layers: TokenLayers, target: Path) -> None:
    """Writes the graph that ``encoders.token_head`` names: lower states and mask to states, int8 for any processor."""
    layers = layers.cpu().eval()
    example = (torch.zeros(2, 7, layers.width), torch.ones(2, 7, dtype=torch.long))
    whole = target.with_suffix(".fp32.onnx")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    trace(layers, example, whole, (BELOW, "attention_mask"), "states")
    quantise(whole, target, "portable")
    whole.unlink()
