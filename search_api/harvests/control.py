"""The port to what harvests: ``sonde`` hands it in, since the API knows neither workers nor sources.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from core.json_types import JsonMapping

PausedBy = Literal["file", "steward"]


@dataclass(frozen=True, slots=True)
class ConfiguredSource:
    """A source of sources.yaml. Neither ``cron`` (UTC) nor ``interval`` (``6h``): harvested on demand only."""

    id: str
    title: str
    type: str
    cron: str | None = None
    interval: str | None = None
    paused_by_file: bool = False


@dataclass(frozen=True, slots=True)
class ScheduleState:
    """What the schedule says now: moments (ISO 8601, UTC) of next runs by source, and whom a steward paused."""

    next_runs: Mapping[str, str]
    paused: frozenset[str]


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality report of a source's metadata: its members, and a page for people."""

    report: JsonMapping
    html: str


class HarvestControl(Protocol):
    """Every method raises Unavailable where the part behind it does not answer."""

    def sources(self) -> tuple[ConfiguredSource, ...]:
        """In the file's order. Raises SondeError for a file that is wrong."""
        ...

    def schedule(self) -> ScheduleState: ...

    def start(self, source: str) -> str:
        """The id of the run that was put in the queue. Raises Conflict where the source is being harvested."""
        ...

    def pause(self, source: str) -> None:
        """No scheduled runs from now on; one that is running goes on."""
        ...

    def resume(self, source: str) -> None: ...

    def quality(self, source: str) -> Quality: ...
