"""Updates the access groups of a record's passages, and of its documents in the search, when the record's change."""

from __future__ import annotations

from collections.abc import Sequence

from core.batched import batched
from core.document import record_of_document
from core.errors import Unavailable
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from indexer.plan.items import Item
from indexer.store.scan import scan

_SET = (
    "if (params.groups.size() == 0) { ctx._source.remove('access_groups') }"
    " else { ctx._source.access_groups = params.groups }"
)
_MOST_TERMS = 10_000


def share_access(client: Elasticsearch, prefix: str, items: Sequence[Item]) -> None:
    """Copies changed groups to the passages and documents of each record, before the ledger entry is written.

    After a crash in between, the ledger entry is missing, so this is repeated. Raises Unavailable.
    """
    by_groups: dict[tuple[str, ...], list[str]] = {}
    for item in items:
        if item.digest is None or not item.decision.write:
            continue
        record, groups = item.digest.record.id, tuple(item.digest.record.access_groups)
        before = tuple((item.stored.access_groups if item.stored is not None else None) or ())
        if groups != before:
            by_groups.setdefault(groups, []).append(record)
    for groups, records in by_groups.items():
        for some in batched(records, _MOST_TERMS):
            _share(client, prefix, some, groups)


def _share(client: Elasticsearch, prefix: str, records: Sequence[str], groups: tuple[str, ...]) -> None:
    index = alias(prefix, "passages")
    if not client.indices.exists_alias(name=index):
        return
    explaining: Json = {"bool": {"filter": [{"terms": {"record": list(records)}}]}}
    firsts: Json = {"bool": {"filter": [explaining, {"term": {"ordinal": 0}}]}}
    own = [record_of_document(hit["_source"]["document"]) for hit in scan(client, index, firsts, ["document"])]
    _set(client, index, explaining, groups)
    for some in batched(own, _MOST_TERMS):
        _set(client, alias(prefix, "records"), {"ids": {"values": list(some)}}, groups)


def _set(client: Elasticsearch, index: str, query: Json, groups: tuple[str, ...]) -> None:
    answer = client.update_by_query(
        index=index,
        query=query,
        script={"source": _SET, "params": {"groups": list(groups)}},
        refresh=True,
        conflicts="proceed",
    ).body
    if answer["failures"] or answer["version_conflicts"]:
        raise Unavailable("Not all passages and documents of a record could get its new access; Sonde tries again.")
