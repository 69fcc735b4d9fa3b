"""`/items/ID/kin` and `/citations`: what leads on from a record, with the rights of the caller."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient

from core.access import Caller
from core.names import Names
from core.record import DATA_OF_SERVICE, Dates, Link, Provenance, Record
from es_mappings.codecs.records import to_document
from es_mappings.names import concrete
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.store import DocumentStore
from search_api.app import create_app
from sonde.document_settings import CitationsSettings
from sonde.settings import NetSettings
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from tests.conftest import delete_indices
from tests.service import Service

pytestmark = pytest.mark.elasticsearch

SIX = Record(
    "a:six", "a", "six", "Daily snow cover of the Alps, Version 6", "Snow.", doi="10.5555/snow.006",
    parent="campaign-1", names=Names(projects=("SNOWPEX",)), provenance=Provenance(derived_from=("a:raw",)),
)  # fmt: skip
SHADE = ("glaciers",)
RECORDS = (
    SIX,
    Record("b:copy", "b", "copy", "The same in another catalogue", doi="10.5555/snow.006"),
    Record("a:five", "a", "five", "Daily Snow Cover of the Alps, Version 5", doi="10.5555/snow.005"),
    Record("a:seven", "a", "seven", "Daily snow cover of the Alps, Version 7", dates=Dates(published="2024")),
    Record("a:eight", "a", "eight", "Daily snow cover of the Alps, Version 8", access_groups=SHADE),
    Record("a:raw", "a", "raw", "Raw reflectance of the scanner"),
    Record("a:made", "a", "made", "Snow days", provenance=Provenance(derived_from=("https://doi.org/10.5555/SNOW.006",))),
    Record("a:campaign", "a", "campaign-1", "The snow campaign"),
    Record("a:sister", "a", "sister", "Soil temperature of the campaign", parent="campaign-1"),
    Record("a:part", "a", "part", "One tile", parent="six"),
    Record("a:project", "a", "project", "Lidar flights", names=Names(projects=("snowpex",))),
    Record(
        "a:wms", "a", "wms", "Map service of the office", type="service",
        links=(
            Link("https://cat.example/csw?request=GetRecordById&id=gauges-77", "related", description=DATA_OF_SERVICE),
            Link("https://maps.example/wms?request=GetCapabilities", "service"),
        ),
    ),
    Record("a:gauges", "a", "gauges-77", "Gauges"),
    Record(
        "a:wfs", "a", "wfs", "Feature service of the office", type="service",
        links=(Link("urn:uuid:a1b2c3d4-0000-4000-8000-00000000abcd", "related", description=DATA_OF_SERVICE),),
    ),
    Record("a:wells", "a", "A1B2C3D4-0000-4000-8000-00000000ABCD", "Wells"),
    Record("a:gauge", "a", "gauges-7", "Other gauges"),
    Record("a:else", "a", "else", "Ozone over Borneo"),
)  # fmt: skip
PAPER = """# Snow seen from space

## Data

We took the cover from https://doi.org/10.5555/snow.006, and compared it with stations in the valley of the river.

## References

Miller, A. (2019). Something else entirely about ice. Journal of Ice, 3, 1-9.
Meier, B. (2020). Daily snow cover of the Alps, Version 5. Data set. https://doi.org/10.5555/snow.005.
"""
OWN = """<html><head><title>Snow seen from space</title></head><body><h1>Snow seen from space</h1>
<p>We took the cover from https://doi.org/10.5555/snow.006, and compared it with stations in the valley of the river.
</p>
<table><caption>Table 1. Snow days at the stations</caption>
<tr><th>Station</th><th>Days</th></tr><tr><td>Davos</td><td>151</td></tr><tr><td>Andermatt</td><td>172</td></tr></table>
<p>The stations lie in valleys, and each of them has measured the snow every morning.</p></body></html>"""
OTHER = PAPER.replace("snow.006", "snow.0061").replace("Snow seen", "Ice seen")


class GroupsByName:
    """The caller named like a group is in it."""

    def identify(self, bearer: str | None) -> Caller:
        return Caller(bearer, frozenset(("search",)), frozenset((bearer,)) if bearer else frozenset())


@dataclass
class StandIn:
    """Said to be DataCite's event data, which no test can reach: one citing work, and each question that was asked."""

    url: str = ""
    asked: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def events() -> Iterator[StandIn]:
    stand_in = StandIn()
    said = {"subj-id": "https://doi.org/10.9999/paper", "obj-id": "https://doi.org/10.5555/snow.006"}
    event = {"attributes": {**said, "relation-type-id": "cites", "source-id": "crossref", "occurred-at": "2023-01-01"}}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            stand_in.asked.append(self.path)
            self.send_response(500 if "005" in self.path else 200)
            self.end_headers()
            self.wfile.write(json.dumps({"data": [event]}).encode())

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stand_in.url = f"http://127.0.0.1:{server.server_port}/events"
    yield stand_in
    server.shutdown()


@pytest.fixture(scope="module")
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.prepare()
    index = concrete(one.prefix, "records", 1)
    for record in RECORDS:
        es_client.index(index=index, id=record.id, document=to_document(record))
    es_client.indices.refresh(index=index)
    parts = document_parts(one.settings, one.models, es_client)
    for name, text in (("paper.md", PAPER), ("other.md", OTHER), ("own.html", OWN)):
        record = "a:six" if name == "own.html" else None
        assert ingest(IncomingDocument(text.encode(), name, name, record=record), parts).entry.state == "ready"
    DocumentStore(es_client, one.prefix).refresh("public")
    yield one
    delete_indices(es_client, one.prefix)


