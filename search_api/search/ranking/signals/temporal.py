"""Compares the asked time with the candidate's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from core.timespan import Overlap, TimeSpan, age_ms, iso, overlap
from search_api.search.ranking.candidates import (
    AnyColumn,
    Candidates,
    Column,
    Fields,
    Floats,
    Rows,
    first,
    floats,
    mean_of_measured,
    number,
    rows_of,
)
from search_api.search.ranking.numbers import check_not_negative, check_positive, check_shares
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, percent, unknown_reason
from search_api.search.ranking.target import Target

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
    asked time, in addition to the share of it that it covers.
    """

    name: ClassVar[SignalName] = "temporal"
    columns: ClassVar[tuple[AnyColumn, ...]] = (SPANS, MODIFIED_MS)
    weight: float
    neutral: float
    inside_share: float
    recency_half_life_days: float

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)
        check_shares(neutral=self.neutral, inside_share=self.inside_share)
        check_positive(recency_half_life_days=self.recency_half_life_days)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        if not inputs.target.asks_time:
            return None
        return MeasuredSignal.or_neutral(self.scores(inputs.candidates, inputs.target), self.weight, self.neutral)

    def scores(self, candidates: Candidates, target: Target) -> Floats:
        """(n,) 0..1, NaN for a candidate without a time; the mean of span and recency if both are asked.

        The best of a candidate's spans counts.
        """
        wanted, parts = target.bounded_span, []
        if wanted is not None:
            spans = candidates[SPANS]
            parts.append(spans.best(span_score(overlap(wanted, spans.values, target.moment_ms), self.inside_share)))
        if target.latest:
            parts.append(recency(candidates, target.moment_ms, self.recency_half_life_days))
        return mean_of_measured(parts)

    def reasons(self, inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        span, rows = inputs.target.bounded_span, inputs.candidates[SPANS].of_candidate(index)
        if span is None or len(rows) == 0:
            own = float(raw[index])
            return (Reason(f"how recent: {own:.2f} of 1", "recency", {"raw": own}),)
        return (_span_reason(span, rows, inputs.target.moment_ms),)

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
    period, values = f"{start or '..'} to {end or 'now'}", {"start": start, "end": end}
    shares = overlap(span, rows, now_ms)
    if shares.asked_share is None:
        share = float(shares.span_share.max())
        text = f"{percent(share)} of its time lies in {period}"
        return Reason(text, "inside_period", {**values, "share": share})
    share = float(shares.asked_share.max())
    if share == 0.0:
        return Reason(f"lies outside {period}", "outside_period", values)
    return Reason(f"covers {percent(share)} of {period}", "covers_period", {**values, "share": share})


def _year(instant: int | None) -> str | None:
    if instant is None:
        return None
    if abs(instant) > _LATEST_DATE_MS:
        return f"year {instant / _YEAR_MS + 1970:.4g}"
    return iso(instant).split("T")[0]
