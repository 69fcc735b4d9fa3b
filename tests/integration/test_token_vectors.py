"""Token vectors from the harvest to the ranking, and all that carries a record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.document import Passage, WhereWhen
from core.ports import TokenCard
from es_gateway.client import Elasticsearch
from es_mappings.codecs.vectors import bits_of, to_fields
from es_mappings.indices import ensure_indices, serving
from indexer.documents.index.store import DocumentStore, passage_document
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts, Options
from indexer.reindex.run import ReindexParts, reindex, rollback
from indexer.sources.folder import FolderSource
from indexer.write.embed import count_missing, embed_missing
from search_api.search.parts import RecordCaches
from search_api.search.passages.passage_arms import late_interactions
from search_api.search.passages.scope import scopes
from search_api.search.retrieval.record_reads import fetch_token_vectors
from tests.integration.hashing import Hashing
from tests.service import SAMPLES

TOKENS = TokenCard("made-for-tests", 16)
RECORDS = 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file in sorted(SAMPLES.glob("*.xml"))[:RECORDS]:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


@pytest.fixture
def harvested(es_client: Elasticsearch, prefix: str, folder: Path) -> HarvestParts:
    embedder = Hashing("one", tokens=TOKENS)
    ensure_indices(es_client, prefix, embedder.card)
    parts = HarvestParts(es_client, prefix, lambda _name: embedder)
    assert harvest("s", FolderSource(folder), parts).state == "complete"
    return parts


def _tokens(client: Elasticsearch, index: str) -> dict[str, int]:
    """Tokens by record."""
    client.indices.refresh(index=index)
    hits = client.search(index=index, source={"includes": ["tokens"]}, size=100)["hits"]["hits"]
    found = {hit["_id"]: bits_of(hit["_source"], TOKENS) for hit in hits}
    return {record: len(bits) for record, bits in found.items() if bits is not None}


def test_a_harvest_makes_them_and_the_index_says_how(es_client: Elasticsearch, harvested: HarvestParts) -> None:
    assert harvested.recipe().tokens == TOKENS
    found = _tokens(es_client, f"{harvested.prefix}-records")
    assert len(found) == RECORDS
    assert min(found.values()) > 1


def test_they_stay_where_only_another_field_changed(
    es_client: Elasticsearch, harvested: HarvestParts, folder: Path
) -> None:
    before = _tokens(es_client, f"{harvested.prefix}-records")
    path = sorted(folder.glob("*.xml"))[0]
    text = path.read_text("utf-8")
    path.write_text(text.replace("<gmd:dateStamp>", "<!-- --><gmd:dateStamp>").replace("2019", "2018"), "utf-8")
    without = replace(harvested, embedder=None)
    harvest("s", FolderSource(folder), without)
    assert _tokens(es_client, f"{harvested.prefix}-records") == before


def test_what_lacks_them_is_counted_and_filled(es_client: Elasticsearch, harvested: HarvestParts) -> None:
    index = f"{harvested.prefix}-records"
    one = next(iter(_tokens(es_client, index)))
    es_client.update(index=index, id=one, script={"source": "ctx._source.remove('tokens')"}, refresh=True)
    assert count_missing("s", harvested) == 1
    assert embed_missing("s", harvested, Options()).embedded == 1
    assert len(_tokens(es_client, index)) == RECORDS


def test_an_index_without_them_gets_them_by_a_reindex_and_goes_back(
    es_client: Elasticsearch, prefix: str, folder: Path
) -> None:
    bare, richer = Hashing("one"), Hashing("one", tokens=TOKENS)
    ensure_indices(es_client, prefix, bare.card)
    parts = HarvestParts(es_client, prefix, lambda _name: richer)
    harvest("s", FolderSource(folder), parts)
    assert _tokens(es_client, f"{prefix}-records") == {}, "the index does not want them"
    assert count_missing("s", parts) == 0

    assert reindex(ReindexParts(es_client, prefix, richer), least_overlap=0.0).moved
    assert len(_tokens(es_client, f"{prefix}-records")) == RECORDS
    again = richer.embedded
    assert reindex(ReindexParts(es_client, prefix, richer), least_overlap=0.0)
    assert richer.embedded == again, "the next one copies them"
    assert len(_tokens(es_client, f"{prefix}-records")) == RECORDS
    rollback(es_client, prefix)


def test_a_damaged_one_is_left_out_and_the_others_are_remembered(
    es_client: Elasticsearch, harvested: HarvestParts
) -> None:
    index = f"{harvested.prefix}-records"
    es_client.indices.refresh(index=index)
    hits = es_client.search(index=index, seq_no_primary_term=True, source=False, size=100)["hits"]["hits"]
    bad = hits[0]["_id"]
    cut = {"tokens": {"by": TOKENS.code, "bits": "AQIF"}}
    es_client.update(index=index, id=bad, doc=cut, refresh=True)
    found = serving(es_client, harvested.prefix, "records")
    assert found is not None
    hits = es_client.search(index=index, seq_no_primary_term=True, source=False, size=100)["hits"]["hits"]
    versions = {hit["_id"]: (found.uuid, hit["_seq_no"], hit["_primary_term"]) for hit in hits}
    memory = RecordCaches().tokens
    first = fetch_token_vectors(es_client, found.index, versions, TOKENS, memory)
    assert set(first) == set(versions) - {bad}
    es_client.indices.delete(index=found.index)
    assert set(fetch_token_vectors(es_client, found.index, versions, TOKENS, memory)) == set(first)


def test_a_users_passages_are_compared_for_that_user_alone(es_client: Elasticsearch, prefix: str) -> None:
    embedder = Hashing("one", tokens=TOKENS)
    ensure_indices(es_client, prefix, embedder.card)
    store = DocumentStore(es_client, prefix)
    text = "snow depth in winter"
    (fields,) = to_fields(embedder.encode([text], "document"), embedder.card, TOKENS)
    for owner in ("ada", "bob"):
        passage = Passage(f"{owner}#0", owner, 0, text, owner=owner)
        assert store.put_passages(owner, [(passage.id, passage_document(passage, "", WhereWhen(), None, fields))]) == []
    es_client.indices.refresh(index=f"{prefix}-library")
    question = embedder.encode([text], "document").tokens
    assert question is not None
    asked = question[0] / np.linalg.norm(question[0], axis=1, keepdims=True)
    found = late_interactions(es_client, scopes(prefix, "mine", "ada"), ["ada#0", "bob#0"], asked, TOKENS)
    assert set(found) == {"ada#0"}
    assert found["ada#0"] > 0.5
    assert late_interactions(es_client, scopes(prefix, "public", None), ["ada#0"], asked, TOKENS) == {}
    assert late_interactions(es_client, scopes(prefix, "mine", "ada"), ["ada#0"], asked, TokenCard("other", 16)) == {}
