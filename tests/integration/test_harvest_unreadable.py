"""What a source can no longer give or never gave as it should: kept, named, counted once; and what is gone fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST

from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices
from evaluation.local_server import serve
from indexer.formats.survey import survey_of
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts, Options
from indexer.quality.quality import measure, quality_page
from indexer.raw import Source
from indexer.sources.folder import FolderSource
from indexer.sources.protocols import open_source
from tests.servers.asking import fetcher_of
from tests.shared_data import shared_data

pytestmark = pytest.mark.elasticsearch

Files = dict[str, Any]
_OPTIONS = Options(batch=20, max_removal_share=0.9)


@contextmanager
def _serving(files: Files) -> Iterator[str]:
    """Serves each path: bytes as they are, objects as JSON, or what a function of the parameters gives."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            found = files.get(parts.path)
            if callable(found):
                found = found({name: values[0] for name, values in parse_qs(parts.query).items()})
            self.send_response(404 if found is None else 200)
            kind = "application/json" if isinstance(found, dict | list) else "text/html"
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(found if isinstance(found, bytes) else json.dumps(found).encode())

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    with serve(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield url


class Bench:
    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self.client, self.prefix = client, prefix

    def harvest(self, source: Source, name: str = "s") -> RunReport:
        return harvest(name, source, HarvestParts(self.client, self.prefix), _OPTIONS)

    def ids(self, name: str = "s") -> list[str]:
        """The ends of the identifiers of the source's records."""
        self.client.indices.refresh(index=f"{self.prefix}-records")
        query = {"term": {"source": name}}
        hits = self.client.search(index=f"{self.prefix}-records", query=query, size=100, source=["identifier"])
        return sorted(hit["_source"]["identifier"].rpartition("/")[2] for hit in hits["hits"]["hits"])


@pytest.fixture
def bench(es_client: Elasticsearch, prefix: str) -> Bench:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    return Bench(es_client, prefix)


def _asked(type: str, url: str, **options: object) -> Source:
    return open_source(type, fetcher_of(url), None, options)


def _good_page(number: int) -> bytes:
    page = shared_data("cases", "30-sitemap-broken-jsonld", "page-good.html").read_text()
    return page.replace("/rec/3", f"/rec/{number}").replace("map 3", f"map {number}").encode()


def test_a_page_whose_json_ld_is_broken_keeps_its_record_and_is_named(bench: Bench) -> None:
    files: Files = {"/robots.txt": b""}
    with _serving(files) as url:
        pages = {f"/rec/{number}": _good_page(number) for number in range(1, 11)}
        locations = "".join(f"<url><loc>{url}{path}</loc></url>" for path in pages)
        files |= pages
        files["/sitemap.xml"] = (
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locations}</urlset>'.encode()
        )
        assert bench.harvest(_asked("sitemap", f"{url}/sitemap.xml")).counts.new == 10
        files["/rec/3"] = shared_data("cases", "30-sitemap-broken-jsonld", "page-broken.html").read_bytes()
        files["/rec/4"] = None
        for _ in range(2):
            report = bench.harvest(_asked("sitemap", f"{url}/sitemap.xml"))
            (refusal,) = report.refusals
            assert (report.state, report.counts.same, report.counts.refused) == ("complete", 8, 1)
            assert (refusal.origin, refusal.kept) == (f"{url}/rec/3", True)
            assert "line 1, column" in refusal.reason
            assert report.counts.passed_over == 1
        assert bench.ids() == sorted(str(number) for number in range(1, 11) if number != 4)
        files["/rec/3"] = _good_page(3)
        assert bench.harvest(_asked("sitemap", f"{url}/sitemap.xml")).counts.same == 9


_LOST = [
    lambda page: page.replace(b'"@type"', b'"type_"'),
    lambda page: page.replace(b'"Dataset"', b'"Person"'),
    lambda _: b"<html><body>We are moving to a new system.</body></html>",
]


