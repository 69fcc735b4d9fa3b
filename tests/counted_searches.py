"""Counts the requests to Elasticsearch that search."""

from __future__ import annotations

from typing import Any

import pytest

from es_gateway.client import Elasticsearch


def count_searches(patch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each request of any client: by the number of searches in it.

    Without those by which a process learns every two seconds what the index holds.
    """
    sent: list[int] = []
    perform = Elasticsearch.perform_request

    def counted(client: Elasticsearch, method: str, path: str, **more: Any) -> Any:
        if more.get("endpoint_id") == "msearch" and "terminate_after" not in more["body"][1]:
            sent.append(len(more["body"]) // 2)
        return perform(client, method, path, **more)

    patch.setattr(Elasticsearch, "perform_request", counted)
    return sent
