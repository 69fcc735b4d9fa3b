"""The client of Elasticsearch from the settings; a separate module, so that a command that only needs a client (a
rollback, keys) starts quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from es_gateway.client import Connection, Elasticsearch, RetryingElasticsearch, connected
from es_gateway.nodes import HttpNode
from es_mappings.indices import ensure_indices, put_back
from es_mappings.loader import IndexShape
from es_mappings.migration import migrate
from local_stack.state import login_of
from sonde.settings import Settings

if TYPE_CHECKING:  # the models' libraries take seconds to import
    from sonde.wiring.models import Models


def elasticsearch_client(
    settings: Settings, *, timeout_s: float | None = None, node: type[HttpNode] | None = None, retry: bool = False
) -> Elasticsearch:
    """The client of this process. ``retry``: for commands and workers, which retry what may succeed later."""
    elasticsearch = settings.elasticsearch
    login = elasticsearch_login(settings)
    connection = Connection(
        [settings.elasticsearch_url, *elasticsearch.more_urls],
        basic_auth=login,
        api_key=elasticsearch.api_key.get_secret_value() if elasticsearch.api_key and login is None else None,
        ca_certs=str(elasticsearch.ca_certs) if elasticsearch.ca_certs else None,
        timeout_s=timeout_s or elasticsearch.timeout_s,
    )
    client = connected(connection, node=node)
    return RetryingElasticsearch.over(client) if retry else client


def elasticsearch_login(settings: Settings) -> tuple[str, str] | None:
    """For the node that `sonde up` starts, the login of the stack's folder; else that of the settings."""
    elasticsearch = settings.elasticsearch
    stack_login = login_of(settings.stack.folder) if elasticsearch.url is None else None
    if stack_login is not None:
        return stack_login.as_pair
    if elasticsearch.username is not None and elasticsearch.password is not None:
        return elasticsearch.username, elasticsearch.password.get_secret_value()
    return None


def index_shape(settings: Settings) -> IndexShape:
    """The shape that new indices take."""
    return IndexShape(settings.index.vector_index, settings.index.shards, settings.index.replicas)


def prepare_indices(client: Elasticsearch, settings: Settings, models: Models) -> list[str]:
    """Creates missing indices, puts lost aliases back, and migrates older indices; loads the embedder only to create.

    Raises IndexMismatch if it is not clear which index an alias stands for, or one is of a newer Sonde.
    """
    prefix = settings.index.prefix
    put_back(client, prefix)
    if client.indices.exists_alias(name=f"{prefix}-records") and client.indices.exists_alias(name=f"{prefix}-runs"):
        migrate(client, prefix)
        return []
    return ensure_indices(client, prefix, models.embedder().card, shape=index_shape(settings))
