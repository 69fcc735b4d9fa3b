"""Single files asked for by ETag and Last-Modified: not sent again, never lost, whatever the server says."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST, document

from es_mappings.codecs.runs import Counts
from es_mappings.indices import ensure_indices
from es_mappings.migration import migrate
from evaluation.local_server import serve
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts, Options
from indexer.raw import FileVersion
from indexer.sources.protocols import open_source
from indexer.sources.revisited_files import conditions, validators
from indexer.store.file_versions import LONGEST_NOTE, FileVersions, SourceVersions
from indexer.store.ledger import Ledger
from lab.chaos.harvests import titles
from tests.conftest import delete_indices
from tests.servers.asking import fetcher_of

LONG_AGO = 1_600_000_000


@dataclass
class Site:
    """Python's file server, with an ETag for each file where ``etags``; ``lies``: 304 for all it is asked."""

    folder: Path
    url: str = ""
    etags: bool = True
    lies: bool = False
    sent: list[str] = field(default_factory=list)
    spared: list[str] = field(default_factory=list)

    def write(self, name: str, text: str, at: int = LONG_AGO) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        os.utime(path, (at, at))

    def told(self) -> tuple[list[str], list[str]]:
        """What was sent and what was spared since the last time."""
        found = sorted(self.sent), sorted(self.spared)
        self.sent.clear()
        self.spared.clear()
        return found


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *arguments: object, site: Site) -> None:
        self.site = site
        super().__init__(*arguments, directory=str(site.folder))  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file() or path.name == "robots.txt":
            super().do_GET()
            return
        self.tag = f'"{path.stat().st_mtime_ns}-{path.stat().st_size}"'
        if self.site.lies or (self.site.etags and self.headers.get("if-none-match") == self.tag):
            self.send_response(304)
            self.end_headers()
            return
        super().do_GET()  # knows If-Modified-Since, where there is no If-None-Match

    def end_headers(self) -> None:
        if self.site.etags and hasattr(self, "tag"):
            self.send_header("etag", self.tag)
        super().end_headers()

    def log_request(self, code: object = "-", size: object = "-") -> None:  # noqa: ARG002
        if hasattr(self, "tag") or Path(self.translate_path(self.path)).is_file():
            (self.site.spared if code == 304 else self.site.sent).append(self.path)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path)
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, site=site))) as url:
        site.url = url
        yield site


@pytest.fixture(scope="module")
def parts(es_client: Elasticsearch) -> Iterator[HarvestParts]:
    own = f"sonde-test-{uuid.uuid4().hex[:12]}"
    ensure_indices(es_client, own, CARD, kinds=KINDS_OF_A_HARVEST)
    for _ in range(2):
        migrate(es_client, own)  # as a version that did not know it yet is taught it
    yield HarvestParts(es_client, own)
    delete_indices(es_client, own)


@dataclass(frozen=True)
class Harvested:
    """One source, harvested again and again."""

    parts: HarvestParts
    source: str

    def run(self, type: str, url: str, *, changes: bool, tag: str = "t") -> Counts:
        """Of everything, or of what changed since long ago."""
        since = "2000-01-01T00:00:00Z" if changes else None
        fetcher = fetcher_of(url)
        fetcher.memory = SourceVersions(self.parts.client, self.parts.prefix, self.source, tag, only_changes=changes)
        report = harvest(self.source, open_source(type, fetcher, since, {}), self.parts, Options(since=since))
        assert report.state == "complete", report.message
        seen = Ledger(self.parts.client, self.parts.prefix).count_seen(self.source, report.id)
        assert seen == report.counts.seen, "what was spared was seen"
        return report.counts

    @property
    def titles(self) -> dict[str, str]:
        return {id.removeprefix(f"{self.source}:"): title for id, title in titles(self.parts, self.source)}


@pytest.fixture
def own(parts: HarvestParts) -> Harvested:
    return Harvested(parts, f"s{uuid.uuid4().hex[:6]}")


