"""Compares the requested kind of product with the candidate's provenance, gradually."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from core.hit import SignalName
from core.record import ProvenanceKind
from search_api.search.ranking.columns import Floats
from search_api.search.ranking.fields import AnyColumn, Column, first
from search_api.search.ranking.numbers import check_not_negative, check_shares
from search_api.search.ranking.signals.signal import Asked, Measured, Reason, unknown_reason

Kinds = Sequence[ProvenanceKind]

KIND: Column[ProvenanceKind, Kinds] = Column(
    "kind",
    ("provenance.kind",),
    lambda fields: cast(ProvenanceKind, first(fields, "provenance.kind") or "unknown"),
    tuple,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """``closeness``: how well one kind answers a question for another, by "one other", in either order.

    A gridded product made from gauges (derived) still partly answers a question for observations; a projection does
    not. The same kind is 1, unlisted pairs are 0.
    """

    name: ClassVar[SignalName] = "kind"
    columns: ClassVar[tuple[AnyColumn, ...]] = (KIND,)
    weight: float
    neutral: float
    closeness: Mapping[str, float]

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)
        check_shares(neutral=self.neutral, **self.closeness)

    def measure(self, asked: Asked) -> Measured | None:
        wanted = asked.target.kind
        if wanted is None or not asked.target.asks_kind:
            return None
        return Measured.or_neutral(self.scores(wanted, asked.candidates[KIND]), self.weight, self.neutral)

    def scores(self, asked: ProvenanceKind, kinds: Kinds) -> Floats:
        """(n,) 0..1 in the order of ``kinds``, NaN where unknown."""
        known = {kind: self._closeness(asked, kind) for kind in set(kinds)}
        return np.array([known[kind] for kind in kinds], dtype=np.float64)

    def _closeness(self, asked: ProvenanceKind, kind: ProvenanceKind) -> float:
        if kind == "unknown":
            return np.nan
        if asked == kind:
            return 1.0
        return self.closeness.get(f"{asked} {kind}", self.closeness.get(f"{kind} {asked}", 0.0))

    def reasons(self, asked: Asked, _raw: Floats, index: int) -> tuple[Reason, ...]:
        own, wanted = asked.candidates[KIND][index], asked.target.kind
        return (Reason(f"{own}, asked for {wanted}", "kind", {"own": own, "asked": wanted}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("its kind is not known", counted)
