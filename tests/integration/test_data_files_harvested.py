"""`sonde sources add` and `sonde harvest` of data files in a folder and in a bucket, twice, a bad file among them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.integration.test_sources_cli import Sonde, sonde
from tests.servers.objects import object_server
from tests.unit.data_files import DEGREES, GLOBE, geotiff, netcdf3, netcdf4

pytestmark = pytest.mark.elasticsearch
__all__ = ["sonde"]  # the fixture


def _counts(sonde: Sonde, *words: str) -> tuple[str, dict[str, int]]:
    (report,) = json.loads(sonde("harvest", *words, "--no-embedding", "--json"))
    return report["state"], report["counts"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "Buoy data"
    netcdf4(data / "tas.nc", GLOBE, {"title": "Temperature of the globe", "summary": "Made for a test."})
    (data / "sub").mkdir()
    netcdf3(data / "sub/rain.nc", 4)
    geotiff(data / "map.tif", (10, 10), DEGREES, (0, 0, 0, 10, 50, 0), (1, 1, 0))
    (data / "login.nc").write_text("<html>")
    return data


def test_a_folder_is_proposed_harvested_and_not_read_again(sonde: Sonde, folder: Path) -> None:
    (proposed,) = yaml.safe_load(sonde("sources", "add", str(folder), "--write"))
    assert proposed == {"id": "buoy-data", "type": "folder", "path": str(folder), "schedule": {"interval": "24h"}}
    state, counts = _counts(sonde, "buoy-data")
    assert (state, counts["new"], counts["refused"]) == ("complete", 3, 1)
    (folder / "map.tif").unlink()
    state, counts = _counts(sonde, "buoy-data", "--allow-mass-removal")
    assert (state, counts["same"], counts["new"], counts["removed"]) == ("complete", 2, 0, 1)
    state, counts = _counts(sonde, "buoy-data", "--full")
    assert (state, counts["same"]) == ("complete", 2)
    quality = json.loads(sonde("sources", "report", "buoy-data", "--json"))
    assert quality["records"] == 2


def test_a_bucket_is_found_harvested_and_asked_only_for_changes(sonde: Sonde, folder: Path) -> None:
    with object_server(folder) as server:
        url = f"{server.url}?list-type=2&prefix="
        (proposed,) = yaml.safe_load(sonde("sources", "add", url, "--id", "bucket", "--write"))
        assert (proposed["type"], proposed["url"]) == ("data-files", url)
        state, counts = _counts(sonde, "bucket")
        assert (state, counts["new"], counts["refused"]) == ("complete", 3, 1)
        server.sent.clear()
        state, counts = _counts(sonde, "bucket")
        assert (state, counts["new"], counts["removed"]) == ("complete", 0, 0)
        assert not any(server.sent.get(name) for name in ("tas.nc", "sub/rain.nc", "map.tif"))
