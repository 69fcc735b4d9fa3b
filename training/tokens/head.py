"""Fits a token head: chooses directions of an embedder's token states, one bit each, and trains them on judged
questions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from core.ports import Vectors
from core.token_bits import pack
from encoders.files import publish_folder
from encoders.model_card import ModelCard, write_card
from encoders.onnx_session import Compute
from encoders.pooling import unit
from encoders.token_head import FILE, LAYERS, TokenHead, TokenStates, ignored_tokens, token_states
from training.examples import TrainingError

if TYPE_CHECKING:
    from torch import Tensor

    from training.tokens.layers import TokenLayers

_BATCH = 8
_SCALE = 12.0
_TOKENS = 128  # of a text, another sample each time: memory is limited, and samples cover long texts over time
_MAX_MEASURED = 200  # parts whose size in bytes is measured
_OF_A_TEXT = 60  # tokens that are drawn of each text, so that long ones do not decide alone


@dataclass(frozen=True, slots=True)
class HeadSettings:
    """``dims``: bits of a token; ``texts``: how many are read, drawn at random."""

    dims: int = 160
    texts: int = 4000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class FittedHead:
    """``explained``: share of the states' variance in the kept directions. ``bytes_mean``: of a text."""

    head: TokenHead
    explained: float
    bytes_mean: float
    texts: int


def fit_head(folder: Path, texts: Sequence[str], settings: HeadSettings, compute: Compute) -> FittedHead:
    """Principal components of centred unit states, turned at random: each bit then says about as much as another
    (Charikar, STOC 2002). ``folder`` is a prepared embedder. Needs no questions.

    Raises TrainingError if the texts have fewer tokens than dimensions are wanted.
    """
    random = np.random.default_rng(settings.seed)
    sampled_texts = [texts[row] for row in random.permutation(len(texts))[: settings.texts]]
    ignored_ids = frozenset(ignored_tokens(folder))
    first_parts: list[TokenStates] = []
    rows: list[Vectors] = []
    for ids, states in (part for parts in token_states(folder, sampled_texts, compute) for part in parts):
        content = np.array([token not in ignored_ids for token in ids])
        first_parts = [*first_parts, (ids, states)] if len(first_parts) < _MAX_MEASURED else first_parts
        rows.append(unit(states[content][random.permutation(int(content.sum()))[:_OF_A_TEXT]]))
    sample = np.concatenate(rows) if rows else np.empty((0, 1), dtype=np.float32)
    if len(sample) <= max(settings.dims, sample.shape[1]):
        raise TrainingError(f"{len(sample)} tokens are too few to fit {settings.dims} dimensions; name more texts.")
    mean = sample.mean(axis=0)
    variances, directions = np.linalg.eigh(np.cov((sample - mean).T))
    main = directions[:, ::-1][:, : settings.dims]
    turn, _ = np.linalg.qr(random.normal(size=(settings.dims, settings.dims)))
    head = TokenHead(mean.astype(np.float32), (main @ turn).astype(np.float32), ignored_ids)
    explained_share = float(variances[::-1][: settings.dims].sum() / variances.sum())
    sizes = [len(pack(head.vectors(ids, states, "document"))) for ids, states in first_parts]
    return FittedHead(head, explained_share, float(np.mean(sizes)), len(sampled_texts))


def write_head(out: Path, fit: FittedHead, card: ModelCard, layers: TokenLayers | None = None) -> ModelCard:
    """Writes ``out`` atomically: the head in half precision, its own ``layers`` if it has some, and its card."""
    from safetensors.numpy import save_file

    out.parent.mkdir(parents=True, exist_ok=True)
    with publish_folder(out) as draft:
        head = fit.head
        tensors: dict[str, NDArray[np.float16] | NDArray[np.int32]] = {
            "mean": head.mean.astype(np.float16),
            "projection": head.projection.astype(np.float16),
            "silent": np.array(sorted(head.ignored), dtype=np.int32),
        }
        save_file(tensors, draft / FILE)
        if layers is not None:
            from training.tokens.layers import export_layers  # imports torch

            export_layers(layers, draft / LAYERS)
        write_card(draft, card)
    return card


