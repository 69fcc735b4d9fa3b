"""A few real NCAR records with the real embedder: the whole way in, as ``sonde harvest`` goes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from elasticsearch import Elasticsearch

from encoders.catalogue import load_embedder
from encoders.specs import EmbedderSpec
from es_mappings.codecs.records import from_document
from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts, Options
from indexer.sources.folder import FolderSource
from tests.shared_data import shared_data

pytestmark = [pytest.mark.elasticsearch, pytest.mark.models]


def test_real_records_are_found_by_their_own_vectors(es_client: Elasticsearch, prefix: str) -> None:
    archive: Path = shared_data("catalogues", "ncar_rda_1669.tar.gz")
    embedder = load_embedder(EmbedderSpec())
    ensure_indices(es_client, prefix, embedder.card)
    parts = HarvestParts(es_client, prefix, lambda model: embedder)  # noqa: ARG005

    report = harvest("rda", FolderSource(archive, page_size=32), parts, Options(batch=32, records=32))

    assert (report.counts.seen, report.counts.refused, report.counts.failed) == (32, 0, 0)
    assert (report.counts.embedded, report.tokens.texts, report.tokens.read) == (32, 32, embedder.card.max_tokens)
    es_client.indices.refresh(index=f"{prefix}-records")
    found = es_client.search(index=f"{prefix}-records", size=32, source={"exclude_vectors": False})["hits"]["hits"]
    for hit in found[:5]:
        text = from_document({name: value for name, value in hit["_source"].items() if name != "vector"}).embedding_text
        expected = embedder.embed([text], "document")[0]
        assert float(np.dot(expected, np.asarray(hit["_source"]["vector"]))) == pytest.approx(1.0, abs=0.01)
