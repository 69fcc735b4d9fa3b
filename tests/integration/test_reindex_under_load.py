"""The short form of `sonde chaos reindex`: searches and a harvest go on while another index comes into service."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from es_mappings.indices import serving
from indexer.reindex.run import ReindexParts, reindex, rollback
from tests.service import SAMPLES, Service

_AT_FIRST, _IN_THE_END = 30, 60


def _put(folder: Path, first: int, last: int) -> None:
    for path in sorted(SAMPLES.glob("*.xml"))[first:last]:
        (folder / path.name).write_bytes(path.read_bytes())


def _ids(client: Elasticsearch, index: str) -> set[str]:
    client.indices.refresh(index=index)
    return {hit["_id"] for hit in client.search(index=index, size=1000, source=False)["hits"]["hits"]}


def _wait_for(holds: Callable[[], bool], timeout_s: float = 120.0) -> None:
    ends = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.01)


@contextmanager
def _asking(service: Service) -> Iterator[list[tuple[int, int]]]:
    """Status and number of hits of each search, one after the other, until the ``with`` ends."""
    stop, seen = threading.Event(), list[tuple[int, int]]()

    def ask() -> None:
        with service.app.test_client() as http:
            while not stop.is_set():
                answer = http.get("/search", query_string={"q": "", "algorithm": "bm25", "rerank": "false"})
                body = answer.get_json() or {}
                seen.append((answer.status_code, body.get("numberMatched", 0)))

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        try:
            yield seen
        finally:
            stop.set()
            asking.result()


@pytest.mark.elasticsearch
@pytest.mark.models
def test_no_search_fails_and_no_write_is_lost(
    es_client: Elasticsearch, elasticsearch_url: str, prefix: str, tmp_path: Path
) -> None:
    service = Service(es_client, elasticsearch_url, prefix)
    _put(tmp_path, 0, _AT_FIRST)
    assert service.harvest(tmp_path, "s").state == "complete"
    _put(tmp_path, _AT_FIRST, _IN_THE_END)
    with _asking(service) as seen, ThreadPoolExecutor(1) as pool:
        writing = pool.submit(service.harvest, tmp_path, "s")
        report = reindex(ReindexParts(es_client, prefix, service.models.embedder()), least_overlap=0.0)
        assert report.moved
        assert writing.result().state == "complete"
        answered = len(seen)
        _wait_for(lambda: len(seen) >= answered + 2)  # the second was begun after the move
        rollback(es_client, prefix)
        service.harvest(tmp_path, "s")  # what only the left index held
    assert {status for status, _ in seen} == {200}
    assert min(matched for _, matched in seen) >= _AT_FIRST
    left, serves = f"{prefix}-records-000002", f"{prefix}-records-000001"
    assert serving(es_client, prefix, "records").index == serves  # type: ignore[union-attr]
    assert len(_ids(es_client, serves)) == _IN_THE_END
    assert len(_ids(es_client, left)) >= _AT_FIRST
