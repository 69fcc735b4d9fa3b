"""Health, readiness, the API's own description, embeddings, and an Elasticsearch that goes away and comes back."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from elasticsearch import Elasticsearch

from core.errors import IndexMismatch, ModelMissing
from core.ports import EmbedderCard
from es_mappings.indices import ensure_indices, serving
from search_api.http.access.guard import INSIDE
from search_api.parts import MOST_EMBEDDED_CHARACTERS
from search_api.search.retrieval.serving import ServingResolver
from sonde.wiring.api import refuse_unservable
from tests.service import Service
from tests.tcp_proxy import door


def test_it_is_alive_and_ready(samples: Service) -> None:
    assert samples.http.get("/healthz").get_json() == {"status": "ok"}
    ready = samples.http.get("/readyz")
    assert ready.status_code == 200
    assert ready.get_json()["dependencies"] == {"elasticsearch": "ok", "index": "ok", "embedder": "ok"}


def test_it_notes_that_this_machine_cannot_read_scans(
    samples: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ready = Service(samples.client, samples.url, samples.prefix).http.get("/readyz")
    assert ready.status_code == 200
    assert any("tesseract is not installed" in note for note in ready.get_json()["notes"])


def test_without_elasticsearch_it_is_503_within_five_seconds_and_recovers_by_itself(samples: Service) -> None:
    with door(samples.url) as way:
        service = Service(samples.client, way.url, samples.prefix)
        assert service.http.get("/search?q=rain").status_code == 200
        way.close()
        for path in ("/search?q=rain", "/search?q=rain&algorithm=bm25"):
            started = time.monotonic()
            answer = service.http.get(path)
            assert answer.status_code == 503
            assert answer.mimetype == "application/problem+json"
            assert answer.headers["Retry-After"]
            assert time.monotonic() - started < 5.0  # the promise, not a benchmark: it takes milliseconds
        assert service.http.get("/readyz").status_code == 503
        assert service.http.get("/healthz").status_code == 200
        way.open()
        assert service.http.get("/search?q=rain").status_code == 200


def test_before_the_first_harvest_it_says_what_to_do(
    es_client: Elasticsearch, elasticsearch_url: str, prefix: str
) -> None:
    service = Service(es_client, elasticsearch_url, prefix)
    answer = service.http.get("/search?q=rain")
    assert answer.status_code == 503
    assert "sonde harvest" in answer.get_json()["detail"]


def test_the_api_describes_itself(samples: Service) -> None:
    described = samples.http.get("/api").get_json()
    assert described["openapi"].startswith("3.1")
    search = described["paths"]["/search"]["get"]
    names = {parameter["name"] for parameter in search["parameters"]}
    assert {"q", "bbox", "place", "relation", "datetime", "algorithm", "explain", "cursor"} <= names
    assert {"200", "400", "503"} <= set(search["responses"])
    assert "/embeddings" in described["paths"]


def test_embeddings_are_unit_vectors_of_the_model_that_serves(samples: Service) -> None:
    answer = samples.http.post("/embeddings", json={"input": ["rain", "snow"], "kind": "query"}).get_json()
    assert answer["model"] == "sentence-transformers/all-MiniLM-L6-v2"
    vectors = np.array([entry["embedding"] for entry in answer["data"]])
    assert vectors.shape == (2, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)
    assert answer["usage"]["prompt_tokens"] == 6  # [CLS] rain [SEP], twice


def test_embeddings_of_another_model_are_refused_by_name(samples: Service) -> None:
    answer = samples.http.post("/embeddings", json={"input": "rain", "model": "other"})
    assert answer.status_code == 400
    assert answer.get_json()["parameter"] == "model"


def test_metrics_are_prometheus(samples: Service) -> None:
    samples.http.get("/healthz")
    inside = samples.http.get("/metrics", environ_overrides={INSIDE: True})
    assert b"sonde_http_request_seconds_count" in inside.data


def test_metrics_name_every_source_and_are_nobodys_who_has_no_admins_key(samples: Service) -> None:
    strangers = samples.http.get("/metrics")
    assert strangers.status_code == 401
    assert b"sonde_" not in strangers.data


def test_embeddings_of_too_many_characters_are_refused_before_they_are_computed(samples: Service) -> None:
    most = MOST_EMBEDDED_CHARACTERS
    answer = samples.http.post("/embeddings", json={"input": ["a" * (most // 2), "b" * (most // 2 + 1)]})
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "input")


def test_the_front_page_is_a_page_for_people_and_links_for_programs(samples: Service) -> None:
    page = samples.http.get("/", headers={"Accept": "text/html"})
    assert page.mimetype == "text/html"
    assert "unsafe-inline" not in page.headers["Content-Security-Policy"].partition("script-src")[2].partition(";")[0]
    rels = {link["rel"] for link in samples.http.get("/", headers={"Accept": "application/json"}).get_json()["links"]}
    assert {"self", "service-desc"} <= rels


CARD = EmbedderCard("some/model", 8, 256, 0.2)


def test_an_index_of_another_dimension_is_refused_with_what_to_do(
    es_client: Elasticsearch, prefix: str, samples: Service
) -> None:
    ensure_indices(es_client, prefix, replace(CARD, model=samples.models.embedder().card.model))
    resolver = ServingResolver(es_client, prefix, samples.models.embedder)
    with pytest.raises(IndexMismatch, match=r"8 dimensions .* gives 384.*sonde reindex"):
        refuse_unservable(resolver)


def test_an_index_whose_model_cannot_be_loaded_is_refused_with_what_to_do(
    es_client: Elasticsearch, prefix: str, samples: Service
) -> None:
    ensure_indices(es_client, prefix, CARD)
    with pytest.raises(ModelMissing, match=r"some/model.*sonde reindex"):
        refuse_unservable(ServingResolver(es_client, prefix, samples.models.embedder))


def test_an_index_of_a_newer_schema_is_refused_with_what_to_do(es_client: Elasticsearch, prefix: str) -> None:
    ensure_indices(es_client, prefix, CARD)
    es_client.indices.put_mapping(
        index=f"{prefix}-records",
        meta={
            "schema_version": 99,
            "embedding_model": "some/model",
            "dims": 8,
            "similarity": "cosine",
            "instruction": "",
        },
    )
    with pytest.raises(IndexMismatch, match=r"schema 99.*upgrade this one"):
        serving(es_client, prefix, "records")


def test_an_index_that_is_not_ours_is_refused(es_client: Elasticsearch, prefix: str) -> None:
    ensure_indices(es_client, prefix, CARD)
    es_client.indices.put_mapping(index=f"{prefix}-records", meta={})
    with pytest.raises(IndexMismatch, match="not made by Sonde"):
        serving(es_client, prefix, "records")


def test_settings_that_name_another_model_keep_serving_and_ask_for_a_reindex(samples: Service) -> None:
    from search_api.search.retrieval.serving import Readiness

    resolver = ServingResolver(samples.client, samples.prefix, samples.models.embedder)
    report = Readiness(samples.client, resolver, "another/model")()
    assert report.ready
    assert "sonde reindex" in report.notes[0]
