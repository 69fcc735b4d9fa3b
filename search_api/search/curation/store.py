"""Rules and their history in the index ``{prefix}-curation``. Each write renews a mark that tells readers of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from core.errors import NotFound, Unavailable
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from search_api.search.curation.rules import RuleAction, RuleChange, RuleKey, RuleKind, StoredRule

MOST_RULES = 10_000
_MARK = "mark"
_CHANGE = "change"
_BY_RULE: list[Json] = [{"kind": "asc"}, {"rule": "asc"}]
_NEWEST: list[Json] = [{"at": "desc"}, {"rule": "asc"}]

Mark = tuple[int, int] | None
"""Changes with every write; None before the first one."""


class CurationStore:
    """Raises the errors of the gateway."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "curation")

    def mark(self) -> Mark:
        """In real time, by one small request."""
        answer: Json = self._client.options(ignore_status=404).get(index=self._index, id=_MARK, source=False).body
        return (answer["_seq_no"], answer["_primary_term"]) if answer.get("found") else None

    def rules(self, *, kind: RuleKind | None = None, draft: str | None = None) -> list[StoredRule]:
        """By kind and id; at most 10,000. ``draft`` empty: the live ones; None: all."""
        filters: list[Json] = [{"exists": {"field": "rule"}}]
        if kind is not None:
            filters.append({"term": {"kind": kind}})
        if draft is not None:
            filters.append({"term": {"draft": draft}})
        query = {"bool": {"filter": filters, "must_not": [{"term": {"kind": _CHANGE}}]}}
        return [_stored_rule(hit["_source"]) for hit in self._search(query, _BY_RULE, MOST_RULES)]

    def find(self, keys: Sequence[RuleKey]) -> dict[RuleKey, StoredRule]:
        """Those that exist, in real time."""
        if not keys:
            return {}
        ids = [key.document for key in keys]
        answer = self._client.options(ignore_status=404).mget(index=self._index, ids=ids).body
        rules = [_stored_rule(item["_source"]) for item in answer.get("docs", ()) if item.get("found")]
        return {item.key: item for item in rules}

    def write(self, changes: Sequence[RuleChange]) -> None:
        """All of them with their history; visible when this returns. Creates the index if necessary."""
        if not changes:
            return
        ensure_without_vectors(self._client, self._prefix, ("curation",))
        lines = [line for change in changes for line in _operations(change)]
        lines += [{"index": {"_id": _MARK}}, {"kind": _MARK, "at": changes[-1].at}]
        answer = self._client.bulk(index=self._index, operations=lines, refresh=True, require_alias=True).body
        if answer["errors"]:
            raise Unavailable(
                "Elasticsearch did not store all of the changes; /curation/history lists those that it stored."
            )

    def history(self, *, kind: RuleKind | None = None, rule: str | None = None, size: int = 50) -> list[RuleChange]:
        """Newest first."""
        filters: list[Json] = [{"term": {"kind": _CHANGE}}]
        if rule is not None or kind is not None:
            filters.append({"prefix": {"rule": f"{kind}/"}} if rule is None else {"term": {"rule": f"{kind}/{rule}"}})
        hits = self._search({"bool": {"filter": filters}}, _NEWEST, size)
        return [_change(hit["_id"], hit["_source"]) for hit in hits]

    def change(self, id: str) -> RuleChange:
        """Raises NotFound."""
        answer = self._client.options(ignore_status=404).get(index=self._index, id=id).body
        if not answer.get("found") or answer["_source"]["kind"] != _CHANGE:
            raise NotFound(f"There is no change {id!r} in the history.")
        return _change(id, answer["_source"])

    def _search(self, query: Json, sort: list[Json], size: int) -> Iterable[Json]:
        answer = self._client.search(index=self._index, query=query, sort=sort, size=size, ignore_unavailable=True)
        return cast("Iterable[Json]", answer.body["hits"]["hits"])


def _operations(change: RuleChange) -> Iterator[Json]:
    key = change.key
    if change.after is None and (change.action in ("published", "undone") or not key.draft):
        yield {"delete": {"_id": key.document}}
    else:
        yield {"index": {"_id": key.document}}
        document = {"kind": key.kind, "rule": key.id, "draft": key.draft, "by": change.by, "at": change.at}
        yield document | (
            {} if change.after is None else {"record": change.after.get("record"), "content": change.after}
        )
    yield {"create": {"_id": change.id}}
    yield {
        "kind": _CHANGE,
        "rule": f"{key.kind}/{key.id}",
        "draft": key.draft,
        "action": change.action,
        "by": change.by,
        "at": change.at,
        "content": {"before": change.before, "after": change.after},
    }


def _stored_rule(source: JsonMapping) -> StoredRule:
    key = RuleKey(source["kind"], source["rule"], source.get("draft", ""))
    return StoredRule(key, source.get("content"), source["by"], source["at"])


def _change(id: str, source: JsonMapping) -> RuleChange:
    kind, _, rule = str(source["rule"]).partition("/")
    key = RuleKey(cast(RuleKind, kind), rule, source.get("draft", ""))
    content, action = source["content"], cast(RuleAction, source["action"])
    return RuleChange(key, action, content["before"], content["after"], source["by"], source["at"], id)
