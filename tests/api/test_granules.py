"""Granules of a record, asked live: of Sonde's own STAC API over HTTP, and of a stand-in for CMR."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from core.record import Link, Record
from evaluation.local_server import serve
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.catalogue.granules.searches import GranuleLimits, GranuleSearch, GranuleSearches, granule_search
from search_api.parts import Parts
from sonde.wiring.api import api_parts
from tests.agents import over_http, told
from tests.live import serving
from tests.servers.cmr import CONCEPT, HITS, StandIn
from tests.servers.pictures import Linked
from tests.service import Service

ITEM = "/collections/samples/items/samples:era5"
CMR_PAGE = f"https://search.earthdata.nasa.gov/search/granules?p={CONCEPT}"


@pytest.fixture(scope="module")
def parts(samples: Service) -> Parts:
    return api_parts(samples.settings, samples.models)


@pytest.fixture(scope="module")
def stac(samples: Service) -> Iterator[str]:
    """A collection of Sonde's own STAC API, on a real socket."""
    with serving(samples.app) as url:
        yield f"{url}/stac/collections/samples"


@pytest.fixture
def cmr() -> Iterator[StandIn]:
    server = StandIn()
    with serve(server):
        yield server


def asking(parts: Parts, link: str, cmr: StandIn | None = None, *, allowed: bool = True, **limits: Any) -> FlaskClient:
    """A reader of the samples, each with this link."""
    policy = GatePolicy(allowed_hosts=frozenset(("127.0.0.1",) if allowed else ()))
    at = f"http://127.0.0.1:{cmr.server_port}/search" if cmr is not None else "http://127.0.0.1:9"
    searches = GranuleSearches(lambda: Gate(policy), dict, at, GranuleLimits(**limits))
    records = Linked(parts.records, (Link(link, rel="related"),))
    return create_app(replace(parts, records=records, granules=searches)).test_client()  # type: ignore[arg-type]


def granules(http: FlaskClient, **asked: str) -> dict[str, Any]:
    answer = http.get(f"{ITEM}/granules", query_string=asked)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.get_json()
    return body


def refused(http: FlaskClient, status: int = 503) -> str:
    answer = http.get(f"{ITEM}/granules")
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    detail: str = answer.get_json()["detail"]
    return detail


def test_a_record_leads_to_the_items_of_its_collection(parts: Parts, stac: str) -> None:
    http = asking(parts, stac)
    links = {one["rel"]: one["href"] for one in http.get(ITEM).get_json()["links"]}
    assert links["sonde:granules"] == f"http://localhost{ITEM}/granules"
    found = granules(http, limit="2")
    assert (found["numberMatched"], found["numberReturned"]) == (4, 2)
    assert found["sonde:searched"] == {"kind": "stac", "host": stac.split("/")[2]}
    first = found["features"][0]
    assert first["id"] == "samples:chirps-v2-africa-monthly"
    assert first["bbox"] == [-20, -40, 55, 40]
    assert first["properties"]["start_datetime"] == "1981-01-01T00:00:00Z"
    assert first["links"] == [{"rel": "about", "href": f"{stac}/items/{first['id']}"}]
    line = found["sonde:timeline"]
    assert line["of"] == "all"
    assert {one["value"]: one["count"] for one in line["values"]}["1981-01-01"] == 2


def test_place_and_time_are_passed_on(parts: Parts, stac: str) -> None:
    http = asking(parts, stac)
    assert granules(http, bbox="5,47,6,48", datetime="2006/..")["numberMatched"] == 3
    assert granules(http, bbox="5,47,6,48", datetime="1900")["numberMatched"] == 1
    none = granules(http, bbox="-120,80,-119,81")
    assert (none["numberMatched"], none["features"], "sonde:timeline" in none) == (0, [], False)


def test_more_than_what_is_read_is_counted_by_the_other_side(parts: Parts, stac: str) -> None:
    found = granules(asking(parts, f"{stac}/items", read=1))
    assert (found["numberMatched"], found["numberReturned"]) == (4, 1)
    assert found["sonde:timeline"]["of"] == "all"
    assert sum(one["count"] for one in found["sonde:timeline"]["values"]) == 4


def test_cmr_is_asked_for_the_granules_of_a_concept(parts: Parts, cmr: StandIn) -> None:
    http = asking(parts, CMR_PAGE, cmr)
    found = granules(http, bbox="-10,40,5,50", datetime="2003-01-01/..", limit="2")
    asked = {"collection_concept_id": CONCEPT, "bounding_box": "-10,40,5,50", "temporal": "2003-01-01T00:00:00Z,"}
    assert cmr.asked[0] == {**asked, "include_facets": "v2", "page_size": "100"}
    assert (found["numberMatched"], found["numberReturned"]) == (HITS, 2)
    assert found["features"][0]["bbox"] == [-10, 40, 5, 50]
    assert found["features"][0]["links"] == [{"rel": "about", "href": "https://data.example/1.hdf"}]
    values = [{"value": "2003", "count": 5000}, {"value": "2004", "count": 321}]
    assert found["sonde:timeline"] == {"interval": "year", "of": "all", "values": values}
    again = granules(http, bbox="-10,40,5,50", datetime="2003-01-01/..", limit="1")
    assert again["numberReturned"] == len(cmr.asked) == 1, "the answer is remembered"


