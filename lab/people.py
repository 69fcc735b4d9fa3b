"""Simulated people: who asks what, and opens which hits.

They follow a position-based click model (Craswell et al., WSDM 2008): a hit is opened if its position is looked at,
with the chance position^-attention, and if it pleases: by its grade, or by mistake with the chance ``noise``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from search_api.search.openings import LoggedSearch

Grades = Mapping[str, int]
"""Of one question: the grade by document; 0 or absent is not relevant."""

HITS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Habits:
    """``attention``: how fast it falls with the position; ``skew``: how much more often the usual questions are asked
    than the rare ones (Zipf).
    """

    people: int = 200
    questions: int = 20_000
    days: int = 30
    attention: float = 1.0
    noise: float = 0.1
    skew: float = 0.8
    seed: int = 22


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Person ``who`` (from 0) asks question number ``question`` (from 0)."""

    who: int
    question: int


@dataclass(slots=True)
class People:
    """Draws from one seed, in one order: the same month each time."""

    habits: Habits
    _random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.habits.seed)

    def inquiries_by_day(self, count: int) -> Iterator[list[Inquiry]]:
        """Day after day; ``count`` different questions, the first is asked most."""
        habits = self.habits
        popularity = np.arange(1, count + 1) ** -habits.skew
        per_day, remainder = divmod(habits.questions, habits.days)
        for day in range(habits.days):
            size = per_day + (day < remainder)
            people = self._random.integers(habits.people, size=size)
            questions = self._random.choice(count, size=size, p=popularity / popularity.sum())
            yield [Inquiry(int(person), int(question)) for person, question in zip(people, questions, strict=True)]

    def open_hits(self, hits: Sequence[str], grades: Grades) -> tuple[str, ...]:
        """Which of the hits somebody opens, best first."""
        chances = np.arange(1, len(hits) + 1, dtype=float) ** -self.habits.attention
        chances *= [opening_chance(grades.get(record, 0), self.habits.noise) for record in hits]
        return tuple(record for record, hit in zip(hits, self._random.random(len(hits)) < chances, strict=True) if hit)


def opening_chance(grade: int, noise: float, best: int = 2) -> float:
    """The chance that a hit of this grade is opened by somebody who looks at it."""
    return noise + (1.0 - noise) * (2.0 ** max(min(grade, best), 0) - 1.0) / (2.0**best - 1.0)


def script(question: str, hits: Sequence[str], record: str, day: str, times: int) -> list[LoggedSearch]:
    """One key that asks and opens its own record all day, whatever the ranking."""
    return [LoggedSearch(question, "k-script", day, tuple(hits), (record,)) for _ in range(times)]
