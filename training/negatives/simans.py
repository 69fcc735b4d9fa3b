"""Chooses useful negatives: candidates that score about as high as the answer, not far above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SimAns:
    """SimANS (Zhou et al., EMNLP 2022): p ~ exp(-a (s(negative) - s(positive) - b)^2), ``a`` > 0 the sharpness.

    ``margin``: a candidate above s(positive) - margin probably answers too and is dropped (Moreira et al. 2024).
    Scores are cosines, so margin and b are in -2..2.
    """

    a: float = 20.0
    b: float = -0.1
    margin: float = 0.0

    def __post_init__(self) -> None:
        if self.a <= 0 or not -2.0 <= self.b <= 2.0 or not -2.0 <= self.margin <= 2.0:
            raise ValueError(f"SimANS with a={self.a}, b={self.b}, margin={self.margin}: a > 0, the others in -2..2")


def probabilities(scores: Sequence[float], positive: float, how: SimAns) -> NDArray[np.float64]:
    """(n,) with sum 1; 0 for candidates that the margin drops; all 0 if it drops everything."""
    found = np.asarray(scores, dtype=np.float64)
    kept = found <= positive - how.margin
    if not kept.any():
        return np.zeros(len(found))
    exponent = np.where(kept, -how.a * (found - positive - how.b) ** 2, -np.inf)
    weight = np.exp(exponent - exponent.max())
    probability: NDArray[np.float64] = weight / weight.sum()
    return probability


def sample(probability: NDArray[np.float64], count: int, chance: np.random.Generator) -> list[int]:
    """Up to ``count`` different indexes, drawn by their probabilities, most likely first."""
    possible = np.flatnonzero(probability > 0.0)
    if len(possible) == 0:
        return []
    # Gumbel's trick: the largest of log p + noise is a draw without replacement.
    keys = np.log(probability[possible]) + chance.gumbel(size=len(possible))
    drawn = possible[np.argsort(-keys, kind="stable")[:count]]
    return sorted((int(at) for at in drawn), key=lambda at: (-probability[at], at))