@pytest.mark.parametrize("lose", _LOST)
def test_a_page_that_is_still_listed_without_its_data_set_keeps_its_record(
    bench: Bench, lose: Callable[[bytes], bytes]
) -> None:
    files: Files = {"/robots.txt": b"", "/about": b"<html><body>About us</body></html>"}
    files |= {f"/rec/{number}": _good_page(number) for number in (1, 2, 3)}
    with _serving(files) as url:
        places = "".join(f"<url><loc>{url}{path}</loc></url>" for path in list(files)[1:])
        files["/sitemap.xml"] = (
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'.encode()
        )
        assert bench.harvest(_asked("sitemap", f"{url}/sitemap.xml")).counts.new == 3
        files["/rec/3"] = lose(_good_page(3))
        for _ in range(2):
            report = bench.harvest(_asked("sitemap", f"{url}/sitemap.xml"))
            (refusal,) = report.refusals
            assert (refusal.origin, refusal.reason, refusal.kept) == (f"{url}/rec/3", "the page has no data set", True)
            assert (report.counts.same, report.counts.passed_over, report.counts.removed) == (2, 1, 0)
        assert bench.ids() == ["1", "2", "3"]
        files["/rec/3"] = None
        assert bench.harvest(_asked("sitemap", f"{url}/sitemap.xml")).counts.removed == 1
        assert bench.ids() == ["1", "2"]


def test_a_data_set_without_its_type_beside_another_one_keeps_its_record(bench: Bench) -> None:
    files: Files = {"/robots.txt": b""}
    with _serving(files) as url:

        def run(first: str) -> RunReport:
            sets = [
                {first: "Dataset", "@id": f"https://a.example/{name}", "name": f"Map {name}", "description": "A map."}
                for name in ("m1", "m2")
            ]
            sets[1] = {"@type": "Dataset", **sets[1]}
            script = json.dumps({"@context": "https://schema.org/", "@graph": sets})
            files["/page"] = f'<html><script type="application/ld+json">{script}</script></html>'.encode()
            files["/sitemap.xml"] = f"<urlset><url><loc>{url}/page</loc></url></urlset>".encode()
            return bench.harvest(_asked("sitemap", f"{url}/sitemap.xml"))

        assert run("@type").counts.new == 2
        for _ in range(2):
            report = run("type_")
            assert (report.counts.refused, report.counts.removed) == (1, 0)
            assert "it has no @type" in report.refusals[0].reason
            assert bench.ids() == ["m1", "m2"]
        assert run("@type").counts.refused == 0


@pytest.mark.parametrize("kind", [None, "Person"])
def test_a_node_of_a_graph_that_is_no_data_set_any_more_keeps_its_record(
    bench: Bench, tmp_path: Path, kind: str | None
) -> None:
    def run(last: str | None) -> RunReport:
        graph = [
            {"@type": type, "@id": f"https://a.example/{name}", "name": f"Map {name}", "description": "A map."}
            for name, type in (("m1", "Dataset"), ("m2", "Dataset"), ("m3", last))
        ]
        graph[2] = {name: value for name, value in graph[2].items() if value is not None}
        graph.append({"@type": "Person", "@id": "https://a.example/p", "name": "Ada"})
        (tmp_path / "graph.json").write_text(json.dumps({"@context": "https://schema.org/", "@graph": graph}))
        return bench.harvest(FolderSource(tmp_path))

    assert run("Dataset").counts.new == 3
    for _ in range(2):
        counts = run(kind).counts
        assert (counts.same, counts.refused, counts.passed_over, counts.removed) == (2, 1, 1, 0)
    assert bench.ids() == ["m1", "m2", "m3"]
    assert run("Dataset").counts.refused == 0


def _data_set(id: str) -> dict[str, object]:
    return {"@type": "dcat:Dataset", "identifier": id, "title": f"Counts {id}", "description": "Counts of fish."}


Broken = dict[str, object] | str | None


_BROKEN: list[Broken] = [{"@type": "dcat:Dataset"}, None, "a string", {"identifier": "d4"}, {"@type": "x", "a": 1}]


