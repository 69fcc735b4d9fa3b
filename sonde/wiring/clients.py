"""The client of Elasticsearch from the settings; a separate module, so that a command that only needs a client (a
rollback, keys) starts quickly.
"""

from __future__ import annotations

from es_gateway.client import Connection, Elasticsearch, RetryingElasticsearch, connected
from es_gateway.nodes import HttpNode
from sonde.settings import Settings


def elasticsearch_client(
    settings: Settings, *, timeout_s: float | None = None, node: type[HttpNode] | None = None, retry: bool = False
) -> Elasticsearch:
    """The client of this process. ``retry``: for commands and workers, which retry what may succeed later."""
    given = settings.elasticsearch
    login = None
    if given.username is not None and given.password is not None:
        login = (given.username, given.password.get_secret_value())
    connection = Connection(
        [settings.elasticsearch_url, *given.more_urls],
        basic_auth=login,
        api_key=given.api_key.get_secret_value() if given.api_key else None,
        ca_certs=str(given.ca_certs) if given.ca_certs else None,
        timeout_s=timeout_s or given.timeout_s,
    )
    client = connected(connection, node=node)
    return RetryingElasticsearch.over(client) if retry else client
