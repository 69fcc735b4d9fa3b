"""The models that the settings name, each loaded once, and the gates for outgoing requests.

There is one gate for each purpose, with the hosts named for it alone. A host with a private address may be asked only
for what it was named for: an address that a user or a record gives never leads to the model server, the issuer of
tokens or a private catalogue.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cached_property
from typing import Literal
from urllib.parse import urlsplit

from core.deadlines import Breaker, BreakerPolicy
from core.errors import SondeError
from core.ports import CrossEncoder, Embedder, EntityRecogniser, Geocoder, PlaceTagger
from encoders.catalogue import load_cross_encoder, load_embedder, load_recogniser
from encoders.remote_geocoder import FallbackGeocoder, RemoteGeocoder
from encoders.specs import CrossEncoderSpec, EmbedderSpec, GeocoderSpec, RecogniserSpec
from encoders.tagger import QuestionTagger
from net.gate import Gate, GatePolicy
from reading.gazetteer import Gazetteer
from reading.name_marks import NameMarks
from search_api.http.telemetry import record_loading
from search_api.search.caches import (
    CachingCrossEncoder,
    CachingEmbedder,
    GuardedCrossEncoder,
    GuardedEmbedder,
    GuardedGeocoder,
)
from sonde import __version__
from sonde.settings import Settings

Purpose = Literal["models", "tokens", "registries", "federation", "records", "users"]
"""``records``: addresses that harvested metadata give; ``users``: those of references and webhooks."""


_SLOW_RERANK_SHARE = 3 / 8
"""Of the deadline of a request: a reranker that takes longer several times is skipped for a while."""


def gate_policy(settings: Settings, purpose: Purpose | None = None) -> GatePolicy:
    """The default limits, with the hosts of one purpose; None: of everything that the operator's settings name."""
    by_purpose: dict[Purpose, tuple[str | None, ...]] = {
        "models": (settings.geocoder.url, settings.embedder.url, settings.cross_encoder.url, settings.answers.url),
        "tokens": (settings.access.oidc_issuer, settings.access.oidc_jwks_url),
        "registries": (settings.registries.crossref_url, settings.registries.datacite_url),
        "federation": tuple(catalogue.url for catalogue in settings.federation.catalogues),
        "records": (),
        "users": (),
    }
    urls = [url for urls in by_purpose.values() for url in urls] if purpose is None else by_purpose[purpose]
    hosts = settings.net.user_hosts if purpose == "users" else settings.net.allowed_hosts
    contact = f" ({settings.net.contact})" if settings.net.contact else ""
    return GatePolicy(
        allowed_hosts=frozenset((*hosts, *(_host_of(url) for url in urls if url))),
        user_agent=f"Sonde/{__version__}{contact}",
    )


def _host_of(url: str) -> str:
    """``host:port`` without the name and password that an address may hold."""
    return urlsplit(url).netloc.rpartition("@")[2]


