"""Signals of time and of resolution."""

from __future__ import annotations

import calendar
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.geo import area_km2, box_array
from core.hit import SignalName
from core.record import Resolution
from core.timespan import Overlap, TimeSpan, age_ms, asked_ends_ms, duration_s, iso, overlap
from reading.scale import time_steps
from search_api.search.ranking.candidates import (
    AnyColumn,
    Candidates,
    Column,
    Fields,
    Floats,
    Rows,
    Target,
    first,
    floats,
    mean_of_measured,
    number,
    rows_of,
)
from search_api.search.ranking.numbers import check_not_negative, check_positive, check_shares
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, percent, unknown_reason
from search_api.search.ranking.signals.spatial import BOXES

_DAY_MS = 86_400_000.0
_YEAR_MS = 365.2425 * 86_400_000
_LATEST_DATE_MS = 9_999 * _YEAR_MS  # at greater distances, months and days have no meaning


def _spans(fields: Fields) -> tuple[float, ...]:
    return tuple(edge for text in fields.get("spans", ()) for edge in _span(text))


def _span(text: str) -> tuple[float, float]:
    start, end = text.split("/")
    return float(start) if start else -math.inf, float(end) if end else math.inf


SPANS: Column[tuple[float, ...], Rows] = Column("spans", ("spans",), _spans, lambda values: rows_of(values, 2))
"""Rows of start, end in ms, infinite if open; stored as ``"start_ms/end_ms"``, with nothing for an open end."""

MODIFIED_MS: Column[float, Floats] = Column(
    "modified_ms",
    ({"field": "dates.modified", "format": "epoch_millis"},),
    lambda fields: number(first(fields, "dates.modified")),
    floats,
)


