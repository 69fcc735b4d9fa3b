"""Settings to parts: the one place where rooms that do not know each other are put together."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from urllib.parse import urlsplit

import structlog
from elasticsearch import Elasticsearch

from core.errors import ModelMissing, Unavailable
from core.ports import CrossEncoder, Embedder, EntityRecogniser, Geocoder
from encoders.catalogue import load_cross_encoder, load_embedder, load_recogniser
from encoders.fallback import FallbackGeocoder
from encoders.remote_geocoder import RemoteGeocoder
from encoders.specs import CrossEncoderSpec, EmbedderSpec, GeocoderSpec, RecogniserSpec
from indexer.parts import Parts as HarvestParts
from net.gate import Gate, GatePolicy
from reading.gazetteer.gazetteer import Gazetteer
from reading.places import PlaceReader
from reading.times import TimeReader
from reading.vocabulary.vocabulary import Vocabulary, only_own_vocabulary, own_vocabulary
from search_api.access.confined import ConfinedElasticsearch, groups_seen
from search_api.admission import Limits
from search_api.breaker import Breaker, Patience
from search_api.breaker_ports import GuardedCrossEncoder, GuardedEmbedder, GuardedGeocoder
from search_api.deadlines import GuardedNode
from search_api.harvests.overview import Harvests
from search_api.harvests.runs import RunReader
from search_api.listing.catalogues import Catalogues
from search_api.listing.reader import RecordReader
from search_api.parts import Parts
from search_api.pipeline import SearchParts, SearchPipeline
from search_api.ranking.config import RankingConfig, default_config
from search_api.readiness import Readiness
from search_api.serving import Resolver, ServingResolver
from search_api.suggest.places import PlaceSuggester
from search_api.suggest.suggester import Suggester
from search_api.telemetry_memory import loaded
from search_api.understanding.understand import Understander
from search_api.understanding.vocabulary_shelf import VocabularyShelf
from search_api.understanding.vocabulary_store import VocabularyStore
from sonde import __version__
from sonde.access import authenticator, groups_of_source, limit_policy
from sonde.answering import answerer
from sonde.clients import elasticsearch_client as elasticsearch_client
from sonde.harvest_desk import Desk
from sonde.indices import prepare_indices
from sonde.library import library_search, shelf
from sonde.portal import http_policy, previews, source_titles
from sonde.pushing import Pusher
from sonde.service_metrics import ServiceMetrics, State
from sonde.settings import ApiSettings, Settings
from workers.lease import Leases

log = structlog.get_logger(__name__)

_PUSH_TIMEOUT_S = 30.0
_SHELF_TIMEOUT_S = 30.0  # a document's passages are deleted while its owner waits


class Models:
    """The models of this process, each loaded once, when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._embedders: dict[str, Embedder] = {}
        self._cross_encoder: CrossEncoder | None = None

    def embedder(self, name: str | None = None) -> Embedder:
        """The embedder of that name, else the one of the settings. Raises ModelMissing."""
        given = self._settings.embedder
        wanted = name or given.model
        with self._lock:
            if wanted not in self._embedders:
                begun = time.perf_counter()
                embedder = load_embedder(
                    EmbedderSpec(
                        name=wanted,
                        cache=self._settings.models.folder,
                        runtime=given.runtime,
                        instruction=given.instruction,
                        threads=given.threads or None,
                        device=given.device,
                        url=given.url,
                        key=given.key.get_secret_value() if given.key else None,
                        min_score=given.min_score,
                        answer_score=given.answer_score,
                        floor=given.floor,
                        says_input_type=given.input_type,
                        timeout_s=given.timeout_s,
                        allow_hub=self._settings.models.allow_hub,
                    ),
                    self.gate if given.runtime == "remote" else None,
                )
                loaded("embedder", wanted, time.perf_counter() - begun)
                remote = given.runtime == "remote"
                self._embedders[wanted] = (
                    GuardedEmbedder(embedder, Breaker("The embedder", Patience())) if remote else embedder
                )
            return self._embedders[wanted]

    def cross_encoder(self) -> CrossEncoder:
        """Raises ModelMissing where none is configured or it cannot be loaded."""
        with self._lock:
            if self._cross_encoder is None:
                begun = time.perf_counter()
                cross_encoder = load_cross_encoder(
                    CrossEncoderSpec(
                        name=self._settings.cross_encoder.model,
                        weight=self._settings.cross_encoder.weight,
                        cache=self._settings.models.folder,
                        threads=self._settings.cross_encoder.threads or None,
                        allow_hub=self._settings.models.allow_hub,
                    )
                )
                loaded("cross_encoder", cross_encoder.card.model, time.perf_counter() - begun)
                slow_s = self._settings.api.slow_rerank_s
                self._cross_encoder = GuardedCrossEncoder(
                    cross_encoder, Breaker("The cross-encoder", Patience(slow_s=slow_s, pause_s=30.0))
                )
            return self._cross_encoder

    @cached_property
    def recogniser(self) -> EntityRecogniser:
        return load_recogniser(RecogniserSpec())

    @cached_property
    def gazetteer(self) -> Gazetteer:
        return Gazetteer()

    @cached_property
    def remote_geocoder(self) -> Geocoder | None:
        """The service that the settings name, the gazetteer standing in while it is down; None for none."""
        given = self._settings.geocoder
        if given.kind == "embedded" or given.url is None:
            return None
        remote = RemoteGeocoder(GeocoderSpec(given.kind, given.url), self.gate)
        return FallbackGeocoder(GuardedGeocoder(remote, Breaker("The geocoder", Patience())), self.gazetteer)

    @cached_property
    def gate(self) -> Gate:
        """The one gate for what goes out; hosts that the settings name themselves are allowed."""
        return Gate(gate_policy(self._settings))


