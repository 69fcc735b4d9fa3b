"""The header of an OPeNDAP data set and a series at a point, from a server of this machine."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import pytest

from core.errors import NotFound, Unavailable
from core.record import Link
from evaluation.local_server import serve
from search_api.catalogue.rows.dap import read_attributes, read_declaration, read_values
from search_api.catalogue.rows.grids import OpendapData, Point, SeriesWindow, grid_address, read_grid
from tests.agents import over_http, told
from tests.api.test_rows import ITEM, showing
from tests.live import serving
from tests.servers.opendap import ATTRIBUTES, HEADER, OpendapServer, answer_to
from tests.service import Service


@pytest.fixture(scope="module")
def dataset() -> Iterator[str]:
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), OpendapServer)) as url:
        yield f"{url}/thredds/dodsC/sst.nc"


def test_the_header_names_variables_with_units_and_shape(samples: Service, dataset: str) -> None:
    body = showing(samples, f"{dataset}.html").get(f"{ITEM}/rows").get_json()
    assert body["tables"] == [f"{dataset}.html"]
    assert (body["rows"], body["point"], body["has_more"]) == ([], None, False)
    sst = next(variable for variable in body["variables"] if variable["name"] == "sst")
    assert (sst["title"], sst["unit"]) == ('Sea "skin" temperature', "degC")
    assert [(each["name"], each["size"]) for each in sst["dimensions"]] == [("time", 40), ("lat", 7), ("lon", 72)]
    assert "id" not in [variable["name"] for variable in body["variables"]]  # of a Sequence, which has no shape


def test_a_series_is_read_at_the_cell_nearest_to_a_point(samples: Service, dataset: str) -> None:
    http = showing(samples, dataset)
    point = {"variable": "sst", "longitude": -11, "latitude": 46.0, "limit": 3, "start": 2}
    body = http.get(f"{ITEM}/rows", query_string=point).get_json()
    assert body["point"] == {"longitude": -10.0, "latitude": 45.0}
    assert body["fixed"] == {"lat (degrees_north)": "45", "lon (degrees_east)": "350"}
    assert body["columns"] == ["time", "sst (degC)"]
    assert body["rows"] == [
        ["2000-01-04T00:00:00Z", "203.7"],
        ["2000-01-05T12:00:00Z", ""],
        ["2000-01-07T00:00:00Z", "403.7"],
    ]
    assert body["has_more"] is True
    wide = http.get(f"{ITEM}/rows", query_string={"variable": "sst", "limit": 4, "every": 10}).get_json()
    assert [row[0][:10] for row in wide["rows"]] == ["2000-01-01", "2000-01-16", "2000-01-31", "2000-02-15"]
    assert (wide["point"], wide["has_more"]) == ({"longitude": -180.0, "latitude": 45.0}, False)
    spread = http.get(f"{ITEM}/rows", query_string={"variable": "sst", "limit": 4, "every": 0}).get_json()
    assert (spread["rows"], spread["has_more"]) == (wide["rows"], False)


@pytest.mark.parametrize(
    ("parameters", "status", "words"),
    [
        ({"variable": "sst", "longitude": 0, "latitude": -60}, 400, "go from 30 to 60"),
        ({"variable": "sst", "longitude": 0}, 400, "longitude and latitude"),
        ({"variable": "sst", "start": 40}, 400, "40 values"),
        ({"variable": "wind"}, 404, "no variable 'wind'; it has"),
    ],
    ids=["outside", "half a point", "behind the end", "unknown variable"],
)
def test_what_the_grid_has_not_is_said(
    samples: Service, dataset: str, parameters: dict[str, object], status: int, words: str
) -> None:
    answer = showing(samples, dataset).get(f"{ITEM}/rows", query_string=parameters)
    assert (answer.status_code, words in answer.get_json()["detail"]) == (status, True), answer.text


def test_a_host_without_the_data_set_is_unavailable(samples: Service, dataset: str) -> None:
    assert showing(samples, f"{dataset}4").get(f"{ITEM}/rows").status_code == 503
    assert showing(samples, dataset, allowed=False).get(f"{ITEM}/rows").status_code == 503


def test_an_agent_reads_the_header_then_a_series(samples: Service, dataset: str) -> None:
    with serving(showing(samples, dataset).application) as url:
        header = over_http(url, lambda client: told(client, "read_rows", {"id": "samples:era5"}))
        wanted = {"id": "samples:era5", "variable": "sst", "point": [0, 50], "limit": 1}
        series = over_http(url, lambda client: told(client, "read_rows", wanted))
    assert "sst (degC): time 40, lat 7, lon 72" in header.quoted["variables"]
    assert series.quoted["rows"] == [{"time": "2000-01-01T00:00:00Z", "sst (degC)": "2"}]
    assert series.own["point"] == [0.0, 50.0]


def _fetch(address: str) -> bytes:
    path, _, query = address.partition("?")
    content = answer_to(path, query)
    if content is None:
        raise NotFound(address)
    return content


@pytest.mark.parametrize(
    ("variable", "columns", "rows"),
    [
        ("gauges", ("time", "gauges"), (("2000-01-01T00:00:00Z", "1"), ("2000-01-02T12:00:00Z", "1.5"))),
        ("station", ("n", "station"), (("0", "Alpha"), ("1", "B"))),
        ("lat", ("lat (degrees_north)",), (("60",), ("55",))),
    ],
)
def test_packed_values_texts_and_coordinates(
    variable: str, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]
) -> None:
    grid = read_grid(OpendapData.opened("/thredds/dodsC/sst.nc", _fetch), SeriesWindow(2, variable, Point(0, 0)))
    assert (grid.columns, grid.rows) == (columns, rows)


def test_times_of_another_calendar_stay_numbers() -> None:
    def fetch(address: str) -> bytes:
        return _fetch(address).replace(b'"standard"', b'"noleap"')

    grid = read_grid(OpendapData.opened("/thredds/dodsC/sst.nc", fetch), SeriesWindow(2, "sst"))
    assert grid.columns[0] == "time (days since 2000-01-01 00:00:00.0)"
    assert [row[0] for row in grid.rows] == ["0", "1.5"]


@pytest.mark.parametrize(
    ("href", "protocol", "address"),
    [
        ("https://x.org/thredds/dodsC/a/b.nc.html", None, "https://x.org/thredds/dodsC/a/b.nc"),
        ("https://x.org/erddap/griddap/sst.graph?sst", None, "https://x.org/erddap/griddap/sst"),
        ("https://x.org/opendap/hyrax/a/b.h5.dmr", None, "https://x.org/opendap/hyrax/a/b.h5"),
        ("https://x.org/data/7", "OPeNDAP:OPeNDAP", "https://x.org/data/7"),
        ("https://x.org/thredds/dodsC/catalog.html", None, None),
        ("https://x.org/opendap/", None, None),
        ("https://x.org/a.nc", "WWW:DOWNLOAD", None),
        ("ftp://x.org/data/7", "OPeNDAP", None),
    ],
)
def test_links_to_data_sets_are_known_by_address_or_protocol(
    href: str, protocol: str | None, address: str | None
) -> None:
    assert grid_address(Link(href, protocol=protocol)) == address


@pytest.mark.parametrize(
    "text",
    ["", "<html>", "Dataset {", "Dataset { Int32 a[n = x]; } d;", "Dataset {" + "Structure {" * 30, HEADER[:90]],
    ids=["empty", "page", "open", "no number", "deep", "cut"],
)
def test_a_wrong_declaration_is_unavailable(text: str) -> None:
    with pytest.raises(Unavailable):
        read_declaration(text)


@pytest.mark.parametrize(
    "content",
    [
        b'Error { code = 3; message = "too big"; };',
        b"Dataset { Int32 a[n = 2]; } d;\nData:\n" + struct.pack(">IIi", 2, 2, 1),
        b"Dataset { Int32 a[n = 999999999]; } d;\nData:\n" + struct.pack(">II", 999999999, 999999999),
        b"Dataset { Int32 a[n = 2]; } d;\nData:\n" + struct.pack(">II", 3, 3),
        b"Dataset { Opaque a; } d;\nData:\n",
    ],
    ids=["error", "cut", "huge", "other count", "unknown type"],
)
def test_wrong_values_are_unavailable(content: bytes) -> None:
    with pytest.raises(Unavailable):
        read_values(content)


def test_attributes_are_read_as_far_as_they_go() -> None:
    assert read_attributes(ATTRIBUTES[:80])["sst"]["long_name"] == 'Sea "skin" temperature'
    assert read_attributes("<html>") == {}