@dataclass(frozen=True, slots=True)
class Temporal:
    """``neutral``: the value of a candidate without a time. ``inside_share``: the value of a span wholly inside the
    asked time, in addition to the share of it that it covers. ``other_months``: the part of the value that is left if
    no asked month is covered; where only months are asked, the weight is smaller by that part.
    """

    name: ClassVar[SignalName] = "temporal"
    columns: ClassVar[tuple[AnyColumn, ...]] = (SPANS, MODIFIED_MS)
    weight: float
    neutral: float
    inside_share: float
    other_months: float
    recency_half_life_days: float

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)
        check_shares(neutral=self.neutral, inside_share=self.inside_share, other_months=self.other_months)
        check_positive(recency_half_life_days=self.recency_half_life_days)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        if not inputs.target.asks_time:
            return None
        scores = self.scores(inputs.candidates, inputs.target)
        if inputs.target.bounded_spans or inputs.target.latest:
            return MeasuredSignal.or_neutral(scores, self.weight, self.neutral)
        return MeasuredSignal.or_neutral(scores, self.weight * (1.0 - self.other_months), 1.0)

    def scores(self, candidates: Candidates, target: Target) -> Floats:
        """(n,) 0..1, NaN for a candidate without a time; the mean of all asked spans and of recency.

        The best of a candidate's spans counts for each. A candidate without the asked months has less.
        """
        spans, parts = candidates[SPANS], []
        for asked in target.bounded_spans:
            parts.append(spans.best(span_score(overlap(asked, spans.values, target.moment_ms), self.inside_share)))
        if target.latest:
            parts.append(recency(candidates, target.moment_ms, self.recency_half_life_days))
        if not target.months:
            return mean_of_measured(parts)
        has_months = spans.best(covers_months(spans.values, target.months, target.moment_ms))
        if not parts:
            return has_months
        return mean_of_measured(parts) * np.where(has_months == 0.0, self.other_months, 1.0)

    def reasons(self, inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        target, rows = inputs.target, inputs.candidates[SPANS].of_candidate(index)
        reasons = [_span_reason(span, rows, target.moment_ms) for span in target.bounded_spans if len(rows)]
        if target.months and len(rows):
            reasons.append(_months_reason(rows, target))
        if target.latest or not reasons:
            value = float(raw[index])
            reasons.append(Reason(f"how recent: {percent(value)} of the newest possible", "recency", {"raw": value}))
        return tuple(reasons)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("says nothing of its time", counted)


def span_score(shares: Overlap, inside_share: float) -> Floats:
    """How well spans match an asked one, (n,) 0..1.

    The share of the asked time that is covered. The part of the span inside the asked time raises this to at most
    ``inside_share``, so that one campaign of 2003 is a lesser answer to "since 1990". Full coverage is 1, however long
    the span; no coverage is 0. A question without an end ("before 1950") has no share to cover: there the score is the
    share of the span that is inside.
    """
    if shares.asked_share is None:
        return shares.span_share
    return shares.asked_share + inside_share * (1.0 - shares.asked_share) * shares.span_share


def covers_months(spans: Floats, months: Sequence[int], now_ms: int) -> Floats:
    """(n,) 1 for each of ``spans`` (n, 2) that has a day in one of the months (1 to 12), else 0.

    A span of a year or longer has every month.
    """
    starts, ends = spans[:, 0], np.where(np.isinf(spans[:, 1]), np.maximum(spans[:, 0], float(now_ms)), spans[:, 1])
    short = ends - starts < _YEAR_MS - _DAY_MS
    first, last = (
        np.where(short, edge, 0.0).astype("int64").astype("datetime64[ms]").astype("datetime64[M]").astype(np.int64)
        for edge in (starts, ends)
    )
    asked = np.array([[month - 1] for month in months])
    covered: Floats = (~short | (((asked - first) % 12) <= last - first).any(axis=0)).astype(np.float64)
    return covered


def _months_reason(rows: Floats, target: Target) -> Reason:
    names = ", ".join(calendar.month_name[month] for month in target.months)
    if covers_months(rows, target.months, target.moment_ms).any():
        return Reason(f"has data of {names}", "covers_months", {"months": list(target.months)})
    return Reason(f"has no data of {names}", "outside_months", {"months": list(target.months)})


def recency(candidates: Candidates, now_ms: int, half_life_days: float) -> Floats:
    """2^(-age / half life) since the end of a record's coverage, else since its modification: (n,) 0..1."""
    spans = candidates[SPANS]
    covered = spans.least(age_ms(spans.values, now_ms))
    since_change = np.maximum(now_ms - candidates[MODIFIED_MS], 0.0)
    ages = np.where(np.isnan(covered), since_change, covered)
    halved: Floats = np.exp2(-ages / (half_life_days * _DAY_MS))
    return halved


def _span_reason(span: TimeSpan, rows: Floats, now_ms: int) -> Reason:
    start, end = _year(span.start_ms), _year(span.end_ms)
    period, values = _period(span, now_ms), {"start": start, "end": end}
    shares = overlap(span, rows, now_ms)
    if shares.asked_share is None:
        share = float(shares.span_share.max())
        text = f"{percent(share)} of its time lies {period}" if share > 0.0 else "lies outside the time asked for"
        return Reason(text, "inside_period", {**values, "share": share})
    share = float(shares.asked_share.max())
    if share == 0.0:
        return Reason(f"lies outside {period}", "outside_period", values)
    return Reason(f"covers {percent(share)} of {period}", "covers_period", {**values, "share": share})


def _period(span: TimeSpan, now_ms: int) -> str:
    """For a sentence: "1990-01-01 to now"; of an endless one, "before 1951-01-01" or "on or after 2026-11-27"."""
    start, end = _year(span.start_ms), _year(span.end_ms)
    if start is None and span.end_ms is not None:
        return f"before {_year(span.end_ms + 1)}"
    if end is None and asked_ends_ms(span, now_ms)[1] == math.inf:
        return f"on or after {start}"
    return f"{start} to {end or 'now'}"


def _year(instant: int | None) -> str | None:
    if instant is None:
        return None
    if abs(instant) > _LATEST_DATE_MS:
        return f"year {instant / _YEAR_MS + 1970:.4g}"
    return iso(instant).split("T")[0]


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


def _steps_s(fields: Fields) -> tuple[float, ...]:
    stated = first(fields, "resolution.time_step")
    steps = (stated,) if stated else time_steps(str(first(fields, "title_sort") or ""))
    return tuple(seconds for step in steps if (seconds := step_seconds(step)) is not None)


STEPS_S: Column[tuple[float, ...], Rows] = Column(
    "steps_s", ("resolution.time_step", "title_sort"), _steps_s, lambda values: rows_of(values, 1)
)
"""Rows of a time step in seconds: the one that the record states, else those that its title names."""


@dataclass(frozen=True, slots=True)
class ResolutionSignal:
    """``expected_weight`` replaces ``weight`` if only the size of the place, not a word, implies a resolution.

    ``cells_across``: the number of grid cells across the asked place that is suitable. ``level_km2``: least and most
    area of records of each level; the ranges overlap widely, because catalogues use these words loosely.
    """

    name: ClassVar[SignalName] = "resolution"
    columns: ClassVar[tuple[AnyColumn, ...]] = (RESOLUTION_M, STEPS_S, BOXES)
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
            steps = candidates[STEPS_S]
            parts.append(steps.best(closeness(steps.values[:, 0], step_s)))
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
        resolution_m, target = inputs.candidates[RESOLUTION_M][index], inputs.target
        own_m = None if np.isnan(resolution_m) else float(resolution_m)
        size = _length(own_m) if own_m is not None else "its extent or time step"
        if not target.asks_resolution:
            text = f"resolution {size}, compared with what a place of this size needs"
            return (Reason(text, "resolution_expected", {"own_m": own_m}),)
        asked_m = resolution_metres(target.resolution)
        words = [word for word in (target.resolution.time_step, target.level) if word]
        asked_resolutions = [*([_length(asked_m)] if asked_m is not None else []), *words]
        values = {"own_m": own_m, "asked_m": asked_m, "asked": words}
        return (Reason(f"{size} against {', '.join(asked_resolutions)}", "resolution_asked", values),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("says nothing of its resolution", counted)


def _length(metres: float) -> str:
    """Three digits of it."""
    value, unit = (metres / 1000.0, "km") if metres >= 1000.0 else (metres, "m")
    return f"{float(f'{value:.3g}'):,g} {unit}"


def closeness(values: Floats, asked_value: float) -> Floats:
    """exp(-|ln(value / wanted)| / 2), (n,) 0..1: half or double is .71, ten times .32; NaN if unknown."""
    positive = np.where(values > 0.0, values, np.nan)
    close: Floats = np.exp(-np.abs(np.log(positive / asked_value)) / 2.0)
    return close


def level_scores(areas_km2: Floats, of_level: tuple[float, float]) -> Floats:
    """1 inside the level's range of areas, falling to 1/e at ten times outside it; (m,)."""
    smallest, largest = of_level
    outside = np.maximum(np.maximum(smallest / areas_km2, areas_km2 / largest), 1.0)
    scores: Floats = np.exp(-np.log10(outside))
    return scores
