"""The client of Elasticsearch from the settings; a separate module, so that a command that only needs a client (a
rollback, keys) starts quickly.
"""

from __future__ import annotations

from es_gateway.client import Connection, Elasticsearch, RetryingElasticsearch, connected
from es_gateway.nodes import HttpNode
from local_stack.login import login_of
from sonde.settings import Settings


def elasticsearch_client(
    settings: Settings, *, timeout_s: float | None = None, node: type[HttpNode] | None = None, retry: bool = False
) -> Elasticsearch:
    """The client of this process. ``retry``: for commands and workers, which retry what may succeed later."""
    given = settings.elasticsearch
    login = _login(settings)
    connection = Connection(
        [settings.elasticsearch_url, *given.more_urls],
        basic_auth=login,
        api_key=given.api_key.get_secret_value() if given.api_key and login is None else None,
        ca_certs=str(given.ca_certs) if given.ca_certs else None,
        timeout_s=timeout_s or given.timeout_s,
    )
    client = connected(connection, node=node)
    return RetryingElasticsearch.over(client) if retry else client


def _login(settings: Settings) -> tuple[str, str] | None:
    """For the node that `sonde up` starts, the login of the stack's folder; else that of the settings."""
    given = settings.elasticsearch
    own = login_of(settings.stack.folder) if given.url is None else None
    if own is not None:
        return own.as_pair
    if given.username is not None and given.password is not None:
        return given.username, given.password.get_secret_value()
    return None
