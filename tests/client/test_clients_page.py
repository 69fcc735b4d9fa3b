"""The Python, R and JavaScript of docs/portals/clients.md run as the page has them, and print what it shows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import serving
from tests.service import SAMPLES, Service

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "portals" / "clients.md").read_text("utf-8")
COUNT = len(list(SAMPLES.glob("*.xml")))
_NUMBER = re.compile(r"^[\d.]+ ")


@pytest.fixture(scope="module")
def url(samples: Service) -> Iterator[str]:
    with serving(samples.app) as address:
        yield address


def _has_httr2() -> bool:
    if shutil.which("Rscript") is None:
        return False
    loaded = ["Rscript", "-e", "library(httr2); library(jsonlite)"]
    return subprocess.run(loaded, capture_output=True, timeout=60, check=False).returncode == 0


def _section(name: str) -> tuple[str, str, str]:
    """Language, code and shown output."""
    part = PAGE.split(f"\n## {name}\n")[1].partition("\n## ")[0]
    code = re.search(r"^```(python|r|javascript)\n(.*?)^```\n\n```text\n(.*?)^```", part, re.MULTILINE | re.DOTALL)
    assert code is not None
    return code[1], code[2], code[3]


def _printed(language: str, code: str) -> list[str]:
    command = {
        "python": [sys.executable, "-"],
        "r": ["Rscript", "-"],
        "javascript": ["node", "--input-type=module", "-"],
    }[language]
    done = subprocess.run(command, input=code, capture_output=True, text=True, cwd=ROOT, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return [line.rstrip() for line in done.stdout.splitlines()]


def _numbers(lines: list[str]) -> list[float]:
    return [float(found[0]) for line in lines if (found := _NUMBER.match(line))]


@pytest.mark.parametrize("section", ["Python", "R", "JavaScript", "GDAL and geopandas", "OWSLib", "pystac-client"])
def test_a_program_prints_what_the_page_shows(url: str, section: str) -> None:
    language, code, shown = _section(section)
    if language == "r" and not _has_httr2():
        pytest.skip("needs R with httr2 and jsonlite")
    printed = _printed(language, code.replace("http://localhost:8080", url))
    lines = shown.splitlines()
    assert [_NUMBER.sub("", line) for line in printed] == [_NUMBER.sub("", line) for line in lines]
    assert _numbers(printed) == pytest.approx(_numbers(lines), rel=0.05)


def test_the_ways_show_the_same_hits() -> None:
    r, javascript, python = (_section(name)[2].splitlines() for name in ("R", "JavaScript", "Python"))
    assert r == javascript == python[:-1]
    assert python[-1] == f"{COUNT} EPSG:4326"


def test_a_wrong_box_is_refused_with_the_message_that_the_page_shows(samples: Service) -> None:
    message = samples.http.get("/search?q=rainfall&bbox=10,-36").get_json()["detail"]
    assert f"`{message}`" in PAGE
