"""What a breakage is called afterwards, and a libfaketime that Python cannot live with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.errors import SondeError
from lab.cli.chaos_cluster import keep_in, read_trials
from lab.cluster import clock
from lab.cluster.trial import TrialOutcome


def _outcome(**given: object) -> TrialOutcome:
    made = {"searches": {"right": 9}, "search_back_s": 2.0, "harvest_back_s": 4.0, **given}
    return TrialOutcome("api", "kill -9 of the API", 100, **{"missing": 0, "strange": 0, **made})  # type: ignore[arg-type]


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
        (_outcome(note="broken off: api does not answer"), "WRONG (broken off: api does not answer)"),
        (_outcome(searches={"failed": 2}, bad={"failed: ReadTimeout": 2}), "WRONG (2 x failed: ReadTimeout)"),
    ],
)
def test_the_verdict_of_a_trial(outcome: TrialOutcome, said: str | None) -> None:
    found = outcome.wrong(within=30.0)
    assert (found or "").startswith(said or "")
    assert (found is None) == (said is None)


def test_a_clock_library_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert re.search("no libfaketime at .*--faketime", clock.clock_trouble(tmp_path / "libfaketime.so.1") or "")


def test_processes_follow_the_file_and_not_with_the_monotonic_clock(tmp_path: Path) -> None:
    given = clock.clock_environment(tmp_path / "library", tmp_path / "clock")
    assert given["FAKETIME_TIMESTAMP_FILE"] == str(tmp_path / "clock")
    assert given["FAKETIME_DONT_FAKE_MONOTONIC"] == "1"
    clock.reset_clock(tmp_path / "clock")
    assert (tmp_path / "clock").read_text("utf-8") == "+0"


def test_rows_are_kept_for_a_course_that_goes_on(tmp_path: Path) -> None:
    file, rows = tmp_path / "figures.json", [_outcome(), _outcome(missing=1, note="broken off: no broker")]
    assert read_trials(file) == []
    keep_in(file, {"cores": "2"}, rows)
    assert read_trials(file) == rows
    file.write_text('{"trials": [{"colour": "red"}]}', "utf-8")
    with pytest.raises(SondeError, match="not what --json writes"):
        read_trials(file)
