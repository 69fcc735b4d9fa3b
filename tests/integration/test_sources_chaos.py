"""A catalogue whose answers are spoilt: the index ends with exactly its records, run after run."""

from __future__ import annotations

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST

from es_mappings.indices import ensure_indices
from evaluation.chaos.harvests import chaos
from indexer.parts import Parts

pytestmark = pytest.mark.elasticsearch


def test_five_spoilt_harvests_of_a_thousand_records_end_with_exactly_the_right_ones(
    es_client: Elasticsearch, prefix: str
) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)

    outcomes = list(chaos(Parts(es_client, prefix), runs=5, records=1000, seed=20, share=0.3))

    told = [(o.state, o.found, o.lost, o.doubled, o.wrong) for o in outcomes]
    assert told == [("complete", 1000, 0, 0, 0)] * 5
    spoilt = sum(sum(outcome.faults.values()) for outcome in outcomes)
    assert spoilt >= 15, "the proxy did its part"
