"""How many requests to Elasticsearch a search takes: three, and one for words alone of remembered records."""

from __future__ import annotations

import pytest

from tests.counted_searches import count_searches
from tests.service import Service

pytestmark = pytest.mark.elasticsearch

QUESTION = "temperature in Europe since 1990"
"""Enough records say its word, so that it is no typing error."""
READ = "place,time"
"""Names and acronyms, which are looked up before, are not looked for."""


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of searches in each request to Elasticsearch that searches."""
    return count_searches(monkeypatch)


def _asked(samples: Service, searches: list[int], **query: str) -> int:
    searches.clear()
    asked = {"q": QUESTION, "interpret": READ, "group": "none", **query}
    answer = samples.http.get("/search", query_string=asked)
    assert answer.status_code == 200
    assert answer.get_json()["features"]
    return len(searches)


def test_a_hybrid_search_is_three_requests_whatever_its_page_shows(samples: Service, searches: list[int]) -> None:
    """Arms; what the candidates lack, with token vectors; the page with all that it shows."""
    _asked(samples, searches, q="temperature")  # finds the index
    assert _asked(samples, searches) <= 3  # two, if another test has asked for these records
    assert _asked(samples, searches, facets="type,decade", highlight="true", explain="true") == 3


def test_a_name_is_looked_up_once_until_the_index_changes(samples: Service, searches: list[int]) -> None:
    named = {"interpret": "place,time,names,terms", "q": "ERA5 temperature"}
    _asked(samples, searches, **named)
    assert _asked(samples, searches, facets="type", highlight="true", **named) <= 3


def test_words_alone_are_one_request_once_their_records_are_remembered(samples: Service, searches: list[int]) -> None:
    words = {"algorithm": "bm25", "interpret": "none", "q": "temperature"}
    _asked(samples, searches, **words)
    assert _asked(samples, searches, **words) == 1
