"""Federated search: a Sonde asks another Sonde, its OGC API - Records and its STAC API, over HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from flask.testing import FlaskClient
from lxml import etree

from core.geo import BBox
from core.record import Record
from core.timespan import TimeSpan
from indexer.sources.csw_search import CswQuestion, body
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.catalogue.federation import FederatedCatalogue, Federation, RemoteHit, merged_by_rank, read_hits
from search_api.parts import Parts
from sonde.wiring.api import api_parts
from sonde.wiring.portal import csw_records
from tests.live import serving
from tests.service import Service

STRANGE = {
    "type": "Feature",
    "id": "far-1",
    "geometry": {"type": "Polygon", "coordinates": [[[10, 40], [20, 40], [20, 50], [10, 40]]]},
    "time": {"interval": ["1990-01-01", ".."]},
    "properties": {"type": "dataset", "title": "Rainfall of another catalogue", "secret": "<script>"},
    "links": [
        {"rel": "self", "href": "https://far.example/items/far-1"},
        {"rel": "about", "href": "javascript:x()"},
    ],
}


@pytest.fixture(scope="module")
def parts(samples: Service) -> Parts:
    return api_parts(samples.settings, samples.models)


@pytest.fixture(scope="module")
def sonde(samples: Service) -> Iterator[str]:
    with serving(samples.app) as url:
        yield url


@contextmanager
def standing_in(body: str, status: int = 200, wait_s: float = 0.0) -> Iterator[tuple[str, list[str]]]:
    """The address of a server with one answer, and the paths that it was asked."""
    paths: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            time.sleep(wait_s)
            self.send_response(status)
            self.send_header("Content-Type", "application/geo+json")
            self.end_headers()
            self.wfile.write(body.encode())

        do_POST = do_GET  # noqa: N815 - named by http.server

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", paths
    finally:
        server.shutdown()
        server.server_close()


def asking(parts: Parts, *catalogues: FederatedCatalogue, limit_s: float = 5.0) -> FlaskClient:
    gate = Gate(GatePolicy(allowed_hosts=frozenset(("127.0.0.1",))))
    return create_app(
        replace(parts, federation=Federation(lambda: gate, catalogues, limit_s, csw_records))
    ).test_client()


def search(http: FlaskClient, status: int = 200, **asked: str) -> dict[str, Any]:
    answer = http.get("/search", query_string={"distributedSearch": "true", **asked})
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.get_json()
    return body


def collection(*features: dict[str, Any]) -> str:
    return json.dumps({"type": "FeatureCollection", "features": list(features), "numberMatched": 7})


def test_hits_of_another_catalogue_are_merged_by_rank_with_their_origin(parts: Parts) -> None:
    with standing_in(collection(STRANGE)) as (url, paths):
        http = asking(parts, FederatedCatalogue("far", "records", f"{url}/items", "Far away"))
        alone = http.get("/search", query_string={"q": "rainfall in Africa", "limit": 4}).get_json()
        answer = search(http, q="rainfall in Africa", limit="4")
    ids = [feature["id"] for feature in answer["features"]]
    ours = [feature["id"] for feature in alone["features"]]
    assert ids == [ours[0], "far-1", ours[1], ours[2]]
    assert answer["numberReturned"] == 4
    hit = answer["features"][1]
    assert hit["sonde:origin"] == {"id": "far", "title": "Far away", "catalogURL": f"{url}/items"}
    assert hit["links"] == [{"rel": "canonical", "href": "https://far.example/items/far-1"}]
    assert hit["time"] == {"interval": ["1990-01-01", ".."]}
    assert "secret" not in hit["properties"]
    assert answer["sonde:federated"][0]["numberMatched"] == 7
    assert "q=rainfall&" in paths[0], "words of a place are its box"
    assert "bbox=" in paths[0]
    assert "distributed" not in paths[0].lower()


def test_the_next_page_goes_on_after_our_own_hits(parts: Parts) -> None:
    with standing_in(collection(STRANGE)) as (url, _):
        http = asking(parts, FederatedCatalogue("far", "records", url))
        first = search(http, q="rainfall", limit="3")
        after = next(link["href"] for link in first["links"] if link["rel"] == "next")
        second = http.get(after.removeprefix("http://localhost")).get_json()
        alone = http.get("/search", query_string={"q": "rainfall", "limit": 5}).get_json()
    shown = [f["id"] for f in first["features"] if "sonde:origin" not in f] + [f["id"] for f in second["features"]]
    assert shown[:5] == [feature["id"] for feature in alone["features"]]


def test_another_sonde_has_the_same_records_which_are_folded(parts: Parts, sonde: str) -> None:
    http = asking(parts, FederatedCatalogue("twin", "sonde", sonde))
    alone = http.get("/search", query_string={"q": "rainfall in Africa", "limit": 5}).get_json()
    answer = search(http, q="rainfall in Africa", limit="5")
    ours = [feature["id"] for feature in alone["features"]]
    assert [feature["id"] for feature in answer["features"]] == ours
    assert answer["sonde:federated"][0]["folded"] == ours
    assert answer["sonde:degraded"] == alone["sonde:degraded"]


def test_ogc_records_and_stac_of_a_sonde_answer(parts: Parts, sonde: str) -> None:
    http = asking(
        parts,
        FederatedCatalogue("records", "records", f"{sonde}/collections/all/items"),
        FederatedCatalogue("stac", "stac", f"{sonde}/stac"),
    )
    answer = search(http, q="rainfall", limit="5")
    assert not [part for part in answer["sonde:degraded"] if part.startswith("federation")]
    by_id = {catalogue["id"]: catalogue for catalogue in answer["sonde:federated"]}
    assert by_id["records"]["numberReturned"] > 0
    assert "numberReturned" in by_id["stac"]


@pytest.mark.parametrize(
    ("body", "status"),
    [("{}", 200), ("no json", 200), ("[]", 200), (collection(STRANGE), 500)],
    ids=["another document", "no json", "a list", "an error"],
)
def test_a_dead_catalogue_is_named_and_costs_no_hit(parts: Parts, body: str, status: int) -> None:
    with standing_in(body, status) as (url, _):
        http = asking(parts, FederatedCatalogue("dead", "records", url))
        answer = search(http, q="rainfall", limit="3")
    assert "federation.dead" in answer["sonde:degraded"]
    assert len(answer["features"]) == 3


def test_a_slow_catalogue_does_not_delay_beyond_the_limit_and_is_left_alone_after_three(parts: Parts) -> None:
    with standing_in(collection(STRANGE), wait_s=3.0) as (url, paths):
        http = asking(parts, FederatedCatalogue("slow", "records", url), limit_s=0.3)
        http.get("/search", query_string={"q": "rainfall"})
        started = time.monotonic()
        answer = search(http, q="rainfall")
        assert time.monotonic() - started < 2.5
        assert "federation.slow" in answer["sonde:degraded"]
        for word in ("snow", "ice", "wind", "soil", "ozone", "salt"):
            search(http, q=word)
            time.sleep(0.1)
        assert 3 <= len(paths) < 7


@pytest.mark.parametrize(
    "asked",
    ["type=dataset", "sortby=-updated", "f=csv", "filter=type='dataset'", "federatedCatalogs=x", "scope=both"],
)
def test_what_others_cannot_answer_is_refused(parts: Parts, asked: str) -> None:
    name, _, value = asked.partition("=")
    http = asking(parts, FederatedCatalogue("far", "records", "http://127.0.0.1:9"))
    search(http, 400, q="rainfall", **{name: value})


def test_nobody_is_asked_without_the_parameter_or_after_the_last_hop(parts: Parts) -> None:
    with standing_in(collection(STRANGE)) as (url, paths):
        http = asking(parts, FederatedCatalogue("far", "records", url))
        assert "sonde:federated" not in http.get("/search", query_string={"q": "rainfall"}).get_json()
        assert "sonde:federated" not in search(http, q="rainfall", hopCount="1")
        assert not paths
        search(http, q="rainfall", hopCount="2", federatedCatalogs="far")
        assert len(paths) == 1
        search(http, q="rainfall", hopCount="2")
        assert len(paths) == 1, "an answer is remembered"


def test_a_service_without_catalogues_refuses(parts: Parts) -> None:
    search(create_app(parts).test_client(), 400, q="rainfall")


def test_a_data_set_of_two_catalogues_is_one_hit_with_both_shares() -> None:
    def hit(*names: str) -> RemoteHit:
        return RemoteHit({"id": names[0]}, frozenset(names))

    merged = merged_by_rank((), [[hit("a"), hit("b", "10.1/x")], [hit("c", "10.1/x")]])
    assert [entry.feature["id"] for entry in merged if isinstance(entry, RemoteHit)] == ["b", "a"]


def test_a_list_that_ignores_the_question_gives_only_what_mentions_it() -> None:
    far = FederatedCatalogue("far", "stac", "https://far.example")
    glaciers = {"id": "g", "title": "Glacier lengths", "extent": {"spatial": {"bbox": [[170, -50, -170, -30]]}}}
    hits, matched = read_hits(far, {"collections": [{"id": "12", "title": "Clouds"}, glaciers, 3]}, "glaciers")
    assert [hit.feature["id"] for hit in hits] == ["g"]
    assert hits[0].feature["geometry"]["type"] == "MultiPolygon"
    assert matched is None


@pytest.mark.parametrize(
    "entry",
    [
        {"id": 3, "properties": 4, "links": {"a": 1}, "geometry": {"coordinates": [["x"], [1, "2"]]}, "time": 3},
        {"geometry": {"coordinates": [1e999, 2]}, "bbox": "1,2", "extent": [], "properties": {"externalIds": [1]}},
        {},
    ],
    ids=["wrong types", "infinite", "empty"],
)
def test_a_wrong_record_is_a_poor_hit(entry: dict[str, Any]) -> None:
    hits, _ = read_hits(FederatedCatalogue("far", "sonde", "https://far.example"), {"features": [entry]}, "q")
    assert hits[0].feature["geometry"] is None


CSW_ANSWER = """<csw:GetRecordsResponse xmlns:csw="http://www.opengis.net/cat/csw/2.0.2"
  xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/"
  xmlns:ows="http://www.opengis.net/ows">
 <csw:SearchResults numberOfRecordsMatched="2" numberOfRecordsReturned="2" nextRecord="0">
  <csw:Record><dc:identifier>far-9</dc:identifier><dc:title>Rainfall of the far coast</dc:title>
   <dc:type>dataset</dc:type>
   <dct:abstract>Rain by gauge.</dct:abstract><ows:BoundingBox crs="urn:ogc:def:crs:EPSG::4326">
   <ows:LowerCorner>40 10</ows:LowerCorner><ows:UpperCorner>50 20</ows:UpperCorner></ows:BoundingBox></csw:Record>
  <csw:Record><dc:identifier>broken</dc:identifier></csw:Record>
 </csw:SearchResults></csw:GetRecordsResponse>"""


def test_a_csw_is_asked_and_its_records_are_read(parts: Parts) -> None:
    with standing_in(CSW_ANSWER) as (url, paths):
        http = asking(parts, FederatedCatalogue("old", "csw", f"{url}/csw", "Old one"))
        answer = search(http, q="rainfall", limit="4")
    assert paths == ["/csw"]
    hit = next(feature for feature in answer["features"] if "sonde:origin" in feature)
    assert (hit["id"], hit["properties"]["title"]) == ("far-9", "Rainfall of the far coast")
    assert hit["geometry"]["coordinates"][0][0] == [10, 40]
    assert hit["links"][0]["href"].startswith(f"{url}/csw?service=CSW&version=2.0.2&request=GetRecordById")


def test_a_sonde_answers_as_a_csw_with_the_same_records(parts: Parts, sonde: str) -> None:
    http = asking(parts, FederatedCatalogue("twin", "csw", f"{sonde}/csw"), limit_s=10.0)
    answer = search(http, q="rainfall in Africa", limit="5")
    assert answer["sonde:federated"][0]["numberReturned"] > 0
    assert answer["sonde:degraded"] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("<html><body>Not here</body></html>", 404),
        ("<html><body>Welcome</body></html>", 200),
        ('<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows"/>', 400),
        ("", 200),
    ],
    ids=["404", "web-page", "exception", "nothing"],
)
def test_a_csw_that_does_not_answer_is_named(parts: Parts, body: str, status: int) -> None:
    with standing_in(body, status) as (url, _):
        answer = search(asking(parts, FederatedCatalogue("old", "csw", url)), q="rainfall", limit="3")
    assert "federation.old" in answer["sonde:degraded"]
    assert len(answer["features"]) == 3


def test_the_request_of_a_csw_has_words_and_both_sides_of_the_antimeridian() -> None:
    request = etree.fromstring(body(CswQuestion(("rainfall", "gauges"), BBox(170, -20, -170, -10), 7), "gmd"))
    assert [each.text for each in request.iter("{*}Literal")] == ["*rainfall*", "*gauges*", "*gauge*"]
    assert [each.text for each in request.iter("{*}lowerCorner")] == ["-20 170", "-20 -180"]
    assert [etree.QName(each).localname for each in request.iter("{*}And", "{*}Or")] == ["And", "Or", "Or"]
    assert request.get("maxRecords") == "7"
    assert next(etree.fromstring(body(CswQuestion((), None, 7), "gmd")).iter("{*}Constraint"), None) is None


def test_records_of_a_csw_outside_of_the_period_are_left_out() -> None:
    old, new = (
        Record(id, "s", id, "Rain", times=(TimeSpan.from_iso(start, end),))
        for id, start, end in (("old", "1950-01-01", "1960-01-01"), ("new", "1990-01-01", None))
    )
    catalogue = FederatedCatalogue("far", "csw", "http://127.0.0.1:1/")
    gate = Gate(GatePolicy())
    federation = Federation(lambda: gate, [catalogue], 1.0, lambda *_: ([old, new, Record("x", "s", "x", "Rain")], 3))
    answer = federation.ask(catalogue, {"q": "rain", "datetime": "2000-01-01/..", "limit": "5"})
    assert [hit.feature["id"] for hit in answer.hits] == ["new", "x"]
    assert answer.matched is None