def figures(fit: FittedHead) -> Json:
    """Figures of the fit for the card."""
    return {
        "share of the variance kept": round(fit.explained, 4),
        "bytes of a text, mean": round(fit.bytes_mean),
        "texts read": fit.texts,
    }


@dataclass(frozen=True, slots=True)
class JudgedList:
    """A question's tokens (t, states), and of its k candidates the tokens, fused scores (k,) and grades (k,).

    States as ``encoders.token_head.content_states`` gives them. At least one grade is above 0.
    """

    question: Vectors
    texts: Sequence[NDArray[np.float16]]
    fused: NDArray[np.float32]
    grades: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LearnSettings:
    """``share``: weight of late interaction in the sum with the fused score.

    ``stay``: the cost of leaving the fitted directions.
    """

    epochs: int = 4
    rate: float = 3e-4
    share: float = 0.6
    stay: float = 1e-3
    seed: int = 0


def trained_head(
    head: TokenHead, lists: Sequence[JudgedList], settings: LearnSettings, progress: Callable[[int, float], None]
) -> TokenHead:
    """The states stay as they are, only the projection learns: listwise, the softmax of ``scale`` x (fused score +
    ``share`` x late interaction) over a question's candidates against their grades, so that the head learns what the
    fused score lacks. Of a text the signs count, as they are stored; the gradient passes through them unchanged (Bengio
    et al. 2013). ``progress`` gets each epoch with its mean loss. The same lists, settings and machine give the same
    head.
    """
    import torch

    random = np.random.default_rng(settings.seed)
    mean, fit = torch.from_numpy(head.mean), torch.from_numpy(head.projection)
    learning = fit.clone().requires_grad_(True)
    scale = torch.tensor(_SCALE, requires_grad=True)
    optimiser = torch.optim.Adam([{"params": [learning], "lr": settings.rate}, {"params": [scale], "lr": 0.05}])
    for epoch in range(1, settings.epochs + 1):
        order, losses = random.permutation(len(lists)), []
        for start in range(0, len(order), _BATCH):
            optimiser.zero_grad()
            losses_of_batch = [
                _loss(lists[row], mean, learning, scale, settings.share, random)
                for row in order[start : start + _BATCH]
            ]
            loss = torch.stack(losses_of_batch).mean() + settings.stay * ((learning - fit) ** 2).sum()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            losses.append(float(loss.detach()))
        progress(epoch, float(np.mean(losses)))
    return replace(head, projection=learning.detach().numpy())


def _loss(
    judged_list: JudgedList, mean: Tensor, projection: Tensor, scale: Tensor, share: float, random: np.random.Generator
) -> Tensor:
    import torch

    texts = [
        text if len(text) <= _TOKENS else text[random.permutation(len(text))[:_TOKENS]] for text in judged_list.texts
    ]
    question = _unit((torch.from_numpy(judged_list.question) - mean) @ projection)
    floats = _unit((torch.from_numpy(np.concatenate(texts).astype(np.float32)) - mean) @ projection)
    signs = floats + (torch.sign(floats) / floats.shape[1] ** 0.5 - floats).detach()
    best = [part.max(0).values for part in torch.split(signs @ question.T, [len(text) for text in texts])]
    score = scale * (torch.from_numpy(judged_list.fused) + share * torch.stack(best).mean(1))
    grades = torch.from_numpy(judged_list.grades / judged_list.grades.sum())
    loss: Tensor = -(grades * torch.log_softmax(score, 0)).sum()
    return loss


def _unit(rows: Tensor) -> Tensor:
    unit: Tensor = rows / rows.norm(dim=1, keepdim=True).clamp_min(1e-6)
    return unit
