"""A reindex on the real Elasticsearch: the same records afterwards, whatever is written meanwhile, and a way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from core.errors import NotFound, SondeError
from core.ports import Encoded, TextKind
from es_mappings.codecs.records import from_document
from es_mappings.indices import ensure_indices, serving
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts, Options
from indexer.reindex.run import ReindexParts, forget_others, reindex, rollback
from indexer.sources.folder import FolderSource
from indexer.store.ledger import scan
from indexer.write.embed import count_missing, embed_missing
from tests.integration.hashing import Hashing
from tests.service import SAMPLES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Thirty of the samples."""
    for path in sorted(SAMPLES.glob("*.xml"))[:30]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def _harvested(client: Elasticsearch, prefix: str, folder: Path, embedder: Hashing) -> HarvestParts:
    ensure_indices(client, prefix, embedder.card)
    models = {embedder.card.model: embedder}
    parts = HarvestParts(client, prefix, lambda name: models.setdefault(name, Hashing(name)))
    assert harvest("s", FolderSource(folder), parts).state == "complete"
    return parts


def _ids(client: Elasticsearch, index: str) -> set[str]:
    client.indices.refresh(index=index)
    return {hit["_id"] for hit in client.search(index=index, size=1000, source=False)["hits"]["hits"]}


def _vector(client: Elasticsearch, index: str, id: str) -> list[float]:
    found = client.search(index=index, query={"ids": {"values": [id]}}, source={"exclude_vectors": False})
    vector: list[float] = found["hits"]["hits"][0]["_source"]["vector"]
    return vector


def test_the_same_model_reuses_every_vector(es_client: Elasticsearch, prefix: str, folder: Path) -> None:
    embedder = Hashing("one")
    _harvested(es_client, prefix, folder, embedder)
    before, one = embedder.embedded, sorted(_ids(es_client, f"{prefix}-records"))[0]
    vector = _vector(es_client, f"{prefix}-records", one)
    report = reindex(ReindexParts(es_client, prefix, embedder), least_overlap=1.0)
    assert report.moved
    assert report.comparison.documents["records"] == 30
    assert embedder.embedded == before, "nothing was embedded again"
    assert serving(es_client, prefix, "records").index == f"{prefix}-records-000002"  # type: ignore[union-attr]
    assert _vector(es_client, f"{prefix}-records", one) == pytest.approx(vector, abs=1e-6)


def test_another_model_and_dimension_comes_into_service_and_goes_again(
    es_client: Elasticsearch, prefix: str, folder: Path
) -> None:
    parts = _harvested(es_client, prefix, folder, Hashing("one"))
    other = Hashing("two", dims=16)
    assert reindex(ReindexParts(es_client, prefix, other), least_overlap=0.0).moved
    meta = serving(es_client, prefix, "records").meta  # type: ignore[union-attr]
    assert (meta.embedding_model, meta.dims) == ("two", 16)
    assert other.embedded == 30

    again = harvest("s", FolderSource(folder), replace(parts, embedder=lambda _name: other))
    assert again.counts.same == 30
    assert other.embedded == 30, "the ledger knows whose vectors are there"

    assert rollback(es_client, prefix)[0] == (f"{prefix}-records-000002", f"{prefix}-records-000001")
    assert serving(es_client, prefix, "records").meta.embedding_model == "one"  # type: ignore[union-attr]


def test_what_is_written_and_removed_meanwhile_is_neither_lost_nor_brought_back(
    es_client: Elasticsearch, prefix: str, folder: Path
) -> None:
    embedder = Hashing("one")
    parts = _harvested(es_client, prefix, folder, embedder)
    reindex(ReindexParts(es_client, prefix, embedder), least_overlap=0.0, dry_run=True)

    paths = sorted(folder.glob("*.xml"))
    paths[0].unlink()
    changed = paths[1].read_text("utf-8").replace("</gmd:title>", "<!-- --></gmd:title>", 1)
    paths[1].write_text(changed.replace("<gco:CharacterString>", "<gco:CharacterString>Changed ", 5), "utf-8")
    fresh = sorted(SAMPLES.glob("*.xml"))[40]
    (folder / fresh.name).write_bytes(fresh.read_bytes())
    assert harvest("s", FolderSource(folder), parts).state == "complete"
    wanted = _ids(es_client, f"{prefix}-records")

    assert reindex(ReindexParts(es_client, prefix, embedder), least_overlap=0.0).moved
    assert _ids(es_client, f"{prefix}-records-000002") == wanted
    assert len(wanted) == 30


def test_vectors_filled_meanwhile_are_not_lost(es_client: Elasticsearch, prefix: str, folder: Path) -> None:
    embedder = Hashing("one")
    ensure_indices(es_client, prefix, embedder.card)
    parts = HarvestParts(es_client, prefix, lambda _name: embedder)
    harvest("s", FolderSource(folder), replace(parts, embedder=None))
    reindex(ReindexParts(es_client, prefix, embedder), least_overlap=0.0, dry_run=True)
    assert embed_missing("s", parts, Options()).embedded == 30
    assert reindex(ReindexParts(es_client, prefix, embedder), least_overlap=0.0).moved
    assert embedder.embedded == 30
    assert count_missing("s", parts) == 0


