"""The rows of faults and lost searches, and how they get into ``results/VERSION/cluster.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lab.results.tables import ResultRow, ResultTable, load_table, newest_results, save_table
from sonde.ops.measured import this_run
from tests.cluster.progress import say

COMMAND = "make cluster-check"
TOTAL = "searches"
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

    def figures(self) -> dict[str, int | float]:
        return {
            "took_s": round(self.took_s),
            "asked": self.asked,
            "lost": self.lost,
            "lost_with_retry": self.lost_with_retry,
            "degraded": self.degraded,
            "slowest_s": round(self.slowest_s, 1),
        }

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

    def _keep(self) -> None:
        rows = [asdict(row) for row in self.rows]
        self.file.write_text(json.dumps({"rows": rows, "notes": self.notes}, indent=1), "utf-8")


def write_findings(found: Findings, order: Sequence[str]) -> None:
    """Puts the rows of this run in the place of those of the last one; other rows of the table stay."""
    file = newest_results() / "cluster.json"
    save_table(file, with_findings(load_table(file), found, order))


def with_findings(table: ResultTable, found: Findings, order: Sequence[str]) -> ResultTable:
    run = this_run()
    about = {"command": COMMAND, "version": run["version"], "commit": run["commit"], "machine": run["machine"]}
    about |= {"measured_on": run["at"][:10]}
    keys = {row.what: key for key, row in table.rows.items()}
    rows = dict(table.rows)
    for row in found.rows:
        rows[keys.get(row.name, _key(row.name))] = ResultRow(what=row.name, figures=row.figures(), **about)
    total = table.rows[TOTAL]
    rows[TOTAL] = ResultRow(what=total.what, note=total.note, figures=_total(found.rows), **about)
    places = {name: place for place, name in enumerate(order)}
    ordered = sorted(rows.items(), key=lambda row: places.get(row[1].what, len(places)))
    return table.model_copy(update={"rows": dict(ordered)})


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _total(rows: Sequence[Row]) -> dict[str, int]:
    killed = [row for row in rows if row.name.startswith(_MAY_LOSE) and row.lost]
    others = [row for row in rows if row not in killed]
    return {
        "asked": sum(row.asked for row in others),
        "lost": sum(row.lost for row in others),
        "killed_asked": sum(row.asked for row in killed),
        "killed_lost": sum(row.lost for row in killed),
        "lost_with_retry": sum(row.lost_with_retry for row in rows),
    }
