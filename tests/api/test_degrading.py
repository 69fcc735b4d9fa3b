"""A search goes on without the parts that are down, and says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from core.errors import Unavailable
from core.ports import Embedder, EmbedderCard, TextKind, Vectors
from search_api.pipeline import SearchPipeline
from search_api.ranking.config import default_config
from search_api.request import SearchRequest
from search_api.serving import Serving, ServingResolver
from sonde.wiring import search_parts
from tests.service import Service


@dataclass(frozen=True)
class Down:
    """A remote embedder that does not answer."""

    card: EmbedderCard

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        raise Unavailable(f"no answer for {len(texts)} texts of kind {kind}")

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [0 for _ in texts]


class WithoutEmbedder:
    """What serves, with an embedder that is down."""

    def __init__(self, resolver: ServingResolver, embedder: Embedder) -> None:
        self._resolver = resolver
        self._embedder = embedder

    def resolve(self) -> Serving:
        return replace(self._resolver.resolve(), embedder=self._embedder)

    def forget(self) -> None:
        self._resolver.forget()


def test_with_an_embedder_that_is_down_words_are_searched_and_dense_alone_says_unavailable(samples: Service) -> None:
    resolver = ServingResolver(samples.client, samples.prefix, samples.models.embedder)
    without = WithoutEmbedder(resolver, Down(samples.models.embedder().card))
    pipeline = SearchPipeline(search_parts(samples.client, without, samples.models, default_config()))
    hybrid = pipeline.search(SearchRequest(q="rainfall", rerank=False))
    words = pipeline.search(SearchRequest(q="rainfall", rerank=False, algorithm="bm25"))
    assert hybrid.degraded == ("dense",)
    assert [found.hit.id for found in hybrid.found] == [found.hit.id for found in words.found]
    assert len(hybrid.found) > 0
    assert words.degraded == ()
    with pytest.raises(Unavailable, match="no answer for 1 texts"):
        pipeline.search(SearchRequest(q="rainfall", rerank=False, algorithm="dense"))