@pytest.mark.elasticsearch
@pytest.mark.parametrize("etags", [True, False], ids=["etag", "last-modified"])
def test_files_of_a_folder_that_have_not_changed_are_not_sent_again(own: Harvested, site: Site, etags: bool) -> None:
    site.etags = etags
    for name in "abc":
        site.write(f"waf/{name}.xml", document(name))
    assert own.run("waf", f"{site.url}/waf", changes=False).new == 3
    assert site.told() == (["/waf/a.xml", "/waf/b.xml", "/waf/c.xml"], [])

    site.write("waf/b.xml", document("b", "Another title"), LONG_AGO + 60)
    site.write("waf/d.xml", document("d"))
    counts = own.run("waf", f"{site.url}/waf", changes=True)

    assert site.told() == (["/waf/b.xml", "/waf/d.xml"], ["/waf/a.xml", "/waf/c.xml"])
    assert (counts.seen, counts.same, counts.changed, counts.new, counts.removed) == (4, 2, 1, 1, 0)
    assert own.titles["b"] == "Another title"

    assert own.run("waf", f"{site.url}/waf", changes=False).same == 4
    assert site.told() == ([f"/waf/{name}.xml" for name in "abcd"], []), "a full run asks for everything"
    assert own.run("waf", f"{site.url}/waf", changes=True, tag="another reader").same == 4
    assert site.told()[1] == [], "what is to be read otherwise is sent again"


@pytest.mark.elasticsearch
def test_a_server_that_says_304_to_everything_loses_nothing(own: Harvested, site: Site) -> None:
    for name in "abcde":
        site.write(f"waf/{name}.xml", document(name))
    own.run("waf", f"{site.url}/waf", changes=False)
    site.write("waf/a.xml", document("a", "Another title"), LONG_AGO + 60)

    site.lies = True
    assert own.run("waf", f"{site.url}/waf", changes=True).same == 5
    unasked = own.run("waf", f"{site.url}/waf", changes=False)
    assert (unasked.refused, unasked.removed) == (5, 0), "a 304 that nobody asked for is no file"
    assert sorted(own.titles) == list("abcde")

    site.lies = False
    assert own.run("waf", f"{site.url}/waf", changes=False).changed == 1, "a full run believes nothing"
    assert sorted(own.titles) == list("abcde")


@pytest.mark.elasticsearch
def test_a_record_that_is_not_there_any_more_is_fetched_whatever_its_file_says(own: Harvested, site: Site) -> None:
    for name in "ab":
        site.write(f"waf/{name}.xml", document(name))
    own.run("waf", f"{site.url}/waf", changes=False)
    client, prefix = own.parts.client, own.parts.prefix
    client.delete(index=f"{prefix}-records", id=f"{own.source}:a", refresh=True)
    client.delete(index=f"{prefix}-ledger", id=f"{own.source}:a.xml", refresh=True)
    site.told()

    assert own.run("waf", f"{site.url}/waf", changes=True).new == 1

    assert site.told() == (["/waf/a.xml"], ["/waf/b.xml"])
    assert sorted(own.titles) == ["a", "b"]


@pytest.mark.elasticsearch
def test_a_catalogue_in_one_file_is_spared_as_a_whole(own: Harvested, site: Site) -> None:
    datasets = [{"identifier": f"d{n:03d}", "title": f"Title {n}", "description": "Words."} for n in range(250)]
    site.write("data.json", json.dumps({"dataset": datasets}))
    assert own.run("dcat", f"{site.url}/data.json", changes=False).new == 250

    spared = own.run("dcat", f"{site.url}/data.json", changes=True)
    assert site.told() == (["/data.json"], ["/data.json"])
    assert (spared.seen, spared.same) == (250, 250)

    site.write("data.json", json.dumps({"dataset": datasets[:-1]}), LONG_AGO + 60)
    shorter = own.run("dcat", f"{site.url}/data.json", changes=True)
    assert (shorter.same, shorter.removed) == (249, 0), "a run of changes removes nothing"
    assert own.run("dcat", f"{site.url}/data.json", changes=False).removed == 1


