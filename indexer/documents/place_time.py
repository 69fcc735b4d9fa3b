"""Finds places and times in a passage, as in a question; kept separate from those of its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.passage import WhereWhen
from reading.language import detect_language
from reading.places import PlaceReader
from reading.times import TimeReader

T = TypeVar("T")

_SURE = 0.5
_MOST = 20
_SAID = ("explicit", "period")  # a relative time ("last year") needs a date that the document does not give


@dataclass(frozen=True, slots=True)
class PassageReader:
    """Reads the text of passages with the gazetteer and the time reader for questions."""

    places: PlaceReader
    times: TimeReader

    def read(self, text: str) -> WhereWhen:
        language = detect_language(text)
        times = [time for time in self.times.read(text, language) if time.kind in _SAID and time.confidence >= _SURE]
        found = [place for place in self.places.read(text, language) if place.confidence >= _SURE]
        found = [place for place in found if not any(t.start < place.end and place.start < t.end for t in times)]
        return WhereWhen(
            tuple(_distinct([place.place.name for place in found])),
            tuple(_distinct([place.place.bbox for place in found])),
            tuple(_distinct([time.span for time in times])),
            language,
        )


def _distinct(values: Sequence[T]) -> list[T]:
    return list(dict.fromkeys(values))[:_MOST]
