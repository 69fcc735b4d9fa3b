"""The table of faults and lost searches in docs/operate.md, between two comments."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.cluster.node import ROOT

PAGE = ROOT / "docs" / "operate.md"
_BLOCK = re.compile(r"(<!-- cluster-check -->\n).*?(<!-- end of cluster-check -->)", re.S)
_HEAD = (
    "| what happened | took | searches asked | lost | lost with one retry after 2 s | degraded | slowest |\n"
    "|---|---|---|---|---|---|---|\n"
)
_MAY_LOSE = ("`kill -9`",)


@dataclass(frozen=True)
class Row:
    name: str
    took_s: float
    asked: int
    lost: int
    lost_with_retry: int
    degraded: int
    slowest_s: float
    failures: tuple[str, ...]

    @classmethod
    def of(cls, name: str, took_s: float, counted: dict[str, Any]) -> Row:
        return cls(name, took_s, **counted | {"failures": tuple(counted["failures"])})

    @property
    def holds(self) -> bool:
        """No search is lost; after a kill, those in progress may be, if one retry gets an answer."""
        return self.lost_with_retry == 0 if self.name.startswith(_MAY_LOSE) else self.lost == 0

    def line(self) -> str:
        numbers = f"{self.asked} | {self.lost} | {self.lost_with_retry} | {self.degraded} | {self.slowest_s:.1f} s"
        return f"| {self.name} | {self.took_s:.0f} s | {numbers} |"


def write_table(rows: Sequence[Row]) -> None:
    day = f"The last run, on {time.strftime('%-d %B %Y')}:\n\n"
    table = day + _HEAD + "".join(f"{row.line()}\n" for row in rows)
    text = PAGE.read_text("utf-8")
    PAGE.write_text(_BLOCK.sub(lambda found: f"{found[1]}{table}{found[2]}", text), encoding="utf-8")