def gate_policy(settings: Settings) -> GatePolicy:
    """Sizes and times as the gate has them; the operator's own services may be private addresses."""
    issuer = (settings.access.oidc_issuer, settings.access.oidc_jwks_url)
    named = (settings.geocoder.url, settings.embedder.url, settings.answers.url, *issuer)
    own = [urlsplit(url).netloc for url in named if url]
    contact = f" ({settings.net.contact})" if settings.net.contact else ""
    return GatePolicy(
        allowed_hosts=frozenset((*settings.net.allowed_hosts, *own)), user_agent=f"Sonde/{__version__}{contact}"
    )


def ranking_config(settings: Settings) -> RankingConfig:
    """The shipped numbers, or those of the file that the settings name."""
    if settings.ranking.config is None:
        return default_config()
    return RankingConfig.from_json(settings.ranking.config.read_text("utf-8"))


def search_pipeline(
    client: Elasticsearch,
    prefix: str,
    models: Models,
    config: RankingConfig,
    *,
    now_ms: Callable[[], int] | None = None,
    resolver: ServingResolver | None = None,
) -> tuple[SearchPipeline, ServingResolver]:
    """The pipeline that serves and that evaluation runs, on one prefix."""
    resolver = resolver or ServingResolver(client, prefix, models.embedder)
    shelf = VocabularyShelf(VocabularyStore(client, prefix), own_vocabulary)
    return SearchPipeline(search_parts(client, resolver, models, config, now_ms=now_ms, vocabulary=shelf)), resolver


def search_parts(
    client: Elasticsearch,
    resolver: Resolver,
    models: Models,
    config: RankingConfig,
    *,
    now_ms: Callable[[], int] | None = None,
    vocabulary: Callable[[], Vocabulary] = only_own_vocabulary,
) -> SearchParts:
    """What a search is made of; ``resolver`` says which index answers."""
    clock = now_ms or (lambda: int(time.time() * 1000))
    geocoder: Geocoder = models.remote_geocoder or models.gazetteer
    return SearchParts(
        client=client,
        resolver=resolver,
        understander=Understander(
            places=PlaceReader(models.gazetteer, models.recogniser, models.remote_geocoder),
            times=TimeReader(lambda: datetime.fromtimestamp(clock() / 1000, UTC).date()),
            vocabulary=vocabulary,
        ),
        geocoder=geocoder,
        cross_encoder=models.cross_encoder,
        config=config,
        now_ms=clock,
    )


