"""Clients that others wrote, against the app behind a real socket."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest
from lxml import etree
from owslib.ogcapi.records import Records
from sickle import Sickle
from sickle.oaiexceptions import CannotDisseminateFormat, IdDoesNotExist, NoRecordsMatch

from indexer.formats import registry
from indexer.raw import RawRecord
from search_api.app import create_app
from sonde.wiring.api import api_parts
from sonde_client import Client, ClientError
from tests.live import serving
from tests.service import SAMPLES, Service

COUNT = len(list(SAMPLES.glob("*.xml")))


@pytest.fixture(scope="module")
def pystac_client() -> Any:
    """Imported when a test asks: it takes seconds, and each process collects every file."""
    return importlib.import_module("pystac_client")


@pytest.fixture(scope="module")
def url(samples: Service) -> Iterator[str]:
    with serving(samples.app) as address:
        yield address


def test_owslib_finds_its_way_from_the_landing_page(url: str) -> None:
    client = Records(url)
    assert client.records() == ["all", "samples"]
    assert "http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core" in client.conformance()["conformsTo"]
    assert client.collection("samples")["itemType"] == "record"
    assert "title" in client.collection_queryables("samples")["properties"]


def test_owslib_searches_and_pages(url: str) -> None:
    client = Records(url)
    found = client.collection_items("samples", q="soil moisture", limit=2)
    assert found["numberReturned"] == 2
    assert found["numberMatched"] > 2
    europe = client.collection_items("samples", bbox=[5, 45, 15, 55], datetime_="2000-01-01/2001-01-01", limit=1000)
    assert 0 < europe["numberMatched"] < COUNT
    services = client.collection_items("samples", filter="type = 'service'")
    assert {one["properties"]["type"] for one in services["features"]} == {"service"}
    assert client.collection_item("samples", "samples:era5")["properties"]["title"].startswith("ERA5")


def test_pystac_client_reads_collections_and_pages_through_items(pystac_client: Any, url: str) -> None:
    client = pystac_client.Client.open(f"{url}/stac")
    assert [one.id for one in client.get_collections()] == ["samples"]
    items = list(client.search(limit=1).items())
    assert len(items) == len({item.id for item in items}) == 4
    assert all(item.assets for item in items)
    by_get = pystac_client.Client.open(f"{url}/stac").search(method="GET", limit=1, bbox=[20, -30, 30, -20])
    assert {item.id for item in by_get.items()} == {
        item.id for item in client.search(bbox=[20, -30, 30, -20], limit=3).items()
    }
    one = client.get_collection("samples").get_item(items[0].id)
    assert one is not None
    assert one.to_dict()["properties"] == items[0].to_dict()["properties"]


@pytest.mark.parametrize("prefix", ["oai_dc", "iso19139"])
def test_sickle_harvests_everything(url: str, prefix: str) -> None:
    found = list(Sickle(f"{url}/oai").ListRecords(metadataPrefix=prefix))
    assert len({record.header.identifier for record in found}) == len(found) == COUNT


def test_sickle_asks_for_the_rest(url: str) -> None:
    client = Sickle(f"{url}/oai")
    assert client.Identify().deletedRecord == "transient"
    assert [one.setSpec for one in client.ListSets()] == ["samples"]
    assert [one.metadataPrefix for one in client.ListMetadataFormats()] == ["oai_dc", "iso19139"]
    record = client.GetRecord(identifier="oai:sonde:samples:era5", metadataPrefix="oai_dc")
    assert record.metadata["title"][0].startswith("ERA5")
    with pytest.raises(NoRecordsMatch):
        client.ListRecords(metadataPrefix="oai_dc", **{"from": "2999-01-01"})
    with pytest.raises(IdDoesNotExist):
        client.GetRecord(identifier="oai:sonde:samples:none", metadataPrefix="oai_dc")
    with pytest.raises(CannotDisseminateFormat):
        client.GetRecord(identifier="oai:sonde:samples:era5", metadataPrefix="marc21")


def test_our_own_client(url: str, samples: Service) -> None:
    with Client(url) as client:
        first = client.search("rainfall in southern Africa since 1990", limit=2, facets=["type"], rerank=False)
        assert [hit.id.partition(":")[2] for hit in first.hits] == samples.ids(
            "rainfall in southern Africa since 1990", limit=2, rerank="false"
        )
        assert first.facets["type"]["values"]
        every = [hit.id for hit in client.search_all("rainfall", limit=50, rerank=False)]
        assert len(every) == len(set(every)) == client.search("rainfall", rerank=False).matched
        assert client.item("samples:era5")["id"] == "samples:era5"
        assert client.original("samples:era5") == (SAMPLES / "era5.xml").read_bytes()
        assert len({one["id"] for one in client.items(limit=50)}) == COUNT
        assert client.items("samples", filter="type = 'service'", filter_lang="cql2-text").__next__()["id"]
        assert [one["id"] for one in client.collections()] == ["all", "samples"]
        assert client.preview("samples:era5") is None
        assert client.similar("samples:era5", limit=2)
        assert client.suggest("Bots")["places"][0]["name"] == "Botswana"
        vectors = client.embeddings(["rain", "snow"], "query")
        assert [round(sum(x * x for x in vector), 3) for vector in vectors] == [1.0, 1.0]


def test_our_own_client_pages_behind_a_proxy_that_has_another_name(samples: Service) -> None:
    settings = samples.settings
    public = settings.model_copy(
        update={"api": settings.api.model_copy(update={"public_url": "https://portal.example/sonde"})}
    )
    with serving(create_app(api_parts(public, samples.models))) as inside, Client(inside) as client:
        first = client.search("rainfall", limit=50, rerank=False)
        assert first.following is not None
        assert first.following.startswith("https://portal.example/sonde/search?")
        assert len({one["id"] for one in client.items(limit=100)}) == COUNT
        assert len({hit.id for hit in client.search_all("rainfall", limit=50, rerank=False)}) == first.matched


def test_our_own_client_says_what_was_wrong(url: str) -> None:
    with Client(url) as client:
        with pytest.raises(ClientError, match="bbox") as refused:
            client.search("rain", bbox="1,2")
        assert (refused.value.status, refused.value.parameter) == (400, "bbox")
        with pytest.raises(ClientError) as missing:
            client.item("samples:none")
        assert missing.value.status == 404
    with Client("http://127.0.0.1:9") as nobody, pytest.raises(ClientError, match="No service answers"):
        nobody.search("rain")


def test_what_oai_pmh_gives_out_our_own_reader_reads(url: str) -> None:
    for record in Sickle(f"{url}/oai").ListRecords(metadataPrefix="iso19139"):
        content = etree.tostring(record.xml.find("{*}metadata")[0])
        again = registry.read(RawRecord(record.header.identifier, content, "oai", None), "samples")
        assert again.id == record.header.identifier.removeprefix("oai:sonde:")
