"""Messages of beat that waited while no worker ran: the first one that is taken begins a run for all of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from indexer.harvest.harvest import open_run
from indexer.parts import Options
from indexer.store.runs import Runs
from workers.config import WorkerConfig
from workers.slices import Worker


def test_only_a_complete_run_since_the_message_does_what_it_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    unused: Any = type("Parts", (), {"client": None})
    worker = Worker(WorkerConfig("redis://h/0", "p", Path("sources.yaml")), unused, unused)
    queued_s = time.time() - 1.0
    run = open_run("s", Options(), id="run")
    monkeypatch.setattr(Runs, "last_complete", lambda *_, **__: run)
    assert worker._has_begun_since("s", queued_s, "waited")
    assert not worker._has_begun_since("s", queued_s, "run"), "the message of this very run"
    assert not worker._has_begun_since("s", time.time() + 60.0, "later")
    monkeypatch.setattr(time, "time", lambda: queued_s)
    assert not worker._has_begun_since("s", queued_s, "after the clock was set back")
    monkeypatch.setattr(Runs, "last_complete", lambda *_, **__: None)
    assert not worker._has_begun_since("s", queued_s, "first")
