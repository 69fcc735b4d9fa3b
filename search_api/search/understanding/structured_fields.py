"""Whether any record has an extent or a period in numbers; if none does, only words can match."""

from __future__ import annotations

from typing import get_args

from es_gateway.client import Elasticsearch
from search_api.search.understanding.understand import StructuredField

_FIELDS: dict[StructuredField, str] = {"place": "extent", "time": "time"}


def structured_fields(client: Elasticsearch, index: str) -> frozenset[StructuredField]:
    """Which of place and time any record of the index has; the search stops at the first."""
    searches: list[dict[str, object]] = []
    for name in get_args(StructuredField):
        searches.append({"index": index})
        searches.append({"query": {"exists": {"field": _FIELDS[name]}}, "size": 0, "terminate_after": 1})
    answers = client.msearch(searches=searches).body["responses"]
    named = zip(get_args(StructuredField), answers, strict=True)
    return frozenset(name for name, answer in named if "error" in answer or answer["hits"]["total"]["value"])
