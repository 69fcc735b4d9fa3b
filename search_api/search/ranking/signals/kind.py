"""Compares the requested kind of product with the candidate's provenance, gradually."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from core.hit import SignalName
from core.record import ProvenanceKind
from search_api.search.ranking.candidates import AnyColumn, Column, Floats, first
from search_api.search.ranking.numbers import check_not_negative, check_shares
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, unknown_reason

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

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        wanted = inputs.target.kind
        if wanted is None or not inputs.target.asks_kind:
            return None
        return MeasuredSignal.or_neutral(self.scores(wanted, inputs.candidates[KIND]), self.weight, self.neutral)

    def scores(self, wanted: ProvenanceKind, kinds: Kinds) -> Floats:
        """(n,) 0..1 in the order of ``kinds``, NaN where unknown."""
        known = {kind: self._closeness(wanted, kind) for kind in set(kinds)}
        return np.array([known[kind] for kind in kinds], dtype=np.float64)

    def _closeness(self, wanted: ProvenanceKind, kind: ProvenanceKind) -> float:
        if kind == "unknown":
            return np.nan
        if wanted == kind:
            return 1.0
        return self.closeness.get(f"{wanted} {kind}", self.closeness.get(f"{kind} {wanted}", 0.0))

    def reasons(self, inputs: RankingInput, _raw: Floats, index: int) -> tuple[Reason, ...]:
        own, wanted = inputs.candidates[KIND][index], inputs.target.kind
        return (Reason(f"{own}, asked for {wanted}", "kind", {"own": own, "asked": wanted}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("its kind is not known", counted)
