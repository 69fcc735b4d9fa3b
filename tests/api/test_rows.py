"""The first rows of a record's tables: from a server of this machine, within limits, and of no other address."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from flask.testing import FlaskClient

from core.record import Link, Record
from evaluation.local_server import serve
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.catalogue.rows.tables import TableReader, read_rows, table_links
from sonde.wiring.api import api_parts
from tests.agents import over_http, told
from tests.live import serving
from tests.servers.pictures import Linked
from tests.service import Service

ITEM = "/collections/samples/items/samples:era5"
LINES = "".join(f"2020-01-{day:02};{day}.5;Gauge {day}\n" for day in range(1, 29))
FILES = {
    "/rain.csv": ("text/csv", f"# made by hand\ntime;rain [mm];station\n{LINES}".encode()),
    "/erddap/tabledap/buoys.csvp": (
        "text/csv",
        b"time (UTC),wave (m)\n2020-01-01T00:00:00Z,1.5\n2020-01-02T00:00:00Z,2\n",
    ),
    "/endless.csv": ("text/csv", b"a,b\n" + b"1,2\n" * 200_000),
    "/page.csv": ("text/html", b"<html><table><tr><td>no</td></tr></table></html>"),
    "/oapi/collections/lakes/items?country=AT&limit=2": (
        "application/geo+json",
        b'{"features": [{"geometry": {"type": "Point", "coordinates": [9.5, 47.5]},'
        b' "properties": {"name": "B", "deep": true}},'
        b' {"geometry": null, "properties": {"name": "C", "area": 2.5, "seen": null}}]}',
    ),
    "/wells.geojson": ("", b'{"features": [{"properties": {"depth": 3}}, {"properties": {"depth": 4}}]}'),
    "/bare.geojson": ("", b'{"features": []}'),
    "/list.geojson": ("", b"[1"),
    "/empty.csv": ("text/csv", b"a,b\n"),
    "/latin.csv": ("text/csv", "ort,wert\nK\u00f6ln,1\n".encode("latin-1")),
}


class _Files(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, content = FILES.get(self.path, ("", b""))
        self.send_response(200 if content else 404)
        self.send_header("content-type", kind)
        self.end_headers()
        try:
            self.wfile.write(content)
        except ConnectionError:
            """The reader has seen enough."""

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture(scope="module")
def files() -> Iterator[str]:
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), _Files)) as url:
        yield url


def showing(samples: Service, *links: str, allowed: bool = True, on: bool = True) -> FlaskClient:
    """A reader of the samples, each with these links."""
    parts = api_parts(samples.settings, samples.models)
    policy = GatePolicy(allowed_hosts=frozenset(("127.0.0.1",) if allowed else ()))
    reader = TableReader((lambda: Gate(policy)) if on else None, timeout_s=5.0)
    records = Linked(parts.records, tuple(Link(link, rel="download") for link in links))
    return create_app(replace(parts, records=records, tables=reader)).test_client()  # type: ignore[arg-type]


def test_the_first_table_of_a_record_is_shown_and_the_others_are_named(samples: Service, files: str) -> None:
    http = showing(samples, f"{files}/about.html", f"{files}/rain.csv", f"{files}/erddap/tabledap/buoys.html")
    body = http.get(f"{ITEM}/rows?limit=2").get_json()
    assert body["columns"] == ["time", "rain [mm]", "station"]
    assert body["rows"] == [["2020-01-01", "1.5", "Gauge 1"], ["2020-01-02", "2.5", "Gauge 2"]]
    assert (body["href"], body["has_more"]) == (f"{files}/rain.csv", True)
    assert body["tables"] == [f"{files}/rain.csv", f"{files}/erddap/tabledap/buoys.html"]
    buoys = http.get(f"{ITEM}/rows", query_string={"href": body["tables"][1]}).get_json()
    assert (buoys["columns"], len(buoys["rows"]), buoys["has_more"]) == (["time (UTC)", "wave (m)"], 2, False)


def test_only_the_records_own_links_are_fetched(samples: Service, files: str) -> None:
    http = showing(samples, f"{files}/rain.csv")
    for href in (f"{files}/endless.csv", "http://169.254.169.254/x.csv", "file:///etc/passwd"):
        answer = http.get(f"{ITEM}/rows", query_string={"href": href})
        assert answer.status_code == 404, answer.text
    assert showing(samples, f"{files}/rain.csv", on=False).get(f"{ITEM}/rows").status_code == 404
    refused = showing(samples, f"{files}/rain.csv", allowed=False).get(f"{ITEM}/rows")
    assert refused.status_code == 503
    assert refused.get_json()["detail"].endswith(" did not send the table.")


@pytest.mark.parametrize("name", ["page", "empty", "gone"])
def test_what_is_no_table_is_said(samples: Service, files: str, name: str) -> None:
    assert showing(samples, f"{files}/{name}.csv").get(f"{ITEM}/rows").status_code == 503


def test_features_are_rows_of_their_properties(samples: Service, files: str) -> None:
    http = showing(samples, f"{files}/oapi/collections/lakes/items?f=html&country=AT", f"{files}/wells.geojson")
    lakes = http.get(f"{ITEM}/rows?limit=1").get_json()
    assert lakes["columns"] == ["longitude", "latitude", "name", "deep"]
    assert (lakes["rows"], lakes["has_more"]) == ([["9.5", "47.5", "B", "true"]], True)
    wells = http.get(f"{ITEM}/rows", query_string={"href": lakes["tables"][1]}).get_json()
    assert (wells["columns"], wells["rows"], wells["has_more"]) == (["depth"], [["3"], ["4"]], False)


@pytest.mark.parametrize(("name", "reason"), [("bare", "no feature with properties"), ("list", "else than features")])
def test_what_holds_no_features_is_said(samples: Service, files: str, name: str, reason: str) -> None:
    answer = showing(samples, f"{files}/{name}.geojson").get(f"{ITEM}/rows")
    assert (answer.status_code, reason in answer.get_json()["detail"]) == (503, True)


def test_a_collection_is_read_only_if_its_link_says_that_it_has_features() -> None:
    lakes = "https://x/collections/lakes"
    links = (Link(lakes), Link(lakes, protocol="OGC API - Features"), Link("https://x/", protocol="OGC API Features"))
    assert table_links(Record("s:1", "s", "1", "T", links=links)) == (links[1],)


def test_an_endless_table_is_left_after_its_beginning(samples: Service, files: str) -> None:
    body = showing(samples, f"{files}/endless.csv").get(f"{ITEM}/rows?limit=100").get_json()
    assert (len(body["rows"]), body["has_more"]) == (100, True)


def test_an_agent_reads_rows_as_data(samples: Service, files: str) -> None:
    with serving(showing(samples, f"{files}/rain.csv").application) as url:
        answer = over_http(url, lambda client: told(client, "read_rows", {"id": "samples:era5", "limit": 1}))
        other = over_http(
            url, lambda client: told(client, "read_rows", {"id": "samples:era5", "href": "http://x/y.csv"})
        )
    assert answer.own["has_more"] is True
    assert answer.quoted["rows"] == [{"time": "2020-01-01", "rain [mm]": "1.5", "station": "Gauge 1"}]
    assert "has no link to a table at this address" in other.own["nothing"]


def test_cells_and_columns_are_bounded_and_a_cut_line_is_dropped() -> None:
    wide = ",".join(f"c{number}" for number in range(100))
    table = read_rows("http://x/t.csv", f"{wide}\n{'y' * 500},2\n3,4\n5,", 5, is_whole=False)
    assert len(table.columns) == 60
    assert len(table.rows[0][0]) == 200
    assert len(table.rows) == 2
    record = Record(
        "s:1", "s", "1", "T", links=(Link("ftp://x/y.csv"), Link("https://x/y", media_type="text/csv;header=present"))
    )
    assert [link.href for link in table_links(record)] == ["https://x/y"]
