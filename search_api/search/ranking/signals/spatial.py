"""Compares the asked place with the candidate's extent; :mod:`search_api.search.ranking.place` has the geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.geo import compare
from core.hit import SignalName
from core.json_types import Json
from search_api.search.ranking.candidates import AnyColumn, Floats, Rows
from search_api.search.ranking.numbers import check_not_negative, check_positive, check_shares
from search_api.search.ranking.place import BOXES, PlaceNumbers, blend_scores, hausdorff_distances, wholly_outside
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, percent
from search_api.search.ranking.target import Target

_STANDS_BACK = Reason("wholly outside the place you asked for: ranked below records inside it", "stands_back")


@dataclass(frozen=True, slots=True)
class Spatial:
    """``neutral``: the value of a candidate without an extent. ``named``: its value if its title names the asked
    place; with a name elsewhere, the value is halfway. ``hausdorff_window``: how many of the best the `hausdorff` mode
    orders.
    """

    name: ClassVar[SignalName] = "spatial"
    columns: ClassVar[tuple[AnyColumn, ...]] = (BOXES,)
    weight: float
    neutral: float
    named: float
    hausdorff_window: int
    place: PlaceNumbers

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)
        check_shares(neutral=self.neutral, named=self.named)
        check_positive(hausdorff_window=self.hausdorff_window)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        """How well a candidate matches, plus a fixed part for all candidates not wholly outside the asked place.

        Outside, the match counts at most as for a candidate without an extent. The fixed part is ``tolerance`` more
        than that, so an outside candidate ranks before an inside one only if it is better by ``tolerance`` in all else.
        """
        candidates, target = inputs.candidates, inputs.target
        if not target.boxes or target.spatial != "blend":
            return None
        raw = blend_scores(candidates[BOXES], target, self.place)
        unplaced = self.neutral + max(self.named - self.neutral, 0.0) * candidates.named
        if not self.sets_outside_back(target):
            return MeasuredSignal.or_neutral(raw, self.weight, unplaced)
        lies = self.weight * np.where(np.isnan(raw), unplaced, raw)
        most_outside = self.weight * self.neutral
        fixed = most_outside + self.place.outside.tolerance
        outside = wholly_outside(candidates[BOXES], target, self.place)
        counted = np.where(outside, np.minimum(lies, most_outside), lies + fixed)
        return MeasuredSignal(raw, self.weight + fixed, counted / (self.weight + fixed))

    def sets_outside_back(self, target: Target) -> bool:
        """Whether candidates wholly outside the asked place get less; not if the question asks for the outside."""
        return bool(target.boxes) and target.relation != "disjoint" and self.place.outside.tolerance > 0.0

    def distances_deg(self, inputs: RankingInput) -> Floats | None:
        """The order of the `hausdorff` mode, (n,); None in other modes and without a place."""
        if inputs.target.spatial != "hausdorff" or not inputs.target.boxes:
            return None
        return hausdorff_distances(inputs.candidates[BOXES], inputs.target, self.place)

    def reasons(self, inputs: RankingInput, _raw: Floats, index: int) -> tuple[Reason, ...]:
        """For each asked box, the candidate's box that shares most with it; then whether the candidate is outside."""
        rows, target = inputs.candidates[BOXES].of_candidate(index), inputs.target
        each = tuple(_place_reason(target, number, rows) for number in range(len(target.boxes)))
        return (*each, _STANDS_BACK) if self._stands_back(target, rows) else each

    def _stands_back(self, target: Target, rows: Floats) -> bool:
        one = Rows.of(rows, [len(rows)])
        return self.sets_outside_back(target) and bool(wholly_outside(one, target, self.place)[0])

    def silence(self, counted: float) -> Reason:
        return Reason(f"area not stated: counted as {counted:.2f}", "area_not_stated", {"counted": counted})


def _place_reason(target: Target, number: int, rows: Floats) -> Reason:
    name = target.place or "the asked place"
    values: Json = {"place": target.place}
    if len(target.boxes) > 1:
        name = f"{name} ({number + 1} of {len(target.boxes)})"
        values |= {"number": number + 1, "of": len(target.boxes)}
    comparison = compare(target.boxes[number], rows)
    best = int(np.argmax(comparison.query_share + comparison.box_share))
    if comparison.overlap_km2[best] <= 0.0:
        off = float(comparison.hausdorff_deg.min())
        text = f"lies outside {name}, {off:.1f} degrees off (Hausdorff)"
        return Reason(text, "outside_place", {**values, "distance_deg": off})
    if comparison.box_share[best] >= 0.999 and comparison.query_share[best] < 0.01:
        return Reason(f"lies inside {name}", "inside_place", values)
    covered, ratio = float(comparison.query_share[best]), float(comparison.box_km2[best] / comparison.query_km2)
    text = f"covers {percent(covered)} of {name}; its own area is {_times(ratio)} as large"
    return Reason(text, "covers_place", {**values, "share": covered, "area_ratio": ratio})


def _times(ratio: float) -> str:
    if ratio >= 0.1:
        return f"{ratio:.0f} times" if ratio >= 10.0 else f"{ratio:.1f} times"
    return f"{ratio * 100:.2g} %"
