"""What a question asks for besides its topic."""

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
    """The asked place, time, resolution and kind; empty fields have no effect.

    ``boxes`` already include directions (north of Italy is a box north of it); ``within``, ``contains`` and
    ``disjoint`` only choose the share that counts. With several boxes, a record gets the mean over them, so one that
    matches both of two asked places wins. ``now_ms`` is the time of the question. ``spatial``: whether place is blended
    into the score, orders the best by distance at the end, or has no effect. Raises ValueError if a time is asked
    without ``now_ms``.
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
        """The asked span, None if it is open at both ends and so has no effect."""
        if self.span is None or (self.span.start_ms is None and self.span.end_ms is None):
            return None
        return self.span

    @property
    def moment_ms(self) -> int:
        """``now_ms``, which must be set."""
        if self.now_ms is None:
            raise ValueError("now_ms is not set")
        return self.now_ms

    @property
    def asks_time(self) -> bool:
        return self.latest or self.bounded_span is not None

    @property
    def asks_resolution(self) -> bool:
        """Whether words of the question name a resolution, a scale or a level."""
        return self.level is not None or self.resolution != Resolution()

    @property
    def asks_kind(self) -> bool:
        return self.kind is not None and self.kind != "unknown"
