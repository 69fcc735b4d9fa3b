"""An arm alone is asked once, and finds what it finds beside others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from es_mappings.names import concrete
from search_api.retrieval import arms, bm25
from search_api.retrieval.candidates import retrieve
from search_api.retrieval.plan import RetrievalPlan
from tests.service import Service


@pytest.mark.elasticsearch
@pytest.mark.parametrize("question", ["rainfall", "sea surface temperature", "qwxyzzy plughmore"])
def test_the_same_candidates_scores_and_values_as_with_a_second_request(samples: Service, question: str) -> None:
    index = concrete(samples.prefix, "records", 1)
    words = bm25.records_query(question, "", "en")
    arm = arms.lexical_arm(index, words, [])
    alone = RetrievalPlan(index, (), (arm,), words, False)
    # The same arm once more without a signal brings no candidate of its own, but forces the second request.
    twice = replace(alone, arms=(arm, replace(arm, signal=None)))
    once, both = (retrieve(samples.client, plan, window=200, question=question) for plan in (alone, twice))
    assert once == both
    assert bool(once.signals) == (question != "qwxyzzy plughmore")
    assert all(set(fields) > {"id", "source", "boxes"} for fields in list(once.fields.values())[:1])


@pytest.mark.elasticsearch
def test_the_answer_is_utf_8_and_brings_no_vector(samples: Service) -> None:
    answer = samples.http.get("/search", query_string={"q": "rainfall", "algorithm": "bm25", "rerank": "false"})
    assert answer.mimetype == "application/geo+json"
    assert answer.get_json()["features"]
    assert b"vector" not in answer.data
