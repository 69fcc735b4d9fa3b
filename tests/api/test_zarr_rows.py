"""The header of a Zarr store and a series at a point, from a server of this machine that sends ranges."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from flask.testing import FlaskClient

from core.record import Link
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.catalogue.rows.tables import TableReader
from search_api.catalogue.rows.zarr import store_address
from sonde.wiring.api import api_parts
from sonde.wiring.portal import table_reader
from tests.api.test_rows import ITEM, Linked
from tests.servers.objects import object_server
from tests.service import Service

TIMES, LATITUDES, LONGITUDES = 40, 7, 72


def write_store(folder: Path, format: int, *, is_consolidated: bool = True, shards: bool = False) -> None:
    group = zarr.open_group(folder, mode="w", zarr_format=format)  # type: ignore[arg-type]

    def add(name: str, dimensions: tuple[str, ...], values: Any, chunks: tuple[int, ...], **attributes: Any) -> None:
        values = np.asarray(values)
        more: dict[str, Any] = {"shards": (40, 7, 72)} if shards and values.ndim == 3 else {}
        if format == 3:
            more["dimension_names"] = dimensions
        array = group.create_array(name, shape=values.shape, dtype=values.dtype, chunks=chunks, **more)
        array[...] = values
        array.attrs.update(attributes | ({"_ARRAY_DIMENSIONS": dimensions} if format == 2 else {}))

    counts = np.arange(TIMES * LATITUDES * LONGITUDES).reshape(TIMES, LATITUDES, LONGITUDES)
    add("time", ("time",), np.arange(TIMES), (TIMES,), units="days since 2000-01-01")
    add("lat", ("lat",), np.linspace(30.0, 60.0, LATITUDES), (LATITUDES,), units="degrees_north")
    add("lon", ("lon",), np.arange(0.0, 360.0, 5.0), (LONGITUDES,), units="degrees_east")
    add("sst", ("time", "lat", "lon"), counts.astype("f4"), (4, 7, 36), units="degC", long_name="Sea temperature")
    add("ice", ("time", "lat", "lon"), counts.astype("i2"), (1, 7, 72), scale_factor=0.5, _FillValue=231)
    if is_consolidated:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            zarr.consolidate_metadata(folder)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("stores")
    write_store(folder / "two.zarr", 2)
    write_store(folder / "three.zarr", 3)
    write_store(folder / "shards.zarr", 3, shards=True)
    write_store(folder / "loose.zarr", 2, is_consolidated=False)
    zarr.create_array(folder / "single.zarr", data=np.arange(30.0), chunks=(10,))
    (folder / "damaged.zarr").mkdir()
    (folder / "damaged.zarr" / "zarr.json").write_text("{")
    with object_server(folder) as server:
        yield server.url.rstrip("/")


def showing(samples: Service, *links: str, stores: bool = True) -> FlaskClient:
    parts = api_parts(samples.settings, samples.models)
    policy = GatePolicy(allowed_hosts=frozenset(("127.0.0.1",)))
    reader = table_reader(samples.settings, lambda: Gate(policy)) if stores else TableReader(lambda: Gate(policy))
    records = Linked(parts.records, tuple(Link(link, rel="download") for link in links))
    return create_app(replace(parts, records=records, tables=reader)).test_client()  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["two", "three", "shards"])
def test_the_header_then_a_series_at_a_point(samples: Service, stores: str, name: str) -> None:
    http = showing(samples, f"{stores}/{name}.zarr")
    header = http.get(f"{ITEM}/rows").get_json()
    sst = next(variable for variable in header["variables"] if variable["name"] == "sst")
    assert (sst["title"], sst["unit"]) == ("Sea temperature", "degC")
    assert [(each["name"], each["size"]) for each in sst["dimensions"]] == [("time", 40), ("lat", 7), ("lon", 72)]
    query = {"variable": "sst", "longitude": -11, "latitude": 46, "limit": 3, "start": 2}
    body = http.get(f"{ITEM}/rows", query_string=query).get_json()
    assert body["point"] == {"longitude": -10.0, "latitude": 45.0}
    assert body["fixed"] == {"lat (degrees_north)": "45", "lon (degrees_east)": "350"}
    first = 2 * LATITUDES * LONGITUDES + 3 * LONGITUDES + 70
    assert body["columns"] == ["time", "sst (degC)"]
    assert body["rows"] == [
        [f"2000-01-0{3 + day}T00:00:00Z", str(first + day * LATITUDES * LONGITUDES)] for day in range(3)
    ]
    assert body["has_more"] is True


def test_packed_values_are_unpacked_and_missing_ones_empty(samples: Service, stores: str) -> None:
    query = {"variable": "ice", "longitude": 75, "latitude": 45, "limit": 2}
    body = showing(samples, f"{stores}/two.zarr").get(f"{ITEM}/rows", query_string=query).get_json()
    assert [row[1] for row in body["rows"]] == ["", f"{(231 + LATITUDES * LONGITUDES) / 2:g}"]


def test_a_group_has_its_own_coordinates(samples: Service, tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path / "tree.zarr", mode="w", zarr_format=2)
    inner = root.create_group("atm")
    for name, dimensions, values in (
        ("lat", ["lat"], np.array([10.0, 0.0, -10.0])),
        ("time", ["time"], np.arange(4.0)),
        ("wind", ["time", "lat"], np.arange(12.0).reshape(4, 3) + 1),
    ):
        array = inner.create_array(name, data=values, fill_value=np.nan)
        array.attrs["_ARRAY_DIMENSIONS"] = dimensions
    zarr.consolidate_metadata(tmp_path / "tree.zarr")
    query = {"variable": "atm/wind", "longitude": 0, "latitude": -9, "limit": 2}
    with object_server(tmp_path) as server:
        body = (
            showing(samples, f"{server.url.rstrip('/')}/tree.zarr").get(f"{ITEM}/rows", query_string=query).get_json()
        )
    assert (body["fixed"], [row[1] for row in body["rows"]]) == ({"atm/lat": "-10"}, ["3", "6"])


def test_a_single_array_is_a_series(samples: Service, stores: str) -> None:
    query = {"variable": "data", "limit": 3, "every": 0}
    body = showing(samples, f"{stores}/single.zarr").get(f"{ITEM}/rows", query_string=query).get_json()
    assert [row[-1] for row in body["rows"]] == ["0", "10", "20"]


@pytest.mark.parametrize(
    ("store", "parameters", "status", "words"),
    [
        ("two", {"variable": "sst", "longitude": 0, "latitude": -60}, 400, "go from 30 to 60"),
        ("two", {"variable": "wind"}, 404, "no variable 'wind'; it has"),
        ("loose", {}, 503, "not consolidated"),
        ("damaged", {}, 503, "cannot be read"),
        ("none", {}, 503, "no Zarr metadata"),
    ],
    ids=["outside", "unknown-variable", "not-consolidated", "damaged", "absent"],
)
def test_what_cannot_be_read_is_said(
    samples: Service, stores: str, store: str, parameters: dict[str, Any], status: int, words: str
) -> None:
    answer = showing(samples, f"{stores}/{store}.zarr/").get(f"{ITEM}/rows", query_string=parameters)
    assert (answer.status_code, words in answer.get_json()["detail"]) == (status, True), answer.text


def test_too_many_chunks_are_refused_before_they_are_fetched(samples: Service, tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "long.zarr", mode="w", zarr_format=2)
    group.create_array("rain", shape=(1000,), dtype="f4", chunks=(1,), attributes={"_ARRAY_DIMENSIONS": ["time"]})
    zarr.consolidate_metadata(tmp_path / "long.zarr")
    with object_server(tmp_path) as server:
        http = showing(samples, f"{server.url.rstrip('/')}/long.zarr")
        answer = http.get(f"{ITEM}/rows", query_string={"variable": "rain", "limit": 200})
        assert (answer.status_code, "200 chunks" in answer.get_json()["detail"]) == (400, True)
        assert http.get(f"{ITEM}/rows", query_string={"variable": "rain", "limit": 20}).status_code == 200


def test_of_a_shard_only_the_parts_are_fetched(samples: Service, tmp_path: Path) -> None:
    noise = np.random.default_rng(1).random((64, 64, 64))
    zarr.create_array(tmp_path / "noise.zarr", data=noise, chunks=(8, 8, 8), shards=(64, 64, 64))
    with object_server(tmp_path) as server:
        http = showing(samples, f"{server.url.rstrip('/')}/noise.zarr")
        body = http.get(f"{ITEM}/rows", query_string={"variable": "data", "limit": 20}).get_json()
        assert [float(row[1]) for row in body["rows"]] == pytest.approx(noise[:20, 0, 0])
        assert sum(server.sent.values()) < 100_000  # of 2 MB


def test_a_service_without_the_libraries_says_so(samples: Service, stores: str) -> None:
    answer = showing(samples, f"{stores}/two.zarr", stores=False).get(f"{ITEM}/rows")
    assert (answer.status_code, answer.get_json()["detail"]) == (503, "Zarr stores are not read here.")


def test_links_to_stores_are_known_by_name_or_type() -> None:
    assert store_address(Link("https://x.org/a.zarr/?sig=1#top")) == "https://x.org/a.zarr/?sig=1"
    assert store_address(Link("https://x.org/a", media_type="application/vnd+zarr")) == "https://x.org/a"
    assert store_address(Link("s3://x/a.zarr")) is None
    assert store_address(Link("https://x.org/a.zarr.zip")) is None
