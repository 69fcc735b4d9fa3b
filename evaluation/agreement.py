"""Agreement of people on grades, corrected for chance.

All measures: 1 is perfect, 0 is chance, below 0 worse than chance; NaN if all grades are equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

Weights = Literal["none", "linear", "quadratic"]


def cohen_kappa(a: Sequence[int], b: Sequence[int], grades: int, weights: Weights = "none") -> float:
    """Two people's grades (0..grades - 1) of the same things. Cohen 1960, weighted 1968.

    1 - (weighted disagreement seen) / (expected weighted disagreement by chance, with the same grade frequencies).
    With weights, a small difference counts less: by the distance of the grades, or its square.
    Raises ValueError for different lengths, no grades, or a grade out of range.
    """
    if len(a) != len(b) or not a:
        raise ValueError("both must have graded the same things, and something")
    if not all(0 <= grade < grades for grade in (*a, *b)):
        raise ValueError(f"a grade lies outside 0..{grades - 1}")
    seen = np.zeros((grades, grades))
    np.add.at(seen, (np.asarray(a), np.asarray(b)), 1.0 / len(a))
    by_chance = np.outer(seen.sum(axis=1), seen.sum(axis=0))
    cost = _costs(grades, weights)
    expected = float((cost * by_chance).sum())
    return 1.0 - float((cost * seen).sum()) / expected if expected > 0.0 else math.nan


def fleiss_kappa(counts: Sequence[Sequence[int]]) -> float:
    """Several people, equally many for each thing: ``counts[i][g]`` of them gave thing i the grade g. Fleiss 1971.

    Raises ValueError if the number of people differs between things, or is less than two.
    """
    table = np.asarray(counts, dtype=np.float64)
    raters = table.sum(axis=1)
    if len(table) == 0 or not (raters == raters[0]).all() or raters[0] < 2:
        raise ValueError("each thing needs the same number of grades, at least two")
    people = float(raters[0])
    agreed = float((((table**2).sum(axis=1) - people) / (people * (people - 1.0))).mean())
    by_chance = float(((table.sum(axis=0) / table.sum()) ** 2).sum())
    return (agreed - by_chance) / (1.0 - by_chance) if by_chance < 1.0 else math.nan


def _costs(grades: int, weights: Weights) -> np.ndarray:
    apart = np.abs(np.subtract.outer(np.arange(grades), np.arange(grades))).astype(np.float64)
    if weights == "none":
        return (apart > 0).astype(np.float64)
    return apart if weights == "linear" else apart**2
