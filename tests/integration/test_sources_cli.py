"""`sonde sources add` against a running pycsw, `sonde harvest all`, the quality report, removal and restore."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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
from tests.tls_proxy import tls_before, write_certificate
from workers.source_config import load_sources

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
        name = proposed[0]["id"]
        assert "127" not in name, "the catalogue's own title, where the host says nothing"
        assert proposed == [{"id": name, "type": "csw", "url": csw, "schedule": {"interval": "24h"}}]
        sonde("sources", "add", waf, "--id", "folder", "--write")
        assert {id: each.type for id, each in load_sources(sonde.sources).items()} == {
            name: "csw",
            "folder": "waf",
        }

        reports = json.loads(sonde("harvest", "all", "--no-embedding", "--json"))
        told = [(each["source"], each["state"], each["counts"]["new"]) for each in reports]
        assert told == [(name, "complete", 12), ("folder", "complete", 3)]

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
    with (
        file_server(tmp_path / "site") as url,
        pytest.raises(SondeError, match=r"No catalogue was recognised at .*this is a web page"),
    ):
        sonde("sources", "add", url)
    assert not sonde.sources.exists()


def test_a_host_that_nobody_answers_for_is_asked_for_once_and_told_once(sonde: Sonde) -> None:
    with pytest.raises(
        SondeError, match=r"^http://127\.0\.0\.1:9/csw cannot be reached: .*does not accept a connection\.$"
    ):
        sonde("sources", "add", "http://127.0.0.1:9/csw")
    with pytest.raises(SondeError, match=r"^http://10\.0\.0\.1/csw cannot be reached: .*SONDE_NET__ALLOWED_HOSTS"):
        sonde("sources", "add", "http://10.0.0.1/csw")
    assert not sonde.sources.exists()


class _Answers(BaseHTTPRequestHandler):
    """What people paste: pages that are no catalogue, and the address of one collection of records."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        status, text = _PAGES.get(path, (404, "<html><body>not here</body></html>"))
        content = text.encode()
        self.send_response(status)
        self.send_header("content-type", "application/json" if text[:1] == "{" else "text/html")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


_RECORD = {"type": "Feature", "id": "r1", "geometry": None, "properties": {"type": "dataset", "title": "Rain"}}
_PAGES = {
    "/login": (200, '<html><form><input type="password"></form></html>'),
    "/page": (200, "<html><body>Welcome to our data</body></html>"),
    "/secret": (401, "<html>no</html>"),
    "/comma.json": (200, '{"dataset": [\n{"identifier": "a",\n "title": "A"},\n]}'),
    "/feed": (200, '<feed xmlns="http://www.w3.org/2005/Atom"/>'),
    "/any.json": (200, json.dumps({"hello": "world"})),
    "/erddap/index.html": (200, "<html><head><title>ERDDAP - Home Page</title></head></html>"),
    "/data/erddap/index.html": (200, "<html><title>ERDDAP</title></html>"),
    "/data/erddap/metadata/iso19115/xml/": (
        200,
        '<html><head><title>Index of /metadata</title></head><a href="e-obs.xml">e-obs.xml</a></html>',
    ),
    "/data/erddap/metadata/iso19115/xml/e-obs.xml": (
        200,
        (Path(__file__).resolve().parents[2] / "samples/records/e-obs.xml").read_text("utf-8"),
    ),
    "/api/collections": (200, json.dumps({"collections": [{"id": "x", "itemType": "record"}, {"id": "y"}]})),
    "/api/collections/x/items": (200, json.dumps({"type": "FeatureCollection", "features": [_RECORD]})),
}


@pytest.fixture
def odd_server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/login", "this is a login page, so it needs credentials"),
        ("/page", "this is a web page, not a catalogue"),
        ("/secret", "it needs credentials"),
        ("/nothing", "there is nothing at this address"),
        ("/comma.json", "comma.json sent JSON that is not well-formed: a comma stands before a closing bracket"),
        ("/feed", "this is a feed"),
        ("/any.json", "this is JSON that starts with hello, not a catalogue"),
        ("/erddap/index.html", "this is a page of an ERDDAP: add its folder of metadata"),
    ],
)
def test_what_is_no_catalogue_is_told_in_one_sentence(sonde: Sonde, odd_server: str, path: str, said: str) -> None:
    with pytest.raises(SondeError) as told:
        sonde("sources", "add", odd_server + path)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_the_folder_of_metadata_of_an_erddap_is_proposed(sonde: Sonde, odd_server: str) -> None:
    (proposed,) = yaml.safe_load(sonde("sources", "add", f"{odd_server}/data/erddap/index.html", "--id", "buoys"))
    assert (proposed["type"], proposed["url"]) == ("waf", f"{odd_server}/data/erddap/metadata/iso19115/xml/")


