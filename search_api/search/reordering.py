"""The hits of a search in another order than the best first: by title, by date, by resolution."""

from __future__ import annotations

from dataclasses import replace

from search_api.search.listed import Listed
from search_api.search.order import read_sortby, sort_body
from search_api.search.retrieval.asking import Asking


def reordered(whole: Listed, sortby: str, asking: Asking, index: str) -> Listed:
    """The same hits by ``sortby``, then by id; records without the value come last.

    ``whole``: all hits that can be paged. Raises Unavailable if Elasticsearch does not answer.
    """
    places = dict(zip(whole.ids(), whole.order, strict=True))
    batch = asking.batch()
    every = {"query": {"ids": {"values": list(places)}}, "size": len(places), "_source": False}
    body = {**every, **sort_body(read_sortby(sortby))}
    answer = asking.add(batch, index, body)
    batch.send()
    sorted_ids = [hit["_id"] for hit in answer()["hits"]["hits"]]
    return replace(whole, order=[places[id] for id in sorted_ids])
