"""The port of a signal: its inputs, its scores, and the explanation of a score.

A signal is a frozen dataclass whose fields are its section of ``config.json``, so its weight and neutral value are
only there. Signals are pure: they take columns of numbers and return columns of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from core.hit import SignalName
from core.json_types import JsonMapping
from core.ports import PLAIN_COSINES, CosineScale
from search_api.search.ranking.candidates import AnyColumn, Candidates, Floats, Target


@dataclass(frozen=True, slots=True)
class RankingInput:
    """A question and its candidates. ``cosines``: how the embedder's are read.
    ``words_share``: the share of their weight that words have beside meaning, less than 1 in a foreign language.
    """

    candidates: Candidates
    target: Target
    cosines: CosineScale = PLAIN_COSINES
    words_share: float = 1.0


@dataclass(frozen=True, slots=True)
class MeasuredSignal:
    """The result of a signal, by candidate.

    ``raw``: (n,), NaN if not measured. ``counted``: (n,) 0..1 without NaN, with a neutral value for a candidate that
    does not state it. None for a search arm: its raw scores have no upper limit and start at ``least``, and the
    combiner scales them. ``compared``: (n,) what it scales in place of ``raw``, on the same scale, if a candidate
    without a raw score counts by another one.
    """

    raw: Floats
    weight: float
    counted: Floats | None = None
    least: float = 0.0
    compared: Floats | None = None

    @property
    def scores(self) -> Floats:
        """(n,) what a combiner scales."""
        return self.raw if self.compared is None else self.compared

    @classmethod
    def or_neutral(cls, raw: Floats, weight: float, neutral: float | Floats) -> MeasuredSignal:
        """``raw`` must be 0..1; missing values count as ``neutral``."""
        return cls(raw, weight, np.where(np.isnan(raw), neutral, raw))


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence. ``code`` and ``values`` give the same without words: shares and scores 0..1, ``*_deg``, ``*_m``."""

    text: str
    code: str
    values: JsonMapping = field(default_factory=dict)


class Signal(Protocol):
    """One signal with its numbers."""

    name: ClassVar[SignalName]
    columns: ClassVar[tuple[AnyColumn, ...]]
    """The columns that the signal reads of each candidate."""

    def measure(self, inputs: RankingInput, /) -> MeasuredSignal | None:
        """None if the question does not ask for it: the ranking is then as if the signal did not exist."""

    def reasons(self, inputs: RankingInput, raw: Floats, index: int, /) -> tuple[Reason, ...]:
        """Explains the value of the candidate at ``index``, which was measured."""

    def silence(self, counted: float, /) -> Reason:
        """Explains why an unmeasured candidate counts as ``counted``."""


def unknown_reason(of_what: str, counted: float) -> Reason:
    """The reason for a candidate that does not state what was asked for."""
    return Reason(of_what, "unknown", {"counted": counted})


def percent(share: float) -> str:
    """A share 0..1 as text for a sentence."""
    return f"{share * 100:.0f} %" if share >= 0.01 else "less than 1 %"
