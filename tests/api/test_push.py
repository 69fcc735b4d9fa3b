"""Records that a portal pushes: found at once, replaced, taken back, refused with a reason, and never swept away."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from elasticsearch import Elasticsearch
from flask import Flask
from flask.testing import FlaskClient

from core.access import Caller
from indexer.harvest.harvest import harvest
from indexer.harvest.restore import restore
from indexer.parts import HarvestParts, Options
from indexer.remove.tombstones import list_removed
from indexer.sources.folder import FolderSource
from search_api.app import create_app
from search_api.http.responses import LARGEST_BODY_BYTES
from sonde.settings import BrokerSettings
from sonde.wiring.api import api_parts
from sonde_client import Client, ClientError
from tests.conftest import delete_indices
from tests.integration.small_catalogue import document, write_catalogue
from tests.service import Service
from workers.lease import Leases

TURTLE = """@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
<https://x.example.org/a> a dcat:Dataset ; dct:identifier "another name" ; dct:title "Tides of Ålesund" .
"""


class Everybody:
    """Whoever asks may write."""

    def identify(self, bearer: str | None) -> Caller:  # noqa: ARG002
        return Caller("ada", frozenset(("search", "write")))


@pytest.fixture(scope="module")
def module_prefix(es_client: Elasticsearch) -> Iterator[str]:
    own = f"sonde-test-{uuid.uuid4().hex[:12]}"
    yield own
    delete_indices(es_client, own)


@pytest.fixture(scope="module")
def service(es_client: Elasticsearch, elasticsearch_url: str, broker_url: str, module_prefix: str) -> Service:
    return Service(es_client, elasticsearch_url, module_prefix)


@pytest.fixture(scope="module")
def app(service: Service, broker_url: str) -> Flask:
    settings = service.settings.model_copy(update={"broker": BrokerSettings(url=broker_url)})
    service.prepare()
    return create_app(replace(api_parts(settings, service.models), authenticator=Everybody()))


@pytest.fixture
def http(app: Flask) -> FlaskClient:
    return app.test_client()


def _title(http: FlaskClient, record: str, source: str = "portal") -> str | None:
    answer = http.get(f"/collections/{source}/items/{record}")
    return answer.get_json()["properties"]["title"] if answer.status_code == 200 else None


def test_a_record_is_pushed_found_replaced_and_taken_back(http: FlaskClient) -> None:
    address = "/collections/portal/items/x1"
    created = http.put(address, data=document("x1", "Snow depth of Svalbard"))
    assert (created.status_code, created.get_json()) == (201, {"id": "portal:x1"})
    assert created.headers["Location"].endswith("/collections/portal/items/portal:x1")
    assert _title(http, "portal:x1") == "Snow depth of Svalbard"
    found = http.get("/search", query_string={"q": "snow depth Svalbard", "source": "portal"}).get_json()
    assert [feature["id"] for feature in found["features"]] == ["portal:x1"]
    assert found["features"][0]["sonde:signals"]["dense"] > 0.5, "it is embedded"

    assert http.put(address, data=document("x1", "Ice thickness of Svalbard")).status_code == 204
    assert _title(http, "portal:x1") == "Ice thickness of Svalbard"
    assert http.put("/collections/portal/items/portal:x1", data=document("x1", "Third")).status_code == 204

    assert http.delete(address).status_code == 204
    assert _title(http, "portal:x1") is None
    assert _title(http, "x1") is None
    assert http.delete(address).status_code == 404
    assert http.put(address, data=document("x1", "Back again")).status_code == 201


def test_the_address_names_the_record_whatever_the_document_calls_itself(http: FlaskClient) -> None:
    assert http.put("/collections/portal/items/tides 7", data=TURTLE.encode()).status_code == 201
    assert _title(http, "portal:tides~207") == "Tides of Ålesund"
    native = http.get("/collections/portal/items/portal:tides~207?f=native")
    assert native.data == TURTLE.encode()


@pytest.mark.parametrize("name", ["read back", "portal:read back", "y1"])
def test_a_record_is_read_under_the_address_of_its_put(http: FlaskClient, name: str) -> None:
    address = f"/collections/portal/items/{name}"
    created = http.put(address, data=document(name, "Tides of Rügen"))
    read = http.get(address)
    assert (created.status_code, read.status_code) == (201, 200)
    assert read.get_json()["id"] == created.get_json()["id"]
    assert http.get(created.headers["Location"]).get_json() == read.get_json() | {
        "links": http.get(created.headers["Location"]).get_json()["links"]
    }
    assert http.get(address, query_string={"f": "native"}).data == document(name, "Tides of Rügen").encode()
    assert http.get(f"{address}/provenance").status_code == 200
    assert http.get(f"{address}/fair").status_code == 200
    assert http.get(f"/collections/all/items/{name}").status_code == 404, "all sources need the complete id"
    assert http.get(f"/collections/kept/items/{name}").status_code == 404
    assert http.delete(address).status_code == 204
    assert http.get(address).status_code == 404


def test_a_record_taken_back_can_be_restored_under_its_own_id(http: FlaskClient, service: Service) -> None:
    http.put("/collections/kept/items/one", data=TURTLE.encode())
    http.put("/collections/kept/items/two", data=document("two"))
    http.delete("/collections/kept/items/one")
    parts = HarvestParts(service.client, service.prefix)
    assert [tomb.record for tomb in list_removed(service.client, service.prefix, "kept")] == ["kept:one"]
    restore("kept", ["kept:one"], parts, Options())
    assert _title(http, "kept:one", "kept") == "Tides of Ålesund"


@pytest.mark.parametrize(
    ("address", "content", "status", "said"),
    [
        ("/collections/portal/items/x2", b"", 400, "body"),
        ("/collections/portal/items/x2", b"<not closed", 400, "not well-formed"),
        ("/collections/portal/items/x2", b"<html><body>hello</body></html>", 400, "a web page"),
        ("/collections/portal/items/x2", TURTLE.replace("/a>", "/b>").encode() + TURTLE.encode(), 400, "2 data sets"),
        ("/collections/all/items/x2", b"<a/>", 400, "catalogue"),
        ("/collections/a b/items/x2", b"<a/>", 400, "catalogue"),
        ("/collections/portal/items/" + "x" * 600, b"<a/>", 400, "record"),
    ],
)
def test_what_is_no_record_is_refused_with_its_reason(
    http: FlaskClient, address: str, content: bytes, status: int, said: str
) -> None:
    answer = http.put(address, data=content)
    assert answer.status_code == status
    assert answer.mimetype == "application/problem+json"
    assert said in answer.get_data(as_text=True)
    assert _title(http, "portal:x2") is None


def test_a_body_that_is_too_large_is_413(http: FlaskClient) -> None:
    answer = http.put("/collections/portal/items/big", data=b" " * (LARGEST_BODY_BYTES + 1))
    assert answer.status_code == 413


def test_while_its_source_is_harvested_a_push_is_409(http: FlaskClient, service: Service, broker_url: str) -> None:
    leases = Leases.connect(broker_url, service.prefix)
    with leases.hold("busy") as lease:
        assert lease is not None
        answer = http.put("/collections/busy/items/x", data=document("x"))
        assert answer.status_code == 409
        assert "harvested now" in answer.get_json()["detail"]
    assert http.put("/collections/busy/items/x", data=document("x")).status_code == 201


def test_many_writers_of_one_record_leave_one_of_their_versions(
    app: Flask, http: FlaskClient, service: Service
) -> None:
    def push(number: int) -> int:
        return (
            app.test_client().put("/collections/many/items/one", data=document("one", f"Version {number}")).status_code
        )

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(push, range(8)))
    assert sorted(statuses) == [201] + [204] * 7
    last = _title(http, "many:one", "many")
    assert http.put("/collections/many/items/one", data=document("one", str(last))).status_code == 204
    assert _title(http, "many:one", "many") == last, "the ledger and the index tell of the same version"


def test_a_harvest_of_the_same_source_sweeps_its_own_and_leaves_what_was_pushed(
    http: FlaskClient, service: Service, tmp_path: Path
) -> None:
    write_catalogue(tmp_path, 10)
    parts = HarvestParts(service.client, service.prefix)
    assert harvest("mixed", FolderSource(tmp_path), parts).state == "complete"
    http.put("/collections/mixed/items/pushed", data=document("pushed"))
    http.put("/collections/mixed/items/id-0003", data=document("id-0003", "Over the harvested one"))
    assert _title(http, "mixed:id-0003", "mixed") == "Over the harvested one"
    (tmp_path / "rec-0009.xml").unlink()
    for _ in range(2):
        again = harvest("mixed", FolderSource(tmp_path), parts)
        assert again.state == "complete"
        assert not [kind for kind in again.warnings if kind.startswith("index:")]
        assert _title(http, "mixed:pushed", "mixed") == "Title of pushed"
        assert _title(http, "mixed:id-0009", "mixed") is None
        assert _title(http, "mixed:id-0003", "mixed") == "Title of id-0003", "the source itself has the last word"


def test_what_somebody_else_changed_meanwhile_is_not_overwritten(http: FlaskClient) -> None:
    address = "/collections/careful/items/careful:x"
    assert http.put(address, data=document("x"), headers={"If-Match": "*"}).status_code == 412, "it is not there"
    first = http.put(address, data=document("x"), headers={"If-None-Match": "*"})
    assert first.status_code == 201
    again = http.put(address, data=document("x", "Twice"), headers={"If-None-Match": "*"})
    assert (again.status_code, again.mimetype) == (412, "application/problem+json")
    assert first.headers["ETag"] == http.get(f"{address}?f=native").headers["ETag"]

    seen = [http.get(f"{address}?f={form}").headers["ETag"] for form in ("json", "dcat")]
    assert len({*seen, first.headers["ETag"]}) == 3, "each format has its own"
    second = http.put(address, data=document("x", "Second"), headers={"If-Match": first.headers["ETag"]})
    assert second.status_code == 204
    for stale in (*seen, first.headers["ETag"]):
        assert http.put(address, data=document("x", "Lost"), headers={"If-Match": stale}).status_code == 412
        assert http.delete(address, headers={"If-Match": stale}).status_code == 412
    assert _title(http, "careful:x", "careful") == "Second"

    fresh = http.get(address).headers["ETag"]
    either = {"If-Match": f"{seen[0]}, {fresh}"}
    assert http.put(address, data=document("x", "Third"), headers=either).status_code == 204
    assert http.delete(address, headers={"If-Match": http.get(address).headers["ETag"]}).status_code == 204
    assert http.delete(address, headers={"If-Match": "*"}).status_code == 412


def test_a_tag_of_any_format_and_compression_holds_until_the_record_changes(http: FlaskClient) -> None:
    address = "/collections/careful/items/careful:y"
    sent = document("y")
    assert http.put(address, data=sent).status_code == 201
    tags = [
        http.get(address).headers["ETag"],
        http.get(address, headers={"Accept-Encoding": "gzip"}).headers["ETag"],
        http.get(f"{address}?f=dcat").headers["ETag"],
        http.get(f"{address}?f=native", headers={"Accept-Encoding": "gzip"}).headers["ETag"],
    ]
    assert len(set(tags)) == 4
    for tag in tags:
        assert http.put(address, data=sent, headers={"If-Match": tag}).status_code == 204
    assert http.get(address).headers["ETag"] == tags[0], "the same bytes write nothing"
    assert http.put(address, data=document("y", "Changed"), headers={"If-Match": tags[1]}).status_code == 204
    for stale in tags:
        assert http.put(address, data=document("y", "Lost"), headers={"If-Match": stale}).status_code == 412


def test_the_client_pushes_and_takes_back(app: Flask) -> None:
    transport = httpx.WSGITransport(app)  # type: ignore[arg-type]
    with Client("http://sonde.test", http=httpx.Client(transport=transport)) as sonde:
        assert sonde.put("client", "a", document("a"), media_type="application/xml")
        assert not sonde.put("client", "client:a", document("a", "Other"))
        assert sonde.item("client:a")["properties"]["title"] == "Other"
        sonde.delete("client", "a")
        with pytest.raises(ClientError) as refused:
            sonde.delete("client", "a")
        assert refused.value.status == 404
