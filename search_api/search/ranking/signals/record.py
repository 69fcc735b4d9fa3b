"""Signals of a record itself: its names, its kind, how often it is opened, and whether it holds data.

The arm ``names`` measures which share of the question's names a record has
(:mod:`search_api.search.retrieval.known_names`). Of records with equal shares, the newest version comes first.

The value of a record comes with the candidates, as the arms' do: :mod:`search_api.search.openings` estimates it
from the query log. It is measured only for questions that enough people asked; for all others it does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from core.hit import SignalName
from core.record import ProvenanceKind
from reading.kinds import is_companion
from search_api.search.ranking.candidates import AnyColumn, Column, Flags, Floats, first
from search_api.search.ranking.numbers import check_not_negative, check_positive, check_shares
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, percent, unknown_reason

Version = tuple[int, ...]
_ALL_NAMES = 0.9  # a contact counts a little less than a name of the data
_NUMBER = re.compile(r"\d{1,9}")


def version_numbers(text: str) -> Version:
    """``V006`` as (6,), ``6.1`` as (6, 1); empty for a text without a number."""
    return tuple(int(number) for number in _NUMBER.findall(text))


VERSION: Column[Version, Sequence[Version]] = Column(
    "version", ("names.version",), lambda fields: version_numbers(str(first(fields, "names.version") or "")), tuple
)


@dataclass(frozen=True, slots=True)
class NamesSignal:
    """``newest``: the part of the value that depends on the version, among records with equal shares of the names."""

    name: ClassVar[SignalName] = "names"
    columns: ClassVar[tuple[AnyColumn, ...]] = (VERSION,)
    weight: float
    newest: float

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)
        check_shares(newest=self.newest)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        raw = inputs.candidates.arms.get(self.name)
        if raw is None or not np.nanmax(raw, initial=0.0) > 0.0:
            return None
        shares = np.minimum(np.nan_to_num(raw), 1.0)
        counted = shares * (1.0 - self.newest * (1.0 - newness(shares, inputs.candidates[VERSION])))
        return MeasuredSignal(raw, self.weight, counted)

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        value = float(min(raw[index], 1.0))
        text = "has the names asked for" if value >= _ALL_NAMES else "has or mentions names of the question"
        return (Reason(text if value > 0.0 else "has no name of the question", "names", {"raw": value}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("its names were not compared", counted)


def newness(shares: Floats, versions: Sequence[Version]) -> Floats:
    """(n,) 0..1: of the records with the largest share, 1 for the newest version and 0 for the oldest; else 1."""
    best = np.flatnonzero(shares >= np.max(shares, initial=0.0) - 1e-6).tolist()
    order = {version: place for place, version in enumerate(sorted({versions[index] for index in best}))}
    result = np.ones(len(shares))
    for index in best if len(order) > 1 else ():
        result[index] = order[versions[index]] / (len(order) - 1)
    return result


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
        asked_kind = inputs.target.kind
        if asked_kind is None or not inputs.target.asks_kind:
            return None
        return MeasuredSignal.or_neutral(self.scores(asked_kind, inputs.candidates[KIND]), self.weight, self.neutral)

    def scores(self, asked_kind: ProvenanceKind, kinds: Kinds) -> Floats:
        """(n,) 0..1 in the order of ``kinds``, NaN where unknown."""
        closeness = {kind: self._closeness(asked_kind, kind) for kind in set(kinds)}
        return np.array([closeness[kind] for kind in kinds], dtype=np.float64)

    def _closeness(self, asked_kind: ProvenanceKind, kind: ProvenanceKind) -> float:
        if kind == "unknown":
            return np.nan
        if asked_kind == kind:
            return 1.0
        return self.closeness.get(f"{asked_kind} {kind}", self.closeness.get(f"{kind} {asked_kind}", 0.0))

    def reasons(self, inputs: RankingInput, _raw: Floats, index: int) -> tuple[Reason, ...]:
        kind, asked_kind = inputs.candidates[KIND][index], inputs.target.kind
        return (Reason(f"{kind}, asked for {asked_kind}", "kind", {"own": kind, "asked": asked_kind}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("its kind is not known", counted)


LARGEST_WEIGHT = 0.5
"""Half of the weight of words and meaning together, so that openings never count more than the topic."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """When openings of hits count as evidence, and how much.

    ``openings``: the least number of openings in the log. ``people``, ``days``: how many people must have opened a hit
    of a question, and on how many days. ``openers``, ``days``: the same for one record of the question. ``most_a_day``:
    the most openings of one person in a day; a day with more looks like a script and does not count.
    ``examination``: attention falls with the position, as position^-examination; ``longest_odds`` limits its inverse.
    ``non_openers``: a number of people without openings that is added, so that few openings count less. ``bins``: the
    number of steps between 0 and 1.
    """

    openings: int
    people: int
    openers: int
    days: int
    most_a_day: int
    examination: float
    longest_odds: float
    non_openers: float
    bins: int

    def __post_init__(self) -> None:
        check_positive(people=self.people, openers=self.openers, days=self.days, most_a_day=self.most_a_day)
        check_positive(longest_odds=self.longest_odds, bins=self.bins)
        check_not_negative(openings=self.openings, examination=self.examination, non_openers=self.non_openers)


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
        value = float(raw[index])
        text = f"of the people who asked this and saw it, about {percent(value)} opened it"
        return (Reason(text, "opened", {"share": value}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("too few people who asked this saw it", counted)


COMPANION: Column[bool, Flags] = Column(
    "companion",
    ("title_sort",),
    lambda fields: is_companion(str(first(fields, "title_sort") or "")),
    lambda values: np.array(values, dtype=np.bool_),
)


@dataclass(frozen=True, slots=True)
class Companion:
    """Logs, notes and photos of a campaign come after its data, unless the question may ask for them."""

    name: ClassVar[SignalName] = "companion"
    columns: ClassVar[tuple[AnyColumn, ...]] = (COMPANION,)
    weight: float

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        if inputs.target.asks_companion or not inputs.candidates[COMPANION].any():
            return None
        is_data = (~inputs.candidates[COMPANION]).astype(np.float64)
        return MeasuredSignal(is_data, self.weight, is_data)

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        if raw[index]:
            return (Reason("data, not the logs or photos of a campaign", "data"),)
        return (Reason("logs, notes or photos of a campaign: ranked behind its data", "companion"),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("its kind is not known", counted)
