"""A source of five thousand records: every one there, and as it was the second time."""

from __future__ import annotations

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST

from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from lab.chaos.harvests import catalogue_server, open_csw, titles


@pytest.mark.elasticsearch
@pytest.mark.timeout(300)
def test_five_thousand_records_come_whole_and_are_the_same_the_second_time(
    es_client: Elasticsearch, prefix: str
) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    parts = HarvestParts(es_client, prefix)
    records = {f"made-{number:07d}": f"Precipitation of river basin {number}" for number in range(5000)}
    expected = sorted((f"chaos:{id}", title) for id, title in records.items())

    with catalogue_server(records, cap=200) as url:
        first = harvest("chaos", open_csw(url, page_size=200), parts)
        after_first = sorted(titles(parts, "chaos"))
        second = harvest("chaos", open_csw(url, page_size=200), parts)

    assert (first.state, second.state) == ("complete", "complete")
    assert after_first == sorted(titles(parts, "chaos")) == expected
    assert (first.counts.new, first.counts.refused, first.counts.warned) == (5000, 0, 0)
    assert (second.counts.same, second.counts.new, second.counts.removed) == (5000, 0, 0)
