"""The client that shows only what may be seen, on a real index."""

from __future__ import annotations

from elasticsearch import Elasticsearch

from search_api.http.access.visibility import AccessFilteredElasticsearch


def test_the_filter_is_sent_whatever_method_asks(es_client: Elasticsearch, elasticsearch_url: str, prefix: str) -> None:
    index = f"{prefix}-records-000001"
    kept = {"access_groups": {"type": "keyword"}, "title": {"type": "text"}}
    es_client.indices.create(index=index, mappings={"properties": kept}, aliases={f"{prefix}-records": {}})
    es_client.index(index=index, id="open", document={"title": "ice"}, refresh=True)
    es_client.index(index=index, id="hidden", document={"title": "ice", "access_groups": ["g"]}, refresh=True)
    with AccessFilteredElasticsearch(elasticsearch_url) as client:
        found = client.search(index=index, query={"match": {"title": "ice"}}).body["hits"]["hits"]
        assert [hit["_id"] for hit in found] == ["open"]
        assert client.count(index=f"{prefix}-records").body["count"] == 1
        assert client.options(ignore_status=404).get(index=index, id="open").body["found"]
        assert not client.options(ignore_status=404).get(index=index, id="hidden").body["found"]
        assert (
            not client.options(ignore_status=404).get(index=index, id="hidden", source_includes=["title"]).body["found"]
        )
        assert not client.options(ignore_status=404).get(index=f"{prefix}-records", id="none").body["found"]
