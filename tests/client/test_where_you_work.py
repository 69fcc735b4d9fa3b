"""The Python and JavaScript of docs/where-you-work.md run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import serving
from tests.service import SAMPLES, Service

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "where-you-work.md").read_text("utf-8")
COUNT = len(list(SAMPLES.glob("*.xml")))


@pytest.fixture(scope="module")
def url(samples: Service) -> Iterator[str]:
    with serving(samples.app) as address:
        yield address


def printed(section: str, language: str, command: list[str], url: str) -> str:
    part = PAGE.split(f"\n## {section}\n")[1].partition("\n## ")[0]
    code = re.search(rf"^```{language}\n(.*?)^```", part, re.MULTILINE | re.DOTALL)
    assert code is not None
    written = code[1].replace("http://localhost:8080", url)
    done = subprocess.run(command, input=written, capture_output=True, text=True, cwd=ROOT, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_ways_print_the_same_hits(url: str) -> None:
    by_node = printed("JavaScript", "javascript", ["node", "--input-type=module", "-"], url).splitlines()
    by_python = printed("Python", "python", [sys.executable, "-"], url).splitlines()
    assert by_python[-1] == f"{COUNT} EPSG:4326"
    assert by_node[0] == by_python[0]
    assert [line.partition(" ")[2] for line in by_node[1:]] == [line.partition(" ")[2] for line in by_python[1:-1]]
    assert by_node[1].endswith("Seasonal rainfall accumulation and anomaly maps for Southern Africa (FEWS NET)")


@pytest.mark.parametrize("section", ["GDAL and geopandas", "OWSLib", "pystac-client"])
def test_what_others_wrote_reads_the_service(url: str, section: str) -> None:
    shown = printed(section, "python", [sys.executable, "-"], url)
    assert {"GDAL and geopandas": "99 EPSG:4326", "OWSLib": "26 ['", "pystac-client": "samples:chirps-v2"}[
        section
    ] in shown
