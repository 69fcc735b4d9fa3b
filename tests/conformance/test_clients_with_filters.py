"""GDAL (by pyogrio) and OWSLib read the catalogue of all records, whole and with filters."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from owslib.ogcapi.records import Records

from tests.live import serving
from tests.service import SAMPLES, Service

COUNT = len(list(SAMPLES.glob("*.xml")))


@pytest.fixture(scope="module")
def url(samples: Service) -> Iterator[str]:
    with serving(samples.app) as address:
        yield address


_READ = """
import json, sys, pyogrio.raw
address, asked = json.loads(sys.argv[1])
asked = {name: tuple(value) if name == "bbox" else value for name, value in asked.items()}
said, _, _, columns = pyogrio.raw.read(f"OAPIF:{address}", layer="all", PAGE_SIZE=50, **asked)
print(json.dumps(list(columns[list(said["fields"]).index("id")])))
"""
"""In a process of its own: GDAL keeps the interpreter's lock while it waits for the service that runs here."""


def read(url: str, **asked: Any) -> set[str]:
    """Ids of what GDAL reads of `all`."""
    command = [sys.executable, "-c", _READ, json.dumps([url, asked])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def ids(samples: Service, **asked: Any) -> set[str]:
    page = samples.http.get("/collections/all/items", query_string={**asked, "limit": 1000}).get_json()
    return {one["id"] for one in page["features"]}


def test_gdal_reads_every_record(url: str) -> None:
    assert len(read(url)) == COUNT


@pytest.mark.parametrize(
    ("where", "as_filter"),
    [
        ("type = 'service'", "type = 'service'"),
        ("id = 'samples:era5'", "id = 'samples:era5'"),
        ("title LIKE '%ERA5%' AND type = 'dataset'", "title LIKE '%ERA5%' AND type = 'dataset'"),
    ],
)
def test_gdal_filters(url: str, samples: Service, where: str, as_filter: str) -> None:
    expected = ids(samples, filter=as_filter)
    assert read(url, where=where) == expected
    assert 0 < len(expected) < COUNT


def test_gdal_reads_a_box(url: str, samples: Service) -> None:
    assert read(url, bbox=(5.0, 47.0, 15.0, 55.0)) == ids(samples, bbox="5,47,15,55")


def test_owslib_reads_the_description_and_filters(url: str, samples: Service) -> None:
    client = Records(url)
    assert client.api()["openapi"] == "3.0.3"
    found = client.collection_items("all", filter="type = 'service'", limit=1000)
    assert {one["id"] for one in found["features"]} == ids(samples, type="service")
