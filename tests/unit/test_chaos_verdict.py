"""What a breakage is called afterwards, and a libfaketime that Python cannot live with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sonde.cli.chaos_cluster import wrong
from sonde.faults import clock
from sonde.faults.trial import Outcome


def _outcome(**given: object) -> Outcome:
    made = {"searches": {"right": 9}, "search_back_s": 2.0, "harvest_back_s": 4.0, **given}
    return Outcome("api", "kill -9 of the API", 100, **{"missing": 0, "strange": 0, **made})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (_outcome(), None),
        (_outcome(missing=1), "WRONG"),
        (_outcome(strange=1), "WRONG"),
        (_outcome(searches={"right": 9, "failed": 1}), "WRONG"),
        (_outcome(searches={"right": 9, "unmarked": 1}), "WRONG"),
        (_outcome(searches={"right": 9, "degraded": 1, "refused": 1, "unreachable": 1}), None),
        (_outcome(search_back_s=None), "WRONG"),
        (_outcome(search_back_s=30.5), "LATE"),
        (_outcome(harvest_back_s=31.0), "LATE"),
        (_outcome(harvest_back_s=None), "LATE"),
        (_outcome(harvest_back_s=30.0), None),
        (_outcome(search_back_s=None, note="not tried: no library"), None),
    ],
)
def test_the_verdict_of_a_trial(outcome: Outcome, said: str | None) -> None:
    found = wrong(outcome, within=30.0)
    assert (found or "").startswith(said or "")
    assert (found is None) == (said is None)


def test_a_clock_library_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert re.search("no libfaketime at .*--faketime", clock.trouble(tmp_path / "libfaketime.so.1") or "")


def test_processes_follow_the_file_and_not_with_the_monotonic_clock(tmp_path: Path) -> None:
    given = clock.clocked(tmp_path / "library", tmp_path / "clock")
    assert given["FAKETIME_TIMESTAMP_FILE"] == str(tmp_path / "clock")
    assert given["FAKETIME_DONT_FAKE_MONOTONIC"] == "1"
    clock.unmoved(tmp_path / "clock")
    assert (tmp_path / "clock").read_text("utf-8") == "+0"
