"""Searches of one question, each sent to the same copies of the shards."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.searching import Search, search_named


@dataclass(frozen=True, slots=True)
class SearchSession:
    """``preference`` sends equal questions to the same shard copies, whose scores can differ a little."""

    client: Elasticsearch
    preference: str

    @classmethod
    def of(cls, client: Elasticsearch, question: str) -> SearchSession:
        return cls(client, hashlib.sha256(question.encode()).hexdigest()[:16])

    def search(self, index: str, body: JsonMapping) -> Search:
        """One search of a request."""
        return {"index": index, "preference": self.preference, "search_type": "dfs_query_then_fetch"}, body

    def ask(self, searches: Mapping[str, Search]) -> dict[str, Json]:
        """The answers by name, in one request; none without searches. Raises Unavailable."""
        return search_named(self.client, searches)
