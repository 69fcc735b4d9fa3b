"""The asked place against the record's extent.

Two modes. ``hausdorff`` is that of Wetzel and Mäs (doi:10.3390/ijgi13110380): plain degrees, the best N ordered by
distance (see
:func:`search_api.search.ranking.rank.nearest_first`). ``blend`` is a logistic combination of features, each 0..1:

========== ==========================================================================================
nearness    exp(-Hausdorff distance / diagonal of the asked box)
query_share share of the asked area that the record covers (with `within`: box_share)
box_share   share of the record's area that lies in the asked one (with `contains`: query_share)
containment 1 where one lies in the other (with `within` and `contains`: in the asked direction)
centre      exp(-distance of the centres / diagonal)
size        exp(-|log10 of the ratio of the areas|): as large 1, ten times 1/e
========== ==========================================================================================

A worldwide data set has only the second and the fourth, so a regional one wins a regional question.
A record with several boxes is judged by the nearest for distances and by the best for shares; a question with
several boxes by the mean over them. With `disjoint` the score is 1 - the larger share. A record without extent is
NaN here; the signal gives it a neutral value, below an exact match and above a wrong place, or more by the area that
its title names (``estimated_boxes``). A record wholly outside every box of the question (:func:`wholly_outside`) also
ranks below the records inside: see :class:`Spatial`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from core.geo import BBox, BoxComparison, compare, diagonal_deg, hausdorff_deg_many, shared_km2
from core.hit import SignalName
from core.json_types import Json, JsonMapping
from search_api.search.ranking.candidates import (
    AnyColumn,
    AreaName,
    Column,
    Fields,
    Flags,
    Floats,
    Relation,
    Rows,
    Target,
    rows_of,
)
from search_api.search.ranking.numbers import check_finite, check_not_negative, check_positive, check_shares
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, percent

FEATURES = ("nearness", "query_share", "box_share", "containment", "centre", "size")

# Degrees are planar, but a box is moved by 360 to where it is nearest: -170 is near Fiji at 178.
_TURNS_DEG = np.array([[turn, 0.0, turn, 0.0] for turn in (-360.0, 0.0, 360.0)])

# Extents are drawn by hand: a box that covers all but a thousandth counts as covering.
_FULL_COVER = 0.999


def _boxes(field: str) -> Column[tuple[float, ...], Rows]:
    def read(fields: Fields) -> tuple[float, ...]:
        return tuple(edge for text in fields.get(field, ()) for edge in _box(text))

    return Column(field, (field,), read, lambda values: rows_of(values, 4))


def _box(text: str) -> tuple[float, float, float, float]:
    edges = [float(edge) for edge in text.split(",")]
    if len(edges) != 4:
        raise ValueError("a stored box is not west,south,east,north")
    west, south, east, north = edges
    return west, south, east + 360.0 if west > east else east, north


BOXES = _boxes("boxes")
"""Rows of west, south, east (unrolled), north in degrees; stored as ``"west,south,east,north"``."""
ESTIMATED_BOXES = _boxes("estimated_boxes")
"""The same of the places that a title names; only for candidates without an extent."""


@dataclass(frozen=True, slots=True)
class BlendWeights:
    """Logistic weights of the features."""

    bias: float
    nearness: float
    query_share: float
    box_share: float
    containment: float
    centre: float
    size: float

    def __post_init__(self) -> None:
        check_finite(asdict(self))


@dataclass(frozen=True, slots=True)
class OutsidePlace:
    """How to treat candidates wholly outside the asked place (``blend`` mode).

    ``tolerance``: how much better one outside must be in all else (the text score has weight 1) to rank above a
    candidate inside; with 0 the blend alone decides. ``margin``: a candidate closer than this share of the asked box's
    diagonal is not wholly outside.
    """

    tolerance: float
    margin: float

    def __post_init__(self) -> None:
        check_not_negative(tolerance=self.tolerance, margin=self.margin)


@dataclass(frozen=True, slots=True)
class PlaceNumbers:
    """``smallest_diagonal_deg``: a smaller asked place is treated as this large. ``smallest_area_km2``: smaller areas
    count as equal. ``unknown_diagonals``: by distance, a candidate without extent counts as this many diagonals of the
    asked box away.
    """

    blend: BlendWeights
    outside: OutsidePlace
    smallest_diagonal_deg: float
    smallest_area_km2: float
    unknown_diagonals: float

    def __post_init__(self) -> None:
        check_positive(smallest_diagonal_deg=self.smallest_diagonal_deg, smallest_area_km2=self.smallest_area_km2)
        check_not_negative(unknown_diagonals=self.unknown_diagonals)


def blend_scores(boxes: Rows, target: Target, numbers: PlaceNumbers) -> Floats:
    """scores: (n,) 0..1, NaN for a candidate without a box."""
    if not len(boxes.owners):
        return np.full(boxes.count, np.nan)
    scores = [_score_one(boxes, area, target.relation, numbers) for area in target.boxes]
    mean: Floats = np.mean(np.stack(scores), axis=0)
    return mean


def blend_features(boxes: Rows, area: BBox, relation: Relation | None, numbers: PlaceNumbers) -> Floats:
    """features: (6, n) 0..1 in the order of FEATURES, NaN without a box; the input for learning the weights."""
    comparison = compare(area, boxes.values)
    diagonal = max(diagonal_deg(area), numbers.smallest_diagonal_deg)
    query_share, box_share = _shares(comparison, relation)
    rows = np.stack(
        [
            np.exp(-comparison.hausdorff_deg / diagonal),
            query_share,
            box_share,
            (np.maximum(query_share, box_share) >= _FULL_COVER).astype(np.float64),
            np.exp(-comparison.centre_deg / diagonal),
            _size(comparison, numbers.smallest_area_km2),
        ]
    )
    return boxes.best(rows)


def wholly_outside(boxes: Rows, target: Target, numbers: PlaceNumbers) -> Flags:
    """Whether no box of a candidate is near any asked box: (n,), False without a box.

    Near is ``numbers.outside.margin`` of the asked box's diagonal: the boxes of names are drawn by hand, and a
    candidate that touches one or is just beside it may be meant.
    """
    if not len(boxes.owners):
        return np.zeros(boxes.count, dtype=np.bool_)
    shared = np.max([_shared_when_grown(boxes, area, numbers) for area in target.boxes], axis=0)
    outside: Flags = boxes.best(shared) <= 0.0  # NaN, where there is no box, is not
    return outside


def _shared_when_grown(boxes: Rows, area: BBox, numbers: PlaceNumbers) -> Floats:
    """The area in km2 that each box (m,), grown on all sides by the margin, shares with the asked one."""
    margin = numbers.outside.margin * max(diagonal_deg(area), numbers.smallest_diagonal_deg)
    return shared_km2(area, boxes.values + np.array([-margin, -margin, margin, margin]))


def hausdorff_distances(boxes: Rows, target: Target, numbers: PlaceNumbers) -> Floats:
    """Plain-degree distances (n,): nearest box, mean over the asked ones; without extent some diagonals away.

    Across the antimeridian the shorter way counts.
    """
    distances = [_distance_one(boxes, area, numbers) for area in target.boxes]
    mean: Floats = np.mean(np.stack(distances), axis=0)
    return mean


def _score_one(boxes: Rows, area: BBox, relation: Relation | None, numbers: PlaceNumbers) -> Floats:
    features = blend_features(boxes, area, relation, numbers)
    if relation == "disjoint":
        outside: Floats = 1.0 - np.maximum(features[1], features[2])
        return outside
    return logistic(features, numbers.blend)


def logistic(features: Floats, weights: BlendWeights) -> Floats:
    """1 / (1 + exp(-(bias + weights . features))) of (6, n) features: (n,)."""
    by_feature = np.array([getattr(weights, name) for name in FEATURES])
    # A sum by column, not a matrix product: BLAS may round a column differently when its neighbours change.
    scores: Floats = 1.0 / (1.0 + np.exp(-(weights.bias + (by_feature[:, None] * features).sum(axis=0))))
    return scores


def _shares(comparison: BoxComparison, relation: Relation | None) -> tuple[Floats, Floats]:
    """The shares of the query and of the box that count; a containment relation uses only one of them."""
    if relation == "within":
        return comparison.box_share, comparison.box_share
    if relation == "contains":
        return comparison.query_share, comparison.query_share
    return comparison.query_share, comparison.box_share


def _size(comparison: BoxComparison, smallest_km2: float) -> Floats:
    box_km2 = np.maximum(comparison.box_km2, smallest_km2)
    ratio = box_km2 / max(comparison.query_km2, smallest_km2)
    alike: Floats = np.exp(-np.abs(np.log10(ratio)))
    return alike


def _distance_one(boxes: Rows, area: BBox, numbers: PlaceNumbers) -> Floats:
    nearest = boxes.least(np.min([hausdorff_deg_many(area, boxes.values + turn) for turn in _TURNS_DEG], axis=0))
    plain_diagonal = float(np.hypot(area.width_deg, area.height_deg))
    unknown = numbers.unknown_diagonals * max(plain_diagonal, numbers.smallest_diagonal_deg)
    return np.where(np.isnan(nearest), unknown, nearest)


_FROM_TITLE = Reason("area not stated: estimated from the places in the title", "area_from_title")
_TITLE_ELSEWHERE = Reason("area not stated: the title names only places elsewhere", "title_elsewhere")
_STANDS_BACK = Reason("it counts less than a record inside the place asked for", "stands_back")


@dataclass(frozen=True, slots=True)
class Spatial:
    """``neutral``: the value of a candidate without an extent. ``place_name``: its value if its title names the place
    of the question; with the name elsewhere in the record, the value is halfway. ``estimated``: how much of the way an
    area that the title names gives if it matches perfectly. ``hausdorff_window``: how many of the best candidates the
    mode `hausdorff` orders.
    """

    name: ClassVar[SignalName] = "spatial"
    columns: ClassVar[tuple[AnyColumn, ...]] = (BOXES, ESTIMATED_BOXES)
    weight: float
    neutral: float
    place_name: float
    estimated: float
    hausdorff_window: int
    place: PlaceNumbers

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)
        check_shares(neutral=self.neutral, place_name=self.place_name, estimated=self.estimated)
        check_positive(hausdorff_window=self.hausdorff_window)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        """How well a candidate matches, plus a fixed part for all candidates not wholly outside the asked place.

        Outside, the match counts at most as for a candidate without an extent. The fixed part is ``tolerance`` more
        than that, so an outside candidate ranks before an inside one only if it is better by ``tolerance`` in all else.
        """
        candidates, target = inputs.candidates, inputs.target
        if not target.boxes or target.spatial != "blend":
            return None
        stated = blend_scores(candidates[BOXES], target, self.place)
        estimated = blend_scores(candidates[ESTIMATED_BOXES], target, self.place)
        closeness = np.fmax(self.estimated * estimated, candidates.place_prominence)
        unplaced = self.neutral + max(self.place_name - self.neutral, 0.0) * closeness
        raw, value = (np.where(np.isnan(stated), other, stated) for other in (estimated, unplaced))
        if not self.sets_outside_back(target):
            return MeasuredSignal(raw, self.weight, value)
        lies = self.weight * value
        most_outside = self.weight * self.neutral
        fixed = most_outside + self.place.outside.tolerance
        outside = wholly_outside(candidates[BOXES], target, self.place) | self._names_only_elsewhere(inputs)
        counted = np.where(outside, np.minimum(lies, most_outside), lies + fixed)
        return MeasuredSignal(raw, self.weight + fixed, counted / (self.weight + fixed))

    def _names_only_elsewhere(self, inputs: RankingInput) -> Flags:
        """Whether a candidate without an extent names places in its title, all outside, and the asked one nowhere."""
        outside = wholly_outside(inputs.candidates[ESTIMATED_BOXES], inputs.target, self.place)
        names_none: Flags = outside & (inputs.candidates.place_prominence <= 0.0)
        return names_none

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
        if not len(rows):
            return self._title_reasons(inputs, index)
        place_reasons = tuple(_place_reason(target, number, rows) for number in range(len(target.boxes)))
        return (*place_reasons, _STANDS_BACK) if self._stands_back(target, rows) else place_reasons

    def _title_reasons(self, inputs: RankingInput, index: int) -> tuple[Reason, ...]:
        """For a candidate without an extent whose title names places."""
        if self.sets_outside_back(inputs.target) and self._names_only_elsewhere(inputs)[index]:
            return (_TITLE_ELSEWHERE, _STANDS_BACK)
        return (_FROM_TITLE,)

    def _stands_back(self, target: Target, rows: Floats) -> bool:
        single = Rows.of(rows, [len(rows)])
        return self.sets_outside_back(target) and bool(wholly_outside(single, target, self.place)[0])

    def silence(self, counted: float) -> Reason:
        return Reason("area not stated", "area_not_stated", {"counted": counted})


_SMALLER = 0.95
_MOST_RATIO = 1_000.0  # of areas; a larger factor tells nobody more
_WORLD_KM2 = 250e6  # half of the Earth


def _place_reason(target: Target, number: int, rows: Floats) -> Reason:
    name = target.places[number] if number < len(target.places) else None
    values: Json = {"place": None if name is None else name.text}
    if name is not None and name.is_rough:
        values["rough"] = True
    if name is not None and name.is_described:
        values["described"] = True
    if len(target.boxes) > 1:
        values |= {"number": number + 1, "of": len(target.boxes)}
    return _reason_of(target.boxes[number], _name_text(name, values), values, rows)


def _name_text(name: AreaName | None, values: JsonMapping) -> str:
    if name is not None:
        if name.is_rough:
            return f"the box around {name.text}"
        return f"the area asked for ({name.text})" if name.is_described else name.text
    return f"the area asked for ({values['number']} of {values['of']})" if "of" in values else "the area asked for"


def _reason_of(area: BBox, name: str, values: JsonMapping, rows: Floats) -> Reason:
    comparison = compare(area, rows)
    best = int(np.argmax(comparison.query_share + comparison.box_share))
    if comparison.overlap_km2[best] <= 0.0:
        return Reason(
            f"lies outside {name}", "outside_place", {**values, "distance_deg": float(comparison.hausdorff_deg.min())}
        )
    covered, ratio = float(comparison.query_share[best]), float(comparison.box_km2[best] / comparison.query_km2)
    is_inside = comparison.box_share[best] >= _FULL_COVER
    if is_inside and covered < 0.01:
        return Reason(f"lies inside {name}", "inside_place", values)
    if is_inside and covered < _FULL_COVER:
        text = f"lies inside {name} and covers {percent(covered)} of it"
    else:
        text = f"covers {percent(covered)} of {name}; {_size_text(ratio, float(comparison.box_km2[best]))}"
    return Reason(text, "covers_place", {**values, "share": covered, "area_ratio": ratio})


def _size_text(ratio: float, box_km2: float) -> str:
    """How large the record's own area is beside the asked one."""
    if box_km2 >= _WORLD_KM2:
        return "its own area is global"
    if ratio >= _MOST_RATIO:
        return "its own area is very much larger"
    if ratio < _SMALLER:
        return "partly outside it"
    return f"its own area is {ratio:.{0 if ratio >= 10.0 else 1}f} times as large"
