"""Same topic, wrong place or wrong period: what both papers miss, from the records' own extents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.extent import BBox
from core.timespan import TimeSpan
from training.corpora import Document


def elsewhere(document: Document, others: Iterable[Document], count: int) -> list[tuple[Document, str]]:
    """The first ``count`` of ``others`` that share a keyword and lie apart, with ``place`` or ``time`` as the reason.

    A record that does not say where or when it is of is never called wrong.
    """
    topics = {term.casefold() for term in document.keywords}
    found: list[tuple[Document, str]] = []
    for other in others:
        if len(found) == count:
            break
        if topics.isdisjoint(term.casefold() for term in other.keywords):
            continue
        if apart(document.boxes, other.boxes):
            found.append((other, "place"))
        elif never_together(document.times, other.times):
            found.append((other, "time"))
    return found


def apart(some: Sequence[BBox], others: Sequence[BBox]) -> bool:
    """Both say where, and no box of the one touches a box of the other."""
    return bool(some and others) and not any(_touch(a, b) for a in some for b in others)


def never_together(some: Sequence[TimeSpan], others: Sequence[TimeSpan]) -> bool:
    """Both say when, and no span of the one overlaps a span of the other."""
    return bool(some and others) and not any(_overlap(a, b) for a in some for b in others)


def _touch(a: BBox, b: BBox) -> bool:
    return any(
        one.west <= other.east and other.west <= one.east and one.south <= other.north and other.south <= one.north
        for one in a.parts()
        for other in b.parts()
    )


def _overlap(a: TimeSpan, b: TimeSpan) -> bool:
    return _before(a.start_ms, b.end_ms) and _before(b.start_ms, a.end_ms)


def _before(start: int | None, end: int | None) -> bool:
    """Open ends reach everything."""
    return start is None or end is None or start <= end
