"""Builds harvests from the settings: by hand from the command line, and as the parts of the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import structlog

from core.errors import NotFound, Unavailable
from core.json_types import Json
from core.ports import Embedder
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import RunReport
from indexer.documents.index.update_inherited import update_inherited
from indexer.harvest.harvest import harvest, open_run
from indexer.harvest.restore import restore
from indexer.parts import HarvestParts, Options, Progress, no_lease
from indexer.quality.links import LinkParts, check_links
from indexer.raw import Source, restrict
from indexer.remove.tombstones import remove_source
from indexer.store.ledger import Ledger
from indexer.store.runs import Runs
from indexer.write.embed import embed_missing
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client, prepare_indices
from sonde.wiring.file_store import document_remover
from sonde.wiring.models import Models
from sonde.wiring.pushing import groups_of_source
from sonde.wiring.search import loaded_name_lists
from sonde.wiring.sources import Opener
from sonde.wiring.stewards import alert_work
from sonde.wiring.workers import job_queue
from workers.config import WorkerParts
from workers.lease import Lease, Leases
from workers.slices import since_of
from workers.source_config import SourceConfig, known_sources

log = structlog.get_logger(__name__)

HARVEST_TIMEOUT_S = 60.0


def worker_parts(settings: Settings) -> WorkerParts:
    """The parts of a worker process, made at its first task; creates missing indices."""
    client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
    models = Models(settings)
    prepare_indices(client, settings, models)
    lists = loaded_name_lists(client, settings.index.prefix)
    opener = Opener(settings, client, lists)
    links = LinkParts(client, settings.index.prefix, opener.asking_gate(), opener.host_limits)

    def check_links_of(source_id: str, seconds: float) -> RunReport:
        return check_links(source_id, links, seconds=seconds)

    return WorkerParts(
        client,
        opener,
        document_remover(settings, client),
        models.embedder,
        check_links=check_links_of,
        alerts=alert_work(settings, client, models),
        measure=_nightly_measurement(settings, client, models),
        name_lists=lists,
    )


def _nightly_measurement(settings: Settings, client: Elasticsearch, models: Models) -> Callable[[], None] | None:
    """None if the settings name no judged questions."""
    if settings.evaluation.queries is None or settings.evaluation.qrels is None:
        return None

    def measure() -> None:
        from sonde.wiring.measuring import measure_live  # the measures take long to import

        measure_live(settings, client, models)

    return measure


class SourceBusy(Unavailable):
    """Another process harvests the source."""


class Harvester:
    """Harvests from the command line, under the same leases as the workers if there is a broker."""

    def __init__(
        self,
        settings: Settings,
        *,
        embedding: bool = True,
        allow_mass_removal: bool = False,
        full: bool = False,
        readers: int = 1,
    ) -> None:
        self._settings = settings
        self._readers = readers
        self._client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
        self._models = Models(settings)
        self._embedding = embedding
        self._full = full
        self._lists = loaded_name_lists(self._client, settings.index.prefix)
        self._open = Opener(settings, self._client, self._lists, full)
        self._options = Options(
            batch=settings.harvest.batch,
            max_removal_share=settings.harvest.max_removal_share,
            allow_mass_removal=allow_mass_removal,
        )

    def path(self, path: Path, source_id: str, progress: Progress) -> RunReport:
        """A folder or archive with its own id. Raises Unavailable if it is being harvested now."""
        groups = groups_of_source(self._settings, source_id)
        options = replace(self._options, trigger=f"cli {path.resolve()}")  # only a run of the same files is resumed
        return self._harvest(
            source_id, lambda _: restrict(self._open.folder(path, source_id), groups), options, progress
        )

    def configured(self, source_id: str, progress: Progress) -> RunReport:
        """A source of sources.yaml. Raises NotFound that names the existing ones."""
        config = self._source(source_id)
        share = config.max_removal_share
        options = self._options if share is None else replace(self._options, max_removal_share=share)
        prepare_indices(self._client, self._settings, self._models)
        since = None if self._full else since_of(Runs(self._client, self._settings.index.prefix), config)
        options = replace(options, since=since)
        return self._harvest(source_id, lambda since: self._open(config, since), options, progress)

    def overview(self) -> list[Json]:
        """Each source of sources.yaml with its last run, then sources that were harvested without being there."""
        prepare_indices(self._client, self._settings, self._models)
        runs, sources = Runs(self._client, self._settings.index.prefix), self._sources()
        rows = [_row(config, runs.latest(config.id, size=1)) for config in sources.values()]
        other_sources = sorted(set(Ledger(self._client, self._settings.index.prefix).sources()) - sources.keys())
        by_hand = {"type": "-", "schedule": "not in sources.yaml"}
        return rows + [{"id": id, **by_hand, **_last(runs.latest(id, size=1))} for id in other_sources]

    def _harvest(
        self, source_id: str, source: Callable[[str | None], Source], options: Options, progress: Progress
    ) -> RunReport:
        prepare_indices(self._client, self._settings, self._models)
        prefix = self._settings.index.prefix
        embedder: Callable[[str], Embedder] | None = self._models.embedder if self._embedding else None
        parts = HarvestParts(self._client, prefix, embedder, progress, self._lists, self._readers)
        with self._lease(source_id) as guard:
            options = replace(options, guard=guard)
            unfinished_run = Runs(self._client, prefix).find_unfinished(source_id)
            run = (
                unfinished_run
                if unfinished_run is not None and self._may_resume(unfinished_run, options)
                else open_run(source_id, options)
            )
            report = harvest(source_id, source(run.since), parts, options, run)
            if report.counts.without_vector and embedder is not None:
                embed_missing(source_id, parts, options)
            update_inherited(self._client, prefix, source_id)
            return report

    def _may_resume(self, unfinished_run: RunReport, options: Options) -> bool:
        """A position in other files is meaningless, and a run for changes alone is not the full one asked for."""
        if self._full and unfinished_run.since is not None:
            return False
        return unfinished_run.trigger == options.trigger or not unfinished_run.trigger.startswith("cli /")

    def restore(self, source_id: str, records: Sequence[str]) -> RunReport:
        """Puts removed records back in service. Raises NotFound for ids that are not removed, or no longer stored."""
        prepare_indices(self._client, self._settings, self._models)
        embedder = self._models.embedder if self._embedding else None
        parts = HarvestParts(self._client, self._settings.index.prefix, embedder)
        with self._lease(source_id) as guard:
            groups = groups_of_source(self._settings, source_id)
            return restore(source_id, records, parts, replace(self._options, guard=guard), groups)

    def remove(self, source_id: str, forget_entry: Callable[[], None]) -> None:
        """Removes the entry, so that no worker harvests the source again, then everything that is stored of it.

        Raises Unavailable while it is being harvested.
        """
        with self._lease(source_id):
            forget_entry()
            remover = document_remover(self._settings, self._client)
            remove_source(self._client, self._settings.index.prefix, source_id, remover)
        try:
            job_queue(self._settings)().resume(source_id)  # a later source of this name is not paused
        except Unavailable as error:
            log.info("source.pause_not_forgotten", source=source_id, reason=str(error))

    def sources(self) -> list[str]:
        """The ids of sources.yaml, in its order."""
        return list(self._sources())

    @contextmanager
    def _lease(self, source_id: str) -> Iterator[Callable[[], None]]:
        """The source's lease; without a broker no other process harvests, so none is needed."""
        leases = Leases.connect(self._settings.broker_url, self._settings.index.prefix)
        try:
            leases.is_held(source_id)
        except Unavailable:
            log.info("harvest.without_broker", source=source_id)
            yield no_lease
            return
        with leases.hold(source_id) as lease:
            if lease is None:
                raise SourceBusy(f"{source_id} is already being harvested; `sonde sources` shows its run.")
            yield lambda: Lease.guard(lease)

    def _sources(self) -> dict[str, SourceConfig]:
        return known_sources(self._settings.harvest.sources)

    def _source(self, source_id: str) -> SourceConfig:
        sources = self._sources()
        if source_id not in sources:
            raise NotFound(
                f"{source_id!r} is neither a file nor a source of {self._settings.harvest.sources}, "
                f"which knows: {', '.join(sources) or 'none'}."
            )
        return sources[source_id]


def _row(config: SourceConfig, latest: list[RunReport]) -> Json:
    schedule = config.schedule
    row: Json = {
        "id": config.id,
        "type": config.type,
        "schedule": (schedule.cron or f"every {schedule.interval}") if schedule else "on demand",
    }
    return row | _last(latest)


def _last(latest: list[RunReport]) -> Json:
    if not latest:
        return {}
    run = latest[0]
    counts = {"seen": run.counts.seen, "refused": run.counts.refused}
    return {"started": run.started, "state": run.state, **counts} | ({"message": run.message} if run.message else {})