class Gates:
    """The gates of one process, each made at its first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._by_purpose: dict[Purpose, Gate] = {}

    def __call__(self, purpose: Purpose) -> Gate:
        with self._lock:
            if purpose not in self._by_purpose:
                self._by_purpose[purpose] = Gate(gate_policy(self._settings, purpose))
            return self._by_purpose[purpose]


class Models:
    """The models of this process, each loaded at its first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.gates = Gates(settings)
        self._lock = threading.Lock()
        self._embedders: dict[str, Embedder] = {}
        self._cross_encoder: CrossEncoder | None = None
        self._reranker_problem: str | None = None

    def embedder(self, name: str | None = None) -> Embedder:
        """The embedder with that name, else the configured one. Raises ModelMissing."""
        config = self._settings.embedder
        model = name or config.model
        with self._lock:
            if model not in self._embedders:
                started_s = time.perf_counter()
                embedder = load_embedder(
                    EmbedderSpec(
                        name=model,
                        cache=self._settings.models.folder,
                        runtime=config.runtime,
                        instruction=config.instruction,
                        threads=self._settings.models.threads or None,
                        device=self._settings.models.device,
                        url=config.url,
                        key=config.key.get_secret_value() if config.key else None,
                        min_score=config.min_score,
                        answer_score=config.answer_score,
                        floor=config.floor,
                        says_input_type=config.input_type,
                        allow_hub=self._settings.models.allow_hub,
                        tokens=config.tokens,
                    ),
                    self.gate if config.runtime == "remote" else None,
                )
                record_loading("embedder", model, time.perf_counter() - started_s)
                if config.runtime == "remote":
                    embedder = GuardedEmbedder(embedder, Breaker("The embedder", BreakerPolicy()))
                self._embedders[model] = CachingEmbedder(embedder)
            return self._embedders[model]

    @property
    def heavy_reranker(self) -> Callable[[], CrossEncoder] | None:
        """What loads the configured cross-encoder; None if none is configured."""
        return None if self._settings.cross_encoder.model is None else self.cross_encoder

    @property
    def reranker_problem(self) -> str | None:
        """Why the cross-encoder could not be loaded at the last try; None if it was, or nobody tried."""
        return self._reranker_problem

    def cross_encoder(self) -> CrossEncoder:
        """Raises ModelMissing if none is configured or it cannot be loaded."""
        try:
            loaded_model = self._loaded_cross_encoder()
        except SondeError as error:
            self._reranker_problem = str(error)
            raise
        self._reranker_problem = None
        return loaded_model

    def _loaded_cross_encoder(self) -> CrossEncoder:
        with self._lock:
            if self._cross_encoder is None:
                started_s, config = time.perf_counter(), self._settings.cross_encoder
                cross_encoder = load_cross_encoder(
                    CrossEncoderSpec(
                        name=config.model,
                        cache=self._settings.models.folder,
                        runtime=config.runtime,
                        device=self._settings.models.device,
                        threads=self._settings.models.threads or None,
                        allow_hub=self._settings.models.allow_hub,
                        url=str(config.url) if config.url is not None else None,
                        key=config.key.get_secret_value() if config.key is not None else None,
                    ),
                    lambda: self.gate,
                )
                record_loading("cross_encoder", cross_encoder.card.model, time.perf_counter() - started_s)
                slow_s = _SLOW_RERANK_SHARE * self._settings.api.deadline_s
                breaker = Breaker("The cross-encoder", BreakerPolicy(slow_s=slow_s, pause_s=30.0))
                self._cross_encoder = CachingCrossEncoder(
                    GuardedCrossEncoder(cross_encoder, breaker), scores_all=config.runtime == "remote"
                )
            return self._cross_encoder

    @cached_property
    def question_recogniser(self) -> EntityRecogniser | None:
        """Finds names for the geocoder of the settings, 105 MB; None without one: the gazetteer's rules read better."""
        return load_recogniser(RecogniserSpec()) if self.remote_geocoder is not None else None

    @cached_property
    def gazetteer(self) -> Gazetteer:
        return Gazetteer()

    @cached_property
    def question_tagger(self) -> PlaceTagger | None:
        """For the places of questions. Raises ModelMissing if the folder of the settings holds no tagger."""
        folder = self._settings.models.tagger
        return QuestionTagger(folder.expanduser(), NameMarks(self.gazetteer)) if folder else None

    @cached_property
    def remote_geocoder(self) -> Geocoder | None:
        """The configured service, with the gazetteer as fallback; None if none is configured."""
        config = self._settings.geocoder
        if config.kind == "embedded" or config.url is None:
            return None
        remote = RemoteGeocoder(GeocoderSpec(config.kind, config.url), self.gate)
        return FallbackGeocoder(GuardedGeocoder(remote, Breaker("The geocoder", BreakerPolicy())), self.gazetteer)

    @property
    def gate(self) -> Gate:
        """The gate to model servers."""
        return self.gates("models")
