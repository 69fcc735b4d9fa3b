"""Builds the search pipeline, which serving and evaluation share."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from core.errors import WrongFile
from core.ports import Geocoder
from es_gateway.client import Elasticsearch
from reading.places import PlaceReader
from reading.times import TimeReader
from reading.vocabulary import NamedVocabulary
from reading.vocabulary.vocabulary import Vocabulary, only_own_vocabulary, own_vocabulary
from search_api.search.curation.curated import ActiveRules
from search_api.search.curation.live import CuratedGazetteer, CuratedGeocoder, CuratedVocabulary, no_rules
from search_api.search.flow import SearchPipeline
from search_api.search.parts import RecordCaches, SearchParts
from search_api.search.ranking.config import RankingConfig, default_config
from search_api.search.retrieval.serving import Resolver, ServingResolver
from search_api.search.understanding.understand import Understander
from search_api.search.understanding.vocabularies import LoadedVocabularies, VocabularyStore
from search_api.search.usage.openings import UsageTable, no_usage
from sonde.settings import Settings
from sonde.wiring.models import Models


def ranking_config(settings: Settings) -> RankingConfig:
    """The default numbers, or those of the configured file. Raises WrongFile that names what is wrong with it."""
    path = settings.ranking.config
    if path is None:
        return default_config()
    try:
        return RankingConfig.from_json(path.read_text("utf-8"))
    except OSError as error:
        raise WrongFile(f"{path} (SONDE_RANKING__CONFIG) cannot be read: {error.strerror or error}.") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise WrongFile(f"{path} (SONDE_RANKING__CONFIG) is no ranking configuration: {error}") from error


def search_pipeline(
    client: Elasticsearch,
    prefix: str,
    models: Models,
    config: RankingConfig,
    *,
    now_ms: Callable[[], int] | None = None,
    resolver: ServingResolver | None = None,
    curation: Callable[[], ActiveRules] = no_rules,
    usage: Callable[[], UsageTable] = no_usage,
    groups: Callable[[], frozenset[str]] = frozenset,
) -> tuple[SearchPipeline, ServingResolver]:
    """The pipeline for serving and evaluation, on one prefix; ``groups`` are the current caller's."""
    resolver = resolver or ServingResolver(client, prefix, models.embedder)
    loaded = LoadedVocabularies(VocabularyStore(client, prefix), _with_own)
    vocabulary = CuratedVocabulary(loaded, curation)
    parts = search_parts(
        client,
        resolver,
        models,
        config,
        now_ms=now_ms,
        vocabulary=vocabulary,
        curation=curation,
        usage=usage,
        groups=groups,
    )
    return SearchPipeline(parts), resolver


def _with_own(loaded: Sequence[NamedVocabulary]) -> Vocabulary:
    return Vocabulary.of([own_vocabulary(), *loaded])


def search_parts(
    client: Elasticsearch,
    resolver: Resolver,
    models: Models,
    config: RankingConfig,
    *,
    now_ms: Callable[[], int] | None = None,
    vocabulary: Callable[[], Vocabulary] = only_own_vocabulary,
    curation: Callable[[], ActiveRules] = no_rules,
    usage: Callable[[], UsageTable] = no_usage,
    groups: Callable[[], frozenset[str]] = frozenset,
) -> SearchParts:
    """The parts of a search; ``resolver`` finds the serving index; ``groups`` are the current caller's."""
    clock = now_ms or (lambda: int(time.time() * 1000))
    gazetteer = CuratedGazetteer(models.gazetteer, curation)
    geocoder: Geocoder = CuratedGeocoder(models.remote_geocoder, curation) if models.remote_geocoder else gazetteer
    return SearchParts(
        client=client,
        resolver=resolver,
        understander=Understander(
            places=PlaceReader(gazetteer, models.recogniser, models.remote_geocoder),
            times=TimeReader(lambda: datetime.fromtimestamp(clock() / 1000, UTC).date()),
            vocabulary=vocabulary,
        ),
        geocoder=geocoder,
        cross_encoder=models.heavy_reranker,
        config=config,
        now_ms=clock,
        curation=curation,
        usage=usage,
        caches=RecordCaches.for_callers(groups),
    )
