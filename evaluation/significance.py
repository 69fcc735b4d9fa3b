"""Whether one run is better than another by more than chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

PERMUTATIONS = 10_000
_SEED = 20_04  # any number; fixed, so that a figure can be computed again
_BLOCK = 1000


@dataclass(frozen=True, slots=True)
class Comparison:
    """``difference`` is the mean of (a - b); ``p`` the share of random sign changes that give as large a one."""

    difference: float
    p: float
    better: int
    worse: int
    same: int


def paired_randomisation(
    a: Mapping[str, float], b: Mapping[str, float], *, permutations: int = PERMUTATIONS, seed: int = _SEED
) -> Comparison:
    """Fisher's paired randomisation test, two-sided, over the questions of both.

    Under "no difference" each question's two values are exchangeable. p = (as large + 1) / (permutations + 1), so it is
    never 0. Smucker, Allan and Carterette, CIKM 2007.
    Raises ValueError if the two do not have the same questions.
    """
    if a.keys() != b.keys() or not a:
        raise ValueError("the two runs were not measured on the same questions")
    gaps = np.array([a[question] - b[question] for question in sorted(a)])
    observed, generator, extreme = abs(gaps.sum()), np.random.default_rng(seed), 0
    for start in range(0, permutations, _BLOCK):
        signs = generator.choice((-1.0, 1.0), size=(min(_BLOCK, permutations - start), len(gaps)))
        extreme += int((np.abs(signs @ gaps) >= observed - 1e-12).sum())
    return Comparison(
        difference=float(gaps.mean()),
        p=(extreme + 1) / (permutations + 1),
        better=int((gaps > 0).sum()),
        worse=int((gaps < 0).sum()),
        same=int((gaps == 0).sum()),
    )
