"""A search over several shards finds what one over a single shard finds, in the same order."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator

import numpy as np
import pytest

from core.record import Record
from es_gateway.client import Elasticsearch
from es_mappings.codecs.records import to_document
from es_mappings.indices import ensure_indices
from es_mappings.names import concrete
from es_mappings.shape import IndexShape
from search_api.ranking.config import default_config
from search_api.retrieval import arms, bm25
from search_api.retrieval.arms import Arm
from search_api.retrieval.candidates import retrieve
from search_api.retrieval.plan import RetrievalPlan
from search_api.retrieval.versioned_cache import VersionedCache
from tests.conftest import delete_indices
from tests.integration.small_catalogue import CARD

pytestmark = pytest.mark.elasticsearch

COLUMNS = default_config().records.columns
WORDS = default_config().words
VOCABULARY = ["rain", "snow", "ice", "wind", "soil", "ocean", "river", "lake", "cloud", "forest"]
RECORDS = 300
SHAPES = {"one": IndexShape(), "three": IndexShape(shards=3, replicas=0)}


@pytest.fixture(scope="module")
def catalogues(es_client: Elasticsearch) -> Iterator[dict[str, str]]:
    """The same records in one shard and in three: the name of each index."""
    made = {name: f"sonde-test-{uuid.uuid4().hex[:12]}" for name in SHAPES}
    chance, numbers = random.Random(1), np.random.default_rng(1)
    documents = []
    for number in range(RECORDS):
        title, abstract = (" ".join(chance.choices(VOCABULARY, k=count)) for count in (4, 30))
        record = Record(id=f"s:{number}", source="s", identifier=str(number), title=title, abstract=abstract)
        documents.append({**to_document(record), "vector": numbers.normal(size=CARD.dims).tolist()})
    for name, prefix in made.items():
        ensure_indices(es_client, prefix, CARD, kinds=("records",), shape=SHAPES[name])
        actions = [part for one in documents for part in ({"index": {"_id": one["id"]}}, one)]
        es_client.bulk(index=concrete(prefix, "records", 1), operations=actions, refresh=True)
    yield {name: concrete(prefix, "records", 1) for name, prefix in made.items()}
    for prefix in made.values():
        delete_indices(es_client, prefix)


def _best(client: Elasticsearch, index: str, arm: Arm, question: str) -> list[tuple[str, float]]:
    plan = RetrievalPlan(index, index, (), (arm,), {"match_none": {}}, {"match_none": {}}, False)
    found = retrieve(client, plan, window=20, question=question, columns=COLUMNS, memory=VersionedCache("fields", 999))
    scored = {record: signals[arm.signal] or 0.0 for record, signals in found.signals.items()}
    return sorted(scored.items(), key=lambda one: (-one[1], one[0]))


def test_there_are_so_many_shards(es_client: Elasticsearch, catalogues: dict[str, str]) -> None:
    settings = es_client.indices.get_settings(index=catalogues["three"]).body[catalogues["three"]]["settings"]["index"]
    assert (settings["number_of_shards"], settings["number_of_replicas"]) == ("3", "0")


@pytest.mark.parametrize("question", ["snow", "ocean wind", "soil of the river forest"])
def test_words_have_the_same_scores(es_client: Elasticsearch, catalogues: dict[str, str], question: str) -> None:
    words = bm25.records_query(WORDS, WORDS.record_fields, question, "", "en")
    one, three = (
        _best(es_client, index, arms.lexical_arm(index, words, []), question) for index in catalogues.values()
    )
    assert [score for _, score in three] == pytest.approx([score for _, score in one], rel=1e-5)


def test_meaning_has_nineteen_of_twenty_of_the_same_first_ten(
    es_client: Elasticsearch, catalogues: dict[str, str]
) -> None:
    numbers, same = np.random.default_rng(2), 0
    for place in range(20):
        vector = numbers.normal(size=CARD.dims).astype(np.float32)
        one, three = (
            {record for record, _ in _best(es_client, index, arms.dense_arm(index, vector, []), str(place))[:10]}
            for index in catalogues.values()
        )
        same += len(one & three)
    assert same >= 190
