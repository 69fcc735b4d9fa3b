"""Creates the missing indices of one prefix, and puts lost aliases back."""

from __future__ import annotations

from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_indices, put_back
from es_mappings.loader import IndexShape
from es_mappings.migration import migrate
from sonde.settings import Settings
from sonde.wiring.models import Models


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
