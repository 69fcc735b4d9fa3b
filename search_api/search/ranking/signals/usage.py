"""What people opened who asked the same question before, corrected for the place where it stood.

The value of a record comes with the candidates, as the arms' do: :mod:`search_api.search.usage.openings` estimates it
from the query log. It is measured only for questions that enough people asked; for all others it does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.candidates import AnyColumn, Floats
from search_api.search.ranking.numbers import check_not_negative, check_positive, check_shares
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, percent, unknown_reason

LARGEST_WEIGHT = 0.5
"""Half of what all words and all meaning weigh together: what is opened never counts more than the topic."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """When openings count, and how much.

    ``openings``: of the whole log, before any counts. A question counts if ``people`` opened a hit of it, on ``days``;
    of it, a record counts as opened if ``openers`` opened it, on ``days``. ``most_a_day``: openings of one person; a
    person with more in a day looks like a script, and that day does not count. ``examination``: the exponent by which
    attention falls with the position, position^-examination; ``longest_odds`` limits its inverse. ``unopened``: people
    added who open nothing, so that few openings are not certain. ``bins``: steps between 0 and 1.
    """

    openings: int
    people: int
    openers: int
    days: int
    most_a_day: int
    examination: float
    longest_odds: float
    unopened: float
    bins: int

    def __post_init__(self) -> None:
        check_positive(people=self.people, openers=self.openers, days=self.days, most_a_day=self.most_a_day)
        check_positive(longest_odds=self.longest_odds, bins=self.bins)
        check_not_negative(openings=self.openings, examination=self.examination, unopened=self.unopened)


@dataclass(frozen=True, slots=True)
class Usage:
    """``neutral``: the value of a record that too few people have seen among the hits of this question."""

    name: ClassVar[SignalName] = "usage"
    columns: ClassVar[tuple[AnyColumn, ...]] = ()
    weight: float
    neutral: float
    evidence: Evidence

    def __post_init__(self) -> None:
        check_shares(neutral=self.neutral)
        check_not_negative(weight=self.weight)
        if self.weight > LARGEST_WEIGHT:
            raise ValueError(f"weight is {self.weight}, above {LARGEST_WEIGHT}: it may not count more than the topic")

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        raw = inputs.candidates.arms.get(self.name)
        if raw is None or np.isnan(raw).all():
            return None
        return MeasuredSignal.or_neutral(np.clip(raw, 0.0, 1.0), self.weight, self.neutral)

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        own = float(raw[index])
        text = f"of the people who asked this and saw it, about {percent(own)} opened it"
        return (Reason(text, "opened", {"share": own}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("too few people who asked this saw it", counted)