def api_parts(settings: Settings, models: Models | None = None) -> Parts:
    """Everything the views call; ``models`` where they are loaded already."""
    client = elasticsearch_client(settings, timed_by=GuardedNode, kind=ConfinedElasticsearch)
    models = models or Models(settings)
    # What serves is the same for everybody, so it is resolved by a client that sees everything.
    resolver = ServingResolver(
        elasticsearch_client(settings, timed_by=GuardedNode), settings.index.prefix, models.embedder
    )
    pipeline, _ = search_pipeline(client, settings.index.prefix, models, ranking_config(settings), resolver=resolver)
    refuse_unservable(resolver)
    if settings.api.preload:
        models.embedder()
        models.gazetteer.preload()
        models.recogniser.entities("Berlin")
        with suppress(ModelMissing):  # answers say so
            models.cross_encoder()
    records = RecordReader(client, settings.index.prefix, resolver)
    answers = answerer(settings, pipeline.parts, resolver, models)
    own = shelf(settings, client, elasticsearch_client(settings, timeout_s=_SHELF_TIMEOUT_S), models)
    return Parts(
        search=pipeline,
        serving=resolver,
        readiness=Readiness(client, resolver, settings.embedder.model),
        version=__version__,
        records=records,
        catalogues=Catalogues(records, lambda: source_titles(settings), groups_seen),
        suggester=Suggester(client, resolver, PlaceSuggester(models.gazetteer)),
        http=http_policy(settings),
        limits=limits_of(settings.api),
        metrics=ServiceMetrics(State.of(settings, elasticsearch_client(settings))).text,
        answerer=answers,
        shelf=own,
        library=library_search(own, answers, resolver),
        harvests=_harvests(settings),
        pushed=_pusher(settings, models),
        now_ms=lambda: int(time.time() * 1000),
        authenticator=authenticator(settings.access, client, settings.index.prefix, lambda: models.gate),
        rates=limit_policy(settings),
        embeddings_characters=settings.api.embeddings_characters,
        previews=previews(settings, lambda: models.gate),
    )


def limits_of(api: ApiSettings) -> Limits:
    """How many requests one process works on, and how long others wait."""
    return Limits(
        at_once=api.at_once,
        longest_wait_s=api.longest_wait_s,
        hurry_after_s=api.hurry_after_s,
        deadline_s=api.deadline_s,
    ).of_threads(api.threads)


def _pusher(settings: Settings, models: Models) -> Pusher:
    client = elasticsearch_client(settings, timeout_s=_PUSH_TIMEOUT_S)
    parts = HarvestParts(client, settings.index.prefix, models.embedder)
    leases = Leases.connect(settings.broker_url, settings.index.prefix)
    groups_of = partial(groups_of_source, settings)
    return Pusher(parts, leases, lambda: prepare_indices(client, settings, models), groups_of)


def _harvests(settings: Settings) -> Harvests:
    """For stewards alone, who see every source: by a client that sees everything, and waits for a whole report."""
    client = elasticsearch_client(settings, timeout_s=_SHELF_TIMEOUT_S)
    return Harvests(Desk(settings, client), RunReader(client, settings.index.prefix))


def refuse_unservable(resolver: ServingResolver) -> None:
    """The check at start: raises IndexMismatch or ModelMissing where the index that is there cannot be served.

    No index yet, or an Elasticsearch that does not answer yet, is no reason to refuse: ``/readyz`` tells it.
    """
    try:
        found = resolver.resolve()
    except Unavailable as error:
        log.warning("api.not_ready_yet", reason=str(error))
        return
    if found.embedder is None:
        raise ModelMissing(
            f"The index {found.records.index} was filled by {found.records.meta.embedding_model}, which cannot be "
            f"loaded: {found.embedder_problem} Install that model, or run `sonde reindex` with the one that is there."
        )


def own_environment() -> dict[str, str]:
    """What the processes of the stack inherit: this process's environment, our command's folder first on the path."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
