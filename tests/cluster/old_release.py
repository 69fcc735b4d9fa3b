"""0.1.0 with data becomes this version in the cluster while it harvests and somebody searches, and goes back."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from lab.operating.filling import KindComparison, compare_contents
from lab.operating.upgrade import UpgradeStep
from tests.cluster.faults import (
    WORKERS_OF_0_1_0,
    Release,
    ask,
    key_of,
    merged,
    samples_folder,
    service_url,
    upload,
)
from tests.cluster.held import Held
from tests.cluster.node import HERE, ROOT, Node, wait_until
from tests.cluster.progress import say, step
from tests.cluster.searched import searched
from tests.cluster.servers import CATALOGUE_RECORDS, SEARCH
from tests.cluster.table import Findings

COMMIT, TAG = "de8d5a74f0972c5a06c308041c14d52c526f791e", "0.1.0"
IMAGE = f"localhost/sonde:{TAG}"
PREFIX, SAMPLES, SLOW = "old", "samples", "slow"
BECOMES, REINDEX, BACK = "0.1.0 becomes this version during a harvest", "then `sonde reindex`", "then back to 0.1.0"
_HARVESTED_BEFORE = 60
_VOCABULARY = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<https://example.org/rain> a skos:Concept ; skos:prefLabel "rainfall"@en ; skos:altLabel "pluviometry"@en .
"""
_API = ("exec", "-i", "deploy/demo-sonde-api", "--")


def upgraded_with_data(node: Node, values: Mapping[str, Any], found: Findings) -> None:
    """``values``: of this version. Raises RuntimeError where anything is missing, or changed that may not change."""
    told = yaml.safe_load((HERE / "old-values.yaml").read_text("utf-8"))
    chart = _chart(node.folder / "old-chart")
    old = Release(node, merged(told["both"], told["old"]), chart=chart, workers=WORKERS_OF_0_1_0)
    new = Release(node, merged(values, told["both"]))
    with step("install 0.1.0, fill every index"):
        old.must("install")
        old.wait(1)
        key = _fill(node)
    notes = [*_upgraded(node, new, key, found), *_there_and_back(old, key, found)]
    found.note("From 0.1.0 with data", notes)
    with step("uninstall 0.1.0"):
        old.must("uninstall")


def _upgraded(node: Node, new: Release, key: str, found: Findings) -> list[str]:
    """Lines of the page. The upgrade begins while a slow catalogue is harvested, and the harvest ends after it."""
    _harvest(node, SLOW)
    wait_until(lambda: _written(node, SLOW) >= _HARVESTED_BEFORE, 300, "the slow harvest has begun to write")
    before, harvested = _held(node, key), _written(node, SLOW)

    def upgrade() -> None:
        new.must("install")
        new.wait(1)

    found.add(searched(node, service_url(node), BECOMES, upgrade))
    upgraded = _written(node, SLOW)
    wait_until(lambda: _written(node, SLOW) == CATALOGUE_RECORDS, 600, "the harvest goes on to its end")
    numbers = f"- Of {CATALOGUE_RECORDS} records of a slow catalogue {harvested} were written when the upgrade began,"
    line = f"{numbers} {upgraded} when every pod was new; the harvest went on to its end by itself."
    return [line, _compared("after that", before, _held(node, key))]


def _there_and_back(old: Release, key: str, found: Findings) -> list[str]:
    node = old.node
    filled, url = _held(node, key), service_url(node)

    def back() -> None:
        node.kubectl(*_API, "sonde", "reindex", "--rollback")
        old.must("rollback")
        old.wait(1)

    found.add(searched(node, url, REINDEX, lambda: str(node.kubectl(*_API, "sonde", "reindex"))))
    reindexed = _compared("after `sonde reindex`", filled, _held(node, key))
    found.add(searched(node, url, BACK, back))
    return [reindexed, _compared("after the way back", filled, _held(node, key))]


def _chart(folder: Path) -> Path:
    """Of the commit, out of this checkout's history."""
    done = subprocess.run(["git", "-C", ROOT, "archive", COMMIT, "helm/sonde"], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder / "helm" / "sonde"


def _fill(node: Node) -> str:
    """Records, a public document, a vocabulary, and a user's documents, by the key that it returns."""
    count = len(list(samples_folder().glob("*.xml")))
    _harvest(node, SAMPLES)
    wait_until(lambda: _written(node, SAMPLES) == count, 600, "the samples are there")
    node.kubectl(*_API, "sh", "-c", _loads("rain.ttl", "vocabulary load"), given=_VOCABULARY)
    note = (HERE / "upload.txt").read_text("utf-8")
    node.kubectl(*_API, "sh", "-c", _loads("note.txt", "ingest"), given=note)
    return upload(node)


def _loads(name: str, command: str) -> str:
    return f"cat > /tmp/{name} && sonde {command} /tmp/{name}"


def _harvest(node: Node, source: str) -> None:
    """By the API, as an operator's portal does."""
    key = key_of(node, "steward", "admin")
    headers = ("-H", f"Authorization: Bearer {key}", "-H", "Content-Type: application/json")
    ask(node, "/harvest/runs", *headers, "--data", json.dumps({"source": source}))


def _written(node: Node, source: str) -> int:
    """Records of it that are written; 0 while there is no index."""
    index = f"{SEARCH}/{PREFIX}-records"
    node.attempt("curl", "--silent", "-X", "POST", f"{index}/_refresh")
    done = node.attempt("curl", "--silent", "--fail", f"{index}/_count?q=source:{source}")
    return int(json.loads(done.stdout)["count"]) if done.returncode == 0 else 0


def _held(node: Node, key: str) -> Held:
    file = node.folder / "held.json"
    done = node.module("tests.cluster.held", service_url(node), PREFIX, key, str(file))
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return Held(**json.loads(file.read_text("utf-8")))


def _compared(when: str, before: Held, now: Held) -> str:
    """A line of the page. Raises RuntimeError where something is lost."""
    kinds = compare_contents(before.contents, now.contents)
    outcome = UpgradeStep(when, 0.0, "", {}, tuple(kinds))
    if outcome.lost or now.files != before.files or not (now.own_hits and now.hits):
        raise RuntimeError(f"{when}: {outcome.lost} lost, {kinds}, own {now.own_hits}, all {now.hits}")
    line = f"- {when[:1].upper()}{when[1:]}: of {_count(kinds)} documents of {len(kinds)} indices none is missing"
    say(f"{line}; {[(one.kind, one.before, one.changed) for one in kinds]}")
    return f"{line}."


def _count(kinds: list[KindComparison]) -> int:
    return sum(one.before for one in kinds)
