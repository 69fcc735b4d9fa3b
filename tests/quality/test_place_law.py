"""Over the samples' questions: nothing wholly outside the asked place stands above what lies inside it and is as good.

Read from the explanations, as anybody can: the score without the part of place says how good a record is in all else.
"""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest

from search_api.search.ranking.config import default_config
from search_api.search.ranking.signals.spatial import Spatial
from tests.service import SAMPLES, Service

pytestmark = [pytest.mark.elasticsearch, pytest.mark.models]

_QUESTIONS = [json.loads(line) for line in (SAMPLES.parent / "questions.jsonl").read_text("utf-8").splitlines()]
_PLACED = [question["q"] for question in _QUESTIONS if question.get("box")]


def _signals(hit: dict[str, Any]) -> dict[str, Any]:
    return {part["signal"]: part for part in hit["sonde:explanation"]["signals"]}


def _outside(place: dict[str, Any]) -> bool:
    return any(reason["code"] == "stands_back" for reason in place["reasons"])


def _broken(hits: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Pairs (outside, inside) of which the first comes first without being better by the tolerance in all else."""
    spatial = default_config().records[Spatial]
    whole = spatial.weight * (1.0 + spatial.neutral) + spatial.place.outside.tolerance
    found = []
    for better, worse in combinations(hits, 2):
        one, other = _signals(better).get("spatial"), _signals(worse).get("spatial")
        if one is None or other is None or other["raw"] is None or not _outside(one) or _outside(other):
            continue
        more = (better["sonde:score"] - one["contribution"]) - (worse["sonde:score"] - other["contribution"])
        if more < spatial.place.outside.tolerance * one["weight"] / whole - 1e-5:  # scores are shown with six digits
            found.append((better["id"], worse["id"]))
    return found


def test_what_lies_outside_stands_above_only_where_it_is_better_by_the_tolerance(samples: Service) -> None:
    outside = 0
    for question in _PLACED:
        hits = samples.search(question, explain="true", diversity="off", group="none", rerank="false", limit=100)
        assert _broken(hits["features"]) == [], question
        outside += sum(_outside(_signals(hit).get("spatial", {"reasons": []})) for hit in hits["features"])
    assert outside > 100  # else nothing was looked at
