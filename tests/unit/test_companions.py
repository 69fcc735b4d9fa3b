"""Logs, notes and photos of a campaign come after its data."""

from __future__ import annotations

import pytest

from reading.kinds import asks_companion, is_companion
from search_api.search.ranking.candidates import Target
from search_api.search.ranking.config import default_config
from search_api.search.ranking.rank import explain, rank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of

CONFIG = default_config().records


@pytest.mark.parametrize(
    "title",
    [
        "CSET Chat Logs",
        "NOAA P-3 Dropsonde Scientist Logs",
        "WY King Air Flight Notes",
        "Forward-Looking Digital Camera Imagery",
        "Wyoming Cloud Radar Quick Look Imagery",
        "University of Utah Project Photographs",
        "NRC Convair-580 Flight Summaries",
    ],
)
def test_what_goes_with_the_data_of_a_campaign(title: str) -> None:
    assert is_companion(title)


@pytest.mark.parametrize(
    "title",
    [
        "Geophysical well logs of the Paris Basin",
        "NSSFC Severe Local Storms Log",
        "Aerial photographs of Columbia Glacier",
        "Photo-Acoustic Absorption Spectrometer Data",
        "Canada Summary of Day",
        "Savoonga Field Report on Local Knowledge",
        "Temperature loggers in streams",
        "Photosynthesis of tundra plants",
        "GOES Visible Satellite Imagery",
    ],
)
def test_what_is_data(title: str) -> None:
    assert not is_companion(title)


@pytest.mark.parametrize("question", ["CSET chat logs", "camera images of clouds", "field notes Barrow", "ice photos"])
def test_a_question_may_ask_for_them(question: str) -> None:
    assert asks_companion(question)


def test_a_question_about_data_does_not() -> None:
    assert not asks_companion("dropsonde data hurricane logistics notable")


def test_they_come_after_the_data_unless_they_are_asked_for() -> None:
    rows = [
        Candidate("logs", {"bm25": 1.0}, is_companion=True),
        Candidate("data", {"bm25": 0.95}),
        Candidate("worse", {"bm25": 0.2}),
    ]
    ranking = rank(candidates_of(rows), Target(), CONFIG)
    assert ranking.ids() == ["data", "logs", "worse"]
    (part,) = [part for part in explain(ranking, 1)["signals"] if part["signal"] == "companion"]
    assert (part["contribution"], part["reasons"]) == (0.0, [{"code": "companion"}])
    asked = rank(candidates_of(rows), Target(asks_companion=True), CONFIG)
    assert asked.ids() == ["logs", "data", "worse"]
    assert "companion" not in asked.terms


def test_without_any_the_ranking_is_as_if_the_signal_did_not_exist() -> None:
    ranking = rank(candidates_of([Candidate("a", {"bm25": 1.0})]), Target(), CONFIG)
    assert "companion" not in ranking.terms
