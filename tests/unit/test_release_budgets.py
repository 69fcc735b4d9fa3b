"""What a release may cost: what can be measured in a test is, the rest is recorded with its command."""

from __future__ import annotations

import gzip
import re
import resource
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = tomllib.loads((ROOT / "docs" / "releases" / "budgets.toml").read_text("utf-8"))


def _settings() -> float:
    return len(re.findall(r"^\| `SONDE_", (ROOT / "docs" / "operators" / "settings.md").read_text("utf-8"), re.M))


def _packages() -> float:
    return len(re.findall(r"^[a-z0-9._-]+(\[.*\])?==", (ROOT / "requirements.lock").read_text("utf-8"), re.M | re.I))


def _visit_kb() -> float:
    pages = ROOT / "search_api" / "page" / "bundle"
    files = [pages / "page.js", pages / "page.css", pages / "map.js", *pages.glob("chunk-*.js")]
    return sum(len(gzip.compress(file.read_bytes(), mtime=0)) for file in files) / 1024


def _help_s() -> float:
    """Processor time, which other work on the machine lengthens less than the clock's; the second of two runs."""
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "sonde", "--help"], cwd=ROOT, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


MEASURED: Mapping[str, Callable[[], float]] = {
    "settings": _settings,
    "packages": _packages,
    "visit_kb": _visit_kb,
    "help_s": _help_s,
}


@pytest.mark.parametrize("name", sorted(MEASURED))
def test_it_costs_no_more_than_allowed(name: str) -> None:
    assert 0 < MEASURED[name]() <= BUDGETS[name]["most"]


def test_every_budget_is_measured_by_a_test_or_has_a_figure_and_a_command() -> None:
    by_test = {name for name, one in BUDGETS.items() if one["measured"] == "test"}
    assert by_test == MEASURED.keys()
    assert all("figure" in one for name, one in BUDGETS.items() if name not in by_test)


def test_the_release_s_page_names_each_with_its_figure() -> None:
    page = (ROOT / "docs" / "releases" / "0.2.0.md").read_text("utf-8")
    for one in BUDGETS.values():
        row = next(line for line in page.splitlines() if line.startswith(f"| {one['about']}"))
        cells = [cell.strip() for cell in row.split("|")]
        assert cells[2] == f"{one['most']:,}"
        assert cells[4] == (f"{one['last']:,}" if "last" in one else "not measured")
        if "figure" in one:
            assert cells[3].startswith(f"{one['figure']:,}")
