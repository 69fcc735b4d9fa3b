"""A search goes on without the parts that are down, and says so."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import redis
from numpy.typing import NDArray
from structlog.testing import capture_logs

from core.access import ALL_SCOPES, Caller
from core.errors import SondeError, Unavailable
from core.ports import CrossEncoderCard, Embedder, EmbedderCard, Encoded, TextKind, Vectors
from reading.times import TimeMention, TimeReader
from search_api.app import create_app
from search_api.search.flow import SearchPipeline
from search_api.search.parts import SearchParts
from search_api.search.ranking.config import default_config
from search_api.search.request import ALL_PARTS, SearchRequest
from search_api.search.retrieval.serving import Readiness, Serving, ServingResolver
from sonde.settings import AnswersSettings, BrokerSettings, CrossEncoderSettings, HarvestSettings, IndexSettings
from sonde.wiring.api import api_parts
from sonde.wiring.models import Models
from sonde.wiring.part_watch import PartWatch, part_watch
from sonde.wiring.search import search_parts
from tests.service import Service
from workers.broker import publish_heartbeats
from workers.config import QUEUES


@dataclass(frozen=True)
class Down:
    """A remote embedder that does not answer."""

    card: EmbedderCard

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        raise Unavailable(f"no answer for {len(texts)} texts of kind {kind}")

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        return Encoded(self.embed(texts, kind))

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
    assert [found.hit.id for found in hybrid.hits] == [found.hit.id for found in words.hits]
    assert len(hybrid.hits) > 0
    assert words.degraded == ()
    with pytest.raises(Unavailable, match="no answer for 1 texts"):
        pipeline.search(SearchRequest(q="rainfall", rerank=False, algorithm="dense"))


def test_without_the_broker_searches_go_on_whole_and_what_needs_it_says_come_back(
    samples: Service, tmp_path: Path
) -> None:
    (tmp_path / "sources.yaml").write_text("sources:\n  - {id: here, type: folder, path: .}\n", "utf-8")
    settings = samples.settings.model_copy(
        update={
            "broker": BrokerSettings(url="redis://127.0.0.1:9/0"),
            "harvest": HarvestSettings(sources=tmp_path / "sources.yaml"),
        }
    )
    parts = replace(api_parts(settings, samples.models), authenticator=Steward())
    http = create_app(parts).test_client()
    asked = {"q": "rainfall", "rerank": "false"}
    answer = http.get("/search", query_string=asked)
    assert answer.status_code == 200
    assert answer.get_json()["sonde:degraded"] == []
    assert [one["id"] for one in answer.get_json()["features"]] == [
        one["id"] for one in samples.search(**asked)["features"]
    ]
    assert http.get("/readyz").status_code == 200
    refused = http.post("/harvest/runs", json={"source": "here"})
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)


class Steward:
    """Everybody may do everything."""

    def identify(self, _bearer: str | None) -> Caller:
        return Caller("steward", ALL_SCOPES)


def test_with_a_cross_encoder_that_is_down_the_order_is_that_without_it_and_the_answer_says_so(
    samples: Service,
) -> None:
    parts = replace(samples_parts(samples), cross_encoder=Absent)
    without = SearchPipeline(parts).search(SearchRequest(q="rainfall", rerank=True))
    plain = SearchPipeline(replace(parts, cross_encoder=None)).search(SearchRequest(q="rainfall", rerank=True))
    assert without.degraded == ("cross_encoder",)
    assert plain.degraded == ()
    assert [found.hit.id for found in without.hits] == [found.hit.id for found in plain.hits]


@pytest.mark.parametrize("question", ["floods in late July 2021", "Mitte Juli 2021", "fin décembre 1999"])
def test_the_middle_and_the_end_of_a_month_are_answered(samples: Service, question: str) -> None:
    answer = samples.search(question, algorithm="bm25", rerank="false")
    (time,) = answer["sonde:interpretation"]["times"]
    assert (time["start"][8:10], time["end"][8:10]) in (("22", "31"), ("12", "21"))
    assert answer["sonde:degraded"] == []


def test_with_a_defect_in_a_reader_the_question_is_answered_without_that_part_and_the_answer_says_so(
    samples: Service,
) -> None:
    parts = samples_parts(samples)
    defect = replace(parts, understander=replace(parts.understander, times=DefectTimes()))
    asked = SearchRequest(q="rainfall in Germany since 1990", rerank=False, algorithm="bm25")
    without = SearchPipeline(defect).search(asked)
    untimed = SearchPipeline(parts).search(replace(asked, interpret=ALL_PARTS - {"time"}))
    assert without.degraded == ("understanding.time",)
    assert [found.hit.id for found in without.hits] == [found.hit.id for found in untimed.hits]
    assert len(without.hits) > 0


class DefectTimes(TimeReader):
    """A reader of times with a defect."""

    def read(self, text: str, language: str | None = None, most: int | None = None) -> list[TimeMention]:
        raise ValueError(f"a defect with {len(text)} characters in {language}, {most}")


class Absent:
    """A cross-encoder that cannot be asked now."""

    card = CrossEncoderCard(model="absent", max_tokens=512)

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        raise Unavailable(f"no answer for {question!r} and {len(texts)} texts")


def samples_parts(samples: Service) -> SearchParts:
    resolver = ServingResolver(samples.client, samples.prefix, samples.models.embedder)
    return search_parts(samples.client, resolver, samples.models, default_config())


def test_a_named_reranker_or_language_model_that_is_away_is_said(samples: Service, tmp_path: Path) -> None:
    settings = samples.settings.model_copy(
        update={
            "cross_encoder": CrossEncoderSettings(model=str(tmp_path / "not-there")),
            "answers": AnswersSettings(url="http://127.0.0.1:9/v1", model="far-away"),
        }
    )
    models = Models(settings)
    with pytest.raises(SondeError):
        models.cross_encoder()  # as at the start, or at the first search
    watch = part_watch(settings, samples.client, models)
    notices = watch.look()
    assert any("not-there" in one and "without the reranker" in one for one in notices)
    assert any("far-away" in one and "does not answer" in one for one in notices)
    resolver = ServingResolver(samples.client, samples.prefix, samples.models.embedder)
    report = Readiness(samples.client, resolver, samples.models.embedder().card.model, notices=watch)()
    assert report.ready, "searches are answered"
    assert set(notices) <= set(report.notes)


def test_a_trouble_is_logged_once_and_its_end_too() -> None:
    said: list[str] = ["It is away."]
    watch = PartWatch({"part": lambda: said})
    with capture_logs() as logs:
        for _ in range(2):
            assert watch.look() == ["It is away."]
        said.clear()
        assert watch.look() == []
    assert [line["event"] for line in logs if line.get("part") == "part"] == ["part.troubled", "part.well_again"]


def test_workers_and_beat_that_are_away_are_said_until_they_leave_a_sign(
    samples: Service, broker_url: str, prefix: str
) -> None:
    given = {"broker": BrokerSettings(url=broker_url), "index": IndexSettings(prefix=prefix)}
    watch = part_watch(samples.settings.model_copy(update=given), samples.client, samples.models)
    said = " ".join(watch.look())
    assert "No worker takes tasks from any queue" in said
    assert "Beat does not run" in said
    broker = redis.Redis.from_url(broker_url)
    broker.set(f"{prefix}:redbeat::lock", "x", ex=30)
    publish_heartbeats(broker_url, prefix, QUEUES[:1])
    while not any(broker.scan_iter(f"{prefix}:worker:*")):
        time.sleep(0.02)
    said = " ".join(watch.look())
    assert QUEUES[0] not in said
    assert all(queue in said for queue in QUEUES[1:])
    assert "Beat" not in said
