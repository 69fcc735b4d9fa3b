"""Builds the parts of the API from the settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import structlog

from core.errors import ModelMissing, Unavailable
from es_gateway.blocks import WriteBlock, write_blocks
from es_gateway.client import Elasticsearch, RetryingElasticsearch, UnhurriedElasticsearch
from es_gateway.nodes import GuardedNode
from es_mappings.names import KINDS, alias
from indexer.parts import HarvestParts as HarvestParts
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
from search_api.library.notebooks import Notebooks
from search_api.parts import Parts
from search_api.search.retrieval.serving import Readiness, ServingResolver
from search_api.search.suggester import PlaceSuggester, Suggester
from search_api.stewards.harvests import Harvests
from search_api.stewards.insight import MeasurementStore
from sonde import __version__
from sonde.settings import ApiSettings, Settings
from sonde.telemetry.service_metrics import ServiceMetrics, ServiceState
from sonde.wiring.access import authenticator, limit_policy, sharing_groups
from sonde.wiring.alerts import alert_desk
from sonde.wiring.clients import elasticsearch_client, prepare_indices
from sonde.wiring.curation import curation_desk, live_curation, query_log, question_reader, record_texts, usage_values
from sonde.wiring.harvest_control import QueueHarvestControl
from sonde.wiring.library import library_search, personal_library
from sonde.wiring.models import Models
from sonde.wiring.part_watch import ocr_notes, part_watch
from sonde.wiring.portal import (
    citation_events,
    granule_searches,
    http_policy,
    portal_look,
    previews,
    record_quality,
    source_descriptions,
)
from sonde.wiring.pushing import Pusher, groups_of_source
from sonde.wiring.search import answerer, loaded_name_lists, ranking_config, search_pipeline
from sonde.wiring.workers import job_queue
from workers.lease import Leases

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
    answers = answerer(settings, pipeline.parts, resolver, models)
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
        metrics=ServiceMetrics(ServiceState.of(settings, UnhurriedElasticsearch.over(client_of_all))).text,
        answerer=answers,
        personal_library=library,
        library=library_search(library, answers, resolver),
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
        embeddings_characters=settings.api.embeddings_characters,
        broken_links=checks.broken,
        portal=portal_look(settings),
        previews=previews(settings, partial(models.gates, "records")),
        granules=granule_searches(settings, partial(models.gates, "records")),
    )


def limits_of(api: ApiSettings) -> AdmissionLimits:
    """How many requests one process runs, and how long others wait."""
    return AdmissionLimits(
        at_once=api.at_once,
        longest_wait_s=api.longest_wait_s,
        hurry_after_s=api.hurry_after_s,
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
        lambda: _blocks(client, settings.index.prefix),
    )


def _blocks(client: Elasticsearch, prefix: str) -> list[WriteBlock]:
    return write_blocks(client, [alias(prefix, kind) for kind in KINDS])


def _harvests(settings: Settings, client_of_all: Elasticsearch, jobs: Callable[[], Jobs]) -> Harvests:
    """Only for stewards, who see every source; waits for a whole report."""
    client = UnhurriedElasticsearch.over(client_of_all).options(request_timeout=_WRITE_TIMEOUT_S)
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
