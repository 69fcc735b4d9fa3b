"""What a run left out, and why, at its end. Under CI a skip that ``tests/skips.toml`` does not name fails the run."""

from __future__ import annotations

import fnmatch
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

_LIST = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True, slots=True)
class Skip:
    """A test that was left out, and the reason that it gave."""

    test: str
    reason: str


def listed() -> list[Skip]:
    """The patterns of ``tests/skips.toml``, as fnmatch reads them."""
    rows = tomllib.loads(_LIST.read_text("utf-8")).get("skip", [])
    return [Skip(row["test"], row["reason"]) for row in rows]


def unlisted(skips: list[Skip], known: list[Skip]) -> list[Skip]:
    """Those that no row names; test and reason must both fit."""
    return [
        skip
        for skip in skips
        if not any(
            fnmatch.fnmatchcase(skip.test, row.test) and fnmatch.fnmatchcase(skip.reason, row.reason) for row in known
        )
    ]


def of_run(config: pytest.Config) -> list[Skip]:
    """What this run left out. A file left out whole counts as one."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter is not None else []
    return [Skip(report.nodeid, _reason(report)) for report in reports if not hasattr(report, "wasxfail")]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if os.environ.get("CI") == "true" and unlisted(of_run(session.config), listed()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    skips = of_run(config)
    if not skips:
        return
    terminalreporter.section("left out")
    unknown = unlisted(skips, listed())
    for skip in skips:
        mark = "NOT LISTED in tests/skips.toml: " if skip in unknown else ""
        terminalreporter.write_line(f"{mark}{skip.test}: {skip.reason}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return said.removeprefix("Skipped: ")
