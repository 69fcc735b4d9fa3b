"""An arm alone finds what it finds beside others, and is one request where its records are remembered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from es_gateway.client import Elasticsearch
from es_gateway.searching import SearchSession
from es_mappings.indices import ensure_indices
from es_mappings.names import concrete
from search_api.search.caches import VersionedCache
from search_api.search.ranking.candidates import RankingFields
from search_api.search.ranking.config import default_config
from search_api.search.retrieval import arms, bm25
from search_api.search.retrieval.plan import RetrievalPlan
from search_api.search.round_one import CandidateSearch
from search_api.search.round_two import CandidateSet, find_candidates
from tests.conftest import delete_indices
from tests.counted_searches import count_searches
from tests.integration.small_catalogue import CARD
from tests.service import Service

COLUMNS = default_config().records.columns
WORDS = default_config().words


def _candidates(
    client: Elasticsearch, plan: RetrievalPlan, question: str, cache: VersionedCache[RankingFields], *, window: int
) -> CandidateSet:
    session = SearchSession.of(client, question)
    return find_candidates(CandidateSearch(session, plan, window, COLUMNS, cache))


def are_equal(left: CandidateSet, right: CandidateSet) -> bool:
    """Whether all is equal; an array has no truth value, so the scores are compared as lists."""
    left_scores, right_scores = (
        {name: scores.tolist() for name, scores in candidates.arms.items()} for candidates in (left, right)
    )
    return left_scores == right_scores and replace(left, arms={}) == replace(right, arms={})


@pytest.mark.elasticsearch
@pytest.mark.parametrize("question", ["rainfall", "sea surface temperature", "qwxyzzy plughmore"])
def test_the_same_candidates_scores_and_values_as_with_a_second_request(samples: Service, question: str) -> None:
    index = concrete(samples.prefix, "records", 1)
    words = bm25.records_query(WORDS, WORDS.record_fields, question, "", "en")
    arm = arms.lexical_arm(index, words, [])
    alone = RetrievalPlan(index, "uuid", (), (arm,), words, words)
    # The same arm once more without a signal brings no candidate of its own, but forces the second request.
    twice = replace(alone, arms=(arm, replace(arm, signal=None)))
    once, both = (
        _candidates(samples.client, plan, question, VersionedCache("fields", 200), window=200)
        for plan in (alone, twice)
    )
    assert are_equal(once, both)
    assert bool(once.ids) == (question != "qwxyzzy plughmore")
    assert all(read.duplicate_key.source and any(read.values) for read in list(once.fields.values())[:1])


@pytest.mark.elasticsearch
def test_the_answer_is_utf_8_and_brings_no_vector(samples: Service) -> None:
    answer = samples.http.get("/search", query_string={"q": "rainfall", "algorithm": "bm25", "rerank": "false"})
    assert answer.mimetype == "application/geo+json"
    assert answer.get_json()["features"]
    assert b"vector" not in answer.data


@pytest.mark.elasticsearch
def test_what_was_remembered_is_not_asked_again_and_a_record_written_anew_is(
    samples: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = concrete(samples.prefix, "records", 1)
    words = bm25.records_query(WORDS, WORDS.record_fields, "rainfall", "", "en")
    plan = RetrievalPlan(index, "uuid", (), (arms.lexical_arm(index, words, []),), words, words)
    cache: VersionedCache[RankingFields] = VersionedCache("fields", 1_000)
    asked = count_searches(monkeypatch)
    cold = _candidates(samples.client, plan, "rainfall", cache, window=200)
    warm = _candidates(samples.client, plan, "rainfall", cache, window=200)
    assert asked == [1, 1, 1]
    assert are_equal(warm, cold)
    record = next(iter(cold.fields))
    samples.client.update(index=index, id=record, doc={"id": record}, detect_noop=False, refresh=True)  # as it was
    anew = _candidates(samples.client, plan, "rainfall", cache, window=200)
    assert asked == [1, 1, 1, 1, 1]
    assert anew.fields == cold.fields
    assert {name for name in cold.versions if cold.versions[name] != anew.versions[name]} == {record}


@pytest.fixture
def told_by_a_passage(es_client: Elasticsearch, prefix: str) -> Iterator[str]:
    """Two indices: a record that only its passage names, beside another one."""
    ensure_indices(es_client, prefix, CARD, kinds=("records", "passages"))
    records, passages = (concrete(prefix, kind, 1) for kind in ("records", "passages"))
    for record in ("a", "b"):
        es_client.index(
            index=records, id=record, document={"id": record, "source": "s", "type": "dataset"}, refresh=True
        )
    passage = {"record": "a", "document": "d", "ordinal": 0, "owner": "public", "text": "loess"}
    es_client.index(index=passages, id="d#0", document=passage, refresh=True)
    yield prefix
    delete_indices(es_client, prefix)


@pytest.mark.elasticsearch
def test_a_record_that_a_passage_found_is_remembered_until_it_changes(
    es_client: Elasticsearch, told_by_a_passage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, passages = (concrete(told_by_a_passage, kind, 1) for kind in ("records", "passages"))
    arm = arms.passage_lexical_arm(passages, {"match": {"text": "loess"}}, [])
    plan = RetrievalPlan(records, "uuid", (), (arm,), {"match_none": {}}, {"match_none": {}})
    cache: VersionedCache[RankingFields] = VersionedCache("fields", 1_000)
    asked = count_searches(monkeypatch)

    def found() -> CandidateSet:
        return _candidates(es_client, plan, "loess", cache, window=10)

    cold, warm = found(), found()
    assert asked == [1, 2, 1, 1]  # the passages; the record's version and values; then its version alone
    assert are_equal(warm, cold)
    assert set(cold.ids) == {"a"}
    es_client.update(index=records, id="a", doc={"series": ["x"]}, refresh=True)
    anew = found()
    assert asked[4:] == [1, 1, 1]
    assert anew.fields != cold.fields
    es_client.delete(index=records, id="a", refresh=True)
    assert not found().ids


@pytest.mark.elasticsearch
@pytest.mark.parametrize(("window", "completed"), [(10, False), (1, True)])
def test_an_arm_that_returned_all_it_can_score_is_not_asked_again(
    es_client: Elasticsearch, told_by_a_passage: str, monkeypatch: pytest.MonkeyPatch, window: int, completed: bool
) -> None:
    records, passages = (concrete(told_by_a_passage, kind, 1) for kind in ("records", "passages"))
    es_client.update(index=records, id="b", doc={"words": "peat peat"}, refresh=True)
    es_client.update(index=records, id="a", doc={"words": "peat under much loess"}, refresh=True)
    words = {"match": {"words": "peat"}}
    chosen = (
        arms.lexical_arm(records, words, []),
        arms.passage_lexical_arm(passages, {"match": {"text": "loess"}}, []),
    )
    plan = RetrievalPlan(records, "uuid", (), chosen, words, words)
    cache: VersionedCache[RankingFields] = VersionedCache("fields", 1_000)
    asked = count_searches(monkeypatch)
    found = _candidates(es_client, plan, "peat", cache, window=window)
    # Of the second request: the passages' words and the candidates' own only if the window cut them off; new values.
    assert asked == [2, 3 if completed else 1]
    assert {record: score > 0.0 for record, score in zip(found.ids, found.arms["passage_bm25"], strict=True)} == {
        "a": True,
        "b": False,
    }
    assert (found.arms["bm25"] > 0.0).all()
