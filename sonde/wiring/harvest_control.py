"""Control of harvests for the API's views: the queue, the schedules in Redis, sources.yaml, the quality report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from core.errors import Conflict, NotFound
from core.timespan import now_iso
from es_gateway.client import Elasticsearch
from indexer.quality.quality import measure, quality_page
from search_api.stewards.harvests import ConfiguredSource, Quality, ScheduleState, WaitingRun
from sonde.settings import Settings
from workers.broker import AcceptedRuns
from workers.lease import Leases
from workers.source_entry import SourceEntry

if TYPE_CHECKING:
    from workers.jobs import Jobs


class QueueHarvestControl:
    """One per API process; opens no connection before its first use. Thread-safe."""

    def __init__(self, settings: Settings, client: Elasticsearch, jobs: Callable[[], Jobs]) -> None:
        self._settings = settings
        self._client = client
        self._jobs = jobs

    def sources(self) -> tuple[ConfiguredSource, ...]:
        return tuple(_as_configured(source) for source in self._sources().values())

    def schedule(self) -> ScheduleState:
        return ScheduleState(self._jobs().next_runs(), self._jobs().paused())

    def start(self, source: str) -> str:
        """Raises NotFound for a source that is not in sources.yaml, Conflict while it is being harvested."""
        self._source_of(source)
        if self._leases.is_held(source):
            raise Conflict(f"{source} is being harvested now; wait until this run has ended.")
        run = self._jobs().harvest(source)
        self._accepted.accept(run, source, now_iso())
        return run

    def waiting(self, run: str) -> WaitingRun | None:
        accepted = self._accepted.find(run)
        if accepted is None:
            return None
        return WaitingRun(accepted.id, accepted.source, accepted.accepted, accepted.state, accepted.message)

    def pause(self, source: str) -> None:
        """Raises NotFound for a source that is not in sources.yaml."""
        self._source_of(source)
        self._jobs().pause(source)

    def resume(self, source: str) -> None:
        """Raises NotFound for an unknown source, Conflict for one that sources.yaml pauses."""
        if self._source_of(source).paused:
            raise Conflict(f"{source} is paused in sources.yaml; take `paused: true` out there.")
        self._jobs().resume(source)

    def quality(self, source: str) -> Quality:
        """Raises NotFound if the source has no records and is not in the file."""
        report = measure(self._client, self._settings.index.prefix, source)
        if not report.records and not report.refused and source not in self._sources():
            raise NotFound(f"There is no source {source!r}.")
        return Quality(report.as_dict(), quality_page(report))

    def _sources(self) -> Mapping[str, SourceEntry]:
        return self._jobs().known_sources()

    def _source_of(self, source: str) -> SourceEntry:
        sources = self._sources()
        if source not in sources:
            raise NotFound(f"sources.yaml names no source {source!r}; it names: {', '.join(sources) or 'none'}.")
        return sources[source]

    @cached_property
    def _accepted(self) -> AcceptedRuns:
        return AcceptedRuns.connect(self._settings.broker_url, self._settings.index.prefix)

    @cached_property
    def _leases(self) -> Leases:
        return Leases.connect(self._settings.broker_url, self._settings.index.prefix)


def _as_configured(source: SourceEntry) -> ConfiguredSource:
    schedule = source.schedule
    return ConfiguredSource(
        id=source.id,
        title=source.title or source.id,
        type=source.type,
        cron=schedule.cron if schedule else None,
        interval=schedule.interval if schedule else None,
        paused_by_file=source.paused,
    )
