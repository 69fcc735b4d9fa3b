"""The port to the harvester: ``sonde`` provides it, because the API does not know workers or sources.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from core.json_types import JsonMapping

PausedBy = Literal["file", "steward"]


@dataclass(frozen=True, slots=True)
class ConfiguredSource:
    """A source in sources.yaml. Without ``cron`` (UTC) and ``interval`` (``6h``) it is harvested only on demand."""

    id: str
    title: str
    type: str
    cron: str | None = None
    interval: str | None = None
    paused_by_file: bool = False


@dataclass(frozen=True, slots=True)
class ScheduleState:
    """The schedule's state: times (ISO 8601, UTC) of next runs by source, and the sources that a steward paused."""

    next_runs: Mapping[str, str]
    paused: frozenset[str]


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality report of a source's metadata: its JSON members, and a page."""

    report: JsonMapping
    html: str


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A run that was accepted and is not stored. ``message``: why, if a worker tried to begin it.

    ``merged``: it came to a source that had an unfinished run already.
    """

    id: str
    source: str
    accepted: str
    state: Literal["queued", "failed", "merged"]
    message: str


class HarvestControl(Protocol):
    """Every method raises Unavailable if the service behind it does not answer."""

    def sources(self) -> tuple[ConfiguredSource, ...]:
        """In the file's order. Raises SondeError for an invalid file."""
        ...

    def schedule(self) -> ScheduleState: ...

    def start(self, source: str) -> str:
        """The id of the queued run. Raises Conflict if the source is being harvested."""
        ...

    def waiting(self, run: str) -> WaitingRun | None:
        """None if nobody asked for this run within a week."""
        ...

    def pause(self, source: str) -> None:
        """Stops scheduled runs from now on; a current run continues."""
        ...

    def resume(self, source: str) -> None: ...

    def quality(self, source: str) -> Quality: ...