@pytest.fixture(scope="module")
def http(service: Service) -> FlaskClient:
    parts = replace(api_parts(service.settings, service.models), authenticator=GroupsByName())
    return create_app(parts).test_client()


def _kin(http: FlaskClient, record: str, who: str | None = None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {who}"} if who else {}
    answer = http.get(f"/collections/all/items/{record}/kin", headers=headers)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    found: dict[str, Any] = answer.get_json()
    return found


def _ids(found: dict[str, Any]) -> dict[str, list[str]]:
    return {one["relation"]: [each["id"] for each in one["records"]] for one in found["related"]}


def test_each_relation_is_named_and_a_record_is_in_one(http: FlaskClient) -> None:
    assert _ids(_kin(http, "a:six")) == {
        "newer_version": ["a:seven"],
        "older_version": ["a:five"],
        "copy": ["b:copy"],
        "source": ["a:raw"],
        "derived": ["a:made"],
        "whole": ["a:campaign"],
        "part": ["a:part"],
        "sibling": ["a:sister"],
        "project": ["a:project"],
    }
    assert _ids(_kin(http, "a:raw")) == {"derived": ["a:six"]}
    assert _ids(_kin(http, "a:campaign")) == {"part": ["a:sister", "a:six"]}
    assert _ids(_kin(http, "a:else")) == {}
    assert _ids(_kin(http, "a:wms")) == {"data": ["a:gauges"]}
    assert _ids(_kin(http, "a:gauges")) == {"service": ["a:wms"]}
    assert _ids(_kin(http, "a:gauge")) == {}
    assert _ids(_kin(http, "a:wfs")) == {"data": ["a:wells"]}
    assert _ids(_kin(http, "a:wells")) == {"service": ["a:wfs"]}


def test_a_hidden_version_is_seen_by_its_group_only(http: FlaskClient) -> None:
    assert _ids(_kin(http, "a:six", "glaciers"))["newer_version"] == ["a:eight", "a:seven"]
    assert "eight" not in json.dumps(_kin(http, "a:six", "somebody"))
    assert http.get("/collections/all/items/a:eight/kin").status_code == 404


def test_a_hit_names_its_newest_version(http: FlaskClient) -> None:
    answer = http.get("/search?q=daily+snow+cover+of+the+Alps&algorithm=bm25&group=none").get_json()
    newer = {hit["id"]: hit.get("sonde:supersededBy") for hit in answer["features"]}
    seven = {"id": "a:seven", "title": "Daily snow cover of the Alps, Version 7"}
    assert {id: newer[id] for id in ("a:five", "a:six", "a:seven")} == {
        "a:five": seven,
        "a:six": seven,
        "a:seven": None,
    }


def test_documents_that_name_it_are_quoted(http: FlaskClient) -> None:
    (named,) = _kin(http, "a:six")["mentions"]
    assert (named["title"], named["by"]) == ("Snow seen from space", "text")
    assert "https://doi.org/10.5555/snow.006" in named["quote"]
    listed = _kin(http, "a:five")["mentions"]
    assert {one["by"] for one in listed} == {"references"}
    assert {one["title"] for one in listed} == {"Snow seen from space", "Ice seen from space"}
    assert all("Daily snow cover of the Alps, Version 5" in one["quote"] for one in listed)


def test_its_own_documents_explain_it(http: FlaskClient) -> None:
    (own,) = _kin(http, "a:six")["explains"]
    assert own["title"] == "Snow seen from space"
    assert own["quote"].startswith("We took the cover from")
    assert "own.html" not in json.dumps(_kin(http, "a:six")["mentions"])
    assert own["tables"] == 1
    assert _kin(http, "a:five")["explains"] == []


def test_citations_come_through_the_gate_once_and_only_for_open_records(
    service: Service, events: StandIn, http: FlaskClient
) -> None:
    off = http.get("/collections/all/items/a:six/citations").get_json()
    assert off == {"asked": False, "citations": []}
    more = {
        "citations": CitationsSettings(events_url=events.url),  # type: ignore[arg-type]
        "net": NetSettings(allowed_hosts=(events.url.split("/")[2],)),
    }
    settings = service.settings.model_copy(update=more)
    asking = create_app(replace(api_parts(settings), authenticator=GroupsByName())).test_client()
    for _ in range(2):
        found = asking.get("/collections/all/items/a:six/citations").get_json()
    assert found["citations"] == [{"doi": "10.9999/paper", "relation": "cites", "said_by": "crossref", "year": "2023"}]
    assert len(events.asked) == 1, "kept for a day"
    assert "doi=10.5555%2Fsnow.006" in events.asked[0]
    for _ in range(2):
        assert asking.get("/collections/all/items/a:five/citations").status_code == 503
    assert len(events.asked) == 2, "a service that fails is left alone for some minutes"
    hidden = asking.get("/collections/all/items/a:eight/citations", headers={"Authorization": "Bearer glaciers"})
    assert hidden.get_json()["citations"] == []
    assert len(events.asked) == 2
