"""Reads what a CSW request asks for: a page at a position, records by id, the values of a property."""

from __future__ import annotations

from core.record import Record
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import WITHOUT
from search_api.catalogue.listing.query import selected
from search_api.catalogue.listing.reader import RecordReader
from search_api.catalogue.listing.request import ListRequest, Selection
from search_api.protocols.csw.errors import CswError
from search_api.protocols.csw.names import QUERYABLES, local
from search_api.protocols.csw.request import CswRequest
from search_api.protocols.csw.select import clause_for, for_ids, order_of
from search_api.search.filtering.queryables import QUERYABLES as PROPERTIES
from search_api.search.order import sort_body

_DEEPEST = 10_000
"""Elasticsearch's limit for a position; further ones are reached in steps of this size."""
_MOST_VALUES = 1000


def page(reader: RecordReader, asked: CswRequest) -> tuple[list[Record], int]:
    """The records from the position on, and how many match. Without an order, by id. Raises CswError."""
    has_words = reader.has_words
    also = () if asked.constraint is None else (clause_for(asked.constraint, has_words),)
    query, order = (
        selected(Selection(terms=asked.words, area=asked.box, also=also), has_words),
        sort_body(order_of(asked.sort)),
    )
    skipped = asked.start - 1
    after: list[object] = []
    while skipped + asked.size > _DEEPEST:
        step = min(skipped, _DEEPEST)
        if step == 0:
            break
        found = reader.search({"query": query, **order, **_after(after), "size": step, "_source": False})["hits"][
            "hits"
        ]
        if len(found) < step:
            return [], _count(reader, query)
        after, skipped = found[-1]["sort"], skipped - step
    wanted = asked.size if asked.result == "results" else 0
    place = {} if after else {"from": skipped}
    body = {
        "query": query,
        **order,
        **_after(after),
        **place,
        "size": wanted,
        "_source": WITHOUT,
        "track_total_hits": True,
    }
    answer = reader.search(body)["hits"]
    return [from_document(hit["_source"]) for hit in answer["hits"]], int(answer["total"]["value"])


def by_id(reader: RecordReader, ids: tuple[str, ...]) -> list[Record]:
    """In the order of ``ids``, without unknown ones; of several with the same identifier, the first by id."""
    found = [one.record for one in reader.page(ListRequest(Selection(also=(for_ids(ids),)), limit=len(ids) * 5)).found]
    by_name: dict[str, Record] = {}
    for record in reversed(found):
        by_name.update(dict.fromkeys((record.identifier, record.doi or record.identifier), record))
    by_name.update({record.id: record for record in found})
    return list({by_name[id].id: by_name[id] for id in ids if id in by_name}.values())


def values_of(reader: RecordReader, name: str) -> list[str]:
    """The most frequent values of a queryable, in alphabetical order. Raises CswError if it has none to list."""
    one = PROPERTIES.get(QUERYABLES.get(local(name), ""))
    if one is None or one.kind not in ("folded", "exact"):
        raise CswError("InvalidParameterValue", f"{name[:100]} has no values to list", "PropertyName")
    body = {"size": 0, "aggs": {"values": {"terms": {"field": one.fields[0], "size": _MOST_VALUES}}}}
    buckets = reader.search(body)["aggregations"]["values"]["buckets"]
    return sorted(str(bucket["key"]) for bucket in buckets)


def _after(values: list[object]) -> dict[str, list[object]]:
    return {"search_after": values} if values else {}


def _count(reader: RecordReader, query: dict[str, object]) -> int:
    body = {"query": query, "size": 0, "track_total_hits": True}
    return int(reader.search(body)["hits"]["total"]["value"])
