"""Updates the access groups of passages when their record's change."""

from __future__ import annotations

from collections.abc import Sequence

from core.batched import batched
from core.errors import Unavailable
from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from indexer.items import Item

_SET = (
    "if (params.groups.size() == 0) { ctx._source.remove('access_groups') }"
    " else { ctx._source.access_groups = params.groups }"
)
_MOST_TERMS = 10_000


def share_access(client: Elasticsearch, prefix: str, items: Sequence[Item]) -> None:
    """Copies changed groups to the passages of each record, before the ledger entry is written.

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
    answer = client.update_by_query(
        index=index,
        query={"bool": {"filter": [{"terms": {"record": list(records)}}]}},
        script={"source": _SET, "params": {"groups": list(groups)}},
        refresh=True,
        conflicts="proceed",
    ).body
    if answer["failures"] or answer["version_conflicts"]:
        raise Unavailable("Not all passages of a record could get its new access; Sonde tries again.")
