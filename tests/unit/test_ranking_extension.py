"""A signal and a combiner that Sonde does not have, added here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from core.hit import SignalName
from search_api.search.ranking.candidates import (
    AnyColumn,
    Candidates,
    Column,
    Fields,
    Floats,
    Target,
    doc_values,
    fields_of,
    first,
    floats,
    number,
)
from search_api.search.ranking.combiners import COMBINERS
from search_api.search.ranking.combiners.combiner import Term, Terms
from search_api.search.ranking.config import Extensions, Ranker, RankingConfig, default_config
from search_api.search.ranking.rank import explain, rank, rerank
from search_api.search.ranking.signals import SIGNALS
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, unknown_reason
from tests.unit.test_ranking_rank import CARD

DOWNLOADS: Column[float, Floats] = Column(
    "downloads", ("downloads",), lambda fields: number(first(fields, "downloads")), floats
)


@dataclass(frozen=True, slots=True)
class Downloads:
    """How often a record is downloaded; it counts for every question."""

    name: ClassVar[SignalName] = "downloads"
    columns: ClassVar[tuple[AnyColumn, ...]] = (DOWNLOADS,)
    weight: float
    neutral: float
    half: float

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        downloads = inputs.candidates[DOWNLOADS]
        return MeasuredSignal.or_neutral(downloads / (downloads + self.half), self.weight, self.neutral)

    def reasons(self, inputs: RankingInput, _raw: Floats, index: int) -> tuple[Reason, ...]:
        count = inputs.candidates[DOWNLOADS][index]
        return (Reason(f"downloaded {count:.0f} times", "downloads", {"downloads": count}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("its downloads are not counted", counted)


@dataclass(frozen=True, slots=True)
class Learned:
    """A stand-in for a learned model: a base, and for each signal what it adds to it."""

    name: ClassVar[str] = "learned"
    base: float
    step: float

    def combine(self, measured: Mapping[SignalName, MeasuredSignal], inputs: RankingInput) -> Terms:
        count = len(inputs.candidates)
        terms = {name: Term(one.raw, np.nan_to_num(one.raw) * self.step, 1.0) for name, one in measured.items()}
        return {**terms, "base": Term(np.full(count, np.nan), np.full(count, self.base), 1.0)}


def configured(combiner: dict[str, Any] | None = None) -> Ranker:
    """The shipped configuration with the sections of the made-up parts, read as from a file."""
    raw = json.loads(default_config().to_json())
    raw["records"]["signals"]["downloads"] = {"weight": 0.5, "neutral": 0.2, "half": 100}
    raw["records"]["combiner"] = combiner or raw["records"]["combiner"]
    known = Extensions((*SIGNALS, Downloads), (*COMBINERS, Learned))
    return RankingConfig.from_json(json.dumps(raw), known).records


FIELDS: list[Fields] = [{"downloads": ["300"]}, {"downloads": [0]}, {}]


def candidates(ranker: Ranker) -> Candidates:
    arms = {"bm25": [4.0, 5.0, 2.5]}
    read = [fields_of(one, ranker.columns) for one in FIELDS]
    return Candidates.of(["much-used", "best-words", "silent"], arms, read, ranker.columns)


def parts(explanation: Mapping[str, Any]) -> dict[str, Any]:
    return {part["signal"]: part for part in explanation["signals"]}


def test_retrieval_asks_elasticsearch_for_what_the_signal_reads() -> None:
    assert "downloads" in doc_values(configured().columns)
    assert "downloads" not in doc_values(default_config().records.columns)


def test_the_signal_is_seen_in_order_score_and_explanation() -> None:
    ranking = rank(candidates(configured()), Target(), configured())
    # Text weighs 1 and downloads .5: (.8 + .5 x .75) / 1.5, (1 + 0) / 1.5 and (.5 + .5 x .2) / 1.5.
    assert ranking.ids() == ["much-used", "best-words", "silent"]
    assert [hit.score for hit in ranking.hits()] == pytest.approx([1.175 / 1.5, 1.0 / 1.5, 0.6 / 1.5])
    assert ranking.hits()[0].signals["downloads"] == 0.75
    used, silent = (parts(explain(ranking, position))["downloads"] for position in (0, 2))
    assert used["reasons"] == [{"code": "downloads", "downloads": 300.0}]
    assert used["contribution"] == pytest.approx(0.25)
    assert silent["raw"] is None
    assert silent["reason"] == "its downloads are not counted"


def test_without_its_section_it_does_not_count() -> None:
    without = default_config().records
    assert "downloads" not in rank(candidates(without), Target(), without).terms


@pytest.mark.parametrize("logits", [[], [0.5, -0.5]])
def test_the_combiner_makes_the_score_and_its_explanation_adds_up(logits: list[float]) -> None:
    ranker = configured({"learned": {"base": -1.0, "step": 0.1}})
    ranking = rerank(rank(candidates(ranker), Target(), ranker), logits, CARD)
    if not logits:
        assert ranking.ids() == ["best-words", "much-used", "silent"]
        assert [hit.score for hit in ranking.hits()] == pytest.approx([-0.5, -1.0 + 0.4 + 0.075, -0.75])
    for position, hit in enumerate(ranking.hits()):
        explained = parts(explain(ranking, position))
        assert sum(part["contribution"] for part in explained.values()) == pytest.approx(hit.score)
        assert explained["base"]["reasons"] == [{"code": "base"}]
        assert {"bm25", "downloads", "base"} <= explained.keys()


def test_a_signal_can_be_changed_for_one_ranking() -> None:
    ranker = configured()
    heavier = ranker.with_signals(replace(ranker[Downloads], weight=5.0))
    assert rank(candidates(heavier), Target(), heavier).ids()[0] == "much-used"
