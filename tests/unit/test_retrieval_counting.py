"""Whether all matches are counted with the second request is known after the first."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from core.hit import SignalName
from search_api.retrieval.arms import Arm, Scored
from search_api.retrieval.candidates import CandidateSet, Counted
from search_api.retrieval.counting import Matches, Nearness, foreseen

NEARNESS = Nearness(0.2, 0.35)
WINDOW = 3


def arm(signal: SignalName | None) -> Arm:
    return Arm(signal, "records", False, lambda _k, _ids: {}, lambda score: score, None)


def found(**scores: list[float]) -> tuple[list[Arm], list[Scored]]:
    arms = [arm(signal) for signal in scores]
    first = [Scored({f"r{place}": one for place, one in enumerate(each)}, {}, {}) for each in scores.values()]
    return arms, first


@pytest.mark.parametrize(
    ("scores", "counted"),
    [
        ({"bm25": [9.0], "dense": [0.6, 0.5]}, None),  # the window holds all
        ({"bm25": [9.0, 8.0, 7.0], "dense": [0.6]}, Matches(None)),
        ({"bm25": [9.0], "dense": [0.6, 0.5, 0.2]}, Matches(0.2)),
        ({"bm25": [9.0], "dense": [0.6, 0.5, 0.1]}, None),  # the last of the nearest is none any more
        ({"bm25": [9.0, 8.0, 7.0], "dense": [0.6, 0.5, 0.1]}, Matches(None)),
        ({"bm25": [9.0, 8.0, 7.0], "dense": [0.34]}, None),  # about something else, unless words say otherwise
        ({"bm25": [9.0], "dense": [0.34, 0.3, 0.2], "passage_dense": [0.4]}, Matches(0.2)),
    ],
)
def test_words_or_nearness_beyond_the_window_are_counted(
    scores: Mapping[str, list[float]], counted: Matches | None
) -> None:
    assert foreseen(*found(**scores), NEARNESS, WINDOW) == counted


def test_without_meaning_words_alone_decide() -> None:
    assert foreseen(*found(bm25=[9.0, 8.0, 7.0]), None, WINDOW) == Matches(None)
    assert foreseen(*found(bm25=[9.0]), None, WINDOW) is None


def test_a_dropped_candidate_was_counted_and_does_not_match() -> None:
    signals: dict[str, dict[SignalName, float | None]] = {"near": {"dense": 0.5}, "far": {"dense": 0.1}}
    kept = CandidateSet(signals, {}, frozenset(), {}, {}, counted=Counted(matching=40, near=True)).above(NEARNESS)
    assert kept.counted == Counted(matching=39, near=True)
