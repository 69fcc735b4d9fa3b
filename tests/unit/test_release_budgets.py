"""What a release may cost: what can be measured in a test is, the rest is recorded with its command."""

from __future__ import annotations

import gzip
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lab.results.tables import load_table, newest_results
from tests.page_files import files_of_a_visit

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = load_table(newest_results() / "release.json").rows


def _settings() -> float:
    return len(re.findall(r"^\| `SONDE_", (ROOT / "docs" / "operators" / "settings.md").read_text("utf-8"), re.M))


def _packages() -> float:
    return len(re.findall(r"^[a-z0-9._-]+(\[.*\])?==", (ROOT / "requirements.lock").read_text("utf-8"), re.M | re.I))


def _modules() -> list[Path]:
    """Of all distributions, the laboratory included; without tests, guides, the page and the chart."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    others = ("tests", "docs", "web", "helm", "integrations", "samples")
    return [ROOT / name for name in listed.splitlines() if "/" in name and name.split("/")[0] not in others]


def _lines() -> float:
    return sum(module.read_bytes().count(b"\n") for module in _modules())


def _visit_kb() -> float:
    return sum(len(gzip.compress(file.read_bytes(), mtime=0)) for file in files_of_a_visit()) / 1024


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
    "modules": lambda: len(_modules()),
    "lines": _lines,
    "visit_kb": _visit_kb,
    "help_s": _help_s,
}


@pytest.mark.parametrize("name", sorted(MEASURED))
def test_it_costs_no_more_than_allowed(name: str) -> None:
    assert 0 < MEASURED[name]() <= (BUDGETS[name].most or 0)


def test_every_budget_is_measured_by_a_test_or_has_a_figure_and_a_command() -> None:
    assert {name for name, row in BUDGETS.items() if row.by_test} == MEASURED.keys()
    assert all(row.most is not None for row in BUDGETS.values())
    assert all("measured" in row.figures for row in BUDGETS.values() if not row.by_test)


def test_what_was_measured_keeps_its_budget() -> None:
    over = {
        name: row.figures["measured"]
        for name, row in BUDGETS.items()
        if row.figures.get("measured", 0) > (row.most or 0)
    }
    assert over == {}