@pytest.mark.elasticsearch
def test_a_static_stac_is_walked_by_the_links_that_it_had(own: Harvested, site: Site) -> None:
    def catalogue(*children: str) -> str:
        links = [{"rel": "child", "href": f"{child}.json"} for child in children]
        return json.dumps({"type": "Catalog", "id": "root", "stac_version": "1.0.0", "links": links})

    def collection(id: str, title: str = "A title") -> str:
        body = {"type": "Collection", "id": id, "title": title, "description": "Words.", "stac_version": "1.0.0"}
        extent = {"spatial": {"bbox": [[1, 2, 3, 4]]}, "temporal": {"interval": [["2020-01-01T00:00:00Z", None]]}}
        return json.dumps({**body, "license": "CC0-1.0", "extent": extent, "links": []})

    site.write("stac/catalog.json", catalogue("a", "b"))
    for id in "ab":
        site.write(f"stac/{id}.json", collection(id))
    root = f"{site.url}/stac/catalog.json"
    assert own.run("stac", root, changes=False).new == 2
    site.told()

    site.write("stac/b.json", collection("b", "Another title"), LONG_AGO + 60)
    report = own.run("stac", root, changes=True)
    assert site.told() == (["/stac/b.json"], ["/stac/a.json", "/stac/catalog.json"])
    assert (report.seen, report.same, report.changed) == (2, 1, 1)

    site.write("stac/catalog.json", catalogue("a", "b", "c"), LONG_AGO + 60)
    site.write("stac/c.json", collection("c"))
    assert own.run("stac", root, changes=True).new == 1


@pytest.mark.elasticsearch
def test_pages_of_a_sitemap_are_spared_too_also_those_without_data_sets(own: Harvested, site: Site) -> None:
    script = '<html><head><script type="application/ld+json">%s</script></head></html>'
    for name in "ab":
        body = {"@context": "https://schema.org/", "@type": "Dataset", "name": f"Title {name}", "description": "Words."}
        site.write(f"{name}.html", script % json.dumps(body))
    site.write("c.html", "<html><p>nothing</p></html>")
    places = "".join(f"<url><loc>{site.url}/{name}.html</loc></url>" for name in "abc")
    site.write("sitemap.xml", f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{places}</urlset>")
    assert own.run("sitemap", f"{site.url}/sitemap.xml", changes=False).new == 2
    site.told()

    assert own.run("sitemap", f"{site.url}/sitemap.xml", changes=True).same == 2

    assert site.told() == (["/sitemap.xml"], ["/a.html", "/b.html", "/c.html"])


@pytest.mark.elasticsearch
def test_what_is_too_large_is_not_noted_and_what_is_old_is_forgotten(parts: HarvestParts) -> None:
    visits, visit = FileVersions(parts.client, parts.prefix), FileVersion("http://h/a", "t", ("a",), '"1"', None, "[]")
    large = replace(visit, url="http://h/b", note="x" * (LONGEST_NOTE + 1))
    visits.save("s", [visit, large], "2024-01-02T00:00:00Z")
    assert visits.load("s", ["http://h/a", "http://h/b", "http://h/c"]) == {"http://h/a": visit}
    assert visits.load("another", ["http://h/a"]) == {}
    parts.client.indices.refresh(index=visits.index)
    visits.forget_before("2024-01-01T00:00:00Z")
    assert visits.load("s", ["http://h/a"])
    visits.forget_before("2024-01-03T00:00:00Z")
    assert visits.load("s", ["http://h/a"]) == {}


def test_only_a_time_stamp_that_tells_two_versions_apart_is_kept() -> None:
    stamp, soon = "Wed, 01 May 2024 12:00:00 GMT", "Wed, 01 May 2024 12:00:01 GMT"
    assert validators({"last-modified": stamp, "date": soon}) == (None, None)
    assert validators({"last-modified": stamp, "date": "Wed, 01 May 2024 12:00:02 GMT"}) == (None, stamp)
    assert validators({"last-modified": stamp}) == (None, stamp)
    assert validators({"last-modified": stamp.removesuffix(" GMT"), "date": soon}) == (None, None)
    assert validators({"last-modified": "yesterday"}) == (None, None)
    assert validators({"etag": 'W/"x"', "last-modified": stamp, "date": soon}) == ('W/"x"', None)
    assert validators({"etag": '"' + "x" * 600 + '"'}) == (None, None)
    assert conditions(FileVersion("u", "t", etag='"1"')) == {"if-none-match": '"1"'}
    assert conditions(None) == {}
