"""A source of five thousand records: every one there, and as it was the second time."""

from __future__ import annotations

import pytest
from elasticsearch import Elasticsearch
from rdflib import Graph
from small_catalogue import CARD, KINDS_OF_A_HARVEST

from es_mappings.indices import ensure_indices
from indexer.formats.registry import read
from indexer.parts import HarvestParts
from indexer.raw import RawRecord
from indexer.store.runs import Runs
from lab.chaos.volume import TRIPLES, catalogue, document, read_catalogue, volume


@pytest.mark.elasticsearch
@pytest.mark.timeout(300)
def test_five_thousand_records_come_whole_and_are_the_same_the_second_time(
    es_client: Elasticsearch, prefix: str
) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)

    found = list(volume(HarvestParts(es_client, prefix), 5000))

    assert [(one.state, one.in_service, one.right) for one in found] == [("complete", 5000, True)] * 2
    second, first = Runs(es_client, prefix).latest("chaos", size=2)
    assert (first.counts.new, first.counts.refused, first.counts.warned) == (5000, 0, 0)
    assert (second.counts.same, second.counts.new, second.counts.removed) == (5000, 0, 0)


def test_a_catalogue_in_turtle_is_read_whole() -> None:
    graph = Graph().parse(data=catalogue(3), format="turtle")
    assert len(graph) == 3 * TRIPLES
    assert read_catalogue(3).records == 3


def test_a_made_up_record_is_like_a_real_one() -> None:
    record = read(RawRecord("x", document(7).encode(), "/x"), "s")
    assert (record.identifier, record.title) == ("made-0000007", "Precipitation of river basin 7, version 1")
    assert len(record.abstract) > 200
    assert [box.as_list() for box in record.extents] == [[-163.0, -68.0, -162.0, -65.0]]
    assert [span.start_iso for span in record.times] == ["1957-01-01T00:00:00Z"]
    assert record.contacts[0].email == "data7@example.org"
    assert record.links[0].href == "https://data.example.org/made-0000007.nc"
