"""Builds the search pipeline and cited answers, which serving and evaluation share."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from core.errors import SondeError, WrongFile
from core.ports import Geocoder, LanguageModel
from encoders.language_model import ChatEndpoint, RemoteLanguageModel
from es_gateway.client import Elasticsearch
from es_mappings.indices import index_named
from indexer.reindex.run import AnswerProbe
from net.gate import Gate
from reading.concepts import NamedVocabulary, NameLists
from reading.namesakes import RecordDensity, no_density
from reading.places import PlaceReader
from reading.times import TimeReader
from reading.vocabulary import Vocabulary, only_own_vocabulary, own_vocabulary
from search_api.ask.answerer import Answerer, AnswerParts
from search_api.ask.records import RecordFinder
from search_api.search.curation import ActiveRules, CuratedGazetteer, CuratedGeocoder, CuratedVocabulary, no_rules
from search_api.search.flow import SearchPipeline
from search_api.search.openings import UsageTable, no_usage
from search_api.search.parts import RecordCaches, SearchParts
from search_api.search.passages.retrieve import PassageRetriever
from search_api.search.passages.values import AnswerConfig
from search_api.search.ranking.config import RankingConfig, default_config
from search_api.search.request import SearchRequest
from search_api.search.retrieval.density import catalogue_density
from search_api.search.retrieval.serving import Resolver, Serving, ServingResolver
from search_api.search.understanding.title_places import (
    CatalogueGazetteer,
    TitlePlaces,
    loaded_title_places,
    no_title_places,
)
from search_api.search.understanding.understand import Understander
from search_api.search.understanding.vocabularies import VocabularyStore, loaded_vocabularies
from sonde.settings import Settings
from sonde.wiring.models import Models

_SAMPLE_SIZE = 30
"""Questions that a reindex compares; of each, the ``_FIRST`` answers."""
_FIRST = 10


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
    finds_people: bool = True,
    density: RecordDensity | None = None,
) -> tuple[SearchPipeline, ServingResolver]:
    """The pipeline for serving and evaluation, on one prefix; ``groups`` are the current caller's. ``density``: of all
    records, where ``client`` shows each caller others.
    """
    resolver = resolver or ServingResolver(client, prefix, models.embedder)
    vocabularies = loaded_vocabularies(VocabularyStore(client, prefix), _with_own_vocabulary)
    vocabulary = CuratedVocabulary(vocabularies, curation)
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
        density=density or catalogue_density(client, prefix),
        finds_people=finds_people,
        title_places=loaded_title_places(client, prefix),
    )
    return SearchPipeline(parts), resolver


def _with_own_vocabulary(vocabularies: Sequence[NamedVocabulary]) -> Vocabulary:
    return Vocabulary.of([own_vocabulary(), *vocabularies])


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
    density: RecordDensity = no_density,
    finds_people: bool = True,
    title_places: Callable[[], TitlePlaces] = no_title_places,
) -> SearchParts:
    """The parts of a search; ``resolver`` finds the serving index; ``groups`` are the current caller's."""
    clock = now_ms or (lambda: int(time.time() * 1000))
    gazetteer = CuratedGazetteer(CatalogueGazetteer(models.gazetteer, title_places), curation)
    geocoder: Geocoder = CuratedGeocoder(models.remote_geocoder, curation) if models.remote_geocoder else gazetteer
    return SearchParts(
        client=client,
        resolver=resolver,
        understander=Understander(
            places=PlaceReader(
                gazetteer, models.question_recogniser, models.remote_geocoder, density, models.question_tagger
            ),
            times=TimeReader(lambda: datetime.fromtimestamp(clock() / 1000, UTC).date()),
            vocabulary=vocabulary,
        ),
        geocoder=geocoder,
        cross_encoder=models.heavy_reranker,
        config=config,
        now_ms=clock,
        curation=curation,
        usage=usage,
        finds_people=finds_people,
        caches=RecordCaches.for_callers(groups),
    )


def answerer(settings: Settings, pipeline: SearchPipeline, resolver: ServingResolver, models: Models) -> Answerer:
    """Answers from documents and records with the configured model; without one, with quotes."""
    model = language_model(settings, lambda: models.gate)
    return answerer_of(settings, settings.index.prefix, pipeline.parts, resolver, models, model, RecordFinder(pipeline))


def answerer_of(
    settings: Settings,
    prefix: str,
    search: SearchParts,
    resolver: ServingResolver,
    models: Models,
    model: LanguageModel | None,
    records: RecordFinder | None = None,
) -> Answerer:
    """The same over the passages of any prefix, with any model; ``records`` None: from documents alone."""
    config, deadline_s = AnswerConfig(), settings.api.deadline_s
    retriever = PassageRetriever(search, prefix, config)
    return Answerer(AnswerParts(resolver, retriever, models.heavy_reranker, config, model, deadline_s, records))


def language_model(settings: Settings, gate: Callable[[], Gate]) -> LanguageModel | None:
    """None if no endpoint is set. Raises SondeError for an endpoint without a model's name."""
    answers = settings.answers
    if answers.url is None:
        return None
    if answers.model is None:
        raise SondeError("SONDE_ANSWERS__URL is set; name the model in SONDE_ANSWERS__MODEL.")
    key = answers.key.get_secret_value() if answers.key is not None else None
    endpoint = ChatEndpoint(answers.url, answers.model, key, answers.timeout_s, answers.max_tokens)
    return RemoteLanguageModel(endpoint, gate())


def loaded_name_lists(client: Elasticsearch, prefix: str) -> Callable[[], NameLists]:
    return loaded_vocabularies(VocabularyStore(client, prefix), NameLists.of)


@dataclass(frozen=True, slots=True)
class _FixedResolver:
    """A resolver with a fixed index."""

    fixed: Serving

    def resolve(self) -> Serving:
        return self.fixed

    def forget(self) -> None:
        """Does nothing: the index is fixed."""


def sampled_answers(settings: Settings, models: Models, client: Elasticsearch) -> AnswerProbe:
    """Searches for titles of the serving index's own records, a fixed sample, without the cross-encoder."""
    client = client.options(request_timeout=30.0)
    questions: list[str] = []

    def probe(index: str) -> Sequence[Sequence[str]]:
        if not questions:
            questions.extend(_titles(client, index))
        index_description = index_named(client, index)
        fixed = Serving(index_description, None, models.embedder(index_description.meta.embedding_model))
        pipeline = SearchPipeline(search_parts(client, _FixedResolver(fixed), models, ranking_config(settings)))
        answers = [pipeline.rank_all(SearchRequest(q=question, rerank=False)) for question in questions]
        return [answer.ranking.ids(0, _FIRST) for answer in answers]

    return probe


def _titles(client: Elasticsearch, index: str) -> list[str]:
    """Titles in a random but fixed order."""
    client.indices.refresh(index=index)
    sample = {"function_score": {"query": {"match_all": {}}, "random_score": {"seed": 7, "field": "_seq_no"}}}
    hits = client.search(index=index, query=sample, source={"includes": ["title"]}, size=_SAMPLE_SIZE)["hits"]["hits"]
    return [hit["_source"]["title"] for hit in hits if hit["_source"].get("title")]
