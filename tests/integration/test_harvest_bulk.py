"""Bulk writes against a real Elasticsearch that is busy, or refuses."""

from __future__ import annotations

import threading

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD

from core.errors import Unavailable
from es_gateway.client import retrying
from es_mappings.indices import ensure_indices
from indexer.store.bulk import Operation, delete_operation, index_operation, update_operation, write

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def ledger(es_client: Elasticsearch, prefix: str) -> str:
    ensure_indices(es_client, prefix, CARD, kinds=["ledger"])
    return f"{prefix}-ledger"


def entries(index: str, number: int) -> list[Operation]:
    return [index_operation(index, f"e{n}", {"source": "s", "native_id": str(n)}) for n in range(number)]


def count(client: Elasticsearch, index: str) -> int:
    client.indices.refresh(index=index)
    return int(client.count(index=index)["count"])


def block(client: Elasticsearch, index: str, *, on: bool) -> None:
    """The block of a full disk, which Elasticsearch answers with 429 for each item."""
    client.indices.put_settings(index=index, settings={"index.blocks.read_only_allow_delete": True if on else None})


def test_items_put_off_with_429_are_written_when_the_server_is_ready(es_client: Elasticsearch, ledger: str) -> None:
    block(es_client, ledger, on=True)
    relief = threading.Timer(0.5, block, (es_client, ledger), {"on": False})
    relief.start()

    failures = write(retrying(es_client), entries(ledger, 20))

    relief.join()
    assert failures == []
    assert count(es_client, ledger) == 20


def test_a_disk_that_stays_full_is_no_failure_of_the_items(
    es_client: Elasticsearch, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.store.bulk.ATTEMPTS", 2)
    block(es_client, ledger, on=True)
    with pytest.raises(Unavailable, match=r"accepts no writes: a disk .* is too full.*\(429 index"):
        write(retrying(es_client), entries(ledger, 3))
    block(es_client, ledger, on=False)


def test_an_item_that_is_too_large_for_ever_is_named(
    es_client: Elasticsearch, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.store.bulk.ATTEMPTS", 1)
    monkeypatch.setattr("indexer.store.bulk.CHUNK_BYTES", 10)
    block(es_client, ledger, on=True)  # stands for a server whose memory it does not fit into: both are 429
    (failure,) = write(retrying(es_client), entries(ledger, 1))
    block(es_client, ledger, on=False)
    assert (failure.id, failure.reason[:3]) == ("e0", "429")


def test_one_bad_item_is_named_and_the_others_are_written(es_client: Elasticsearch, ledger: str) -> None:
    bad = index_operation(ledger, "bad", {"source": "s", "no_such_field": 1})

    (failure,) = write(retrying(es_client), [*entries(ledger, 3), bad, *entries(ledger, 5)])

    assert failure.id == "bad"
    assert "no_such_field" in failure.reason
    assert failure.reason.startswith("400 ")
    assert count(es_client, ledger) == 5


def test_deleting_what_is_gone_is_fine_and_updating_it_is_not(es_client: Elasticsearch, ledger: str) -> None:
    update = update_operation(ledger, "gone", {"doc": {"source": "s"}})

    (failure,) = write(retrying(es_client), [delete_operation(ledger, "gone"), update])

    assert failure.reason.startswith("404 [gone]: document missing")
