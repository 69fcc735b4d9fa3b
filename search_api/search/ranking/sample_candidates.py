"""Makes candidates of ranking from plain values, without Elasticsearch: for measurements and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.geo import BBox, box_array
from core.hit import SignalName
from core.record import ProvenanceKind, Resolution
from core.timespan import TimeSpan, span_array
from search_api.search.ranking.candidates import AnyColumn, Candidates, RankingFields, number
from search_api.search.ranking.signals.record import COMPANION, KIND
from search_api.search.ranking.signals.spatial import BOXES, ESTIMATED_BOXES
from search_api.search.ranking.signals.temporal import (
    MODIFIED_MS,
    RESOLUTION_M,
    SPANS,
    STEPS_S,
    resolution_metres,
    step_seconds,
)

_COLUMNS: tuple[AnyColumn, ...] = (BOXES, ESTIMATED_BOXES, SPANS, RESOLUTION_M, STEPS_S, KIND, MODIFIED_MS, COMPANION)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One record as a row: its id, the score of each arm (None or absent: not measured) and the columns of ranking.

    ``place_prominence``: how prominently the record names the place of the question, 0 to 1.
    """

    id: str
    arms: Mapping[SignalName, float | None] = field(default_factory=dict)
    boxes: tuple[BBox, ...] = ()
    spans: tuple[TimeSpan, ...] = ()
    resolution: Resolution = field(default_factory=Resolution)
    kind: ProvenanceKind = "unknown"
    modified_ms: int | None = None
    place_prominence: float = 0.0
    estimated_boxes: tuple[BBox, ...] = ()
    is_companion: bool = False


def candidates_of(rows: Sequence[Candidate]) -> Candidates:
    """Raises ValueError for a duplicate id."""
    names = sorted({name for row in rows for name in row.arms})
    return Candidates.of(
        [row.id for row in rows],
        {name: [row.arms.get(name) for row in rows] for name in names},
        [RankingFields(_values(row)) for row in rows],
        _COLUMNS,
        place_prominence={row.id: row.place_prominence for row in rows},
    )


def _values(row: Candidate) -> tuple[object, ...]:
    """In the order of the columns."""
    return (
        tuple(box_array(row.boxes).ravel().tolist()),
        tuple(box_array(row.estimated_boxes).ravel().tolist()),
        tuple(span_array(row.spans).ravel().tolist()),
        number(resolution_metres(row.resolution)),
        tuple(seconds for seconds in (step_seconds(row.resolution.time_step),) if seconds is not None),
        row.kind,
        number(row.modified_ms),
        row.is_companion,
    )
