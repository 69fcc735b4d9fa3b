"""Runs sampled questions on an index that need not serve, so that a reindex can compare."""

from __future__ import annotations

from collections.abc import Sequence

from es_gateway.client import Elasticsearch
from es_mappings.indices import index_named
from indexer.reindex.run import AnswerProbe
from search_api.search.flow import SearchPipeline
from search_api.search.request import SearchRequest
from search_api.search.retrieval.serving import Serving
from sonde.settings import Settings
from sonde.wiring.models import Models
from sonde.wiring.search import ranking_config, search_parts

_SAMPLE_SIZE = 30
_FIRST = 10


class _FixedResolver:
    """A resolver with a fixed index."""

    def __init__(self, fixed: Serving) -> None:
        self._fixed = fixed

    def resolve(self) -> Serving:
        return self._fixed

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
