"""All hits of a query, page after page, from one point in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs.vectors import WITHOUT

_PAGE = 2000
_KEEP_ALIVE = "5m"


def scan(
    client: Elasticsearch,
    index: str,
    query: JsonMapping,
    fields: Sequence[str] | None = None,
    *,
    sort: str = "_shard_doc",
) -> Iterator[Json]:
    """Hits with their sequence numbers, ascending by ``sort`` (a field with doc values), from one point in time.

    ``fields``: the fields of ``_source`` to return; None for all but the vectors.
    """
    pit = client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE)["id"]
    after: list[Any] | None = None
    try:
        while True:
            page = _page(client, pit, query, fields, [{sort: "asc"}], after)
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1]["sort"]
    finally:
        client.options(ignore_status=404).close_point_in_time(id=pit)


def _page(
    client: Elasticsearch,
    pit: str,
    query: JsonMapping,
    fields: Sequence[str] | None,
    sort: list[Any],
    after: list[Any] | None,
) -> list[Json]:
    found = client.search(
        pit={"id": pit, "keep_alive": _KEEP_ALIVE},
        query=query,
        source=WITHOUT if fields is None else {"includes": list(fields)} if fields else False,
        sort=sort,
        search_after=after,
        size=_PAGE,
        track_total_hits=False,
        seq_no_primary_term=True,
    )
    return list(found["hits"]["hits"])
