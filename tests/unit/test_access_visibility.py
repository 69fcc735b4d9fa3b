"""What may be seen, written into Elasticsearch bodies; a form that nobody thought about is refused."""

from __future__ import annotations

from typing import Any

import pytest

from search_api.http.access.visibility import (
    AccessFilteredElasticsearch,
    NotFiltered,
    filtered_body,
    may_see,
    visible_clause,
)

OPEN = {"bool": {"must_not": [{"exists": {"field": "access_groups"}}]}}
ICE = {"match": {"title": "ice"}}
NOBODY: frozenset[str] = frozenset()


def test_without_groups_only_what_is_open_passes() -> None:
    assert visible_clause(NOBODY) == OPEN
    theirs = {"terms": {"access_groups": ["glaciers", "rivers"]}}
    assert visible_clause(frozenset(("rivers", "glaciers"))) == {
        "bool": {"should": [OPEN, theirs], "minimum_should_match": 1}
    }


@pytest.mark.parametrize(
    ("needed", "groups", "seen"),
    [
        ([], NOBODY, True),
        (["a"], NOBODY, False),
        (["a"], {"b"}, False),
        (["a", "b"], {"b"}, True),
        ("a", {"a"}, True),
        ("ab", {"a"}, False),
    ],
)
def test_one_document_by_its_groups(needed: Any, groups: Any, seen: bool) -> None:
    assert may_see({"access_groups": needed}, frozenset(groups)) is seen


def test_a_query_keeps_its_score_and_gets_the_filter() -> None:
    assert filtered_body({"query": ICE, "size": 3}, NOBODY) == {
        "query": {"bool": {"must": [ICE], "filter": [OPEN]}},
        "size": 3,
    }
    assert filtered_body({"size": 0}, NOBODY)["query"] == {"bool": {"filter": [OPEN]}}


def test_nearest_neighbours_are_sought_among_what_may_be_seen_and_get_no_query_beside() -> None:
    knn = {"field": "vector", "query_vector": [1.0], "k": 1}
    assert filtered_body({"knn": {**knn, "filter": [ICE]}}, NOBODY) == {"knn": {**knn, "filter": [ICE, OPEN]}}
    assert filtered_body({"knn": [{**knn, "filter": ICE}]}, NOBODY) == {"knn": [{**knn, "filter": [ICE, OPEN]}]}
    as_query = filtered_body({"query": {"knn": {**knn, "filter": [ICE]}}}, NOBODY)
    assert as_query == {"query": {"knn": {**knn, "filter": [ICE, OPEN]}}}
    both = filtered_body({"knn": knn, "query": ICE}, NOBODY)
    assert both["knn"]["filter"] == [OPEN]
    assert both["query"]["bool"]["filter"] == [OPEN]


@pytest.mark.parametrize(
    "body",
    [
        {"retriever": {}},
        {"rescore": {}},
        {"script_fields": {}},
        {"pit": {"id": "x"}},
        {"aggs": {"all": {"global": {}}}},
        {"aggs": {"a": {"filters": {"filters": {}}, "aggs": {"b": {"global": {}}}}}},
        {"aggs": {"a": {"significant_text": {"field": "title"}}}},
    ],
)
def test_a_form_that_nobody_thought_about_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="cannot be filtered"):
        filtered_body(body, NOBODY)


REFUSED = [
    lambda client: client.search(query=ICE),
    lambda client: client.search(index="_all"),
    lambda client: client.search(index="sonde-*"),
    lambda client: client.search(index="sonde-keys,sonde-records"),
    lambda client: client.search(index="sonde-records,sonde-keys"),
    lambda client: client.search(index="another"),
    lambda client: client.msearch(searches=[{}, {"query": ICE}]),
    lambda client: client.msearch(searches=[{"index": "sonde-*"}, {"query": ICE}]),
    lambda client: client.msearch(searches=[{"index": ["sonde-records"]}, {"query": ICE}]),
    lambda client: client.mget(index="sonde-records", ids=["a"]),
    lambda client: client.get_source(index="sonde-records", id="a"),
    lambda client: client.explain(index="sonde-records", id="a", query=ICE),
    lambda client: client.termvectors(index="sonde-records", id="a"),
    lambda client: client.terms_enum(index="sonde-records", field="title", string="a"),
    lambda client: client.scroll(scroll_id="x"),
    lambda client: client.open_point_in_time(index="sonde-records", keep_alive="1m"),
    lambda client: client.esql.query(query="FROM sonde-records"),
    lambda client: client.index(index="sonde-records", document={}),
    lambda client: client.delete(index="sonde-records", id="a"),
    lambda client: client.bulk(operations=[{"delete": {"_index": "sonde-records", "_id": "a"}}]),
    lambda client: client.options(request_timeout=1).mget(index="sonde-passages-000001", ids=["a"]),
    lambda client: client.cat.indices(),
]


@pytest.mark.parametrize("ask", REFUSED)
def test_the_clients_other_ways_to_records_are_closed(ask: Any) -> None:
    """Refused before anything is sent: nobody listens at that address."""
    with AccessFilteredElasticsearch("http://127.0.0.1:9", max_retries=0) as client, pytest.raises(NotFiltered):
        ask(client)


def test_a_word_that_is_counted_may_be_the_name_of_a_type() -> None:
    """A question with the word "global" has its words counted one by one, for a better spelling."""
    words = {"filters": {"global": {"term": {"title": "global"}}, "children": {"term": {"title": "children"}}}}
    body = filtered_body({"size": 0, "aggs": {"known": {"filters": words}}}, frozenset())
    assert body["aggs"] == {"known": {"filters": words}}
