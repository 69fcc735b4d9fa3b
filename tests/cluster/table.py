"""The table of faults and lost searches in docs/operate.md, between two comments."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.cluster.node import ROOT
from tests.cluster.progress import say

PAGE = ROOT / "docs" / "operate.md"
_BLOCK = re.compile(r"(<!-- cluster-check -->\n).*?(<!-- end of cluster-check -->)", re.S)
_HEAD = (
    "| what happened | took | searches asked | lost | lost with one retry after 2 s | degraded | slowest |\n"
    "|---|---|---|---|---|---|---|\n"
)
_MAY_LOSE = ("`kill -9`",)
_REFUSED = ("load ",)


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
        """No search is lost; after a kill, those in progress may be, if one retry gets an answer. Under a load that
        pods cannot carry, some are refused: by 503, and in no other way."""
        if self.name.startswith(_REFUSED):
            return all(one.endswith(" 503") for one in self.failures)
        return self.lost_with_retry == 0 if self.name.startswith(_MAY_LOSE) else self.lost == 0

    def line(self) -> str:
        numbers = f"{self.asked} | {self.lost} | {self.lost_with_retry} | {self.degraded} | {self.slowest_s:.1f} s"
        return f"| {self.name} | {self.took_s:.0f} s | {numbers} |"


@dataclass
class Findings:
    """``notes``: lines of the page by what they are about. ``file`` has all of it at each moment."""

    file: Path
    rows: list[Row] = field(default_factory=list)
    notes: dict[str, list[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    @classmethod
    def kept(cls, file: Path) -> Findings:
        """Of earlier runs of single parts."""
        if not file.exists():
            return cls(file)
        told = json.loads(file.read_text("utf-8"))
        return cls(file, [Row(**row | {"failures": tuple(row["failures"])}) for row in told["rows"]], told["notes"])

    def add(self, row: Row) -> None:
        """In the place of an earlier row of that name."""
        self.rows = [*(one for one in self.rows if one.name != row.name), row]
        self._keep()

    def note(self, about: str, lines: list[str]) -> None:
        self.notes[about] = lines
        self._keep()

    def fail(self, why: str) -> None:
        say(f"FAILED {why}")
        self.failures.append(why)

    def text(self, order: Sequence[str]) -> str:
        day = f"The last run, on {time.strftime('%-d %B %Y')}:\n\n"
        rows = sorted(self.rows, key=lambda row: order.index(row.name))
        table = _HEAD + "".join(f"{row.line()}\n" for row in rows)
        notes = (f"\n**{about}.**\n\n" + "".join(f"{one}\n" for one in lines) for about, lines in self.notes.items())
        return f"{day}{table}{''.join(notes)}"

    def _keep(self) -> None:
        rows = [asdict(row) for row in self.rows]
        self.file.write_text(json.dumps({"rows": rows, "notes": self.notes}, indent=1), "utf-8")


def write_findings(found: Findings, order: Sequence[str]) -> None:
    text = PAGE.read_text("utf-8")
    PAGE.write_text(_BLOCK.sub(lambda block: f"{block[1]}{found.text(order)}{block[2]}", text), encoding="utf-8")
