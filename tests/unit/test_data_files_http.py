"""Data files behind HTTP: listings and buckets, ranges with their bytes, versions, and what goes wrong."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
import zarr

from core.errors import Unavailable
from core.record import Record
from indexer.formats.registry import read
from indexer.raw import FileVersion, RawPage
from indexer.sources.fetching import Fetcher
from indexer.sources.politeness import RequestPolicy
from indexer.sources.probe import probe
from indexer.sources.protocols import PROTOCOLS, open_source
from net.gate import Gate, GatePolicy
from tests.servers.objects import object_server
from tests.unit.data_files import DEGREES, GLOBE, geopackage, geotiff, netcdf3, netcdf4


def _fetcher(url: str) -> Fetcher:
    gate = Gate(GatePolicy(allowed_hosts=frozenset({"127.0.0.1"})))
    return Fetcher(gate, "t", url, policy=RequestPolicy(per_second=1e6, attempts=1, first_pause_s=0.0))


@dataclass
class _Memory:
    """The versions that a harvest stored."""

    tag: str = "x"
    versions: dict[str, FileVersion] = field(default_factory=dict)

    def versions_of(self, urls: Sequence[str]) -> Mapping[str, FileVersion]:
        return {url: self.versions[url] for url in urls if url in self.versions}

    def keep(self, pages: list[RawPage]) -> None:
        self.versions |= {visit.url: visit for page in pages for visit in page.visits}


def _pages(url: str, memory: _Memory | None = None, position: str | None = None, **options: object) -> list[RawPage]:
    fetcher = _fetcher(url)
    fetcher.memory = memory
    return list(open_source("data-files", fetcher, None, options).pages(position))


def _records(pages: list[RawPage]) -> dict[str, Record]:
    return {raw.native_id: read(raw, "t") for page in pages for raw in page.records}


def _large(path: Path) -> Path:
    """20 MB of noise behind a grid."""
    netcdf4(path, GLOBE, {"title": "Large"})
    with h5netcdf.File(path, "a") as file:
        noise = np.random.default_rng(1).integers(0, 255, (20, 1_000_000), "u1")
        file.dimensions.update({"n": 20, "m": 1_000_000})
        file.create_variable("noise", ("n", "m"), data=noise, chunks=(1, 1_000_000))
    return path


def _zarr(path: Path) -> Path:
    group = zarr.open_group(path, mode="w", zarr_format=2)
    group.attrs["title"] = "In a store"
    for name, (dimensions, values, stated) in GLOBE.items():
        array = group.create_array(name, data=np.asarray(values), chunks=np.asarray(values).shape)
        array.attrs.update({**stated, "_ARRAY_DIMENSIONS": dimensions})
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    netcdf3(data / "Köln regen.nc", 30)
    netcdf4(data / "deep/er/tas.nc", GLOBE)
    geotiff(data / "pic.tif", (10, 10), DEGREES, (0, 0, 0, 10, 50, 0), (1, 1, 0))
    geopackage(data / "town.gpkg", [("roads", (6.9, 50.9, 7.0, 51.0), 4326)], 4000)
    _zarr(data / "store.zarr")
    (data / "points.csv").write_text("lat,lon\n1,2\n")
    (data / "read me.txt").write_text("x")
    (data / "login.nc").write_text("<html>")
    return data


NAMES = ["Köln regen.nc", "deep/er/tas.nc", "pic.tif", "points.csv", "store.zarr", "town.gpkg"]


@pytest.mark.parametrize("where", ["", "?list-type=2&delimiter=/&prefix="], ids=["listing", "bucket"])
@pytest.mark.parametrize("with_ranges", [True, False], ids=["ranges", "no_ranges"])
def test_each_file_is_a_record(folder: Path, where: str, with_ranges: bool) -> None:
    with object_server(folder, with_ranges=with_ranges, page=2) as server:
        pages = _pages(server.url + where, page_size=2)
        records = _records(pages)
    assert sorted(records) == sorted(NAMES)
    assert records["store.zarr"].title == "In a store"
    assert records["Köln regen.nc"].extents[0].as_list() == [6.0, 50.0, 9.0, 52.0]
    links = [(link.href.removeprefix(server.url), link.rel) for link in records["deep/er/tas.nc"].links]
    assert links == [("deep/er/tas.nc", "download")]
    assert [Path(other.origin).name for page in pages for other in page.passed_over] == ["read%20me.txt"]
    assert [(s.native_id, "web page" in s.reason) for page in pages for s in page.skipped] == [("login.nc", True)]


def test_a_prefix_of_a_bucket_is_read_alone(folder: Path) -> None:
    with object_server(folder) as server:
        assert sorted(_records(_pages(f"{server.url}?list-type=2&prefix=deep/"))) == ["deep/er/tas.nc"]


def test_of_a_large_file_only_its_header_and_coordinates_are_sent(tmp_path: Path) -> None:
    size = _large(tmp_path / "large.nc").stat().st_size
    with object_server(tmp_path) as server:
        assert list(_records(_pages(server.url))) == ["large.nc"]
        assert size > 20_000_000
        assert server.sent["large.nc"] < 1_500_000


def test_of_a_large_geopackage_only_the_first_part_is_sent(tmp_path: Path) -> None:
    path = geopackage(tmp_path / "t.gpkg", [("roads", (6.9, 50.9, 7.0, 51.0), 4326)], 20_000)
    with object_server(tmp_path) as server:
        assert list(_records(_pages(server.url))) == ["t.gpkg"]
        assert server.sent["t.gpkg"] < 2_500_000 < 20_000_000 < path.stat().st_size


def test_what_has_not_changed_is_not_sent_again(folder: Path) -> None:
    memory = _Memory()
    with object_server(folder) as server:
        memory.keep(_pages(server.url, memory))
        server.sent.clear()
        pages = _pages(server.url, memory)
        assert sorted(name for page in pages for name in page.unchanged) == sorted(NAMES)
        assert not _records(pages)
        assert {name: size for name, size in server.sent.items() if size and "login" not in name} == {}
        netcdf3(folder / "Köln regen.nc", 31)
        assert list(_records(_pages(server.url, memory))) == ["Köln regen.nc"]


def test_a_run_goes_on_after_its_last_file(folder: Path) -> None:
    with object_server(folder) as server:
        first = next(iter(open_source("data-files", _fetcher(server.url), None, {"page_size": 3}).pages()))
        later = _pages(server.url, position=first.position, page_size=3)
    names = [raw.native_id for page in (first, *later) for raw in page.records]
    assert sorted(names) == sorted(NAMES)
    assert len(names) == len(set(names))


def test_a_file_that_changes_while_it_is_read_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = _large(tmp_path / "large.nc"), tmp_path / "other"
    other.write_bytes(path.read_bytes() + b"x")
    with object_server(tmp_path) as server:
        source = open_source("data-files", _fetcher(server.url), None, {})
        from indexer.sources import data_files

        def open_then_change(*arguments: object) -> object:
            opened = real_open(*arguments)  # type: ignore[arg-type]
            shutil.copy(other, path)
            return opened

        real_open = data_files.open_file
        monkeypatch.setattr(data_files, "open_file", open_then_change)
        pages = list(source.pages())
    assert [skipped.reason for page in pages for skipped in page.skipped] == ["it changed while it was read"]


def test_a_listing_that_cannot_be_read_ends_the_run(folder: Path) -> None:
    (folder / "deep/er/index.html").write_text("<html><title>Welcome</title></html>")
    with object_server(folder) as server, pytest.raises(Unavailable, match="did not send a directory listing"):
        _pages(server.url)


def test_the_usual_addresses_of_a_bucket_are_asked() -> None:
    questions = [question.url for question in PROTOCOLS["data-files"].questions_at("https://s3.example.org/b/sst/")]
    assert questions == [
        "https://s3.example.org/b/sst/",
        "https://s3.example.org/?list-type=2&delimiter=%2F&prefix=b%2Fsst%2F",
        "https://s3.example.org/b/?list-type=2&delimiter=%2F&prefix=sst%2F",
    ]
    assert len(list(PROTOCOLS["data-files"].questions_at("https://www.example.org/b/"))) == 1


@pytest.mark.parametrize("where", ["", "?list-type=2&prefix=deep/"], ids=["listing", "bucket"])
def test_such_an_address_is_recognised(folder: Path, where: str) -> None:
    with object_server(folder) as server:
        found = probe(_fetcher(server.url + where), server.url + where).found
    assert found is not None
    assert (found.type, found.url) == ("data-files", server.url + where)
    assert read(found.preview[0], "t").extents
