"""What `sonde ask-evaluate` is made of: a collection's texts in a throw-away index under the answerer that serves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from core.document import PUBLIC
from core.errors import SondeError
from core.ports import LanguageModel
from encoders.language_model import ChatEndpoint, RemoteLanguageModel
from es_mappings.names import alias
from evaluation.answers.measures import Examination
from evaluation.answers.questions import AnswerCollection
from evaluation.answers.stub_endpoint import NAME, stub_endpoint
from evaluation.temporary_index import passages_of
from evaluation.vector_cache import VectorCache
from net.gate import Gate, GatePolicy
from search_api.search.ranking.config import RankingConfig
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import Temporal
from search_api.search.retrieval.serving import ServingResolver
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.documents import passage_reader
from sonde.wiring.evaluation.searching import CachingModels
from sonde.wiring.models import Models
from sonde.wiring.search import answerer_over, language_model, ranking_config, search_parts

_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class AnswersAsked:
    """``mode``: ``extractive``, ``stub`` or ``endpoint`` (the one of the settings). ``text_alone``: passages are ranked
    without the place and the period of a question."""

    mode: str
    text_alone: bool = False

    def config(self, config: RankingConfig) -> RankingConfig:
        return replace(config, passages=config.passages.without(Spatial, Temporal)) if self.text_alone else config


@dataclass(frozen=True, slots=True)
class Examiner:
    """Ready to be asked; ``made`` says in a sentence what answers."""

    examination: Examination
    made: str


@contextmanager
def examiner(settings: Settings, collection: AnswerCollection, form: AnswersAsked) -> Iterator[Examiner]:
    """The collection's texts in an index of their own, which is deleted on leaving.

    Raises SondeError where no endpoint is set, Unavailable where Elasticsearch does not answer.
    """
    with ExitStack() as stack:
        client = stack.enter_context(elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True))
        cache = VectorCache(settings.models.folder / "vectors.sqlite")
        stack.callback(cache.close)
        models = CachingModels(settings, cache, None)
        model, made = _model(settings, models, form.mode, stack)
        embedder = models.embedder()
        prefix = stack.enter_context(passages_of(client, collection.texts, embedder, passage_reader(models)))
        resolver = ServingResolver(client, prefix, models.embedder)
        search = search_parts(client, resolver, models, form.config(ranking_config(settings)))
        answerer = answerer_over(settings, prefix, search, resolver, models, model)
        yield Examiner(Examination(answerer, resolver, model), f"{made} Embedder {embedder.card.model}.")


@contextmanager
def examiner_of_index(settings: Settings, form: AnswersAsked) -> Iterator[Examiner]:
    """The public documents of the running index, which is only read.

    Raises SondeError where no endpoint is set, Unavailable where Elasticsearch does not answer.
    """
    with ExitStack() as stack:
        client = stack.enter_context(elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True))
        models = Models(settings)
        model, made = _model(settings, models, form.mode, stack)
        resolver = ServingResolver(client, settings.index.prefix, models.embedder)
        search = search_parts(client, resolver, models, form.config(ranking_config(settings)))
        answerer = answerer_over(settings, settings.index.prefix, search, resolver, models, model)
        description = f"{made} Embedder {models.embedder().card.model}. Index {settings.index.prefix}."
        yield Examiner(Examination(answerer, resolver, model), description)


def ids_of(settings: Settings, named: Iterable[str]) -> dict[str, str]:
    """The id of each public document, by its id or file name. Raises SondeError for one that is not there, or twice."""
    ids: dict[str, str] = {}
    with elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True) as client:
        for name in sorted(set(named)):
            either = [{"ids": {"values": [name]}}, {"term": {"name": name}}]
            query = {"bool": {"filter": [{"term": {"owner": PUBLIC}}], "should": either, "minimum_should_match": 1}}
            body = client.search(index=alias(settings.index.prefix, "documents"), query=query, source=False).body
            hits = [hit["_id"] for hit in body["hits"]["hits"]]
            if len(hits) != 1:
                raise SondeError(f"{len(hits)} public documents are called {name!r}; name one by its id.")
            ids[name] = hits[0]
    return ids


def _model(settings: Settings, models: Models, mode: str, stack: ExitStack) -> tuple[LanguageModel | None, str]:
    if mode == "extractive":
        return None, "Extractive: the best sentences, quoted."
    if mode == "stub":
        host = stack.enter_context(stub_endpoint())
        gate = Gate(GatePolicy(allowed_hosts=frozenset((host,))))
        description = "A stub endpoint, not a model: it copies the first sentence of the first passage."
        return RemoteLanguageModel(ChatEndpoint(f"http://{host}/v1", NAME), gate), description
    model = language_model(settings, lambda: models.gate)
    if model is None:
        raise SondeError("Set SONDE_ANSWERS__URL and SONDE_ANSWERS__MODEL, or use --mode extractive or stub.")
    return model, f"The model {settings.answers.model} at the endpoint of the settings."
