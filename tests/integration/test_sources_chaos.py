"""A catalogue whose answers are spoilt: the index ends with exactly its records, run after run."""

from __future__ import annotations

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST

from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from lab.chaos.harvests import catalogue_server, chaos, open_csw
from lab.chaos.proxies import FaultPlan, fault_proxy

pytestmark = pytest.mark.elasticsearch


def test_five_spoilt_harvests_of_a_thousand_records_end_with_exactly_the_right_ones(
    es_client: Elasticsearch, prefix: str
) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)

    outcomes = list(chaos(HarvestParts(es_client, prefix), runs=5, records=1000, seed=20, share=0.3))

    told = [(o.state, o.found, o.lost, o.doubled, o.wrong) for o in outcomes]
    assert told == [("complete", 1000, 0, 0, 0)] * 5
    spoilt = sum(sum(outcome.faults.values()) for outcome in outcomes)
    assert spoilt >= 15, "the proxy did its part"


@pytest.mark.timeout(180)
def test_answers_that_come_after_the_time_out_are_asked_for_again(es_client: Elasticsearch, prefix: str) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    plan = FaultPlan(seed=4, share=0.4, faults=("delayed",), delay_s=6.0)
    records = {f"r{n:03d}": f"Title {n}" for n in range(100)}

    with catalogue_server(records) as upstream, fault_proxy(upstream, plan) as url:
        report = harvest("chaos", open_csw(url, page_size=20, timeout_s=2.0), HarvestParts(es_client, prefix))

    assert (report.state, report.counts.new, report.counts.seen) == ("complete", 100, 100)
    assert plan.done["delayed"] >= 1
    assert plan.requests > 6, "what came too late was asked for again"
