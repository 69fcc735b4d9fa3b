"""A STAC API that nobody here wrote: its collections, and on request its items, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST

from core.record import Record
from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.sources.probe import probe
from indexer.sources.stac_api import StacApiSource, StacOptions
from lab.chaos.harvests import titles
from net.gate import Gate, GatePolicy
from search_api.catalogue.granules.searches import GranuleLimits, GranuleSearches
from tests.servers.asking import all_of, fetcher_of, resumed_everywhere
from tests.servers.stac_api import fill, stac_api
from tests.servers_of_the_run import VERSION


@pytest.fixture
def server(tmp_path: Path, es_client: Elasticsearch, elasticsearch_url: str, prefix: str) -> Iterator[str]:
    if VERSION.startswith("8."):
        pytest.skip("stac-fastapi's client only speaks to Elasticsearch 9")
    with stac_api(tmp_path / "server", es_client, elasticsearch_url, prefix) as url:
        fill(url, "alps", 25)
        fill(url, "empty", 0)
        yield url


@pytest.mark.elasticsearch
@pytest.mark.timeout(300)
def test_collections_and_items_of_a_real_stac_api(server: str, es_client: Elasticsearch, prefix: str) -> None:
    def source() -> StacApiSource:
        return StacApiSource(fetcher_of(server), server, None, StacOptions(items=True, page_size=10))

    assert sorted(all_of(StacApiSource(fetcher_of(server), server)).ids) == ["alps", "empty"]
    items = [f"alps/alps-{number:03d}" for number in range(25)]
    given = all_of(source())
    assert sorted(given.ids) == sorted(["alps", "empty", *items])
    assert len(given.pages) > 3, "the items come in pages of ten"
    resumed_everywhere(source, given)

    looked = probe(fetcher_of(server), server)
    assert looked.found is not None
    assert looked.found.type == "stac-api"

    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    report = harvest("s", source(), HarvestParts(es_client, prefix))
    assert (report.state, report.counts.new, report.counts.refused) == ("complete", 27, 0)
    found = dict(titles(HarvestParts(es_client, prefix), "s"))
    assert len(found) == 27
    assert "Scenes of alps" in found.values()
    assert "Scene alps-024" in found.values()
    its_granules_are_found(server)


def its_granules_are_found(server: str) -> None:
    """As a record of the source ``s`` would ask for them; the API counts more of them than are read."""
    gate = Gate(GatePolicy(allowed_hosts=frozenset(("127.0.0.1",))))
    searches = GranuleSearches(lambda: gate, lambda: {"s": server}, limits=GranuleLimits(read=10))
    record = Record("s:alps", "s", "alps", "Scenes", type="series", native_format="stac")
    there = searches.ask(record, {"bbox": "6,46,7,47", "datetime": "2021-01-01T00:00:00Z/.."})
    assert (there.matched, len(there.first)) == (25, 10)
    assert there.first[0].start == "2021-02-03T04:05:06Z"
    assert there.line is not None
    assert (sum(count for _, count in there.line.counts), there.line.of_all) == (25, True)
    assert searches.ask(record, {"bbox": "100,46,101,47"}).matched == 0
