"""What is common to signals that read only the best, after the others are combined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from search_api.search.ranking.fields import AnyColumn
from search_api.search.ranking.numbers import check_positive, check_shares
from search_api.search.ranking.signals.signal import Asked, Measured


@dataclass(frozen=True, slots=True)
class OfTheBest:
    """``weight``: its share of the score; ``depth``: how many of the best it reads."""

    columns: ClassVar[tuple[AnyColumn, ...]] = ()
    weight: float
    depth: int

    def __post_init__(self) -> None:
        check_shares(weight=self.weight)
        check_positive(depth=self.depth)

    def measure(self, _asked: Asked) -> Measured | None:
        """Not with the others: its own stage measures it later."""
        return None
