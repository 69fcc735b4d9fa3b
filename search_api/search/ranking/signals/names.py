"""The names that a question asks for: products, platforms, instruments, projects, and their beginnings.

The arm ``names`` measures the share of them that a record bears (:mod:`search_api.search.retrieval.known_names`). Of
records that bear them equally, the newest version stands first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.candidates import AnyColumn, Column, Floats, first
from search_api.search.ranking.numbers import check_not_negative, check_shares
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, percent, unknown_reason

Version = tuple[int, ...]
_NUMBER = re.compile(r"\d{1,9}")


def version_numbers(text: str) -> Version:
    """``V006`` as (6,), ``6.1`` as (6, 1); empty for a text without a number."""
    return tuple(int(number) for number in _NUMBER.findall(text))


VERSION: Column[Version, Sequence[Version]] = Column(
    "version", ("names.version",), lambda fields: version_numbers(str(first(fields, "names.version") or "")), tuple
)


@dataclass(frozen=True, slots=True)
class Names:
    """``newest``: the part of the value that the version decides among records that bear the names equally."""

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
        borne = np.minimum(np.nan_to_num(raw), 1.0)
        counted = borne * (1.0 - self.newest * (1.0 - newness(borne, inputs.candidates[VERSION])))
        return MeasuredSignal(raw, self.weight, counted)

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        own = float(min(raw[index], 1.0))
        return (Reason(f"bears the names that the question asks for: {percent(own)}", "names", {"raw": own}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("its names were not compared", counted)


def newness(borne: Floats, versions: Sequence[Version]) -> Floats:
    """(n,) 0..1: of the records that bear the names best, 1 for the newest version and 0 for the oldest; else 1."""
    best = np.flatnonzero(borne >= np.max(borne, initial=0.0) - 1e-6).tolist()
    order = {version: place for place, version in enumerate(sorted({versions[index] for index in best}))}
    result = np.ones(len(borne))
    for index in best if len(order) > 1 else ():
        result[index] = order[versions[index]] / (len(order) - 1)
    return result
