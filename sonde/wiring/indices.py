"""Creates the missing indices of one prefix."""

from __future__ import annotations

from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_indices
from es_mappings.migration import migrate
from es_mappings.shape import IndexShape
from sonde.settings import Settings
from sonde.wiring.models import Models


def index_shape(settings: Settings) -> IndexShape:
    """The shape that new indices take."""
    return IndexShape(settings.index.vector_index, settings.index.shards, settings.index.replicas)


def prepare_indices(client: Elasticsearch, settings: Settings, models: Models) -> list[str]:
    """Creates missing indices and migrates older ones; loads the embedder only to create."""
    prefix = settings.index.prefix
    if client.indices.exists_alias(name=f"{prefix}-records") and client.indices.exists_alias(name=f"{prefix}-runs"):
        migrate(client, prefix)
        return []
    return ensure_indices(client, prefix, models.embedder().card, shape=index_shape(settings))
