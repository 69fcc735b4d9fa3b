"""Passages for answer-training sets are read from the index: one owner's, text alone, in the order of the documents."""

from __future__ import annotations

import pytest
from elasticsearch import Elasticsearch

from core.ports import EmbedderCard
from es_mappings.indices import ensure_indices
from sonde.settings import ElasticsearchSettings, IndexSettings, Settings
from sonde.wiring.training.corpora import passages_from
from training.examples import TrainingError

pytestmark = pytest.mark.elasticsearch

CARD = EmbedderCard("test/none", 4, 64, 0.0)


def settings(url: str, prefix: str) -> Settings:
    return Settings(elasticsearch=ElasticsearchSettings(url=url), index=IndexSettings(prefix=prefix))


def test_text_passages_of_one_owner_with_their_titles(
    es_client: Elasticsearch, elasticsearch_url: str, prefix: str
) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=("passages", "library"))
    given = settings(elasticsearch_url, prefix)
    with pytest.raises(TrainingError, match="no passages of 'public'"):
        passages_from(given)
    rows = [
        ("b", 0, "text", "public"),
        ("a", 1, "text", "public"),
        ("a", 0, "text", "public"),
        ("a", 2, "table", "public"),
    ]
    for document, ordinal, kind, owner in rows:
        row = {"document": document, "ordinal": ordinal, "kind": kind, "owner": owner, "text": f"{document}{ordinal}"}
        es_client.index(
            index=f"{prefix}-passages", id=f"{document}#{ordinal}", document={**row, "title": f"On {document}"}
        )
    own = {"document": "c", "ordinal": 0, "kind": "text", "owner": "ada", "text": "secret"}
    es_client.index(index=f"{prefix}-library", id="c#0", document=own, routing="ada")
    es_client.indices.refresh(index=f"{prefix}-*")
    found, titles = passages_from(given)
    assert [passage.id for passage in found] == ["a#0", "a#1", "b#0"]
    assert titles == {"a": "On a", "b": "On b"}
    assert [passage.text for passage in passages_from(given, "ada")[0]] == ["secret"]


def test_where_nothing_was_ever_ingested_the_command_is_named(elasticsearch_url: str, prefix: str) -> None:
    with pytest.raises(TrainingError, match="`sonde ingest FILES` makes some"):
        passages_from(settings(elasticsearch_url, prefix))
