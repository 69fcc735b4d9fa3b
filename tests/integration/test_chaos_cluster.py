"""The short form of `sonde chaos cluster`: one node, a small harvest, the broker and the API killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lab.cli.chaos_cluster import cluster


@pytest.mark.timeout(600)
def test_what_is_killed_loses_nothing_and_no_search_fails(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    arguments = [
        "--nodes",
        "1",
        "--records",
        "200",
        "--rate",
        "3",
        "--within",
        "600",
        "--break",
        "broker",
        "--break",
        "api",
    ]
    done = CliRunner().invoke(cluster, [*arguments, "--json", str(figures), "--keep", str(tmp_path / "cluster")])
    assert done.exit_code == 0, done.output
    trials = json.loads(figures.read_text("utf-8"))["trials"]
    assert [trial["name"] for trial in trials] == ["broker", "api"]
    for trial in trials:
        assert (trial["expected"], trial["missing"], trial["strange"]) == (200, 0, 0)
        assert not trial["searches"].get("failed")
        assert not trial["searches"].get("unmarked")
        assert trial["searches"]["right"] > 0
    log = (tmp_path / "cluster" / "logs" / "worker.log").read_text("utf-8")
    assert "Connection to broker lost" in log
    assert "Terminating it" not in log  # what was in hand went on without the broker
