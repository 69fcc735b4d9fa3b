"""Which unfinished run a harvest by hand continues."""

from __future__ import annotations

import pytest

from indexer.harvest.harvest import open_run
from indexer.parts import Options
from sonde.settings import Settings
from sonde.wiring.harvesting import Harvester

_CHANGES = "2024-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("full", "unfinished", "resumes"),
    [
        (False, Options(since=_CHANGES), True),
        (True, Options(since=_CHANGES), False),
        (True, Options(), True),
        (False, Options(trigger="cli /other/files"), False),
        (False, Options(trigger="worker"), True),
    ],
)
def test_a_full_harvest_does_not_continue_one_of_changes(full: bool, unfinished: Options, resumes: bool) -> None:
    harvester = Harvester(Settings(), full=full)
    assert harvester._may_resume(open_run("s", unfinished), Options()) == resumes
