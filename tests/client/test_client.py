"""The client against the service, over real HTTP: both ways to wait, pages, tables, errors."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx
import pytest

import sonde.client
from sonde_client import AsyncClient, Client, ClientError, Record, to_geodataframe
from tests.agents import apart
from tests.live import serving
from tests.service import SAMPLES, Service

COUNT = len(list(SAMPLES.glob("*.xml")))
QUESTION = "rainfall in southern Africa since 1990"


@pytest.fixture(scope="module")
def url(samples: Service) -> Iterator[str]:
    with serving(samples.app) as address:
        yield address


def test_both_clients_answer_alike(url: str) -> None:
    async def waited() -> dict[str, object]:
        async with AsyncClient(url) as sonde:
            return {
                "hits": [hit.id for hit in await sonde.search(QUESTION, limit=3)],
                "all": [hit.id async for hit in sonde.search_all("rainfall", limit=60, rerank=False)],
                "items": [record.id async for record in sonde.items(limit=100)],
                "item": (await sonde.item("samples:era5")).title,
                "similar": [record.id for record in await sonde.similar("samples:era5", limit=2)],
                "original": await sonde.original("samples:era5"),
                "preview": await sonde.preview("samples:era5"),
                "collections": [one["id"] for one in await sonde.collections()],
                "suggest": (await sonde.suggest("Bots"))["places"][0]["name"],
                "embeddings": await sonde.embeddings(["rain"], "query"),
            }

    with Client(url) as client:
        assert apart(lambda: anyio.run(waited)) == {
            "hits": [hit.id for hit in client.search(QUESTION, limit=3)],
            "all": [hit.id for hit in client.search_all("rainfall", limit=60, rerank=False)],
            "items": [record.id for record in client.items(limit=100)],
            "item": client.item("samples:era5").title,
            "similar": [record.id for record in client.similar("samples:era5", limit=2)],
            "original": client.original("samples:era5"),
            "preview": client.preview("samples:era5"),
            "collections": [one["id"] for one in client.collections()],
            "suggest": client.suggest("Bots")["places"][0]["name"],
            "embeddings": client.embeddings(["rain"], "query"),
        }
        assert len(list(client.items(limit=100))) == COUNT


def test_a_hit_says_why_and_a_record_says_what(url: str) -> None:
    with Client(url) as client:
        found = client.search(QUESTION, limit=3)
        assert len(found) == 3
        first = found.hits[0]
        assert {"spatial", "temporal"} <= {reason.signal for reason in first.reasons}
        assert sum(reason.contribution for reason in first.reasons) == pytest.approx(first.score, abs=0.02)
        assert client.search(QUESTION, limit=1, explain=False).hits[0].reasons == ()
        assert "Southern Africa" in found._repr_html_()
        one = client.item(first.id)
        assert (one.id, one.source, one.type) == (first.id, "samples", "dataset")
        assert one.boxes[0].south < one.boxes[0].north
        assert one.address == f"{url}/collections/samples/items/{first.id}"
        assert client.search(bbox=(20, -30, 30, -20)).matched == client.search(bbox="20,-30,30,-20").matched > 0


def test_records_become_a_table_with_geometries(url: str) -> None:
    with Client(url) as client:
        found = client.search(QUESTION, limit=4)
        table = found.to_geodataframe()
        assert table["rank"].tolist() == [1, 2, 3, 4]
        assert table["id"].tolist() == [hit.id for hit in found]
        assert table.crs.to_epsg() == 4326
        assert table.geometry[0].bounds == tuple(found.hits[0].feature.boxes[0])
        every = to_geodataframe(client.items("samples"))
        assert len(every) == COUNT
        assert every.set_index("id")["start"]["samples:era5"] == "1940-01-01T00:00:00Z"
    ages = {
        "title": "Ice",
        "sonde:times": [["-800000-01-01T00:00:00Z", "-0100"], ["-90000-01-01T00:00:00Z", "1950"]],
    }
    old = to_geodataframe([Record({"id": "a:2", "geometry": None, "properties": ages})])
    assert old[["start", "end"]].values.tolist() == [["-800000-01-01T00:00:00Z", "1950"]]
    nowhere = to_geodataframe([Record({"id": "a:1", "geometry": None, "properties": {"title": "One"}})])
    assert nowhere.geometry.isna().all()
    assert len(to_geodataframe([])) == 0


def test_another_program_behind_the_address_is_named() -> None:
    def other(request: httpx.Request) -> httpx.Response:
        assert request.headers["Authorization"] == "Bearer secret"
        page = httpx.Response(200, html="<html>nginx</html>")
        busy = httpx.Response(429, headers={"Retry-After": "7"}, json={"title": "Too many requests"})
        return {"/search": page, "/suggest": httpx.Response(200, json=[1]), "/collections": busy}[request.url.path]

    with Client("http://other", key="secret", http=httpx.Client(transport=httpx.MockTransport(other))) as client:
        for asked in (lambda: client.search("rain"), lambda: client.suggest("rain")):
            with pytest.raises(ClientError, match="http://other is not one of Sonde"):
                asked()
        with pytest.raises(ClientError, match="Too many requests") as busy:
            client.collections()
        assert (busy.value.status, busy.value.retry_after_s) == (429, 7.0)
    with pytest.raises(ClientError, match="No service answers"), Client("not an address") as client:
        client.search("rain")


def test_the_old_name_is_the_same_client() -> None:
    assert (sonde.client.Client, sonde.client.ClientError) == (Client, ClientError)


def test_the_wheel_needs_httpx_alone(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    uv = root / ".venv-tools" / "bin" / "uv"
    subprocess.run([uv, "build", "--quiet", "--wheel", "--out-dir", tmp_path, root / "sonde_client"], check=True)
    (wheel,) = tmp_path.glob("sonde_search_client-*.whl")
    with zipfile.ZipFile(wheel) as held:
        (name,) = (name for name in held.namelist() if name.endswith("/METADATA"))
        said = held.read(name).decode()
        assert {"sonde_client/py.typed", "sonde_client/land.path"} <= set(held.namelist())
        held.extractall(tmp_path / "installed")
    needs = [line for line in said.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert needs == ["Requires-Dist: httpx<1,>=0.28"]
    tried = (
        "import json, sys; before = set(sys.modules); import sonde_client.display;"
        "assert sonde_client.display.land_path().startswith('M');"
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(json.dumps([sonde_client.__file__, *loaded]))"
    )
    command = [sys.executable, "-c", tried]  # run in a folder: it comes first in the path
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path / "installed")
    where, *loaded = json.loads(done.stdout)
    assert where.startswith(str(tmp_path))
    assert "httpx" in loaded
    assert {"core", "sonde", "geopandas", "pandas", "numpy", "xarray", "shapely"}.isdisjoint(loaded)
