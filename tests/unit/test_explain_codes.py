"""Reasons as codes: what the page says in German must be what the English sentence says."""

from __future__ import annotations

import math
from typing import Any

import pytest

from core.geo import BBox
from core.record import Resolution
from core.timespan import TimeSpan, instant_ms
from search_api.search.ranking.candidates import AreaName, Target
from search_api.search.ranking.config import default_config
from search_api.search.ranking.rank import explain, rank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of

ASKED = Target(
    boxes=(BBox(0, -10, 20, 10),),
    spans=(TimeSpan.from_iso("2005", "2014"),),
    resolution=Resolution(metres=30),
    kind="observation",
    places=(AreaName("the Congo basin"),),
    now_ms=instant_ms("2026-01-01"),
)


def codes(candidate: Candidate, target: Target = ASKED) -> dict[str, list[dict[str, Any]]]:
    explanation = explain(rank(candidates_of([candidate]), target, default_config().records), 0)
    return {part["signal"]: part["reasons"] for part in explanation["signals"]}


def test_each_reason_has_a_code_and_the_numbers_of_its_sentence() -> None:
    half = Candidate(
        "half",
        {"bm25": 2.0, "dense": 0.5},
        (BBox(10, -10, 20, 10),),
        (TimeSpan.from_iso("2000", "2010"),),
        Resolution(metres=60),
        "derived",
    )
    found = codes(half)
    assert found["bm25"] == [{"code": "score", "raw": 2.0, "best": 2.0}]
    assert found["dense"] == [{"code": "cosine", "raw": 0.5, "best": 0.5, "share": 1.0}]
    (place,) = found["spatial"]
    assert (place["code"], place["place"]) == ("covers_place", "the Congo basin")
    assert (place["share"], place["area_ratio"]) == (pytest.approx(0.5), pytest.approx(0.5))
    (time,) = found["temporal"]
    assert time == {
        "code": "covers_period",
        "start": "2005-01-01",
        "end": "2014-12-31",
        "share": pytest.approx(0.6, abs=0.001),
    }
    assert found["resolution"] == [{"code": "resolution_asked", "own_m": 60.0, "asked_m": 30.0, "asked": []}]
    assert found["kind"] == [{"code": "kind", "own": "derived", "asked": "observation"}]


def test_what_a_record_does_not_say_is_a_code_too() -> None:
    found = codes(Candidate("bare", {"bm25": 1.0, "dense": None}))
    assert found["dense"] == [{"code": "not_measured"}]
    for signal in ("spatial", "temporal", "resolution", "kind"):
        (reason,) = found[signal]
        assert reason["code"] == ("area_not_stated" if signal == "spatial" else "unknown")
        assert 0.0 <= reason["counted"] <= 1.0


def test_two_places_are_two_reasons() -> None:
    asked = Target(boxes=(BBox(0, 0, 10, 10), BBox(50, 0, 60, 10)), now_ms=ASKED.now_ms)
    first, second = codes(Candidate("a", {"bm25": 1.0}, (BBox(0, 0, 10, 10),)), asked)["spatial"]
    assert (first["code"], first["number"], first["of"]) == ("covers_place", 1, 2)
    assert (second["code"], second["number"]) == ("outside_place", 2)
    assert second["distance_deg"] == pytest.approx(50 * math.cos(math.radians(5)))  # at their mean latitude


def test_a_box_that_stands_for_an_ocean_is_called_a_box() -> None:
    target = Target(boxes=(BBox(-100, -40, -10, 60),), places=(AreaName("the ocean", is_rough=True),))
    inside = Candidate("inside", {"bm25": 1.0}, (BBox(-50, -16, -49, -15),))
    explanation = explain(rank(candidates_of([inside]), target, default_config().records), 0)
    (place,) = [part for part in explanation["signals"] if part["signal"] == "spatial"]
    assert place["reason"].startswith("lies inside the box around the ocean")
    assert place["reasons"][0]["rough"] is True
