"""One licence for the code and one for the samples, wherever they are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CODE, SAMPLES = "Apache-2.0", "CC0-1.0"
NAMED = {
    "pyproject.toml": r'^license = "(.+)"$',
    "sonde_client/pyproject.toml": r'^license = "(.+)"$',
    "lab/pyproject.toml": r'^license = "(.+)"$',
    "integrations/ckanext-sonde/pyproject.toml": r'^license = "(.+)"$',
    "Dockerfile": r'licenses="(.+)"$',
    "helm/sonde/Chart.yaml": r"artifacthub\.io/license: (.+)$",
}


@pytest.mark.parametrize("file", NAMED)
def test_each_part_names_the_licence_of_the_code(file: str) -> None:
    assert re.findall(NAMED[file], (ROOT / file).read_text("utf-8"), re.M) == [CODE]


def test_the_text_is_that_licence() -> None:
    text = " ".join((ROOT / "LICENSE").read_text("utf-8").split())
    assert text.startswith("Apache License Version 2.0")


def test_the_samples_have_the_licence_that_their_page_says() -> None:
    (source,) = yaml.safe_load((ROOT / "sources.yaml").read_text("utf-8"))["sources"]
    assert source["licence"] == SAMPLES
    assert f"({SAMPLES.partition('-')[0]})" in (ROOT / "samples" / "README.md").read_text("utf-8")
