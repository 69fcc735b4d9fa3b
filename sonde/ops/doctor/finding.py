"""What the doctor says of one part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: how it is, and, where it is not well, what to do."""

    part: str
    state: State
    told: str
