"""Resolution and extent: compares the asked resolution, scale or level with the candidate's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.geo import area_km2, box_array
from core.hit import SignalName
from core.record import Resolution
from core.timespan import duration_s
from search_api.search.ranking.candidates import (
    AnyColumn,
    Candidates,
    Column,
    Fields,
    Floats,
    first,
    floats,
    mean_of_measured,
    number,
)
from search_api.search.ranking.numbers import check_not_negative, check_positive, check_shares
from search_api.search.ranking.place import BOXES
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, unknown_reason
from search_api.search.ranking.target import Target

# Tobler (1987): the finest detail on a map is half a millimetre wide.
METRES_PER_SCALE_DENOMINATOR = 0.0005


def resolution_metres(resolution: Resolution) -> float | None:
    """Ground resolution in metres, given or from the map scale (half a millimetre on the map); None for neither."""
    if resolution.metres is not None:
        return resolution.metres
    if resolution.scale_denominator is not None:
        return resolution.scale_denominator * METRES_PER_SCALE_DENOMINATOR
    return None


def step_seconds(time_step: str | None) -> float | None:
    return None if time_step is None else duration_s(time_step)


def _metres(fields: Fields) -> float:
    metres, denominator = (first(fields, f"resolution.{name}") for name in ("metres", "scale_denominator"))
    return number(resolution_metres(Resolution(metres, denominator)))


RESOLUTION_M: Column[float, Floats] = Column(
    "resolution_m", ("resolution.metres", "resolution.scale_denominator"), _metres, floats
)
STEP_S: Column[float, Floats] = Column(
    "step_s",
    ("resolution.time_step",),
    lambda fields: number(step_seconds(first(fields, "resolution.time_step"))),
    floats,
)


@dataclass(frozen=True, slots=True)
class ResolutionSignal:
    """``expected_weight`` replaces ``weight`` if only the size of the place, not a word, implies a resolution.

    ``cells_across``: the number of grid cells across the asked place that is suitable. ``level_km2``: least and most
    area of records of each level; the ranges overlap widely, because catalogues use these words loosely.
    """

    name: ClassVar[SignalName] = "resolution"
    columns: ClassVar[tuple[AnyColumn, ...]] = (RESOLUTION_M, STEP_S, BOXES)
    weight: float
    expected_weight: float
    neutral: float
    cells_across: float
    level_km2: Mapping[str, tuple[float, float]]

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight, expected_weight=self.expected_weight)
        check_shares(neutral=self.neutral)
        check_positive(cells_across=self.cells_across)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        target = inputs.target
        if target.asks_resolution:
            return MeasuredSignal.or_neutral(self.scores(inputs.candidates, target), self.weight, self.neutral)
        if target.boxes and target.spatial == "blend":
            return MeasuredSignal.or_neutral(
                self.expected(inputs.candidates, target), self.expected_weight, self.neutral
            )
        return None

    def scores(self, candidates: Candidates, target: Target) -> Floats:
        """For a resolution in words: the mean of what is asked (metres or scale, time step, level), (n,) 0..1.

        NaN if none of it is known.
        """
        parts = []
        metres, step_s = resolution_metres(target.resolution), step_seconds(target.resolution.time_step)
        if metres is not None:
            parts.append(closeness(candidates[RESOLUTION_M], metres))
        if step_s is not None:
            parts.append(closeness(candidates[STEP_S], step_s))
        if target.level is not None:
            boxes = candidates[BOXES]
            parts.append(boxes.best(level_scores(area_km2(boxes.values), self.level_km2[target.level])))
        return mean_of_measured(parts)

    def expected(self, candidates: Candidates, target: Target) -> Floats:
        """Without words: closeness to the resolution that the place implies, (n,) 0..1, NaN if unknown.

        A question for Europe wants continental data. The place's width is the square root of
        its area, divided into ``cells_across`` cells: with 500, some 45 km for the globe and 90 m for Berlin.
        """
        widest_km2 = float(area_km2(box_array(target.boxes)).max())
        return closeness(candidates[RESOLUTION_M], math.sqrt(widest_km2) * 1000.0 / self.cells_across)

    def reasons(self, inputs: RankingInput, _raw: Floats, index: int) -> tuple[Reason, ...]:
        own, target = inputs.candidates[RESOLUTION_M][index], inputs.target
        own_m = None if np.isnan(own) else float(own)
        given = _length(own_m) if own_m is not None else "its extent or time step"
        if not target.asks_resolution:
            text = f"resolution {given}, compared with what a place of this size needs"
            return (Reason(text, "resolution_expected", {"own_m": own_m}),)
        asked_m = resolution_metres(target.resolution)
        words = [word for word in (target.resolution.time_step, target.level) if word]
        wanted = [*([_length(asked_m)] if asked_m is not None else []), *words]
        values = {"own_m": own_m, "asked_m": asked_m, "asked": words}
        return (Reason(f"{given} against {', '.join(wanted)}", "resolution_asked", values),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("says nothing of its resolution", counted)


def _length(metres: float) -> str:
    """Three digits of it."""
    value, unit = (metres / 1000.0, "km") if metres >= 1000.0 else (metres, "m")
    return f"{float(f'{value:.3g}'):,g} {unit}"


def closeness(values: Floats, asked: float) -> Floats:
    """exp(-|ln(value / asked)| / 2), (n,) 0..1: half or double is .71, ten times .32; NaN if unknown."""
    positive = np.where(values > 0.0, values, np.nan)
    close: Floats = np.exp(-np.abs(np.log(positive / asked)) / 2.0)
    return close


def level_scores(areas_km2: Floats, of_level: tuple[float, float]) -> Floats:
    """1 inside the level's range of areas, falling to 1/e at ten times outside it; (m,)."""
    least, most = of_level
    outside = np.maximum(np.maximum(least / areas_km2, areas_km2 / most), 1.0)
    scores: Floats = np.exp(-np.log10(outside))
    return scores
