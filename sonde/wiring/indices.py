"""The indices of one prefix, made where they are missing."""

from __future__ import annotations

from elasticsearch import Elasticsearch

from es_mappings.indices import add_new_fields, add_new_index, ensure_indices
from sonde.settings import Settings
from sonde.wiring.models import Models


def prepare_indices(client: Elasticsearch, settings: Settings, models: Models) -> list[str]:
    """Creates the indices that are missing; the embedder is loaded only where one with vectors is."""
    prefix = settings.index.prefix
    if client.indices.exists_alias(name=f"{prefix}-records") and client.indices.exists_alias(name=f"{prefix}-runs"):
        add_new_fields(client, prefix)
        add_new_index(client, prefix, "visits")
        return []
    return ensure_indices(client, prefix, models.embedder().card, vector_index=settings.index.vector_index)