def test_a_source_is_removed_with_its_entry_and_everything_that_is_stored_of_it(
    sonde: Sonde, tmp_path: Path, es_client: Elasticsearch, prefix: str
) -> None:
    text = (Path(__file__).resolve().parents[2] / "samples/records/e-obs.xml").read_text("utf-8")
    for name in ("rain", "snow"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "r.xml").write_text(text.replace(">e-obs<", f">{name}<"), "utf-8")
    entries = "".join(f"  - {{id: {name}, type: folder, path: {name}}}\n" for name in ("rain", "snow"))
    sonde.sources.write_text(f"sources:\n{entries}", "utf-8")
    sonde("harvest", "all", "--no-embedding")
    with capture_logs():
        asked = CliRunner(env=sonde.environment).invoke(cli, ["sources", "remove", "rain"], input="n\n")
    assert asked.exit_code == 1
    assert "rain: 1 records" in asked.stdout
    assert len(json.loads(sonde("sources", "--json"))) == 2
    sonde("sources", "remove", "rain", "--yes")
    assert [row["id"] for row in json.loads(sonde("sources", "--json"))] == ["snow"]
    assert list(load_sources(sonde.sources)) == ["snow"]
    es_client.indices.refresh(index=f"{prefix}-*")
    for kind in ("records", "natives", "ledger", "runs"):
        left = es_client.count(index=f"{prefix}-{kind}", query={"term": {"source": "rain"}})["count"]
        kept = es_client.count(index=f"{prefix}-{kind}", query={"term": {"source": "snow"}})["count"]
        assert (kind, left, kept) == (kind, 0, 1)
    with pytest.raises(SondeError, match="There is no source 'rain'"):
        sonde("sources", "remove", "rain", "--yes")


def test_a_certificate_that_is_not_trusted_and_a_missing_scheme_are_named(
    sonde: Sonde, odd_server: str, tmp_path: Path
) -> None:
    certificate, key = write_certificate(tmp_path, "127.0.0.1")
    with (
        tls_before("127.0.0.1", int(odd_server.rpartition(":")[2]), certificate, key) as port,
        pytest.raises(SondeError, match=r"certificate of 127.0.0.1.* is not trusted .ca_file"),
    ):
        sonde("sources", "add", f"https://127.0.0.1:{port}/csw")
    with pytest.raises(SondeError, match=r"did you mean https://data.example.org/csw"):
        sonde("sources", "add", "data.example.org/csw")


@pytest.mark.parametrize("path", ["/api/collections/x", "/api/collections/x/items"])
def test_the_address_of_one_collection_is_recognised(sonde: Sonde, odd_server: str, path: str) -> None:
    (proposed,) = yaml.safe_load(sonde("sources", "add", odd_server + path, "--id", "one"))
    assert (proposed["type"], proposed["url"]) == ("ogc-records", f"{odd_server}/api")
    assert proposed["options"] == {"collections": ["x"]}


def test_a_dead_source_is_named_and_the_others_have_their_turn(sonde: Sonde, tmp_path: Path) -> None:
    for name in ("a", "c"):
        (tmp_path / name).mkdir()
        text = (Path(__file__).resolve().parents[2] / "samples/records/e-obs.xml").read_text("utf-8")
        (tmp_path / name / "r.xml").write_text(text, "utf-8")
    words = ["harvest", str(tmp_path / "a"), "b-is-dead", str(tmp_path / "c"), "--no-embedding"]
    with capture_logs():
        done = CliRunner(env=sonde.environment).invoke(cli, [*words, "--json"])
    reports = json.loads(done.stdout)
    assert (done.exit_code, [each["state"] for each in reports]) == (1, ["complete", "failed", "complete"])
    assert reports[1]["source"] == "b-is-dead"
    assert "b-is-dead" in done.stderr
    rows = json.loads(sonde("sources", "--json"))
    assert [(row["id"], row["schedule"]) for row in rows] == [(name, "not in sources.yaml") for name in "ac"]


def test_the_list_says_why_the_last_run_of_a_source_failed(sonde: Sonde) -> None:
    entry = "  - {id: page, type: waf, url: 'http://127.0.0.1:9/list/'}\n"
    sonde.sources.write_text(f"sources:\n{entry}", "utf-8")
    with capture_logs():
        CliRunner(env=sonde.environment).invoke(cli, ["harvest", "page", "--no-embedding"])
    (row,) = json.loads(sonde("sources", "--json"))
    assert row["state"] == "interrupted"
    assert "127.0.0.1:9" in row["message"]
    assert f"page: {row['message']}" in sonde("sources", "list")


def test_the_report_of_an_unknown_source_names_the_known_ones(sonde: Sonde, tmp_path: Path) -> None:
    sonde.sources.write_text("sources:\n  - {id: rain, type: folder, path: .}\n", "utf-8")
    with pytest.raises(SondeError, match=r"no source 'rian'; did you mean rain. Known are: rain"):
        sonde("sources", "report", "rian")


def test_a_name_means_the_source_before_the_folder(
    sonde: Sonde, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`sonde harvest samples` beside a folder of that name: `./samples` is the folder."""
    write_records(tmp_path / "records", 2)
    write_records(tmp_path / "mine", 3)
    sonde.sources.write_text("sources:\n  - {id: mine, type: folder, path: records}\n", "utf-8")
    monkeypatch.chdir(tmp_path)

    def seen(*words: str) -> int:
        (report,) = json.loads(sonde("harvest", *words, "--no-embedding", "--allow-mass-removal", "--json"))
        return int(report["counts"]["seen"])

    assert [seen("mine"), seen("./mine"), seen("mine", "--source", "other")] == [2, 3, 3]