class _Moving(Hashing):
    """Another model of the same size comes into service while this one embeds."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        super().__init__("one")
        self.before_answer: Callable[[], object] = lambda: reindex(
            ReindexParts(client, prefix, Hashing("two")), least_overlap=0.0
        )

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        move, self.before_answer = self.before_answer, lambda: None
        move()
        return super().encode(texts, kind)


@pytest.mark.parametrize("fills_later", [False, True])
def test_no_vector_of_the_old_model_reaches_the_index_of_the_new_one(
    es_client: Elasticsearch, prefix: str, folder: Path, fills_later: bool
) -> None:
    embedder = _Moving(es_client, prefix)
    ensure_indices(es_client, prefix, embedder.card)
    parts = HarvestParts(es_client, prefix, lambda name: embedder if name == "one" else Hashing(name))
    if fills_later:
        harvest("s", FolderSource(folder), replace(parts, embedder=None))
        assert embed_missing("s", parts, Options()).remaining == 0
    else:
        report = harvest("s", FolderSource(folder), parts)
        assert (report.state, report.counts.embedded) == ("complete", report.counts.new)
    index = serving(es_client, prefix, "records")
    assert index is not None
    assert index.meta.embedding_model == "two"
    for hit in scan(es_client, index.index, {"match_all": {}}):
        text = from_document(hit["_source"]).embedding_text
        wanted = Hashing("two").embed([text], "document")[0].tolist()
        assert _vector(es_client, index.index, hit["_id"]) == pytest.approx(wanted, abs=1e-6)


def test_answers_that_differ_too_much_refuse_the_move(es_client: Elasticsearch, prefix: str, folder: Path) -> None:
    embedder = Hashing("one")
    _harvested(es_client, prefix, folder, embedder)
    answers = {f"{prefix}-records-000001": [["a", "b"]], f"{prefix}-records-000002": [["a", "c"]]}
    report = reindex(ReindexParts(es_client, prefix, embedder, probe=answers.__getitem__), least_overlap=0.6)
    assert not report.moved
    assert report.comparison.overlap == 0.5
    assert "share 0.50" in str(report.refusal)
    assert serving(es_client, prefix, "records").index.endswith("000001")  # type: ignore[union-attr]


def test_a_half_built_index_for_another_model_is_named_and_can_be_forgotten(
    es_client: Elasticsearch, prefix: str, folder: Path
) -> None:
    _harvested(es_client, prefix, folder, Hashing("one"))
    reindex(ReindexParts(es_client, prefix, Hashing("two")), least_overlap=0.0, dry_run=True)
    with pytest.raises(SondeError, match="half built for another model"):
        reindex(ReindexParts(es_client, prefix, Hashing("three")), least_overlap=0.0)
    assert f"{prefix}-records-000002" in forget_others(es_client, prefix)
    assert reindex(ReindexParts(es_client, prefix, Hashing("three")), least_overlap=0.0).moved


def test_after_a_way_back_the_next_harvest_writes_what_was_missed(
    es_client: Elasticsearch, prefix: str, folder: Path
) -> None:
    embedder = Hashing("one")
    parts = _harvested(es_client, prefix, folder, embedder)
    reindex(ReindexParts(es_client, prefix, embedder), least_overlap=0.0)
    fresh = sorted(SAMPLES.glob("*.xml"))[40]
    (folder / fresh.name).write_bytes(fresh.read_bytes())
    harvest("s", FolderSource(folder), parts)
    rollback(es_client, prefix)
    assert len(_ids(es_client, f"{prefix}-records")) == 30
    harvest("s", FolderSource(folder), parts)
    assert len(_ids(es_client, f"{prefix}-records")) == 31


def test_after_a_way_back_the_next_harvest_makes_the_vectors_that_were_filled(
    es_client: Elasticsearch, prefix: str, folder: Path
) -> None:
    embedder = Hashing("one")
    ensure_indices(es_client, prefix, embedder.card)
    parts = HarvestParts(es_client, prefix, lambda _name: embedder)
    harvest("s", FolderSource(folder), replace(parts, embedder=None))
    reindex(ReindexParts(es_client, prefix, embedder), least_overlap=0.0)
    embed_missing("s", parts, Options())
    rollback(es_client, prefix)
    assert count_missing("s", parts) == 30
    harvest("s", FolderSource(folder), parts)
    assert count_missing("s", parts) == 0


class PowerCut(Exception):
    """Ends a reindex in its midst."""


def test_an_interrupted_one_goes_on_where_it_stopped(es_client: Elasticsearch, prefix: str, folder: Path) -> None:
    def cut(_kind: str, _seen: int) -> None:
        raise PowerCut

    _harvested(es_client, prefix, folder, Hashing("one"))
    wanted, first = _ids(es_client, f"{prefix}-records"), Hashing("two", dims=16)
    with pytest.raises(PowerCut):
        reindex(ReindexParts(es_client, prefix, first, progress=cut), least_overlap=0.0)
    assert first.embedded == 30
    assert serving(es_client, prefix, "records").index == f"{prefix}-records-000001"  # type: ignore[union-attr]
    again = Hashing("two", dims=16)
    assert reindex(ReindexParts(es_client, prefix, again), least_overlap=0.0).moved
    assert again.embedded == 0, "what was copied before the cut is not embedded again"
    assert _ids(es_client, f"{prefix}-records-000002") == wanted


def test_nothing_to_reindex_and_nothing_to_go_back_to_are_said(
    es_client: Elasticsearch, prefix: str, folder: Path
) -> None:
    with pytest.raises(NotFound, match="harvest something first"):
        reindex(ReindexParts(es_client, prefix, Hashing("one")), least_overlap=0.0)
    _harvested(es_client, prefix, folder, Hashing("one"))
    with pytest.raises(NotFound, match="nothing to go back to"):
        rollback(es_client, prefix)
