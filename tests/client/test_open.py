"""Data are opened where a record's links lead to them, over HTTP."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from sonde_client import DataLink, NotOpenable, Record
from sonde_client.data_links import data_links
from tests.client.data_server import RAIN_MM, data_server


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with data_server(tmp_path_factory.mktemp("data")) as address:
        yield address


def record(*links: dict[str, Any]) -> Record:
    return Record({"id": "made:one", "properties": {"title": "Rain"}, "links": list(links)})


@pytest.mark.parametrize(
    ("link", "kind"),
    [
        ({"href": "/rain.zarr", "rel": "data"}, "zarr"),
        ({"href": "/dodsC/rain", "rel": "data"}, "opendap"),
        ({"href": "/rain.nc", "rel": "enclosure", "type": "application/x-netcdf"}, "netcdf"),
        ({"href": "/item.json", "rel": "item", "title": "STAC item", "type": "application/geo+json"}, "stac"),
    ],
)
def test_a_record_opens_its_grid(data: str, link: dict[str, str], kind: str) -> None:
    page = {"href": f"{data}/index.html", "rel": "about", "type": "text/html"}
    one = record(page, {**link, "href": data + link["href"]})
    assert [found.kind for found in one.data_links] == [kind]
    with one.to_xarray() as opened:
        assert opened["rain"].values.tolist() == RAIN_MM.tolist()


def test_a_record_opens_its_table(data: str) -> None:
    (link,) = record({"href": f"{data}/rain.csv", "rel": "data"}).data_links
    assert link.to_dataframe()["rain"].tolist() == RAIN_MM.tolist()
    with pytest.raises(NotOpenable, match=r"is a table \(csv\)"):
        link.to_xarray()


def test_a_stac_item_names_its_data_alone(data: str) -> None:
    item = DataLink("stac", f"{data}/item.json")
    assert item.assets() == (DataLink("netcdf", f"{data}/rain.nc"),)
    with pytest.raises(NotOpenable, match="not a STAC item"):
        DataLink("stac", f"{data}/rain.csv").assets()


def test_what_cannot_be_opened_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotOpenable, match="nothing that can be opened"):
        record({"href": "https://example.org/rain", "rel": "about"}).to_xarray()
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(NotOpenable, match=r"the client's extra `xarray`"):
        DataLink("zarr", "https://example.org/a.zarr").to_xarray()


def test_links_are_told_by_type_then_by_title_then_by_address() -> None:
    def kinds(*links: dict[str, str]) -> list[str]:
        return [one.kind for one in data_links(links)]

    grid = {"href": "https://a.org/y", "type": "application/vnd.zarr; version=3"}
    assert kinds({"href": "https://a.org/x.csv"}, grid) == ["zarr", "csv"]
    assert kinds({"href": "https://a.org/thredds/dodsC/x.nc"}) == ["opendap"]
    assert kinds({"href": "https://a.org/thredds/dodsC/x.nc.html"}) == []
    assert kinds({"href": "https://a.org/x", "title": "OPeNDAP access"}) == ["opendap"]
    assert kinds({"href": "https://a.org/opendap.html", "title": "About OPeNDAP", "type": "text/html"}) == []
    assert kinds({"href": "https://a.org/x.csv", "rel": "about"}) == []
    assert kinds({"href": "file:///etc/x.csv"}, {"href": "javascript:x.csv"}, {"href": "http://[x.csv"}) == []
