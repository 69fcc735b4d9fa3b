"""Negatives with the same topic but the wrong place or period, from the records' own extents; neither paper has them.

Only a question with a place has a wrong place, and only one with a period has a wrong period: for "snow depth" any
record of snow depth is right, wherever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from core.extent import BBox
from core.timespan import TimeSpan
from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from reading.times import TimeReader
from training.corpora import CorpusDocument


@dataclass(frozen=True, slots=True)
class PlaceAndTime:
    """The place and time of a question; empty if it has none."""

    boxes: tuple[BBox, ...] = ()
    times: tuple[TimeSpan, ...] = ()


def place_and_time_of(question: str) -> PlaceAndTime:
    """As a search reads it, but only with the gazetteer and the words of time."""
    places, times = _readers()
    return PlaceAndTime(
        tuple(mention.place.bbox for mention in places.read(question)),
        tuple(mention.span for mention in times.read(question)),
    )


def elsewhere(
    document: CorpusDocument, question: PlaceAndTime, candidates: Iterable[CorpusDocument], count: int
) -> list[tuple[CorpusDocument, str]]:
    """The first ``count`` of ``candidates`` that share a keyword but are disjoint both from the document and from the
    question's place or time, with ``place`` or ``time`` as the reason.

    A record without a place or time is never a negative.
    """
    topics = {term.casefold() for term in document.keywords}
    negatives: list[tuple[CorpusDocument, str]] = []
    for other in candidates:
        if len(negatives) == count:
            break
        if topics.isdisjoint(term.casefold() for term in other.keywords):
            continue
        if disjoint(document.boxes, other.boxes) and disjoint(question.boxes, other.boxes):
            negatives.append((other, "place"))
        elif never_overlapping(document.times, other.times) and never_overlapping(question.times, other.times):
            negatives.append((other, "time"))
    return negatives


@cache
def _readers() -> tuple[PlaceReader, TimeReader]:
    return PlaceReader(Gazetteer()), TimeReader()


def disjoint(some: Sequence[BBox], candidates: Sequence[BBox]) -> bool:
    """Whether both have boxes, and no box of the one touches a box of the other."""
    return bool(some and candidates) and not any(_touch(a, b) for a in some for b in candidates)


def never_overlapping(some: Sequence[TimeSpan], candidates: Sequence[TimeSpan]) -> bool:
    """Whether both have spans, and no span of the one overlaps a span of the other."""
    return bool(some and candidates) and not any(_overlap(a, b) for a in some for b in candidates)


def _touch(a: BBox, b: BBox) -> bool:
    return any(
        part.west <= other.east and other.west <= part.east and part.south <= other.north and other.south <= part.north
        for part in a.parts()
        for other in b.parts()
    )


def _overlap(a: TimeSpan, b: TimeSpan) -> bool:
    return _before(a.start_ms, b.end_ms) and _before(b.start_ms, a.end_ms)


def _before(start: int | None, end: int | None) -> bool:
    """Open ends reach everything."""
    return start is None or end is None or start <= end
