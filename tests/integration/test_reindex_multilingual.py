"""From the English default to multilingual E5 and back, with the real models on some of the samples."""

from __future__ import annotations

from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from core.ports import Embedder
from encoders.catalogue import load_embedder
from encoders.specs import EmbedderSpec
from es_mappings.indices import ensure_indices, serving
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.reindex.run import ReindexParts, reindex, rollback
from indexer.sources.folder import FolderSource
from tests.service import SAMPLES

pytestmark = pytest.mark.models

ENGLISH, MANY = "artifact:all-MiniLM-L6-v2", "artifact:multilingual-e5-small"


@pytest.fixture(scope="module")
def models() -> dict[str, Embedder]:
    return {name: load_embedder(EmbedderSpec(name)) for name in (ENGLISH, MANY)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in sorted(SAMPLES.glob("*.xml"))[:24]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def _serving_model(client: Elasticsearch, prefix: str) -> str:
    found = serving(client, prefix, "records")
    assert found is not None
    return found.meta.embedding_model


def test_an_index_moves_to_the_multilingual_model_and_back(
    es_client: Elasticsearch, prefix: str, folder: Path, models: dict[str, Embedder]
) -> None:
    ensure_indices(es_client, prefix, models[ENGLISH].card)
    assert harvest("s", FolderSource(folder), HarvestParts(es_client, prefix, models.__getitem__)).state == "complete"
    report = reindex(ReindexParts(es_client, prefix, models[MANY]), least_overlap=0.0)
    assert report.moved
    assert report.comparison.documents["records"] == 24
    assert _serving_model(es_client, prefix) == MANY
    es_client.indices.refresh(index=f"{prefix}-records")
    every = es_client.search(index=f"{prefix}-records", query={"exists": {"field": "vector"}}, size=0)
    assert every["hits"]["total"]["value"] == 24

    assert rollback(es_client, prefix)[0][1] == f"{prefix}-records-000001"
    assert _serving_model(es_client, prefix) == ENGLISH
    assert reindex(ReindexParts(es_client, prefix, models[MANY]), least_overlap=0.0).moved
    assert reindex(ReindexParts(es_client, prefix, models[ENGLISH]), least_overlap=0.0).moved
    assert _serving_model(es_client, prefix) == ENGLISH
