"""Answers about all records are kept until the index changes, for each set of groups apart."""

from __future__ import annotations

from typing import Any

import pytest

from es_gateway.client import Elasticsearch
from search_api.search import caches
from search_api.search.caches import AnswerCache, IndexState

NOW = IndexState("uuid", 1)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    """The bodies of each request; the answer to each is its place among all that were sent."""
    requests: list[list[Any]] = []

    def search_all(client: object, searches: list[Any]) -> list[Any]:
        requests.append(searches[1::2])
        return [{"number": sum(map(len, requests[:-1])) + place} for place in range(len(searches) // 2)]

    monkeypatch.setattr(caches, "search_all", search_all)
    return requests


CLIENT = Elasticsearch("http://localhost:9")


def test_what_was_asked_is_not_asked_again_until_the_index_changes(sent: list[list[Any]]) -> None:
    cache = AnswerCache()
    assert cache.ask(CLIENT, "records", NOW, [{"a": 1}, {"b": 2}]) == [{"number": 0}, {"number": 1}]
    assert cache.ask(CLIENT, "records", NOW, [{"b": 2}, {"c": 3}]) == [{"number": 1}, {"number": 2}]
    assert sent == [[{"a": 1}, {"b": 2}], [{"c": 3}]]
    cache.ask(CLIENT, "records", IndexState("uuid", 2), [{"a": 1}])
    assert len(sent) == 3


def test_who_sees_other_records_gets_an_answer_of_their_own(sent: list[list[Any]]) -> None:
    groups = frozenset({"staff"})
    cache = AnswerCache(lambda: groups)
    inside = cache.ask(CLIENT, "records", NOW, [{"a": 1}])
    groups = frozenset()
    assert cache.ask(CLIENT, "records", NOW, [{"a": 1}]) != inside
    assert len(sent) == 2
