"""What `sonde evaluate` is made of: a collection in a throw-away index under the pipeline that serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.errors import ModelMissing
from core.ports import CrossEncoderCard, Embedder, EmbedderCard
from evaluation.collection import JudgedCollection
from evaluation.temporary_index import temporary_records
from evaluation.vector_cache import CachedEmbedder, Progress, VectorCache
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import RankingConfig
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.indices import index_shape
from sonde.wiring.models import Models
from sonde.wiring.search import ranking_config, search_pipeline

_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Bench:
    """A collection ready to be asked."""

    pipeline: SearchPipeline
    embedder: EmbedderCard
    cross_encoder: CrossEncoderCard | None
    config: RankingConfig


@contextmanager
def bench(
    settings: Settings,
    collection: JudgedCollection,
    *,
    config: RankingConfig | None = None,
    progress: Progress | None = None,
) -> Iterator[Bench]:
    """The collection indexed with its vectors; the index goes when the bench is left, however it is left."""
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True)
    cache = VectorCache(settings.models.folder / "vectors.sqlite")
    models, config = CachingModels(settings, cache, progress), config or ranking_config(settings)
    fixed = collection.as_of_ms
    now_ms: Callable[[], int] | None = (lambda: fixed) if fixed is not None else None
    try:
        embedder = models.embedder()
        with temporary_records(client, collection.records, embedder, index_shape(settings)) as prefix:
            pipeline, _ = search_pipeline(client, prefix, models, config, now_ms=now_ms)
            yield Bench(pipeline, embedder.card, _card(models), config)
    finally:
        cache.close()
        client.close()


class CachingModels(Models):
    """The process's models, the embedder behind a cache."""

    def __init__(self, settings: Settings, cache: VectorCache, progress: Progress | None) -> None:
        super().__init__(settings)
        self._cache = cache
        self._progress = progress

    def embedder(self, name: str | None = None) -> Embedder:
        return CachedEmbedder(super().embedder(name), self._cache, self._progress)


def _card(models: Models) -> CrossEncoderCard | None:
    try:
        return models.cross_encoder().card
    except ModelMissing:
        return None
