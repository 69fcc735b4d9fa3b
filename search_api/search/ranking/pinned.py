"""A record that a steward puts first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.json_types import Json


@dataclass(frozen=True, slots=True)
class Pinned:
    """The decision of a steward for one question, as the explanation of the hit says it."""

    rule: str
    record: str
    words: str
    reason: str | None = None
    until: date | None = None

    def as_json(self) -> Json:
        until = None if self.until is None else self.until.isoformat()
        said = {"rule": self.rule, "words": self.words, "reason": self.reason, "until": until}
        return {name: value for name, value in said.items() if value is not None}
