"""The state of each source: combines sources.yaml, the schedule and the runs."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import NotFound, Unavailable
from es_mappings.codecs.runs import RunReport
from search_api.catalogue.harvest_runs import RunReader
from search_api.stewards.harvests.control import ConfiguredSource, HarvestControl, PausedBy, ScheduleState, WaitingRun


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
        configured = {one.id: one for one in self.control.sources()}
        latest = self.runs.latest()
        schedule = self._schedule()
        ids = [*configured, *sorted(set(latest) - set(configured))]
        states = tuple(state_of(id, configured.get(id), schedule, latest.get(id, ())) for id in ids)
        return Overview(states, ("schedule",) if schedule is None else ())

    def one(self, source: str) -> Overview:
        """The overview of one source. Raises NotFound."""
        configured = next((one for one in self.control.sources() if one.id == source), None)
        runs = self.runs.of_source(source)
        if configured is None and not runs:
            raise NotFound(f"There is no source {source!r}; /harvest/sources lists all.")
        schedule = self._schedule()
        state = state_of(source, configured, schedule, runs)
        return Overview((state,), ("schedule",) if schedule is None else ())

    def run(self, id: str) -> RunReport | WaitingRun:
        """A run with its detail, or an accepted one that no worker has stored. Raises NotFound."""
        try:
            return self.runs.run(id)
        except NotFound:
            waiting = self.control.waiting(id)
            if waiting is None:
                raise
            return waiting

    def _schedule(self) -> ScheduleState | None:
        try:
            return self.control.schedule()
        except Unavailable:
            return None


def state_of(
    id: str, configured: ConfiguredSource | None, schedule: ScheduleState | None, runs: tuple[RunReport, ...]
) -> SourceState:
    """``schedule`` None: unknown now. A source that the file pauses is paused, whatever a steward set."""
    paused_by: PausedBy | None = None
    if configured is not None and configured.paused_by_file:
        paused_by = "file"
    elif schedule is not None and id in schedule.paused:
        paused_by = "steward"
    return SourceState(id, configured, paused_by, schedule.next_runs.get(id) if schedule else None, runs)
