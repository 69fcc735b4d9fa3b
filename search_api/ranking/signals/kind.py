"""The kind of product asked for against the record's provenance, softly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.record import ProvenanceKind

# How well one kind serves who asks for another: a gridded product made from gauges (derived) still answers a
# question for observations to a degree, a projection does not. Symmetric; the same kind is 1, what is not listed 0.
_CLOSENESS: dict[frozenset[ProvenanceKind], float] = {
    frozenset({"observation", "derived"}): 0.4,
    frozenset({"observation", "reanalysis"}): 0.3,
    frozenset({"reanalysis", "derived"}): 0.4,
    frozenset({"reanalysis", "simulation"}): 0.3,
    frozenset({"simulation", "projection"}): 0.6,
    frozenset({"simulation", "derived"}): 0.2,
}


def closeness(asked: ProvenanceKind, kind: ProvenanceKind) -> float:
    """0..1; NaN where the record's kind is unknown."""
    if kind == "unknown":
        return np.nan
    return 1.0 if asked == kind else _CLOSENESS.get(frozenset({asked, kind}), 0.0)


def kind_scores(asked: ProvenanceKind, kinds: Sequence[ProvenanceKind]) -> NDArray[np.float64]:
    """scores: (n,) 0..1 in the order of ``kinds``, NaN where unknown."""
    known = {kind: closeness(asked, kind) for kind in set(kinds)}
    return np.array([known[kind] for kind in kinds], dtype=np.float64)
