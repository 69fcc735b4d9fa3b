"""The segments of an index are joined after a harvest and a reindex, because each one costs every search."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_catalogue import CARD, KINDS_OF_A_HARVEST, HashingEmbedder, write_catalogue
from structlog.testing import capture_logs

from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_indices, join_segments, segments_after_joining
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.reindex.run import ReindexParts, reindex
from indexer.sources.folder import FolderSource
from tests.integration.hashing import Hashing
from workers.config import WorkerConfig, WorkerParts
from workers.slices import Worker

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("sizes", "count"),
    [([], 2), ([40 * MIB] * 6, 2), ([300 * MIB] + [MIB] * 10, 3), ([256 * MIB] * 20, 22)],
    ids=["empty", "small", "one large", "twenty large"],
)
def test_large_segments_stay(sizes: list[int], count: int) -> None:
    assert segments_after_joining(sizes) == count


def segments(client: Elasticsearch, index: str) -> int:
    client.indices.refresh(index=index)
    return int(client.indices.stats(index=index, metric="segments").body["_all"]["primaries"]["segments"]["count"])


def write(client: Elasticsearch, index: str, first: int, count: int) -> None:
    for number in range(first, first + count):
        client.index(index=index, id=f"s:{number}", document={"source": "s"}, refresh=True)


@pytest.mark.elasticsearch
def test_many_segments_become_two_and_all_records_are_found(es_client: Elasticsearch, prefix: str) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=["records"])
    index = f"{prefix}-records"
    write(es_client, index, 0, 7)
    assert segments(es_client, index) > 4
    join_segments(es_client, index)
    assert segments(es_client, index) <= 2
    assert es_client.count(index=index)["count"] == 7


@pytest.mark.elasticsearch
def test_few_segments_are_left_alone(es_client: Elasticsearch, prefix: str) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=["records"])
    index = f"{prefix}-records"
    write(es_client, index, 0, 3)
    before = segments(es_client, index)
    join_segments(es_client, index)
    assert segments(es_client, index) == before == 3


@pytest.mark.elasticsearch
def test_a_failure_is_only_logged(es_client: Elasticsearch, prefix: str) -> None:
    with capture_logs() as logs:
        join_segments(es_client, f"{prefix}-records")
    own = [entry["event"] for entry in logs if entry["event"].startswith("segments.")]
    assert own == ["segments.not_joined"]


@pytest.mark.elasticsearch
def test_a_harvest_with_changes_joins(es_client: Elasticsearch, prefix: str, tmp_path: Path) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    write(es_client, f"{prefix}-records", 0, 7)
    write_catalogue(tmp_path, 4)
    parts = HarvestParts(es_client, prefix, HashingEmbedder().load)
    assert harvest("catalogue", FolderSource(tmp_path), parts).state == "complete"
    assert segments(es_client, f"{prefix}-records") <= 2


@pytest.mark.elasticsearch
def test_a_reindex_fills_an_index_of_few_segments(
    es_client: Elasticsearch, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined = []
    monkeypatch.setattr("indexer.reindex.run.join_segments", lambda _client, index: joined.append(index))
    embedder = Hashing("one")
    ensure_indices(es_client, prefix, embedder.card)
    assert reindex(ReindexParts(es_client, prefix, embedder), least_overlap=0.0).moved
    assert f"{prefix}-records-000002" in joined


@pytest.mark.elasticsearch
def test_the_daily_task_joins_those_of_passages(es_client: Elasticsearch, prefix: str, broker_url: str) -> None:
    ensure_indices(es_client, prefix, CARD)
    write(es_client, f"{prefix}-passages", 0, 7)
    config = WorkerConfig(broker_url, prefix, Path("sources.yaml"))
    refuse = lambda *_: pytest.fail("no harvest, no document")  # noqa: E731
    Worker.of(config, WorkerParts(es_client, refuse, refuse)).purge_removed()
    assert segments(es_client, f"{prefix}-passages") <= 2
