"""The doctor's result for one part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: its state and, if it has a problem, what to do."""

    part: str
    state: State
    told: str
