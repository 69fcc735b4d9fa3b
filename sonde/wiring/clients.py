"""Clients of Elasticsearch as the settings describe them; apart from wiring, so that a command that needs no more
than a client (a rollback, keys) is there at once."""

from __future__ import annotations

from typing import Any

from elastic_transport import BaseNode
from elasticsearch import Elasticsearch

from sonde.settings import Settings
from sonde.wiring.fast_json import SERIALIZERS
from sonde.wiring.steady_nodes import SteadyNodes


def elasticsearch_client(
    settings: Settings,
    *,
    timeout_s: float | None = None,
    timed_by: type[BaseNode] | None = None,
    kind: type[Elasticsearch] = Elasticsearch,
) -> Elasticsearch:
    """One client. A node that cannot be reached is passed over; there are no other retries, so that each call has one
    owner of its retries and fails within its time.

    ``timed_by``: a node class that also measures, or keeps to the deadline of a request. ``kind``:
    ConfinedElasticsearch for what callers see.
    """
    given = settings.elasticsearch
    login = None
    if given.username is not None and given.password is not None:
        login = (given.username, given.password.get_secret_value())
    more: dict[str, Any] = {"ca_certs": str(given.ca_certs)} if given.ca_certs else {}
    if timed_by is not None:
        more["node_class"] = timed_by
    return kind(
        [settings.elasticsearch_url, *given.more_urls],
        basic_auth=login,
        api_key=given.api_key.get_secret_value() if given.api_key else None,
        request_timeout=timeout_s or given.timeout_s,
        max_retries=len(given.more_urls),
        retry_on_timeout=False,
        retry_on_status=(),
        serializers=SERIALIZERS,
        node_pool_class=SteadyNodes,
        **more,
    )
