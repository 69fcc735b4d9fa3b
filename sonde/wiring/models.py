"""The models that the settings name, each loaded once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cached_property

from core.breaker import Breaker, BreakerPolicy
from core.errors import SondeError
from core.ports import CrossEncoder, Embedder, EntityRecogniser, Geocoder
from encoders.catalogue import load_cross_encoder, load_embedder, load_recogniser
from encoders.remote_geocoder import FallbackGeocoder, RemoteGeocoder
from encoders.specs import CrossEncoderSpec, EmbedderSpec, GeocoderSpec, RecogniserSpec
from net.gate import Gate
from reading.gazetteer import Gazetteer
from search_api.http.telemetry import record_loading
from search_api.search.guarded_models import CachingEmbedder, GuardedCrossEncoder, GuardedEmbedder, GuardedGeocoder
from sonde.settings import Settings
from sonde.wiring.gate import Gates


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
                        tokens=given.tokens,
                    ),
                    self.gate if given.runtime == "remote" else None,
                )
                record_loading("embedder", wanted, time.perf_counter() - begun)
                if given.runtime == "remote":
                    embedder = GuardedEmbedder(embedder, Breaker("The embedder", BreakerPolicy()))
                self._embedders[wanted] = CachingEmbedder(embedder)
            return self._embedders[wanted]

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
            found = self._loaded_cross_encoder()
        except SondeError as error:
            self._reranker_problem = str(error)
            raise
        self._reranker_problem = None
        return found

    def _loaded_cross_encoder(self) -> CrossEncoder:
        with self._lock:
            if self._cross_encoder is None:
                begun, given = time.perf_counter(), self._settings.cross_encoder
                cross_encoder = load_cross_encoder(
                    CrossEncoderSpec(
                        name=given.model,
                        weight=given.weight,
                        cache=self._settings.models.folder,
                        runtime=given.runtime,
                        device=given.device,
                        threads=given.threads or None,
                        allow_hub=self._settings.models.allow_hub,
                        url=str(given.url) if given.url is not None else None,
                        key=given.key.get_secret_value() if given.key is not None else None,
                        timeout_s=given.timeout_s,
                    ),
                    lambda: self.gate,
                )
                record_loading("cross_encoder", cross_encoder.card.model, time.perf_counter() - begun)
                slow_s = self._settings.api.slow_rerank_s
                self._cross_encoder = GuardedCrossEncoder(
                    cross_encoder, Breaker("The cross-encoder", BreakerPolicy(slow_s=slow_s, pause_s=30.0))
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
        """The configured service, with the gazetteer as fallback; None if none is configured."""
        given = self._settings.geocoder
        if given.kind == "embedded" or given.url is None:
            return None
        remote = RemoteGeocoder(GeocoderSpec(given.kind, given.url), self.gate)
        return FallbackGeocoder(GuardedGeocoder(remote, Breaker("The geocoder", BreakerPolicy())), self.gazetteer)

    @property
    def gate(self) -> Gate:
        """The gate to model servers."""
        return self.gates("models")
