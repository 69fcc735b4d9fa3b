"""Turns the directions of a token head on judged questions: the states stay as they are, only the projection learns.

Listwise: the softmax of ``scale`` x (fused score + ``share`` x late interaction) over a question's candidates against
their grades, so that the head learns what the fused score lacks. Of a text the signs count, as they are stored; the
gradient passes through them unchanged (Bengio et al. 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.ports import Vectors
from encoders.token_head import TokenHead

if TYPE_CHECKING:
    from torch import Tensor

_BATCH = 8
_SCALE = 12.0
_TOKENS = 128  # of a text, drawn anew each time: memory is limited, and the head sees more of long texts over time


@dataclass(frozen=True, slots=True)
class JudgedList:
    """A question's tokens (t, states), and of its k candidates the tokens, fused scores (k,) and grades (k,).

    States as :meth:`TokenHead.kept` gives them. At least one grade is above 0.
    """

    question: Vectors
    texts: Sequence[NDArray[np.float16]]
    fused: NDArray[np.float32]
    grades: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LearnSettings:
    """``share``: of late interaction beside the fused score. ``stay``: the cost of leaving the fitted directions."""

    epochs: int = 4
    rate: float = 3e-4
    share: float = 0.6
    stay: float = 1e-3
    seed: int = 0


def learnt_head(
    head: TokenHead, lists: Sequence[JudgedList], settings: LearnSettings, told: Callable[[int, float], None]
) -> TokenHead:
    """``told`` gets each epoch with its mean loss. The same lists, settings and machine give the same head."""
    import torch

    random = np.random.default_rng(settings.seed)
    mean, fitted = torch.from_numpy(head.mean), torch.from_numpy(head.projection)
    learning = fitted.clone().requires_grad_(True)
    scale = torch.tensor(_SCALE, requires_grad=True)
    optimiser = torch.optim.Adam([{"params": [learning], "lr": settings.rate}, {"params": [scale], "lr": 0.05}])
    for epoch in range(1, settings.epochs + 1):
        order, losses = random.permutation(len(lists)), []
        for start in range(0, len(order), _BATCH):
            optimiser.zero_grad()
            some = [_loss(lists[at], mean, learning, scale, settings.share, random) for at in order[start:][:_BATCH]]
            loss = torch.stack(some).mean() + settings.stay * ((learning - fitted) ** 2).sum()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            losses.append(float(loss.detach()))
        told(epoch, float(np.mean(losses)))
    return replace(head, projection=learning.detach().numpy())


def _loss(
    one: JudgedList, mean: Tensor, projection: Tensor, scale: Tensor, share: float, random: np.random.Generator
) -> Tensor:
    import torch

    texts = [text if len(text) <= _TOKENS else text[random.permutation(len(text))[:_TOKENS]] for text in one.texts]
    asked = _unit((torch.from_numpy(one.question) - mean) @ projection)
    floats = _unit((torch.from_numpy(np.concatenate(texts).astype(np.float32)) - mean) @ projection)
    signs = floats + (torch.sign(floats) / floats.shape[1] ** 0.5 - floats).detach()
    best = [part.max(0).values for part in torch.split(signs @ asked.T, [len(text) for text in texts])]
    score = scale * (torch.from_numpy(one.fused) + share * torch.stack(best).mean(1))
    grades = torch.from_numpy(one.grades / one.grades.sum())
    loss: Tensor = -(grades * torch.log_softmax(score, 0)).sum()
    return loss


def _unit(rows: Tensor) -> Tensor:
    unit: Tensor = rows / rows.norm(dim=1, keepdim=True).clamp_min(1e-6)
    return unit
