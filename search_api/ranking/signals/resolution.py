"""How fine and how wide: the asked resolution, scale or level against the record's."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from core.geo import area_km2, box_array
from search_api.ranking.candidates import Candidates
from search_api.ranking.columns import Floats, mean_of_measured
from search_api.ranking.facts import resolution_metres, step_seconds
from search_api.ranking.target import Level, Target

# Areas (km2) that a record of each level covers; the ranges meet generously, catalogues are loose with these words.
LEVEL_AREA_KM2: Mapping[Level, tuple[float, float]] = {
    "global": (2.0e8, 5.2e8),
    "continental": (4.0e6, 9.0e7),
    "national": (2.0e4, 1.0e7),
    "regional": (1.0e3, 5.0e5),
    "local": (0.0, 5.0e3),
}


def resolution_scores(candidates: Candidates, target: Target) -> Floats:
    """Asked in words: the mean of what is asked (metres or scale, time step, level), (n,) 0..1, NaN for none known."""
    parts = []
    metres, step_s = resolution_metres(target.resolution), step_seconds(target.resolution.time_step)
    if metres is not None:
        parts.append(closeness(candidates.resolution_m, metres))
    if step_s is not None:
        parts.append(closeness(candidates.step_s, step_s))
    if target.level is not None:
        parts.append(candidates.boxes.best(level_scores(area_km2(candidates.boxes.values), target.level)))
    return mean_of_measured(parts)


def expected_scores(candidates: Candidates, target: Target, cells_across: float) -> Floats:
    """Not asked in words: closeness to what the asked place leads to expect, (n,) 0..1, NaN where a record is silent.

    Paper 000, future work 1: who asks for Europe wants continental data. A place as wide as its area's square root,
    in ``cells_across`` cells: with 500, some 45 km for the globe and 90 m for Berlin.
    """
    widest_km2 = float(area_km2(box_array(target.boxes)).max())
    return closeness(candidates.resolution_m, math.sqrt(widest_km2) * 1000.0 / cells_across)


def closeness(values: Floats, asked: float) -> Floats:
    """exp(-|ln(value / asked)| / 2), (n,) 0..1: half or double is .71, ten times .32; NaN where not known."""
    positive = np.where(values > 0.0, values, np.nan)
    close: Floats = np.exp(-np.abs(np.log(positive / asked)) / 2.0)
    return close


def level_scores(areas_km2: Floats, level: Level) -> Floats:
    """1 inside the level's range of areas, falling to 1/e at ten times outside it; (m,)."""
    least, most = LEVEL_AREA_KM2[level]
    outside = np.maximum(np.maximum(least / areas_km2, areas_km2 / most), 1.0)
    scores: Floats = np.exp(-np.log10(outside))
    return scores
