"""The command line on real parts: up, a harvest by the worker and one by hand, a search over HTTP, down."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from elasticsearch import Elasticsearch

from tests.one_machine import ROOT, OneMachine
from tests.service import SAMPLES


@pytest.fixture
def sonde(tmp_path: Path, prefix: str, elasticsearch_url: str, broker_url: str) -> Iterator[OneMachine]:
    made = OneMachine(tmp_path, prefix, elasticsearch_url, broker_url)
    yield made
    made.run("down")


@pytest.mark.timeout(420)
def test_the_whole_line(sonde: OneMachine, es_client: Elasticsearch, prefix: str) -> None:
    sonde.run("up")
    pids = sonde.pids()
    assert len(pids) == 6  # worker, documents, library, beat, api, keeper; the servers are given

    again = sonde.run("up")
    assert sorted(sonde.pids()) == sorted(pids), "a second up leaves the running parts alone"
    assert "running" in again

    report = json.loads(sonde.run("harvest", str(SAMPLES), "--source", "by-hand", "--json"))[0]
    assert report["state"] == "complete"
    assert report["counts"]["seen"] == report["counts"]["new"] == 169

    answer = httpx.get(f"{sonde.api}/search", params={"q": "rainfall in southern Africa since 1990"}, timeout=30).json()
    assert answer["features"][0]["id"].endswith(":fewsnet-southern-africa-rainfall")
    assert "FEWS NET" in sonde.run("search", "rainfall in southern Africa since 1990", "--limit", "3")

    assert _counted(es_client, prefix, "scheduled") == 169, "beat started it, the worker did it"
    assert "scheduled" in sonde.run("sources")

    worker = max(pids, key=lambda pid: len(psutil.Process(pid).children()))
    psutil.Process(worker).kill()
    deadline = time.monotonic() + 120
    while not _runs_again(sonde, "worker") and time.monotonic() < deadline:
        time.sleep(0.5)
    assert "started again once" in sonde.run("status")
    pids = [*pids, *sonde.pids()]

    sonde.run("down")
    assert not [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE]


def _runs_again(sonde: OneMachine, part: str) -> bool:
    line = next(line for line in sonde.run("status", expect=None).splitlines() if line.startswith(part))
    return line.split()[1] == "running" and "started again" in line


def _counted(client: Elasticsearch, prefix: str, source: str) -> int:
    """Records of a source, waited for: the schedule fires after three seconds."""
    deadline = time.monotonic() + 120
    count = 0
    while count != 169 and time.monotonic() < deadline:
        time.sleep(1)
        count = client.count(index=f"{prefix}-records", query={"term": {"source": source}}).body["count"]
    return count


def test_what_cannot_be_done_is_one_sentence(sonde: OneMachine) -> None:
    environment = {**sonde.environment, "SONDE_API__PORT": "none"}
    done = subprocess.run(
        [sys.executable, "-m", "sonde", "status"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("sonde: Settings are wrong. SONDE_API__PORT")
    assert "Traceback" not in done.stderr
    assert sonde.run("search", "rain", expect=2) == ""
