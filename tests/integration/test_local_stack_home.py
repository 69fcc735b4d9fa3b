"""An installed Elasticsearch is started where it lies, and nothing is written into its folder."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from local_stack.distribution import MANIFEST, ensure_distribution
from local_stack.elasticsearch import installed_version
from local_stack.errors import RequirementMissing
from local_stack.java import find_java
from local_stack.part import ignore_event
from local_stack.settings import default_cache
from local_stack.testing import elasticsearch_node
from tests.servers_of_the_run import VERSION

pytestmark = [pytest.mark.elasticsearch, pytest.mark.timeout(600)]


@pytest.fixture
def home() -> Iterator[Path]:
    """The distribution of this run, laid out as Elastic's archive; a folder that every account may enter."""
    fetched = ensure_distribution(default_cache(), VERSION, find_java(os.environ), os.environ, ignore_event)
    with tempfile.TemporaryDirectory(prefix="sonde-home-") as name:
        folder = Path(name) / "elasticsearch"
        shutil.copytree(fetched, folder, ignore=shutil.ignore_patterns(MANIFEST))
        (folder / "bin").mkdir()
        (folder / "bin" / "elasticsearch").touch(mode=0o755)
        for path in (Path(name), *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield folder


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def test_it_answers_without_a_download_and_its_folder_stays_as_it_was(home: Path, tmp_path: Path) -> None:
    before = contents(home)
    empty, reports = tmp_path / "cache", []
    with elasticsearch_node(
        tmp_path / "node", home=home, cache=empty, report=lambda event, **_fields: reports.append(event)
    ) as url:
        client = httpx.Client(base_url=url, timeout=30)
        assert client.get("/").json()["version"]["number"] == VERSION == installed_version(home)
        (node,) = client.get("/_nodes/settings").json()["nodes"].values()
        assert node["settings"]["path"]["home"] == str(home)
        mappings = {"properties": {"extent": {"type": "geo_shape"}}}
        client.put("/shapes", json={"mappings": mappings}).raise_for_status()
        box = {"type": "envelope", "coordinates": [[9.0, 50.6], [13.8, 47.3]]}
        client.put("/shapes/_doc/1?refresh=true", json={"extent": box}).raise_for_status()
        query = {"geo_shape": {"extent": {"shape": {"type": "point", "coordinates": [11.0, 49.0]}}}}
        assert client.post("/shapes/_count", json={"query": query}).json()["count"] == 1
    assert contents(home) == before
    assert not empty.exists()
    assert not [event for event in reports if event.startswith(("elasticsearch.fetch", "elasticsearch.compil"))]


def test_a_folder_without_elasticsearch_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    every_account_may_enter = Path("/usr")
    refusal = "^SONDE_ELASTICSEARCH__HOME=/usr: the folder has no bin/elasticsearch"
    node = elasticsearch_node(tmp_path / "node", home=every_account_may_enter)
    with pytest.raises(RequirementMissing, match=refusal), node:
        pass
    assert not (tmp_path / "node" / "elasticsearch").exists()
