"""Too much at once on the real API: a fair queue, one deadline for all calls, and a dawdling part that is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from flask import Flask
from numpy.typing import NDArray

from core.deadlines import Breaker, BreakerPolicy, in_a_hurry
from core.errors import Unavailable
from core.ports import CrossEncoderCard, EmbedderCard, Encoded, TextKind, Vectors
from search_api.app import create_app
from search_api.http.limits import AdmissionLimits
from search_api.search.caches import GuardedCrossEncoder, GuardedEmbedder
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import default_config
from search_api.search.request import SearchRequest
from search_api.search.retrieval.serving import Serving, ServingResolver
from sonde.settings import ApiSettings, ElasticsearchSettings
from sonde.wiring.api import api_parts, limits_of
from sonde.wiring.search import search_parts
from tests.held_proxy import HeldProxy
from tests.service import Service

_LONG_S = 600.0
"""What Elasticsearch is given for one call: more than a test may take, so that only the deadline can end one."""


@pytest.fixture
def proxy(samples: Service) -> Iterator[HeldProxy]:
    with HeldProxy(samples.url).run() as one:
        assert isinstance(one, HeldProxy)
        yield one
        one.holding.clear()


def _app(samples: Service, proxy: HeldProxy, limits: AdmissionLimits) -> Flask:
    slow = ElasticsearchSettings(url=proxy.url, timeout_s=_LONG_S)
    settings = samples.settings.model_copy(update={"elasticsearch": slow})
    return create_app(replace(api_parts(settings, samples.models), limits=limits))


@pytest.mark.timeout(120)
def test_a_search_is_given_up_at_its_deadline_and_says_when_to_come_back(samples: Service, proxy: HeldProxy) -> None:
    late, patient = (
        _app(samples, proxy, AdmissionLimits(deadline_s=0.5)),
        _app(samples, proxy, AdmissionLimits(deadline_s=60.0)),
    )
    proxy.holding.set()
    for path in ("/search?q=snow&rerank=false", "/collections/all/items", "/suggest?q=rain", "/stac/search"):
        answer = late.test_client().get(path)
        assert (answer.status_code, "Retry-After" in answer.headers) == (503, True), path
    proxy.holding.clear()
    assert patient.test_client().get("/search?q=snow&rerank=false").status_code == 200


@pytest.mark.timeout(120)
def test_where_the_wait_would_be_too_long_it_is_refused_and_the_others_are_answered(
    samples: Service, proxy: HeldProxy
) -> None:
    app = _app(samples, proxy, AdmissionLimits(at_once=1, waiting=0, deadline_s=100.0))
    proxy.holding.set()
    proxy.held.clear()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(lambda: app.test_client().get("/search?q=snow&rerank=false"))
        assert proxy.held.wait(60), "the search never came to Elasticsearch"
        turned_away = [app.test_client().get("/search?q=snow") for _ in range(50)]
        assert {one.status_code for one in turned_away} == {503}
        told = [int(one.headers["Retry-After"]) for one in turned_away]
        assert told == sorted(told)  # not all are asked to come at the same time
        assert 1 == told[0] < told[-1] <= 30
        assert {one.mimetype for one in turned_away} == {"application/problem+json"}
        assert app.test_client().get("/healthz").status_code == 200
        assert not first.done()
        proxy.holding.clear()
        assert first.result(60).status_code == 200
    assert app.test_client().get("/search?q=snow&rerank=false").status_code == 200


@pytest.mark.timeout(120)
def test_thirty_two_who_search_at_once_are_answered_on_the_settings_that_ship(
    samples: Service, proxy: HeldProxy
) -> None:
    app = _app(samples, proxy, replace(limits_of(ApiSettings()), longest_wait_s=100.0))
    proxy.holding.set()
    proxy.held.clear()
    with ThreadPoolExecutor(32) as pool:
        asked = [pool.submit(lambda: app.test_client().get("/search?q=snow&rerank=false")) for _ in range(32)]
        assert proxy.held.wait(60), "no search came to Elasticsearch"
        proxy.holding.clear()
        assert [one.result(100).status_code for one in asked] == [200] * 32


def test_a_search_in_a_hurry_leaves_the_reranker_out_and_says_so(samples: Service) -> None:
    reader = Dawdling([0.0])
    resolver = ServingResolver(samples.client, samples.prefix, samples.models.embedder)
    parts = search_parts(samples.client, resolver, samples.models, default_config())
    pipeline = SearchPipeline(replace(parts, cross_encoder=lambda: reader))
    with in_a_hurry():
        assert pipeline.search(SearchRequest(q="rainfall", rerank=True)).degraded == ("cross_encoder",)
        assert pipeline.search(SearchRequest(q="rainfall", rerank=False)).degraded == ()
    assert reader.calls == []
    assert pipeline.search(SearchRequest(q="rainfall", rerank=True)).degraded == ()


@dataclass
class Dawdling:
    """A cross-encoder whose clock moves on by four seconds with each call."""

    now: list[float]
    calls: list[str] = field(default_factory=list)
    card: CrossEncoderCard = field(default_factory=lambda: CrossEncoderCard(model="slow", max_tokens=512))

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        self.calls.append(question)
        self.now[0] += 4.0
        return np.zeros(len(texts))


def test_a_cross_encoder_that_dawdles_is_left_out_and_tried_again_after_a_pause(samples: Service) -> None:
    now = [0.0]
    slow = Dawdling(now)
    breaker = Breaker("The cross-encoder", BreakerPolicy(failures=2, pause_s=30.0, slow_s=3.0), lambda: now[0])
    resolver = ServingResolver(samples.client, samples.prefix, samples.models.embedder)
    parts = search_parts(samples.client, resolver, samples.models, default_config())
    pipeline = SearchPipeline(replace(parts, cross_encoder=lambda: GuardedCrossEncoder(slow, breaker)))
    request = SearchRequest(q="rainfall", rerank=True)

    assert [pipeline.search(request).degraded for _ in range(4)] == [(), (), ("cross_encoder",), ("cross_encoder",)]
    assert len(slow.calls) == 2
    now[0] += 30.0
    assert pipeline.search(request).degraded == ()
    assert len(slow.calls) == 3


@dataclass
class Away:
    """A remote embedder that answers nobody."""

    card: EmbedderCard
    calls: list[int] = field(default_factory=list)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        self.calls.append(len(texts))
        raise Unavailable(f"no answer for {kind}")

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        return Encoded(self.embed(texts, kind))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [0 for _ in texts]


class Serves:
    """What serves, with an embedder of the test's."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    def resolve(self) -> Serving:
        return self._serving

    def forget(self) -> None:
        """There is nothing to look up again."""


def test_a_remote_embedder_that_is_away_is_no_longer_waited_for(samples: Service) -> None:
    away = Away(samples.models.embedder().card)
    guarded = GuardedEmbedder(away, Breaker("The embedder", BreakerPolicy(failures=3, pause_s=600.0)))
    found = ServingResolver(samples.client, samples.prefix, samples.models.embedder).resolve()
    resolver = Serves(replace(found, embedder=guarded))
    pipeline = SearchPipeline(search_parts(samples.client, resolver, samples.models, default_config()))
    for word in ("rainfall", "snow", "soil", "glaciers", "wind"):
        answer = pipeline.search(SearchRequest(q=word, rerank=False))
        assert answer.degraded == ("dense",)
        assert answer.hits
    assert len(away.calls) == 3
