"""What a question asks for beside its topic."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.extent import BBox
from core.record import ProvenanceKind, Resolution
from core.timespan import TimeSpan

Relation = Literal["intersects", "within", "contains", "disjoint", "near", "north_of", "south_of", "east_of", "west_of"]
SpatialMode = Literal["blend", "hausdorff", "off"]
Level = Literal["global", "continental", "national", "regional", "local"]


@dataclass(frozen=True, slots=True)
class Target:
    """Place, time, resolution and kind that are asked for; what is not asked is empty and changes nothing.

    ``boxes`` are already shaped by directional relations (north of Italy is a box north of it); here ``within``,
    ``contains`` and ``disjoint`` only say which share counts. Several boxes: a record is judged by the mean over
    them, so one that serves both of two asked places wins. ``now_ms`` is the moment of the question.
    ``spatial``: whether place is blended into the score, orders the best last by distance, or counts for nothing.
    Raises ValueError where a time is asked without it.
    """

    boxes: tuple[BBox, ...] = ()
    relation: Relation | None = None
    span: TimeSpan | None = None
    latest: bool = False
    resolution: Resolution = field(default_factory=Resolution)
    level: Level | None = None
    kind: ProvenanceKind | None = None
    place: str | None = None  # a name for the explanation
    now_ms: int | None = None
    spatial: SpatialMode = "blend"

    def __post_init__(self) -> None:
        if (self.span is not None or self.latest) and self.now_ms is None:
            raise ValueError("a time is asked for: now_ms must say when")

    @property
    def bounded_span(self) -> TimeSpan | None:
        """The asked span, None where it is open at both ends and so asks for nothing."""
        if self.span is None or (self.span.start_ms is None and self.span.end_ms is None):
            return None
        return self.span

    @property
    def moment_ms(self) -> int:
        """``now_ms`` where it is known to be there."""
        if self.now_ms is None:
            raise ValueError("now_ms is not set")
        return self.now_ms

    @property
    def asks_time(self) -> bool:
        return self.latest or self.bounded_span is not None

    @property
    def asks_resolution(self) -> bool:
        """Whether a word of the question names a resolution, a scale or a level."""
        return self.level is not None or self.resolution != Resolution()

    @property
    def asks_kind(self) -> bool:
        return self.kind is not None and self.kind != "unknown"
