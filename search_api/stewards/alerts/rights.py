"""What the owner of a saved search may see now: checked at each matching and at each sending."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.record import Record
from core.timespan import utc_now
from es_gateway.client import Elasticsearch
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import WITHOUT
from es_mappings.names import alias
from search_api.http.access.keys import ApiKey
from search_api.http.access.visibility import visible_clause
from search_api.stewards.alerts.saved import SavedSearch


@dataclass(frozen=True)
class OwnerRights:
    """The rights of owners, by their keys; ``keys``: all keys, ``token_days``: how long the groups of a token count.

    A search never shows more than its owner could see when it was saved. An owner whose keys have all expired gets
    nothing. The groups of an owner with tokens instead of keys are valid for ``token_days`` after the last visit;
    later the owner gets public records only.
    """

    keys: Callable[[], Sequence[ApiKey]]
    token_days: int = 30
    now: Callable[[], datetime] = field(default=utc_now)

    def current(self) -> Callable[[SavedSearch], frozenset[str] | None]:
        """Reads the keys once. Returns a function to the groups of a search's owner; None: send nothing."""
        now = self.now()
        by_owner: dict[str, list[ApiKey]] = {}
        for key in self.keys():
            by_owner.setdefault(key.grant.subject, []).append(key)

        def groups_of(saved: SavedSearch) -> frozenset[str] | None:
            keys = by_owner.get(saved.owner)
            if keys is None:
                fresh = datetime.fromisoformat(saved.seen) >= now - timedelta(days=self.token_days)
                return saved.groups if fresh else frozenset()
            usable = [key for key in keys if key.state(now) == "active" and key.grant.scopes & {"search", "admin"}]
            if not usable:
                return None
            return saved.groups & frozenset[str]().union(*(key.grant.groups for key in usable))

        return groups_of


@dataclass(frozen=True, slots=True)
class AlertRecords:
    """``client`` sees everything; the groups are given with each call. Raises the errors of the gateway."""

    client: Elasticsearch
    prefix: str

    def visible(self, ids: Sequence[str], groups: frozenset[str]) -> dict[str, Record]:
        """The existing records that these groups may see now."""
        if not ids:
            return {}
        query = {"bool": {"filter": [{"ids": {"values": list(ids)}}, visible_clause(groups)]}}
        answer = self.client.search(index=alias(self.prefix, "records"), query=query, size=len(ids), source=WITHOUT)
        return {hit["_id"]: from_document(hit["_source"]) for hit in answer.body["hits"]["hits"]}
