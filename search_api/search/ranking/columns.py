"""Columns of numbers: one value per candidate, or several rows that each belong to one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rows:
    """Several rows per candidate (its boxes, its spans): values (m, k) float64, sorted by owner.

    ``owners``: (u,) the candidates that have any; ``starts``: (u,) where each one's rows begin.
    """

    values: Floats
    owners: Integers
    starts: Integers
    count: int

    @classmethod
    def of(cls, values: Floats, lengths: Sequence[int]) -> Rows:
        """``lengths[i]`` rows belong to candidate i, in order."""
        per_candidate = np.asarray(lengths, dtype=np.int64)
        owners = np.flatnonzero(per_candidate)
        starts = (np.cumsum(per_candidate) - per_candidate)[owners]
        return cls(values, owners.astype(np.int64), starts.astype(np.int64), len(lengths))

    def best(self, scores: Floats) -> Floats:
        """The highest score (..., m) of each candidate's rows: (..., n), NaN if it has none."""
        return self._spread(np.maximum.reduceat(scores, self.starts, axis=-1) if len(self.starts) else None, scores)

    def least(self, distances: Floats) -> Floats:
        """The smallest distance (..., m) of each candidate's rows: (..., n), NaN if it has none."""
        nearest = np.minimum.reduceat(distances, self.starts, axis=-1) if len(self.starts) else None
        return self._spread(nearest, distances)

    def _spread(self, reduced: Floats | None, values: Floats) -> Floats:
        result = np.full((*values.shape[:-1], self.count), np.nan)
        if reduced is not None:
            result[..., self.owners] = reduced
        return result

    def of_candidate(self, index: int) -> Floats:
        """The rows of one candidate, (j, k); empty if it has none."""
        place = int(np.searchsorted(self.owners, index))
        if place == len(self.owners) or self.owners[place] != index:
            return self.values[:0]
        end = self.starts[place + 1] if place + 1 < len(self.starts) else len(self.values)
        return self.values[self.starts[place] : end]


def mean_of_measured(parts: Sequence[Floats]) -> Floats:
    """The mean (n,) of the values that are not NaN, over columns (n,); NaN if all are. At least one column."""
    stacked = np.stack(parts)
    measured = (~np.isnan(stacked)).sum(axis=0)
    mean: Floats = np.where(measured > 0, np.nansum(stacked, axis=0) / np.maximum(measured, 1), np.nan)
    return mean


def floats(values: Iterable[float | None]) -> Floats:
    """(n,) float64; None becomes NaN, "not stated"."""
    return np.array(list(values), dtype=np.float64)


def number(value: object) -> float:
    """A doc value, which may be text, as a number; None becomes NaN."""
    return math.nan if value is None else float(value)  # type: ignore[arg-type]


def rows_of(values: Sequence[tuple[float, ...]], width: int) -> Rows:
    """Rows of ``width`` numbers, each candidate's one after the other."""
    numbers = np.array(list(chain.from_iterable(values)), dtype=np.float64)
    return Rows.of(numbers.reshape(-1, width), [len(one) // width for one in values])
