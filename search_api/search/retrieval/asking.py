"""Searches of one question: several in one request, each sent to the same copies of the shards."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.searching import Later, SearchBatch


@dataclass(frozen=True, slots=True)
class Asking:
    """``preference`` sends equal questions to the same shard copies, whose scores can differ a little."""

    client: Elasticsearch
    preference: str

    @classmethod
    def of(cls, client: Elasticsearch, question: str) -> Asking:
        return cls(client, hashlib.sha256(question.encode()).hexdigest()[:16])

    def batch(self) -> SearchBatch:
        return SearchBatch(self.client)

    def add(self, batch: SearchBatch, index: str, body: JsonMapping) -> Later[Json]:
        """One more search in the batch."""
        header = {"index": index, "preference": self.preference, "search_type": "dfs_query_then_fetch"}
        return batch.add(header, body)