def test_an_entry_that_becomes_unreadable_keeps_its_record(bench: Bench, tmp_path: Path) -> None:
    files: Files = {}
    with _serving(files) as url:

        def run(name: str, entries: list[Broken]) -> RunReport:
            files["/data.json"] = {"dataset": entries}
            (tmp_path / "data.json").write_text(json.dumps(files["/data.json"]))
            is_folder = name.startswith("folder")
            return bench.harvest(FolderSource(tmp_path) if is_folder else _asked("dcat", f"{url}/data.json"), name)

        for number, broken in enumerate(_BROKEN):
            for name in (f"folder-{number}", f"server-{number}"):
                entries: list[Broken] = [_data_set(f"d{each}") for each in range(1, 6)]
                assert run(name, entries).counts.new == 5
                entries[3] = broken
                for _ in range(2):
                    report = run(name, entries)
                    assert (report.state, report.counts.seen, report.counts.refused) == ("complete", 5, 1), name
                    assert (report.counts.removed, len(bench.ids(name))) == (0, 5), name
                del entries[1]  # without a name nobody can tell whether it is the unreadable one
                run(name, entries)
                entries[2] = _data_set("d4")
                assert run(name, entries).counts.refused == 0
                assert bench.ids(name) == ["d1", "d3", "d4", "d5"]


def test_a_member_that_was_never_readable_keeps_no_other_record(bench: Bench) -> None:
    entries: list[Broken] = [*(_data_set(f"d{number}") for number in range(1, 6)), None]
    files: Files = {"/data.json": {"dataset": entries}}
    with _serving(files) as url:
        bench.harvest(_asked("dcat", f"{url}/data.json"))
        bench.harvest(_asked("dcat", f"{url}/data.json"))
        entries[4] = _data_set("d6")
        assert bench.harvest(_asked("dcat", f"{url}/data.json")).counts.removed == 1


def _collection(id: str) -> dict[str, object]:
    extent = {"spatial": {"bbox": [[0, 0, 1, 1]]}, "temporal": {"interval": [["2020-01-01T00:00:00Z", None]]}}
    stac = {"type": "Collection", "stac_version": "1.0.0", "license": "CC0-1.0", "links": []}
    return {**stac, "id": id, "title": id, "description": "Scenes.", "extent": extent}


def _feature(id: str) -> dict[str, object]:
    core = "http://www.opengis.net/spec/ogcapi-records-1/1.0/req/record-core"
    properties = {"type": "dataset", "title": id, "description": "Levels."}
    return {"type": "Feature", "id": id, "geometry": None, "conformsTo": [core], "properties": properties}


def _package(id: str) -> dict[str, object]:
    return {"id": id, "name": id, "title": f"T {id}", "notes": "N.", "resources": [], "extras": [], "type": "dataset"}


def _doi(id: str) -> dict[str, object]:
    attributes = {"doi": f"10.5072/{id}", "titles": [{"title": f"Core {id}"}], "creators": [], "publicationYear": 2020}
    return {"id": f"10.5072/{id}", "type": "dois", "attributes": attributes}


Answer = Callable[[list[Any]], Files]
_LISTS: dict[str, tuple[Callable[[str], dict[str, object]], Answer]] = {
    "stac-api": (_collection, lambda some: {"/collections": {"collections": some, "links": []}}),
    "ogc-records": (
        _feature,
        lambda some: {
            "/collections": {"collections": [{"id": "c", "itemType": "record", "links": []}], "links": []},
            "/collections/c/items": {"features": some, "numberMatched": len(some), "links": []},
        },
    ),
    "ckan": (
        _package,
        lambda some: {
            "/api/3/action/package_search": lambda asked: {
                "success": True,
                "result": {"count": len(some), "results": some[int(asked["start"]) :]},
            }
        },
    ),
    "datacite": (_doi, lambda some: {"/dois": {"data": some, "meta": {"total": len(some)}, "links": {}}}),
}


def test_a_member_of_a_servers_list_that_loses_its_id_is_counted_and_takes_no_record_with_it(bench: Bench) -> None:
    for type, (make, answer) in _LISTS.items():
        members: list[Any] = [make(f"r{number}") for number in range(1, 5)]
        with _serving(answer(members)) as url:
            assert bench.harvest(_asked(type, url), type).counts.new == 4
            for broken in (None, "text", {"description": "no id"}):
                members[1] = broken
                report = bench.harvest(_asked(type, url), type)
                assert (report.state, report.counts.seen, report.counts.refused) == ("complete", 4, 1), report.message
                assert (report.counts.removed, len(bench.ids(type))) == (0, 4), (type, broken)