@pytest.mark.parametrize(
    ("says", "said"),
    [
        ((200, b"<html>sign in</html>"), "did not answer in JSON"),
        ((200, b'{"feed": {}}'), "did not answer with granules"),
        ((200, b'{"feed": {"entry": 7}}'), "did not answer with granules"),
        ((400, b"{}"), "HTTP status 400"),
        ((500, b"{}"), "HTTP status 500"),
    ],
)
def test_a_wrong_answer_is_said(parts: Parts, cmr: StandIn, says: tuple[int, bytes], said: str) -> None:
    cmr.says = says
    http = asking(parts, CMR_PAGE, cmr)
    assert said in refused(http)
    assert said in refused(http)
    assert len(cmr.asked) == 1, "a failure is remembered too"


def test_odd_granules_are_shown_as_far_as_they_can_be_read(parts: Parts, cmr: StandIn) -> None:
    odd = b'{"feed": {"entry": [{"id": 7}, 8, {"id": "a", "time_start": "noon", "boxes": ["x"], "links": [{}]}, '
    cmr.says = (200, odd + b'{"id": "b", "links": [{"rel": "x/data#", "href": "javascript:alert(1)"}]}]}}')
    found = granules(asking(parts, CMR_PAGE, cmr))
    assert [one["id"] for one in found["features"]] == ["", "a", "b"]
    assert all(one["links"] == [] and one["geometry"] is None for one in found["features"])


def test_a_slow_answer_is_not_waited_for(parts: Parts, cmr: StandIn) -> None:
    cmr.slow_s = 1.0
    assert "127.0.0.1" in refused(asking(parts, CMR_PAGE, cmr, timeout_s=0.1))


def test_a_private_host_is_not_asked_and_not_described(parts: Parts, stac: str) -> None:
    said = refused(asking(parts, stac, allowed=False))
    assert said == f"The granules at {stac.split('/')[2]} cannot be asked for from here."


def test_a_record_without_a_granule_search_says_so(parts: Parts) -> None:
    http = asking(parts, "https://data.example/collections/about.html")
    assert "Nothing says where the granules" in refused(http, 404)
    assert not [one for one in http.get(ITEM).get_json()["links"] if one["rel"] == "sonde:granules"]


def test_a_wrong_question_is_refused(parts: Parts, stac: str) -> None:
    http = asking(parts, stac)
    for asked in ({"bbox": "1,2"}, {"datetime": "noon"}, {"limit": "0"}, {"colour": "red"}):
        assert http.get(f"{ITEM}/granules", query_string=asked).status_code == 400


def _record(**more: Any) -> Record:
    return Record(**{"id": "s:a b", "source": "s", "identifier": "a b", "title": "T", **more})


@pytest.mark.parametrize(
    ("record", "search"),
    [
        (
            _record(type="series", native_format="stac"),
            GranuleSearch("stac", "https://api.example/stac/collections/a%20b"),
        ),
        (_record(type="dataset", native_format="stac"), None),
        (_record(type="series", native_format="stac", source="other"), None),
        (_record(identifier=CONCEPT), GranuleSearch("cmr", CONCEPT)),
        (
            _record(links=(Link(f"https://cmr.earthdata.nasa.gov/search/concepts/{CONCEPT}.html"),)),
            GranuleSearch("cmr", CONCEPT),
        ),
        (_record(links=(Link(f"https://cmr.earthdata.nasa.gov.evil.example/search/concepts/{CONCEPT}"),)), None),
        (
            _record(links=(Link("https://x.example/features/collections/c/items"),)),
            GranuleSearch("stac", "https://x.example/features/collections/c"),
        ),
        (_record(links=(Link("https://x.example/collections/c"),)), None),
        (_record(links=(Link("http://[x/collections/c/items"),)), None),
    ],
)
def test_source_and_links_decide_where_granules_are(record: Record, search: GranuleSearch | None) -> None:
    assert granule_search(record, {"s": "https://api.example/stac/"}) == search


def test_an_agent_gets_granules_with_their_count_and_time_line(parts: Parts, cmr: StandIn) -> None:
    with serving(asking(parts, CMR_PAGE, cmr).application) as url:
        arguments = {"id": "samples:era5", "bbox": [40, -10, 50, 5], "period": "2003/2004", "limit": 2}
        answer = over_http(url, lambda client: told(client, "get_granules", arguments))
    assert (answer.own["matches"], answer.own["asked"]["kind"]) == (HITS, "cmr")
    assert list(answer.own["timeline"].values()) == [5000, 321]
    assert len(answer.quoted) == 2
    assert answer.quoted[0]["period"].startswith("2003-01-01T00:00:00")
    assert answer.quoted[0]["href"].startswith("https://data.example/")
