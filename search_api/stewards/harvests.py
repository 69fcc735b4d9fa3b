"""The state of each source: combines sources.yaml, the schedule and the runs; the port to the harvester."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from core.errors import NotFound, Unavailable
from core.json_types import JsonMapping
from es_mappings.codecs.runs import RunReport
from search_api.catalogue.harvest_runs import RunReader

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

    def holdings(self, source: str) -> JsonMapping:
        """What removing the source would remove, as counts. Raises NotFound."""
        ...

    def remove(self, source: str) -> JsonMapping:
        """Removes the entry, and queues the removal of the rest; gives what goes. Raises NotFound, Conflict."""
        ...


@dataclass(frozen=True, slots=True)
class SourceState:
    """``configured`` None: harvested earlier, but not in sources.yaml now. ``runs``: newest first."""

    id: str
    configured: ConfiguredSource | None
    paused_by: PausedBy | None
    next_run: str | None
    runs: tuple[RunReport, ...]

    @property
    def title(self) -> str:
        return self.configured.title if self.configured else self.id


@dataclass(frozen=True, slots=True)
class Overview:
    """``degraded`` names unavailable parts: without ``schedule`` next runs and pauses are unknown."""

    sources: tuple[SourceState, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Harvests:
    """Reads ``control`` and the index of runs. Methods raise Unavailable if Elasticsearch does not answer."""

    control: HarvestControl
    runs: RunReader

    def overview(self) -> Overview:
        """Sources in the order of the file, then those that only have runs, by id."""
        sources_by_id = {source.id: source for source in self.control.sources()}
        latest = self.runs.latest()
        schedule = self._schedule()
        ids = [*sources_by_id, *sorted(set(latest) - set(sources_by_id))]
        states = tuple(state_of(id, sources_by_id.get(id), schedule, latest.get(id, ())) for id in ids)
        return Overview(states, ("schedule",) if schedule is None else ())

    def source(self, source: str) -> Overview:
        """The overview of one source. Raises NotFound."""
        configured_source = next((candidate for candidate in self.control.sources() if candidate.id == source), None)
        runs = self.runs.of_source(source)
        if configured_source is None and not runs:
            raise NotFound(f"There is no source {source!r}; /harvest/sources lists all.")
        schedule = self._schedule()
        state = state_of(source, configured_source, schedule, runs)
        return Overview((state,), ("schedule",) if schedule is None else ())

    def run(self, id: str) -> RunReport | WaitingRun:
        """A run with its detail, or an accepted one that no worker has stored. Raises NotFound."""
        try:
            return self.runs.run(id)
        except NotFound:
            queued_run = self.control.waiting(id)
            if queued_run is None:
                raise
            return queued_run

    def _schedule(self) -> ScheduleState | None:
        try:
            return self.control.schedule()
        except Unavailable:
            return None


def state_of(
    id: str, configured_source: ConfiguredSource | None, schedule: ScheduleState | None, runs: tuple[RunReport, ...]
) -> SourceState:
    """``schedule`` None: unknown now. A source that the file pauses is paused, whatever a steward set."""
    paused_by: PausedBy | None = None
    if configured_source is not None and configured_source.paused_by_file:
        paused_by = "file"
    elif schedule is not None and id in schedule.paused:
        paused_by = "steward"
    return SourceState(id, configured_source, paused_by, schedule.next_runs.get(id) if schedule else None, runs)
