"""Losses of a bi-encoder. Rows are unit vectors; every loss is a mean over questions, at least 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def info_nce(questions: Tensor, documents: Tensor, answers: Tensor, also: Tensor, temperature: float) -> Tensor:
    """-log of the answer's share among all documents of the batch: softmax over cos / ``temperature``.

    questions: (n, d), documents: (m, d), answers: (n,) row of each question's document; also: (n, m) true if a
    document also answers the question (the same text of another question): it is then not a negative and left out.
    Paper 001, equations 1 and 2, with the minus sign before the logarithm of the share of the positive.
    """
    import torch

    cosines = questions @ documents.T / temperature
    kept = cosines.masked_fill(also, float("-inf"))
    return torch.nn.functional.cross_entropy(kept, answers)


def margin_mse(
    questions: Tensor, positives: Tensor, negatives: Tensor, teacher_margins: Tensor, scale: float
) -> Tensor:
    """Mean squared difference between ``scale`` x (cos of the positive - cos of the negative) and the teacher's margin.

    All (n, d); teacher_margins: (n,) logit of the positive - logit of the negative. Hofstaetter et al. 2020; GPL (Wang
    et al. 2022). ``scale`` converts differences of cosines, which are below 2, to the range of logits.
    """
    margins = scale * ((questions * positives).sum(1) - (questions * negatives).sum(1))
    return ((margins - teacher_margins) ** 2).mean()


def matryoshka(loss: Callable[[Callable[[Tensor], Tensor]], Tensor], dims: Sequence[int]) -> Tensor:
    """The mean of a loss over the first ``dims`` numbers of each vector, normalised again.

    ``loss`` gets the function that shortens. Kusupati et al., NeurIPS 2022.
    """
    import torch

    total = torch.zeros(())
    for size in dims:
        total = total + loss(_shortener(size))
    return total / len(dims)


def _shortener(size: int) -> Callable[[Tensor], Tensor]:
    import torch

    return lambda vectors: torch.nn.functional.normalize(vectors[:, :size], dim=1)
