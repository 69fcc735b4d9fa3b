"""Several arms to one text score.

Both ways bring each arm's raw scores to 0..1 and sum them by weight; they differ in how.

A candidate that an arm did not measure (NaN) gets nothing from that arm, as if it were the arm's minimum. Retrieval
completes the arms first (a candidate outside an arm's window gets its score in a second, id-filtered search), so what
is still missing has nothing to measure: a record without passages, or without one word of the question.
An arm that measured no candidate at all did not run: it drops out and the others share its weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from core.hit import Signal
from search_api.ranking.columns import Floats, Integers
from search_api.ranking.config import FusionName

# The least a score can be by its own definition; BM25 and learned-sparse scores are sums of positive weights,
# dense scores are cosines.
THEORETICAL_MINIMUM: dict[Signal, float] = {
    "bm25": 0.0,
    "dense": -1.0,
    "passage_bm25": 0.0,
    "passage_dense": -1.0,
    "sparse": 0.0,
}


def tm2c2(scores: Floats, minimum: float) -> Floats:
    """Scores (n,) from ``minimum`` to the highest seen, brought to 0..1; NaN stays NaN.

    (s - minimum) / (seen maximum - minimum), the theoretical-minimum-maximum scaling of Bruch, Gai and Ingber,
    "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023. All 0 where nothing rises above the minimum.
    """
    highest = float(np.nanmax(scores, initial=-math.inf))
    if not highest > minimum:
        return np.where(np.isnan(scores), np.nan, 0.0)
    return np.maximum(scores - minimum, 0.0) / (highest - minimum)


def rrf(scores: Floats, tie: Integers, k: int = 60) -> Floats:
    """Reciprocal ranks (n,) scaled so that the first rank is 1: (k + 1) / (k + rank); NaN stays NaN.

    Ranks start at 1 with the highest score and ties break by id (``tie``: rank of each id).  The factor k + 1 does not
    change any order and keeps the text score in 0..1.  Cormack, Clarke and Buettcher, SIGIR 2009.
    """
    measured = np.flatnonzero(~np.isnan(scores))
    best_first = measured[np.lexsort((tie[measured], -scores[measured]))]
    result = np.full(len(scores), np.nan)
    result[best_first] = (k + 1.0) / (k + 1.0 + np.arange(len(best_first)))
    return result


def normalise(
    name: Signal,
    scores: Floats,
    tie: Integers,
    fusion: FusionName,
    k: int,
    minimum: Mapping[Signal, float] | None = None,
) -> Floats:
    """One arm's scores (n,) as 0..1 by the configured fusion; NaN stays NaN. ``minimum``: instead of the theory's."""
    least = {**THEORETICAL_MINIMUM, **(minimum or {})}
    return rrf(scores, tie, k) if fusion == "rrf" else tm2c2(scores, least.get(name, 0.0))


def above_floor(floor: float) -> dict[Signal, float]:
    """The least of the arms of meaning for an embedder whose cosines begin at ``floor``, not at -1."""
    return {"dense": floor, "passage_dense": floor}


def shared_weights(arms: Mapping[Signal, Floats], weights: Mapping[str, float]) -> dict[Signal, float]:
    """The weights of the arms that ran, sum 1, by name; empty where none ran or none weighs anything."""
    ran = [name for name in sorted(arms) if weights.get(name, 0.0) > 0.0 and not np.isnan(arms[name]).all()]
    total = math.fsum(weights[name] for name in ran)
    return {name: weights[name] / total for name in ran}
