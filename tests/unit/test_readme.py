"""The answer that README shows is one that the samples give, and its figures are few."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from reading.gazetteer import Gazetteer

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text("utf-8")
MOST_FIGURES = 3


def _answer() -> dict[str, Any]:
    found = re.search(r"```json\n(.*?)```", TEXT, re.S)
    assert found is not None
    answer: dict[str, Any] = json.loads(found[1])
    return answer


def test_the_record_of_the_shown_answer_is_among_the_samples() -> None:
    (feature,) = _answer()["features"]
    source, _, name = feature["id"].partition(":")
    assert source == "samples"
    assert feature["properties"]["title"] in (ROOT / f"samples/records/{name}.xml").read_text("utf-8")


def test_the_shown_place_has_the_gazetteer_s_box() -> None:
    (place,) = _answer()["sonde:interpretation"]["places"]
    box = Gazetteer().lookup(place["name"])[0].bbox
    assert place["bbox"] == [box.west, box.south, box.east, box.north]


def test_the_parts_of_the_score_add_up_to_nearly_all_of_it() -> None:
    """The answer is shortened: small signals are left out."""
    (feature,) = _answer()["features"]
    shown = sum(signal["contribution"] for signal in feature["sonde:explanation"]["signals"])
    assert 0.8 * feature["sonde:score"] < shown <= feature["sonde:score"]


def test_few_figures_each_with_a_command() -> None:
    quality = TEXT.partition("## How good")[2].partition("\n## ")[0]
    rows = [line for line in quality.splitlines() if "<!-- figure:" in line]
    assert 0 < len(rows) <= MOST_FIGURES
    assert all("`sonde " in row for row in rows)
