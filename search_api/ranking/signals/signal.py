"""The port of a signal: what it reads of a candidate, how it scores, and how it explains a score.

A signal is a frozen dataclass whose fields are its section of ``config.json``; so its weight and neutral value stand
there and nowhere else. Signals are pure: they take columns of numbers and return columns of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from core.hit import SignalName
from core.json_types import JsonMapping
from search_api.ranking.candidates import Candidates
from search_api.ranking.columns import Floats
from search_api.ranking.fields import AnyColumn
from search_api.ranking.target import Target


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its candidates. ``cosine_floor``: where the embedder's cosines begin; -1 is theory's."""

    candidates: Candidates
    target: Target
    cosine_floor: float = -1.0


@dataclass(frozen=True, slots=True)
class Measured:
    """What a signal found, by candidate.

    ``raw``: (n,), NaN where it was not measured. ``counted``: (n,) 0..1 without NaN, a neutral value where a candidate
    does not say. None for a search arm: its raw scores rise without a limit from ``least``, and the combiner scales
    them.
    """

    raw: Floats
    weight: float
    counted: Floats | None = None
    least: float = 0.0

    @classmethod
    def or_neutral(cls, raw: Floats, weight: float, neutral: float | Floats) -> Measured:
        """``raw`` is 0..1 already; what does not say counts as ``neutral``."""
        return cls(raw, weight, np.where(np.isnan(raw), neutral, raw))


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence. ``code`` and ``values`` say the same without words: shares and scores 0..1, ``*_deg``, ``*_m``."""

    text: str
    code: str
    values: JsonMapping = field(default_factory=dict)


class Signal(Protocol):
    """One signal with its numbers."""

    name: ClassVar[SignalName]
    columns: ClassVar[tuple[AnyColumn, ...]]
    """What it reads of each candidate."""

    def measure(self, asked: Asked, /) -> Measured | None:
        """None where the question does not ask for it: the ranking is then as if it did not exist."""

    def reasons(self, asked: Asked, raw: Floats, index: int, /) -> tuple[Reason, ...]:
        """Why the candidate at ``index``, which was measured, has its value."""

    def silence(self, counted: float, /) -> Reason:
        """Why a candidate that was not measured counts as ``counted``."""


def unknown_reason(of_what: str, counted: float) -> Reason:
    """The reason of a candidate that does not say what was asked for."""
    return Reason(f"{of_what}: counted as {counted:.2f}", "unknown", {"counted": counted})


def percent(share: float) -> str:
    """A share 0..1 for a sentence."""
    return f"{share * 100:.0f} %" if share >= 0.01 else "less than 1 %"
