"""`sonde sources add` against a running pycsw, `sonde harvest all`, the quality report, removal and restore."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from elasticsearch import Elasticsearch
from structlog.testing import capture_logs

from core.errors import SondeError
from sonde.cli import cli
from tests.conftest import delete_indices
from tests.servers.catalogue_files import write_records
from tests.servers.files import file_server
from tests.servers.pycsw2 import pycsw
from workers.registry import load_sources

pytestmark = pytest.mark.elasticsearch


@pytest.fixture(scope="module")
def csw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("pycsw-cli")
    write_records(folder / "records", 12)
    with pycsw(folder / "server", folder / "records") as url:
        yield url


class Sonde:
    """The command line with settings of its own."""

    def __init__(self, folder: Path, elasticsearch_url: str, prefix: str) -> None:
        self.sources = folder / "sources.yaml"
        self.environment = {
            "SONDE_ELASTICSEARCH__URL": elasticsearch_url,
            "SONDE_BROKER__URL": "redis://127.0.0.1:1/0",  # none: nobody else harvests
            "SONDE_INDEX__PREFIX": prefix,
            "SONDE_HARVEST__SOURCES": str(self.sources),
            "SONDE_NET__ALLOWED_HOSTS": '["127.0.0.1"]',
            "SONDE_LOG__LEVEL": "ERROR",
        }

    def __call__(self, *words: str) -> str:
        with capture_logs():  # main() sends them to standard error; without it they would be printed
            done = CliRunner(env=self.environment).invoke(cli, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout


@pytest.fixture
def sonde(tmp_path: Path, elasticsearch_url: str, prefix: str, es_client: Elasticsearch) -> Iterator[Sonde]:
    yield Sonde(tmp_path, elasticsearch_url, prefix)
    delete_indices(es_client, prefix)


def test_a_catalogue_is_found_written_harvested_and_judged(
    sonde: Sonde, csw: str, tmp_path: Path, es_client: Elasticsearch, prefix: str
) -> None:
    (tmp_path / "waf").mkdir()
    for name in ("a", "b", "c"):
        source = Path(__file__).resolve().parents[2] / "samples/records/e-obs.xml"
        text = source.read_text("utf-8").replace(">e-obs<", f">e-obs-{name}<")
        (tmp_path / "waf" / f"{name}.xml").write_text(text, "utf-8")
        os.utime(tmp_path / "waf" / f"{name}.xml", (1_600_000_000, 1_600_000_000))

    with file_server(tmp_path / "waf") as waf:
        proposed = yaml.safe_load(sonde("sources", "add", csw, "--write"))
        assert proposed == [{"id": "127-0-0-1", "type": "csw", "url": csw, "schedule": {"interval": "24h"}}]
        sonde("sources", "add", waf, "--id", "folder", "--write")
        assert {id: each.type for id, each in load_sources(sonde.sources).items()} == {
            "127-0-0-1": "csw",
            "folder": "waf",
        }

        reports = json.loads(sonde("harvest", "all", "--no-embedding", "--json"))
        told = [(each["source"], each["state"], each["counts"]["new"]) for each in reports]
        assert told == [("127-0-0-1", "complete", 12), ("folder", "complete", 3)]

        again = json.loads(sonde("harvest", "all", "--no-embedding", "--json"))
        assert [(each["state"], each["counts"]["new"], "since" in each) for each in again] == [
            ("complete", 0, True)
        ] * 2

        assert again[1]["counts"]["same"] == 3
        es_client.indices.refresh(index=f"{prefix}-visits")
        assert es_client.count(index=f"{prefix}-visits")["count"] == 3, "the versions of the folder's files are kept"

        quality = json.loads(sonde("sources", "report", "folder", "--json", "--html", str(tmp_path / "q.html")))
        assert quality["records"] == 3
        assert 0.5 < quality["completeness"] <= 1.0
        assert "<h1>folder</h1>" in (tmp_path / "q.html").read_text("utf-8")

        (tmp_path / "waf" / "c.xml").unlink()
        removal = sonde("harvest", "folder", "--full", "--no-embedding", "--allow-mass-removal", "--json")
        assert json.loads(removal)[0]["counts"]["removed"] == 1
        gone = json.loads(sonde("sources", "removed", "folder", "--json"))
        assert [each["id"] for each in gone] == ["c.xml"]
        sonde("sources", "restore", "folder", "c.xml", "--no-embedding")
        assert json.loads(sonde("sources", "removed", "folder", "--json")) == []
        after = json.loads(sonde("harvest", "folder", "--full", "--no-embedding", "--json"))
        assert after[0]["counts"]["removed"] == 0, "a sweep spares what a person restored"


def test_an_address_without_catalogue_says_so(sonde: Sonde, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<html><body>Welcome</body></html>", "utf-8")
    with file_server(tmp_path / "site") as url, pytest.raises(SondeError, match="No catalogue was recognised"):
        sonde("sources", "add", url)
    assert not sonde.sources.exists()


def test_a_host_that_nobody_answers_for_is_asked_for_once_and_told_once(sonde: Sonde) -> None:
    with pytest.raises(
        SondeError, match=r"^http://127\.0\.0\.1:9/csw cannot be asked: .*does not accept a connection\.$"
    ):
        sonde("sources", "add", "http://127.0.0.1:9/csw")
    with pytest.raises(SondeError, match=r"^http://10\.0\.0\.1/csw cannot be asked: .*allowed hosts"):
        sonde("sources", "add", "http://10.0.0.1/csw")
    assert not sonde.sources.exists()
