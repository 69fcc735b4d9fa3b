"""Builds cited answers from the settings."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import SondeError
from core.ports import LanguageModel
from encoders.language_model import ChatEndpoint, RemoteLanguageModel
from net.gate import Gate
from search_api.ask.answerer import Answerer, AnswerParts
from search_api.search.parts import SearchParts
from search_api.search.passages.retrieve import PassageRetriever
from search_api.search.passages.values import AnswerConfig
from search_api.search.retrieval.serving import ServingResolver
from sonde.settings import Settings
from sonde.wiring.models import Models


def answerer(settings: Settings, search: SearchParts, resolver: ServingResolver, models: Models) -> Answerer:
    """Answers with the configured model; without one, with quotes."""
    model = language_model(settings, lambda: models.gate)
    return answerer_over(settings, settings.index.prefix, search, resolver, models, model)


def answerer_over(
    settings: Settings,
    prefix: str,
    search: SearchParts,
    resolver: ServingResolver,
    models: Models,
    model: LanguageModel | None,
) -> Answerer:
    """The same over the passages of any prefix, with any model."""
    given = settings.answers
    config = AnswerConfig(top_k=given.top_k, threshold=given.threshold, support=given.support)
    retriever = PassageRetriever(search, prefix, config)
    return Answerer(AnswerParts(resolver, retriever, models.heavy_reranker, config, model, settings.api.deadline_s))


def language_model(settings: Settings, gate: Callable[[], Gate]) -> LanguageModel | None:
    """None if no endpoint is set. Raises SondeError for an endpoint without a model's name."""
    given = settings.answers
    if given.url is None:
        return None
    if given.model is None:
        raise SondeError("SONDE_ANSWERS__URL is set; name the model in SONDE_ANSWERS__MODEL.")
    key = given.key.get_secret_value() if given.key is not None else None
    endpoint = ChatEndpoint(given.url, given.model, key, given.timeout_s, given.max_tokens)
    return RemoteLanguageModel(endpoint, gate())
