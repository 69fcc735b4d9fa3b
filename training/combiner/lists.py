"""Judged questions with the signals of their candidates: what a combiner learns from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SignalList:
    """One question with n candidates. ``collection``: where it is from; each counts alike.

    Candidates are in the order served.

    ``scaled``: by signal (n,) 0..1, as the weighted sum counts it; ``weights``: of each; ``arms``: which of them share
    the weight of the text. ``late``: (n,) what the late interaction adds, ``late_share`` its share of the score.
    ``grades``: (n,); ``ideal``: the grades of all documents judged for the question.
    """

    question: str
    collection: str
    scaled: Mapping[str, Values]
    weights: Mapping[str, float]
    arms: frozenset[str]
    grades: Values
    ideal: Sequence[float]
    late: Values
    late_share: float

    @property
    def size(self) -> int:
        return len(self.grades)


def gains(grades: NDArray[np.floating]) -> NDArray[np.float64]:
    """(n,) the grades, as trec_eval and `sonde evaluate` count them."""
    return np.asarray(np.maximum(grades, 0.0), dtype=np.float64)


def discounts(count: int) -> NDArray[np.float64]:
    """(count,) 1 / log2(rank + 1), of ranks from 1."""
    return np.asarray(1.0 / np.log2(np.arange(2, count + 2)), dtype=np.float64)


def ideal_gain(grades: Sequence[float], depth: int) -> float:
    """The discounted gain of the best possible first ``depth``."""
    best = np.sort(np.asarray(grades, dtype=np.float64))[::-1][:depth]
    return float(gains(best) @ discounts(len(best)))
