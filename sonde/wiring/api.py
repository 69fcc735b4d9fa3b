"""Builds the parts of the API from the settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import structlog

from core.errors import Conflict, ModelMissing, NotFound, Unavailable, Unsupported
from core.json_types import JsonMapping
from core.timespan import now_iso
from es_gateway.blocks import WriteBlock, write_blocks
from es_gateway.client import Elasticsearch, NoDeadlineElasticsearch, RetryingElasticsearch
from es_gateway.nodes import GuardedNode
from es_mappings.names import KINDS, alias
from indexer.documents.index.ingest import prepare
from indexer.documents.index.store import DocumentStore
from indexer.documents.parse.limits import DocumentRefused, media_type
from indexer.parts import HarvestParts
from indexer.quality.quality import measure, quality_page
from indexer.remove.tombstones import holdings
from search_api.catalogue.catalogues import Catalogues
from search_api.catalogue.documents.reader import DocumentFiles, DocumentReader
from search_api.catalogue.fair.reader import FairReader
from search_api.catalogue.harvest_runs import LinkChecks, RunReader
from search_api.catalogue.listing import RecordReader
from search_api.catalogue.related.citations import MentionReader
from search_api.catalogue.related.relations import RelationReader
from search_api.http.access.keys import KeyStore
from search_api.http.access.visibility import AccessFilteredElasticsearch, groups_of_caller
from search_api.http.limits import AdmissionLimits
from search_api.library.entries import LibraryEntries, LibrarySearch
from search_api.library.notebooks import Notebooks
from search_api.library.personal_library import PersonalLibrary, PersonalLibraryParts, Quota
from search_api.parts import Parts
from search_api.search.retrieval.density import catalogue_density
from search_api.search.retrieval.serving import Readiness, ServingResolver
from search_api.search.suggester import PlaceSuggester, Suggester
from search_api.stewards.harvests import ConfiguredSource, Harvests, Quality, ScheduleState, WaitingRun
from search_api.stewards.insight import MeasurementStore
from sonde import __version__
from sonde.settings import ApiSettings, Settings
from sonde.telemetry.service_metrics import ServiceMetrics, ServiceState
from sonde.wiring.access import authenticator, limit_policy, sharing_groups
from sonde.wiring.clients import elasticsearch_client, index_shape, prepare_indices
from sonde.wiring.file_store import FolderFiles, document_remover
from sonde.wiring.models import Models
from sonde.wiring.part_watch import ocr_notes, part_watch
from sonde.wiring.portal import (
    citation_events,
    federation,
    granule_searches,
    http_policy,
    picture_reader,
    portal_look,
    previews,
    record_quality,
    source_descriptions,
    table_reader,
)
from sonde.wiring.pushing import Pusher, groups_of_source
from sonde.wiring.search import answerer, loaded_name_lists, ranking_config, search_pipeline
from sonde.wiring.stewards import (
    alert_desk,
    curation_desk,
    live_curation,
    query_log,
    question_reader,
    record_texts,
    usage_values,
)
from sonde.wiring.workers import job_queue
from workers.broker import AcceptedRuns
from workers.lease import Leases
from workers.source_entry import SourceEntry

if TYPE_CHECKING:
    from workers.jobs import Jobs

log = structlog.get_logger(__name__)

_WRITE_TIMEOUT_S = 30.0  # a document's passages are deleted while its owner waits


def api_parts(settings: Settings, models: Models | None = None) -> Parts:
    """Everything that the views call; ``models`` if they are already loaded."""
    client_of_all = elasticsearch_client(settings, node=GuardedNode)
    client = AccessFilteredElasticsearch.over(client_of_all)
    models = models or Models(settings)
    # The serving index is the same for everybody, so a client that sees everything resolves it.
    resolver = ServingResolver(client_of_all, settings.index.prefix, models.embedder)
    curation = live_curation(settings, client_of_all)
    ranking = ranking_config(settings)
    prefix = settings.index.prefix
    usage = usage_values(settings, client_of_all, ranking)
    finds_people = settings.access.people
    pipeline, _ = search_pipeline(
        client,
        prefix,
        models,
        ranking,
        resolver=resolver,
        curation=curation,
        usage=usage,
        groups=groups_of_caller,
        finds_people=finds_people,
        density=catalogue_density(client_of_all, prefix),
    )
    refuse_unservable(resolver)
    curation.try_tick()
    if settings.api.preload:
        models.embedder()
        models.gazetteer.preload()
        if models.question_recogniser is not None:
            models.question_recogniser.entities("Berlin")
        if models.heavy_reranker is not None:
            with suppress(ModelMissing):  # `part_watch` reports it
                models.heavy_reranker()
    watch = part_watch(settings, client_of_all, models)
    watch()
    missing_ocr_notes = ocr_notes(settings)
    records = RecordReader(client, settings.index.prefix, resolver)
    answers = answerer(settings, pipeline, resolver, models)
    jobs = job_queue(settings)
    writing_client = RetryingElasticsearch.over(client_of_all).options(request_timeout=_WRITE_TIMEOUT_S)
    pusher = _pusher(settings, writing_client, models)
    library = personal_library(settings, client, writing_client, models, jobs)
    checks = LinkChecks(RunReader(client, prefix))
    return Parts(
        search=pipeline,
        serving=resolver,
        readiness=Readiness(
            client,
            resolver,
            settings.embedder.model,
            blocks=lambda: _blocks(client_of_all, prefix),
            notices=lambda: [*watch(), *missing_ocr_notes],
        ),
        version=__version__,
        records=records,
        catalogues=Catalogues(records, lambda: source_descriptions(settings), groups_of_caller),
        suggester=Suggester(client, resolver, PlaceSuggester(models.gazetteer), finds_people=finds_people),
        http=http_policy(settings),
        limits=limits_of(settings.api),
        metrics=ServiceMetrics(ServiceState.of(settings, NoDeadlineElasticsearch.over(client_of_all))).text,
        answerer=answers,
        personal_library=library,
        library=LibrarySearch(answers.retriever, resolver, library.parts.entries),
        notebooks=Notebooks(writing_client, prefix, partial(sharing_groups, KeyStore(writing_client, prefix))),
        documents=DocumentReader(client, settings.index.prefix, records),
        document_files=DocumentFiles(library.parts.files, settings.documents.public_files),
        harvests=_harvests(settings, client_of_all, jobs),
        pushed=pusher,
        curation=curation_desk(settings, writing_client, pusher, curation),
        queries=query_log(settings, client_of_all),
        questions=question_reader(settings, writing_client),
        texts=record_texts(client, prefix),
        relations=RelationReader(client, resolver),
        mentions=MentionReader(client, prefix),
        citations=citation_events(settings, partial(models.gates, "registries")),
        record_quality=record_quality(client, prefix),
        fair=FairReader(records, checks.of, groups_of_caller),
        alerts=alert_desk(settings, pipeline, writing_client),
        measurements=MeasurementStore(writing_client, prefix),
        now_ms=lambda: int(time.time() * 1000),
        authenticator=authenticator(settings.access, client, settings.index.prefix, partial(models.gates, "tokens")),
        rates=limit_policy(settings),
        broken_links=checks.broken,
        portal=portal_look(settings),
        previews=previews(settings, partial(models.gates, "records")),
        granules=granule_searches(settings, partial(models.gates, "records")),
        tables=table_reader(settings, partial(models.gates, "records")),
        pictures=picture_reader(settings, partial(models.gates, "records")),
        federation=federation(settings, partial(models.gates, "federation")),
    )


def limits_of(api: ApiSettings) -> AdmissionLimits:
    """How many requests one process runs, and how long others wait."""
    return AdmissionLimits(
        at_once=api.at_once,
        longest_wait_s=api.longest_wait_s,
        hurry_after_s=api.longest_wait_s / 2.0,
        deadline_s=api.deadline_s,
    ).of_threads(api.threads)


def _pusher(settings: Settings, client: Elasticsearch, models: Models) -> Pusher:
    lists = loaded_name_lists(client, settings.index.prefix)
    parts = HarvestParts(client, settings.index.prefix, models.embedder, name_lists=lists)
    leases = Leases.connect(settings.broker_url, settings.index.prefix)
    groups_of = partial(groups_of_source, settings)
    return Pusher(
        parts,
        leases,
        lambda: prepare_indices(client, settings, models),
        groups_of,
        document_remover(settings, client),
        lambda: _blocks(client, settings.index.prefix),
    )


def _blocks(client: Elasticsearch, prefix: str) -> list[WriteBlock]:
    return write_blocks(client, [alias(prefix, kind) for kind in KINDS])


def _harvests(settings: Settings, client_of_all: Elasticsearch, jobs: Callable[[], Jobs]) -> Harvests:
    """Only for stewards, who see every source; waits for a whole report."""
    client = NoDeadlineElasticsearch.over(client_of_all).options(request_timeout=_WRITE_TIMEOUT_S)
    return Harvests(QueueHarvestControl(settings, client, jobs), RunReader(client, settings.index.prefix))


def refuse_unservable(resolver: ServingResolver) -> None:
    """The check at start: raises IndexMismatch or ModelMissing if the existing index cannot be served.

    A missing index or an unavailable Elasticsearch is no reason to stop: ``/readyz`` reports it.
    """
    try:
        serving = resolver.resolve()
    except Unavailable as error:
        log.warning("api.not_ready_yet", reason=str(error))
        return
    if serving.embedder is None:
        raise ModelMissing(
            f"The index {serving.records.index} was filled by {serving.records.meta.embedding_model}, which cannot be "
            f"loaded: {serving.embedder_problem} Install that model, or run `sonde reindex` with the one that is there."
        )


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

    def holdings(self, source: str) -> JsonMapping:
        counts = holdings(self._client, self._settings.index.prefix, source)
        is_configured = source in self._sources()
        if counts.is_nothing and not is_configured:
            raise NotFound(f"There is no source {source!r}.")
        return {"source": source, "configured": is_configured, **asdict(counts)}

    def remove(self, source: str) -> JsonMapping:
        removed_holdings = self.holdings(source)
        if self._leases.is_held(source):
            raise Conflict(f"{source} is being harvested now; wait until this run has ended.")
        self._jobs().remove(source)
        return removed_holdings

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


def personal_library(
    settings: Settings,
    visible_client: Elasticsearch,
    admin_client: Elasticsearch,
    models: Models,
    jobs: Callable[[], Jobs],
) -> PersonalLibrary:
    """What the views of the library call; connects later. ``visible_client`` reads only what callers may see."""
    uploads, files = settings.library, FolderFiles(settings.library.folder)
    store = DocumentStore(admin_client, settings.index.prefix)

    def enqueue(document: str) -> None:
        """A broker that is down loses nothing: beat finds queued documents."""
        try:
            jobs().read_document(document)
        except Unavailable as error:
            log.warning("library.queue_down", document=document, reason=str(error))

    @cache
    def make_indices() -> None:
        prepare(admin_client, settings.index.prefix, models.embedder, index_shape(settings))

    return PersonalLibrary(
        PersonalLibraryParts(
            entries=LibraryEntries(visible_client, settings.index.prefix),
            files=files,
            prepare=make_indices,
            enqueue=enqueue,
            delete=document_remover(settings, admin_client),
            retitle=store.retitle,
            media_type=_media_type,
            quota=Quota(uploads.max_file_bytes, uploads.max_documents, uploads.max_bytes),
            accepts_uploads=uploads.enabled,
        )
    )


def _media_type(data: bytes) -> str:
    try:
        return media_type(data)
    except DocumentRefused as refusal:
        raise Unsupported(str(refusal)) from refusal
