"""One version in every place. A failure names the place; `pyproject.toml` is right."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from lab.results.tables import newest_results

ROOT = Path(__file__).resolve().parents[2]
VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
RELEASED = re.match(r"[\d.]*\d", VERSION.partition(".dev")[0])[0]  # type: ignore[index]
"""The version of the release that is prepared: 0.2.0 of 0.2.0.dev0 and of 0.2.0rc1."""


def semantic(version: str) -> str:
    """As Helm writes it: 0.2.0-dev of 0.2.0.dev0, 0.2.0-rc1 of 0.2.0rc1."""
    return re.sub(r"^([\d.]*\d)(rc\d+)$", r"\1-\2", re.sub(r"\.dev\d+$", "-dev", version))


PLACES = {
    ("pyproject.toml", r'"sonde-search-client==(.+)"'): VERSION,
    ("sonde_client/pyproject.toml", r'^version = "(.+)"'): VERSION,
    ("lab/pyproject.toml", r'^version = "(.+)"'): VERSION,
    ("lab/pyproject.toml", r'"sonde-search==(.+)"'): VERSION,
    ("sonde/__init__.py", r'^__version__ = "(.+)"'): VERSION,
    ("Dockerfile", r"^ARG VERSION=(.+)"): VERSION,
    ("server.json", r'^  "version": "(.+)"'): VERSION,
    ("helm/sonde/Chart.yaml", r'^appVersion: "(.+)"'): VERSION,
    ("helm/sonde/Chart.yaml", r"^version: (.+)"): semantic(VERSION),
    ("CHANGELOG.md", r"^## (.+)"): RELEASED if VERSION == RELEASED else f"Unreleased ({RELEASED})",
    ("docs/quality/figures.md", r"`results/([\d.]+)/`"): RELEASED,
}


@pytest.mark.parametrize(("file", "place"), PLACES)
def test_the_version_is_the_same(file: str, place: str) -> None:
    found = re.search(place, (ROOT / file).read_text("utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1].split(" - ")[0] == PLACES[file, place]


def test_the_newest_results_are_this_version_s() -> None:
    assert newest_results().name == RELEASED


def test_the_changelog_of_a_version_is_short() -> None:
    _, *sections = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.M)
    assert [section.partition("\n")[0] for section in sections if len(section.rstrip().splitlines()) > 30] == []


def test_the_chart_s_version_is_a_semantic_one() -> None:
    assert [semantic(one) for one in ("0.2.0.dev0", "0.2.0rc1", "0.2.0")] == ["0.2.0-dev", "0.2.0-rc1", "0.2.0"]
