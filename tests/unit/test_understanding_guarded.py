"""A reader that raises: its part is left out, everything else is read, and the interpretation says which it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NoReturn

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from reading.gazetteer import Gazetteer
from reading.places import PlaceMention, PlaceReader
from reading.times import TimeMention, TimeReader
from reading.vocabulary import Vocabulary, only_own_vocabulary
from search_api.search.request import ALL_PARTS
from search_api.search.understanding.understand import Understander

GAZETTEER = Gazetteer()
WHOLE = Understander(
    PlaceReader(GAZETTEER), TimeReader(lambda: date(2026, 3, 1)), vocabulary=lambda: only_own_vocabulary()
)
QUESTION = "daily observations of rainfall near Kenya since 2010 doi:10.5/x"


class DefectTimes(TimeReader):
    def read(
        self, text: str, language: str | None = None, max_mentions: int | None = None, *, in_south: bool = False
    ) -> list[TimeMention]:
        raise ValueError(f"a defect at {text}, {language}, {max_mentions}, {in_south}")


class DefectPlaces(PlaceReader):
    def read(self, text: str, language: str | None = None, max_mentions: int | None = None) -> list[PlaceMention]:
        raise IndexError(f"a defect at {text}, {language}, {max_mentions}")


class DefectVocabulary(Vocabulary):
    def find(self, *_: Any) -> NoReturn:
        raise KeyError("no such concept")


def defect(*_: Sequence[Any]) -> NoReturn:
    raise RuntimeError("a defect")


DEFECTS: dict[str, tuple[Understander, tuple[str, ...]]] = {
    "language": (replace(WHOLE, language=defect), ("language",)),
    "identifier": (replace(WHOLE, identifiers=defect), ("identifiers",)),
    "time": (replace(WHOLE, times=DefectTimes()), ("times", "span")),
    "place": (replace(WHOLE, places=DefectPlaces(GAZETTEER)), ("places", "relations", "areas")),
    "relation": (replace(WHOLE, relations=defect), ("relations", "areas")),
    "scale": (replace(WHOLE, scales=defect), ("scales",)),
    "kind": (replace(WHOLE, kinds=defect), ("kinds",)),
    "terms": (replace(WHOLE, vocabulary=DefectVocabulary), ("terms",)),
}
SHOWN = ("language", "identifiers", "times", "span", "places", "relations", "areas", "scales", "kinds", "terms")


@pytest.mark.parametrize("reader", DEFECTS)
def test_a_defect_leaves_out_one_part_and_says_which(reader: str) -> None:
    understander, parts = DEFECTS[reader]
    whole, read = (one.understand(QUESTION, ALL_PARTS) for one in (WHOLE, understander))
    assert whole.degraded == ()
    assert read.degraded == (f"understanding.{reader}",)
    for name in SHOWN:
        assert getattr(whole, name), f"the question says nothing of {name}, so this test could not fail"
        if name not in parts:
            assert getattr(read, name) == getattr(whole, name), name
    if reader != "relation":  # without its relation a place still has an area
        assert not any(getattr(read, name) for name in parts)


def test_a_defect_is_logged_without_the_question_and_counted() -> None:
    before = failures("time")
    with capture_logs() as told:
        DEFECTS["time"][0].understand(QUESTION, ALL_PARTS)
    (event,) = [one for one in told if one["event"].startswith("understanding.")]
    assert event == {
        "event": "understanding.reader_failed",
        "log_level": "error",
        "reader": "time",
        "error": "ValueError",
    }
    assert failures("time") == before + 1


def failures(reader: str) -> float:
    return REGISTRY.get_sample_value("sonde_reader_failures_total", {"reader": reader}) or 0.0
