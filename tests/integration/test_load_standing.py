"""A made catalogue that stays, on the real Elasticsearch: filled once, asked again, never half of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import uuid4

import numpy as np
import pytest
from elasticsearch import Elasticsearch

from core.errors import SondeError
from core.ports import Embedder, EmbedderCard, Encoded, TextKind, Vectors
from core.record import Record
from es_mappings.loader import IndexShape
from es_mappings.names import KINDS, concrete
from lab.load.catalogue import CatalogueSize, drop, standing_catalogue

REAL = [
    Record("s:a", "s", "a", "Rain", "It rains. It pours. It floods. It dries."),
    Record("s:b", "s", "b", "Snow", "It snows."),
]
SIZE = CatalogueSize(records=5, passages=7, embedded=2, shape=IndexShape("hnsw"))


class Fixed:
    """A stub for a model: every text means the same."""

    card = EmbedderCard("fixed", 4, 256, -1.0)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:  # noqa: ARG002
        return np.tile(np.array([1.0, 0.0, 0.0, 0.0], dtype=np.float32), (len(texts), 1))

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        return Encoded(self.embed(texts, kind))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def _of() -> tuple[Sequence[Record], Embedder]:
    return REAL, Fixed()


def _not_again() -> tuple[Sequence[Record], Embedder]:
    raise AssertionError("what stands is not made again")


def _told(_what: str, _done: int, _total: int) -> None: ...


@pytest.fixture
def name(es_client: Elasticsearch) -> Iterator[str]:
    given = f"test-{uuid4().hex[:12]}"
    yield given
    drop(es_client, given)


@pytest.mark.elasticsearch
def test_it_is_filled_once_and_asked_again(es_client: Elasticsearch, name: str) -> None:
    made = standing_catalogue(es_client, name, SIZE, _of, _told)
    assert (made.prefix, made.real, made.vectors_records, made.vectors_passages) == (f"sonde-load-{name}", 2, 2, 2)
    counts = [es_client.count(index=concrete(made.prefix, kind, 1))["count"] for kind in ("records", "passages")]
    assert counts == [5, 7]
    vector = es_client.indices.get_mapping(index=concrete(made.prefix, "passages", 1)).body
    assert {one["mappings"]["properties"]["vector"]["index_options"]["type"] for one in vector.values()} == {"hnsw"}
    assert standing_catalogue(es_client, name, SIZE, _not_again, _told) == made
    with pytest.raises(SondeError, match="has another size"):
        standing_catalogue(es_client, name, CatalogueSize(6, 7, 2), _not_again, _told)
    drop(es_client, name)
    left = [kind for kind in KINDS if es_client.indices.exists(index=concrete(made.prefix, kind, 1))]
    assert left == []


@pytest.mark.elasticsearch
def test_one_that_a_killed_run_left_half_filled_is_made_anew(es_client: Elasticsearch, name: str) -> None:
    def cut_off(what: str, done: int, _total: int) -> None:
        if (what, done) == ("passages", 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        standing_catalogue(es_client, name, SIZE, _of, cut_off)
    made = standing_catalogue(es_client, name, SIZE, _of, _told)
    assert es_client.count(index=concrete(made.prefix, "records", 1))["count"] == 5
