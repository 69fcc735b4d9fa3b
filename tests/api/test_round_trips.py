"""How many requests to Elasticsearch a search takes: two for remembered records, three else."""

from __future__ import annotations

from typing import Any

import pytest

from es_gateway.client import Elasticsearch
from tests.service import Service

pytestmark = pytest.mark.elasticsearch

QUESTION = "greenhouse gas measurements north of Italy since 2010"
"""No part of it may be a name, which would be looked up first."""


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of searches in each request to Elasticsearch that searches."""
    sent: list[int] = []
    perform = Elasticsearch.perform_request

    def counted(client: Elasticsearch, method: str, path: str, **more: Any) -> Any:
        if more.get("endpoint_id") == "msearch":
            sent.append(len(more["body"]) // 2)
        return perform(client, method, path, **more)

    monkeypatch.setattr(Elasticsearch, "perform_request", counted)
    return sent


def _asked(samples: Service, searches: list[int], **query: str) -> int:
    searches.clear()
    answer = samples.http.get("/search", query_string={"q": QUESTION, **query})
    assert answer.status_code == 200
    assert answer.get_json()["features"]
    return len(searches)


def test_a_hybrid_search_is_two_requests_once_its_records_are_remembered_and_three_with_a_page(
    samples: Service, searches: list[int]
) -> None:
    """Arms; what is missing with token vectors; the page with all that it shows."""
    assert _asked(samples, searches) <= 3
    assert _asked(samples, searches) == 2
    assert _asked(samples, searches, facets="type,decade", highlight="true", explain="true") == 3


def test_words_alone_are_one_request_once_their_records_are_remembered(samples: Service, searches: list[int]) -> None:
    _asked(samples, searches, algorithm="bm25", interpret="none")
    assert _asked(samples, searches, algorithm="bm25", interpret="none") == 1
