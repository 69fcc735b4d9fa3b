"""Reads records with the rights that a saved search has now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.record import Record
from es_gateway.client import Elasticsearch
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import WITHOUT
from es_mappings.names import alias
from search_api.http.access.visibility import visible_clause


@dataclass(frozen=True, slots=True)
class AlertRecords:
    """``client`` sees everything; the groups are given with each call. Raises the errors of the gateway."""

    client: Elasticsearch
    prefix: str

    def visible(self, ids: Sequence[str], groups: frozenset[str]) -> dict[str, Record]:
        """Those of the records that still exist and that these groups may see now."""
        if not ids:
            return {}
        query = {"bool": {"filter": [{"ids": {"values": list(ids)}}, visible_clause(groups)]}}
        found = self.client.search(index=alias(self.prefix, "records"), query=query, size=len(ids), source=WITHOUT)
        return {hit["_id"]: from_document(hit["_source"]) for hit in found.body["hits"]["hits"]}
