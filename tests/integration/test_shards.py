"""A search over three shards on three nodes finds what one over a single shard finds, in the same order."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator

import numpy as np
import pytest

from core.record import Record
from es_gateway.client import Elasticsearch
from es_gateway.searching import SearchSession
from es_mappings.codecs.records import to_document
from es_mappings.indices import ensure_indices
from es_mappings.loader import IndexShape
from es_mappings.names import concrete
from search_api.search.caches import VersionedCache
from search_api.search.ranking.config import default_config
from search_api.search.retrieval import arms, bm25
from search_api.search.retrieval.arms import Arm
from search_api.search.retrieval.plan import RetrievalPlan
from search_api.search.round_one import CandidateSearch
from search_api.search.round_two import find_candidates
from tests.integration.small_catalogue import CARD
from tests.search_cluster import elasticsearch_cluster

COLUMNS = default_config().records.columns
WORDS = default_config().words
VOCABULARY = ["rain", "snow", "ice", "wind", "soil", "ocean", "river", "lake", "cloud", "forest"]
RECORDS = 300
SHAPES = {"one": IndexShape(), "three": IndexShape(shards=3, replicas=0)}


@pytest.fixture(scope="module")
def three_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elasticsearch]:
    with elasticsearch_cluster(tmp_path_factory.mktemp("cluster"), 3) as urls:
        client = Elasticsearch(urls, request_timeout=60)
        yield client
        client.close()


@pytest.fixture(scope="module")
def catalogues(three_nodes: Elasticsearch) -> dict[str, str]:
    """The same records in one shard and in three: the name of each index."""
    made = {name: f"sonde-test-{uuid.uuid4().hex[:12]}" for name in SHAPES}
    chance, numbers = random.Random(1), np.random.default_rng(1)
    documents = []
    for number in range(RECORDS):
        title, abstract = (" ".join(chance.choices(VOCABULARY, k=count)) for count in (4, 30))
        record = Record(id=f"s:{number}", source="s", identifier=str(number), title=title, abstract=abstract)
        documents.append({**to_document(record), "vector": numbers.normal(size=CARD.dims).tolist()})
    for name, prefix in made.items():
        ensure_indices(three_nodes, prefix, CARD, kinds=("records",), shape=SHAPES[name])
        actions = [part for one in documents for part in ({"index": {"_id": one["id"]}}, one)]
        three_nodes.bulk(index=concrete(prefix, "records", 1), operations=actions, refresh=True)
    return {name: concrete(prefix, "records", 1) for name, prefix in made.items()}


def _best(client: Elasticsearch, index: str, arm: Arm, question: str) -> list[tuple[str, float]]:
    plan = RetrievalPlan(index, index, (), (arm,), {"match_none": {}}, {"match_none": {}})
    session = SearchSession.of(client, question)
    found = find_candidates(CandidateSearch(session, plan, 20, COLUMNS, VersionedCache("fields", 999)))
    scored = dict(zip(found.ids, np.nan_to_num(found.arms[arm.signal]).tolist(), strict=True))
    return sorted(scored.items(), key=lambda one: (-one[1], one[0]))


def test_the_shards_lie_on_three_nodes(three_nodes: Elasticsearch, catalogues: dict[str, str]) -> None:
    rows = three_nodes.cat.shards(index=catalogues["three"], format="json", h="prirep,node")
    assert sorted(str(row["prirep"]) for row in rows) == ["p", "p", "p"]  # type: ignore[index]
    assert len({str(row["node"]) for row in rows}) == 3  # type: ignore[index]


@pytest.mark.parametrize("question", ["snow", "ocean wind", "soil of the river forest"])
def test_words_have_the_same_scores(three_nodes: Elasticsearch, catalogues: dict[str, str], question: str) -> None:
    words = bm25.records_query(WORDS, WORDS.record_fields, question, "", "en")
    one, three = (
        _best(three_nodes, index, arms.lexical_arm(index, words, []), question) for index in catalogues.values()
    )
    assert [score for _, score in three] == pytest.approx([score for _, score in one], rel=1e-5)


def test_meaning_has_nineteen_of_twenty_of_the_same_first_ten(
    three_nodes: Elasticsearch, catalogues: dict[str, str]
) -> None:
    numbers, same = np.random.default_rng(2), 0
    for place in range(20):
        vector = numbers.normal(size=CARD.dims).astype(np.float32)
        one, three = (
            {record for record, _ in _best(three_nodes, index, arms.dense_arm(index, vector, []), str(place))[:10]}
            for index in catalogues.values()
        )
        same += len(one & three)
    assert same >= 190
