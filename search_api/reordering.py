"""The hits of a search in another order than the best first: by title, by date, by resolution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from search_api.listed import Listed
from search_api.listing.order import sort_body
from search_api.listing.request import SortKey
from search_api.retrieval.asking import Asking


def reordered(whole: Listed, order: Sequence[SortKey], asking: Asking, index: str) -> Listed:
    """The same hits by ``order``, then by id; records without the value come last.

    ``whole``: all hits that can be paged. Raises Unavailable if Elasticsearch does not answer.
    """
    places = dict(zip(whole.ids(), whole.order, strict=True))
    batch = asking.batch()
    body = {"query": {"ids": {"values": list(places)}}, **sort_body(order), "size": len(places), "_source": False}
    answer = asking.add(batch, index, body)
    batch.send()
    sorted_ids = [hit["_id"] for hit in answer()["hits"]["hits"]]
    return replace(whole, order=[places[id] for id in sorted_ids])