def test_an_unknown_collection_set_or_organisation_fails_and_removes_nothing(bench: Bench) -> None:
    members = [_collection("a"), _collection("b")]
    with _serving(_LISTS["stac-api"][1](members)) as url:
        assert bench.harvest(_asked("stac-api", url, collections=["a", "b"])).counts.new == 2
        del members[0]
        report = bench.harvest(_asked("stac-api", url, collections=["a", "b"]))
        assert (report.state, bench.ids()) == ("failed", ["a", "b"])
        assert f"{url} has no collection a; it has b" in str(report.message)
    oai = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">{}</OAI-PMH>'

    def answer(asked: dict[str, str]) -> bytes:
        empty = '<error code="noRecordsMatch">none</error>'
        sets = "<ListSets><set><setSpec>known</setSpec></set></ListSets>"
        return oai.replace("{}", sets if asked["verb"] == "ListSets" else empty).encode()

    with _serving({"/oai": answer}) as url:
        report = bench.harvest(_asked("oai-pmh", f"{url}/oai", sets=["gone"], prefix="oai_dc"))
        assert (report.state, report.message) == ("failed", f"{url}/oai has no set 'gone'")
        assert bench.harvest(_asked("oai-pmh", f"{url}/oai", prefix="oai_dc")).state == "failed"
        empty = bench.harvest(_asked("oai-pmh", f"{url}/oai", sets=["known"], prefix="oai_dc"))
        assert (empty.state, empty.counts.removed) == ("refused_removal", 0)
    with _serving(_LISTS["ckan"][1]([_package("p")])) as url:
        report = bench.harvest(_asked("ckan", url, organisations=["gone"]))
        assert (report.state, "has no organization 'gone'" in str(report.message)) == ("failed", True)
    assert bench.ids() == ["a", "b"]


def test_a_listing_that_is_walked_three_times_counts_each_record_once(bench: Bench) -> None:
    packages = [_package(f"p{number}") for number in range(30)]

    def search(asked: dict[str, str]) -> object:
        start = int(asked["start"])
        given = [one for one in packages[start : start + 10] if one["id"] != "p7"]
        return {"success": True, "result": {"count": 30, "results": given}}

    with _serving({"/api/3/action/package_search": search}) as url:
        report = bench.harvest(_asked("ckan", url, page_size=10))
    assert (report.state, report.counts.seen, report.counts.new) == ("failed", 29, 29)
    assert "30 records and gave 29 different ones" in str(report.message)
    assert all(found.count <= 29 for found in report.warnings.values())


def test_the_survey_and_the_harvest_count_the_same(bench: Bench, tmp_path: Path) -> None:
    features = shared_data("cases", "14-container-members", "features.json").read_bytes()
    (tmp_path / "features.json").write_bytes(features)
    (tmp_path / "data.json").write_text(json.dumps({"dataset": [_data_set("d1"), None, _data_set("d2"), "x"]}))
    (tmp_path / "graph.jsonld").write_text(
        json.dumps({"@graph": [_data_set("g1"), {"@type": "Person", "name": "Ada"}, _data_set("g2")]})
    )
    (tmp_path / "notes.pdf").write_text("x")
    source = FolderSource(tmp_path)
    surveyed, report = survey_of(source.pages()), bench.harvest(source)
    assert report.state == "complete"
    assert report.counts.new == sum(surveyed.records.values()) == 5
    assert report.counts.refused == sum(map(len, surveyed.refusals.values()))
    assert report.counts.passed_over == sum(surveyed.passed_over.values()) == 2
    assert report.counts.seen == report.counts.new + report.counts.refused == surveyed.documents
    assert any("passed over: files with the suffix .pdf" in kind for kind in report.warnings)

    quality = measure(bench.client, bench.prefix, report.source)
    listed = {(one.what, one.count, one.examples) for one in quality.passed_over}
    pdf = "files with the suffix .pdf are not read: documents belong to `sonde ingest`"
    person = "it is of the type Person, not a data set"
    assert listed == {
        (pdf, 1, (f"{tmp_path}/notes.pdf",)),
        (person, 1, (f"{tmp_path}/graph.jsonld#entry 2 of @graph",)),
    }
    assert "What is no metadata and was passed over" in quality_page(quality)
