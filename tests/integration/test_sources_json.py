"""CKAN, DCAT, DataCite, InvenioRDM and GeoNetwork as their documentation says they answer, served page by page."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from evaluation.local_server import serve
from indexer.sources.ckan import CkanOptions, CkanSource
from indexer.sources.datacite import DataCiteOptions, DataCiteSource
from indexer.sources.dcat import DcatSource
from indexer.sources.fetching import BadAnswer
from indexer.sources.geonetwork import GeoNetworkOptions, GeoNetworkSource
from indexer.sources.invenio import InvenioOptions, InvenioSource
from indexer.sources.members import SourceBroken
from indexer.sources.oai_pmh import OaiOptions, OaiSource
from indexer.sources.ogc_records import OgcSource
from indexer.sources.stac_api import StacApiSource, StacOptions
from tests.servers.asking import all_of, fetcher_of, resumed_everywhere

Asked = dict[str, str]
Answering = Callable[[str, Asked, str], tuple[int, str, bytes]]
"""Path, parameters and own address to status, media type and body."""


@contextmanager
def serving(
    answering: Answering, after: Callable[[Asked], Asked] = lambda _asked: {}
) -> Iterator[tuple[str, list[Asked]]]:
    """The address of a server that answers so, with more headers ``after``, and what it was asked."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            parameters = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked.append({**parameters, **headers})
            search_after = {name: value for name, value in headers.items() if name == "cmr-search-after"}
            own = f"http://127.0.0.1:{self.server.server_address[1]}"
            status, kind, body = answering(parts.path, {**parameters, **search_after}, own)
            self.send_response(status)
            self.send_header("content-type", kind)
            for name, value in after({**parameters, **search_after}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, kind, content = answering(self.path, {"body": json.dumps(body)}, "")
            self.send_response(status)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    with serve(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield url, asked


def as_json(body: object, status: int = 200) -> tuple[int, str, bytes]:
    return status, "application/json", json.dumps(body).encode()


def test_ckan_by_modification_and_organisation() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        assert path == "/data/api/3/action/package_search"
        start, rows = int(asked["start"]), min(int(asked["rows"]), 10)  # the server caps pages
        some = [{"id": f"p{n}", "name": f"n{n}"} for n in range(25)][start : start + rows]
        return as_json({"success": True, "result": {"count": 25, "results": some}})

    with serving(answer) as (url, asked):
        options = CkanOptions(organisations=("a b",), page_size=20)
        make = lambda: CkanSource(fetcher_of(f"{url}/data"), f"{url}/data", "2024-01-01T00:00:00Z", options)  # noqa: E731
        given = all_of(make())
        assert given.ids == [f"p{n}" for n in range(25)]
        assert given.matched == 25
        assert asked[0]["fq"] == '+organization:("a b") +metadata_modified:[2024-01-01T00:00:00Z TO *]'
        assert asked[0]["sort"] == "metadata_modified asc, id asc"
        resumed_everywhere(make, given)


def test_a_ckan_that_shrinks_by_a_page_is_walked_again_and_told() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        start = int(asked["start"])
        some = [{"id": f"p{n}"} for n in range(25) if n != 12][start : start + 10]  # one is counted and never given
        return as_json({"success": True, "result": {"count": 25, "results": some}})

    with serving(answer) as (url, _):
        strict = all_of(CkanSource(fetcher_of(url), url, None, CkanOptions(page_size=10)))
        assert len(set(strict.ids)) == 24
        assert strict.matched == 25, "so that the run is not complete"
        lenient = all_of(CkanSource(fetcher_of(url), url, None, CkanOptions(page_size=10, tolerate_missing=1)))
        assert lenient.matched == 24


def test_data_json_and_what_has_not_changed_since() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        return as_json({"dataset": [{"identifier": f"d{n}", "title": "T", "modified": "2020"} for n in range(150)]})

    with serving(answer) as (url, _):
        given = all_of(DcatSource(fetcher_of(url), f"{url}/data.json"))
        assert given.ids == [f"d{n}" for n in range(150)]
        assert json.loads(given.contents["d3"])["identifier"] == "d3"

    def unchanged(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        return 304, "application/json", b""

    with serving(unchanged) as (url, asked):
        assert all_of(DcatSource(fetcher_of(url), url, "2024-05-01T10:00:00Z")).ids == []
        assert asked[0]["if-modified-since"] == "Wed, 01 May 2024 00:00:00 GMT"


_TURTLE = """@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix hydra: <http://www.w3.org/ns/hydra/core#> .
<{own}/d/{n}> a dcat:Dataset ; dct:title "Data {n}" ; dcat:distribution [ dcat:downloadURL <{own}/f/{n}> ] ;
  dct:publisher <{own}/org> .
<{own}/org> dct:title "Publisher" .
<{own}/catalogue?page={n}> a hydra:PagedCollection ; hydra:totalItems 3 {following} .
"""


def test_dcat_in_turtle_over_hydra_pages() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        n = int(asked.get("page", "1"))
        following = f"; hydra:nextPage <{own}/catalogue?page={n + 1}>" if n < 3 else ""
        return 200, "text/turtle", _TURTLE.format(own=own, n=n, following=following).encode()

    with serving(answer) as (url, _):
        make = lambda: DcatSource(fetcher_of(url), f"{url}/catalogue")  # noqa: E731
        given = all_of(make())
        assert given.ids == [f"{url}/d/{n}" for n in (1, 2, 3)]
        assert given.matched == 3
        text = given.contents[f"{url}/d/2"].decode()
        assert "Data 2" in text
        assert f"{url}/f/2" in text
        assert "Publisher" in text
        assert "Data 1" not in text
        assert given.contents == all_of(make()).contents, "the same data set gives the same bytes"
        resumed_everywhere(make, given)


def test_json_ld_fetches_its_context_through_the_gate_only() -> None:
    context = {"@context": {"Dataset": "http://www.w3.org/ns/dcat#Dataset", "title": "http://purl.org/dc/terms/title"}}

    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        if path == "/context":
            return as_json(context)
        graph = [{"@id": f"{own}/d", "@type": "Dataset", "title": "A title"}]
        return 200, "application/ld+json", json.dumps({"@context": f"{own}/context", "@graph": graph}).encode()

    with serving(answer) as (url, asked):
        given = all_of(DcatSource(fetcher_of(url), f"{url}/catalogue"))
        assert given.ids == [f"{url}/d"]
        assert b"A title" in given.contents[f"{url}/d"]
        assert [each["user-agent"].split("/")[0] for each in asked] == ["Sonde", "Sonde"]


def test_datacite_follows_its_cursor_and_unpacks_the_xml() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        cursor = int(asked["page[cursor]"])
        some = [
            {"id": f"10.1/X{n}", "attributes": {"xml": base64.b64encode(f"<resource>{n}</resource>".encode()).decode()}}
            for n in range(2 * cursor - 2, min(2 * cursor, 5))
        ]
        links = {"next": f"{own}/dois?page%5Bcursor%5D={cursor + 1}"} if cursor < 3 else {}
        return as_json({"data": some, "meta": {"total": 5}, "links": links})

    with serving(answer) as (url, asked):
        source = DataCiteSource(fetcher_of(url), url, None, DataCiteOptions(client="a.b", page_size=2))
        given = all_of(source)
        assert given.ids == [f"10.1/x{n}" for n in range(5)]
        assert given.contents["10.1/x4"] == b"<resource>4</resource>"
        assert given.matched == 5
        assert (asked[0]["client-id"], asked[0]["page[size]"]) == ("a.b", "2")


def test_invenio_fetches_each_record_as_datacite() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        if path != "/api/records":
            return (404, "text/plain", b"") if path.endswith("/2") else (200, "application/xml", b"<resource/>")
        page = int(asked["page"])
        links = {"next": f"{own}/api/records?page={page + 1}"} if page < 2 else {}
        hits = [{"id": str(2 * page - 1)}, {"id": str(2 * page)}]
        return as_json({"hits": {"hits": hits, "total": 4}, "links": links})

    with serving(answer) as (url, asked):
        given = all_of(InvenioSource(fetcher_of(url), url))
        assert given.ids == ["1", "3", "4"]
        assert given.skipped == [f"{url}/api/records/2"]
        assert asked[1]["accept"] == "application/vnd.datacite.datacite+xml"
        plain = all_of(InvenioSource(fetcher_of(url), url, None, InvenioOptions(form="json")))
        assert plain.ids == ["1", "2", "3", "4"]


def test_geonetwork_four_searches_and_fetches_each_document() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        if path == "/geonetwork/srv/api/search/records/_search":
            body = json.loads(asked["body"])
            uuids = [f"u{n}" for n in range(5)][body["from"] : body["from"] + body["size"]]
            return as_json({"hits": {"total": {"value": 5}, "hits": [{"_source": {"uuid": u}} for u in uuids]}})
        assert path.endswith("/formatters/xml")
        return 200, "application/xml", f"<r>{path.split('/')[5]}</r>".encode()

    with serving(answer) as (url, _):
        options = GeoNetworkOptions(api="search", page_size=2)
        address = f"{url}/geonetwork/srv/eng/catalog.search"
        given = all_of(GeoNetworkSource(fetcher_of(address), address, None, options))
        assert given.contents == {f"u{n}": f"<r>u{n}</r>".encode() for n in range(5)}
        assert given.matched == 5


def test_geonetwork_four_gives_the_hits_after_the_window_of_its_elasticsearch() -> None:
    """``from`` + ``size`` beyond the window is refused, as Elasticsearch does after the 10,000th hit."""
    uuids, window, asked_bodies = sorted(f"u{n}" for n in range(25)), 6, []

    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        if not path.endswith("/_search"):
            return 200, "application/xml", f"<r>{path.split('/')[5]}</r>".encode()
        body = json.loads(asked["body"])
        asked_bodies.append(body)
        assert body["sort"] == [{"uuid": "asc"}]
        start = body.get("from", 0)
        if start + body["size"] > window:
            return as_json({"error": "Result window is too large"}, 400)
        (after,) = body.get("search_after", [""])
        some = [uuid for uuid in uuids if uuid > after][start : start + body["size"]]
        found = [{"_source": {"uuid": uuid}, "sort": [uuid]} for uuid in some]
        return as_json({"hits": {"total": {"value": len(uuids), "relation": "eq"}, "hits": found}})

    with serving(answer) as (url, _):
        options = GeoNetworkOptions(api="search", page_size=4)
        make = lambda: GeoNetworkSource(fetcher_of(url), f"{url}/geonetwork", None, options)  # noqa: E731
        given = all_of(make())
        assert given.ids == uuids
        assert given.matched == 25
        assert len(asked_bodies) == 7
        resumed_everywhere(make, given)


def test_geonetwork_three_answers_q_from_one_and_a_single_record_as_an_object() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        if path == "/geonetwork/srv/eng/q":
            assert (asked["_content_type"], asked["fast"]) == ("json", "index")
            first, last = int(asked["from"]), int(asked["to"])
            some = [
                {"geonet:info": {"uuid": f"u{n}", "changeDate": "2024-05-01"}} for n in range(first, min(last, 5) + 1)
            ]
            return as_json({"summary": {"@count": "5"}, "metadata": some[0] if len(some) == 1 else some})
        assert path.endswith("/formatters/xml")
        return 200, "application/xml", f"<r>{path.split('/')[5]}</r>".encode()

    with serving(answer) as (url, asked):
        options = GeoNetworkOptions(api="q", page_size=2)
        make = lambda: GeoNetworkSource(fetcher_of(url), f"{url}/geonetwork", "2024-04-01T10:00:00Z", options)  # noqa: E731
        given = all_of(make())
        assert given.contents == {f"u{n}": f"<r>u{n}</r>".encode() for n in range(1, 6)}
        assert given.matched == 5
        assert asked[0]["dateFrom"] == "2024-04-01"
        resumed_everywhere(make, given)


_OAI = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">{}</OAI-PMH>'


def test_oai_pmh_tombstones_sets_and_a_token_that_expires() -> None:
    expired: list[str] = []

    def record(id: str, deleted: bool = False) -> str:
        status = ' status="deleted"' if deleted else ""
        body = "" if deleted else "<metadata><r xmlns='x'/></metadata>"
        return f"<record><header{status}><identifier>{id}</identifier></header>{body}</record>"

    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        if asked.get("resumptionToken") == "t" and not expired:
            expired.append("t")
            inner = '<error code="badResumptionToken">gone</error>'
        elif asked.get("resumptionToken") == "t":
            inner = f"<ListRecords>{record('c')}<resumptionToken completeListSize='3'/></ListRecords>"
        else:
            first = record("a") + record("b", deleted=True)
            inner = f"<ListRecords>{first}<resumptionToken completeListSize='3'>t</resumptionToken></ListRecords>"
        return 200, "text/xml", _OAI.format(inner).encode()

    with serving(answer) as (url, asked):
        options = OaiOptions(prefix="gmd", sets=("s",))
        given = all_of(OaiSource(fetcher_of(url), url, "2024-05-01T10:00:00Z", options))
        assert given.ids == ["a", "a", "c"], "from the start again: what comes twice is known by its id"
        assert set(given.deleted) == {"b"}
        assert given.matched == 2
        assert (asked[0]["set"], asked[0]["from"], asked[0]["metadataPrefix"]) == ("s", "2024-05-01", "gmd")


def _oai_record(id: str, text: str) -> str:
    body = f"<metadata><dc xmlns='x'><record><title>{text}</title></record></dc></metadata>"
    return f"<record><header><identifier>{id}</identifier></header>{body}</record>"


def test_oai_pmh_names_a_broken_record_and_reads_all_others() -> None:
    header_too = "<record><header><identifier>fish & chips</identifier></header></record>"
    token = "<resumptionToken>t</resumptionToken>"
    pages = {
        "": _oai_record("a", "ice") + _oai_record("b", "wind & <b>rain") + _oai_record("c", "snow") + token,
        "t": _oai_record("d", "a\x0bb") + header_too + _oai_record("e", "hail"),
    }

    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        page = pages[asked.get("resumptionToken", "")]
        return 200, "text/xml", _OAI.format(f"<ListRecords>{page}</ListRecords>").encode()

    with serving(answer) as (url, asked):
        given = all_of(OaiSource(fetcher_of(url), url, None, OaiOptions(prefix="oai_dc")))
    assert given.ids == ["a", "c", "e"]
    skipped = [member for page in given.pages for member in page.skipped]
    assert [(member.native_id, member.container) for member in skipped] == [("b", None), ("d", None), (None, "*")]
    assert all("it is not well-formed XML: " in member.reason for member in skipped)
    assert len(asked) == 2, "a broken record is the same when it is asked for again"


def test_oai_pmh_asks_again_for_a_list_that_is_cut_off() -> None:
    asked_before: list[Asked] = []

    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        asked_before.append(asked)
        whole = _OAI.format(f"<ListRecords>{_oai_record('a', 'ice')}{_oai_record('b', 'snow')}</ListRecords>").encode()
        return 200, "text/xml", whole if len(asked_before) > 1 else whole[:-60]

    with serving(answer) as (url, asked):
        given = all_of(OaiSource(fetcher_of(url), url, None, OaiOptions(prefix="oai_dc")))
    assert (given.ids, len(asked)) == (["a", "b"], 2)


def test_a_stac_api_gives_collections_and_on_request_items() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        if path == "/stac/collections":
            return as_json({"collections": [{"id": "c1", "stac_version": "1.0.0"}, {"id": "c 2"}], "links": []})
        assert path in ("/stac/collections/c1/items", "/stac/collections/c%202/items")
        page = int(asked.get("page", "1"))
        following = [{"rel": "next", "href": f"http://inner:1{path}?page={page + 1}"}] if page < 2 else []
        return as_json({"features": [{"id": f"i{page}"}], "links": following})

    with serving(answer) as (url, _):
        address = f"{url}/stac"
        collections = all_of(StacApiSource(fetcher_of(address), address))
        assert (collections.ids, collections.matched) == (["c1", "c 2"], 2)
        make = lambda: StacApiSource(fetcher_of(address), address, None, StacOptions(items=True))  # noqa: E731
        everything = all_of(make())
        assert everything.ids == ["c1", "c 2", "c1/i1", "c1/i2", "c 2/i1", "c 2/i2"]
        resumed_everywhere(make, everything)


def test_of_a_features_server_the_collections_are_described_and_their_data_left_alone() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        assert path == "/collections"
        return as_json({"collections": [{"id": "roads", "itemType": "feature", "title": "Roads"}], "links": []})

    with serving(answer) as (url, _):
        given = all_of(OgcSource(fetcher_of(url), url))
        assert (given.ids, given.matched) == (["roads"], 1)
        assert json.loads(given.contents["roads"])["title"] == "Roads"


def test_next_links_in_a_circle_end_the_run() -> None:
    def answer(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
        if path == "/collections":
            return as_json({"collections": [{"id": "c", "itemType": "record"}]})
        page = 2 if asked.get("page") == "1" else 1
        links = [{"rel": "next", "href": f"{own}{path}?page={page}"}]
        return as_json({"features": [{"id": f"i{page}"}], "links": links})

    with serving(answer) as (url, _), pytest.raises((SourceBroken, BadAnswer)):
        all_of(OgcSource(fetcher_of(url), url))
