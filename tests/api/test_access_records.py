"""A restricted record is seen by its group through every endpoint, and by nobody else through any."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from core.access import Caller, NotAuthenticated
from core.geo import BBox
from es_mappings.codecs.runs import RunReport
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.store import DocumentStore
from indexer.harvest.harvest import harvest
from indexer.harvest.restore import restore
from indexer.parts import HarvestParts, Options
from indexer.raw import restrict
from indexer.sources.folder import FolderSource
from search_api.app import create_app
from search_api.http.access.visibility import AccessFilteredElasticsearch
from search_api.search.retrieval.density import catalogue_density
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from tests.conftest import delete_indices
from tests.service import Service

MARK = "quixotanium"
"""A word of the hidden record's title, abstract and keywords, and of the document about it. No request names it."""
HIDDEN, OPEN = "secret:hidden-1", "open:plain-1"
HIDDEN_DOI = "10.5555/hidden.1"

OPEN_ONLY = 3
"""Records that everybody sees."""


class Three:
    """Nobody, somebody and a member of the group, by name."""

    def identify(self, bearer: str | None) -> Caller:
        scopes = frozenset(("search", "library", "write", "admin"))
        callers = {
            None: Caller(scopes=frozenset(("search",))),
            "other": Caller("oda", scopes, frozenset(("volcanoes",))),  # type: ignore[arg-type]
            "member": Caller("mia", scopes, frozenset(("glaciers", "rivers"))),  # type: ignore[arg-type]
        }
        if bearer not in callers:
            raise NotAuthenticated("This key is not known.")
        return callers[bearer]


def _record(id: str, title: str, abstract: str, keyword: str, doi: str) -> dict[str, Any]:
    box = [[[7.0, 46.0], [8.0, 46.0], [8.0, 47.0], [7.0, 47.0], [7.0, 46.0]]]
    return {
        "type": "Feature",
        "id": id,
        "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"],
        "time": {"interval": ["2001-01-01", "2010-12-31"]},
        "geometry": {"type": "Polygon", "coordinates": box},
        "properties": {
            "type": "dataset",
            "title": title,
            "description": abstract,
            "keywords": [keyword],
            "externalIds": [{"scheme": "doi", "value": doi}],
        },
        "links": [{"rel": "enclosure", "href": f"https://data.example/{id}.nc", "type": "application/x-netcdf"}],
    }


def _write(folder: Path, *records: dict[str, Any]) -> FolderSource:
    folder.mkdir(parents=True, exist_ok=True)
    for one in records:
        (folder / f"{one['id']}.json").write_text(json.dumps(one), "utf-8")
    return FolderSource(folder)


TEXT = "Ice thickness of an alpine glacier by ground penetrating radar, with mass balance since 2001"
SECRET = _record("hidden-1", f"Glacier ice thickness, {MARK}", f"{TEXT}. {MARK} was found.", MARK, HIDDEN_DOI)
PLAIN = [
    _record(f"plain-{n}", f"Glacier ice thickness, part {n}", f"{TEXT}, part {n}.", "glaciers", f"10.5555/plain.{n}")
    for n in range(1, OPEN_ONLY + 1)
]
REPORT = """# Radar on the glacier

## Methods

Ice thickness of the glacier was measured by radar in {count} profiles across the {name} tongue of the glacier.
"""


@pytest.fixture(scope="module")
def service(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("access")
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.prepare()
    _harvest(one, "open", _write(folder / "open", *PLAIN))
    _harvest(one, "secret", restrict(_write(folder / "secret", SECRET), ("glaciers",)))
    parts = document_parts(one.settings, one.models, es_client)
    for record, name, count in ((HIDDEN, MARK, 77), (OPEN, "lower", 42)):
        text = REPORT.format(count=count, name=name).encode()
        assert ingest(IncomingDocument(text, f"{count}.md", f"{count}.md", record=record), parts).entry.state == "ready"
    DocumentStore(es_client, one.prefix).refresh("public")
    es_client.indices.refresh(index=f"{one.prefix}-*")
    yield one
    delete_indices(es_client, one.prefix)


def _harvest(service: Service, source: str, records: Any) -> RunReport:
    report = harvest(source, records, HarvestParts(service.client, service.prefix, service.models.embedder))
    assert report.state == "complete", report
    service.client.indices.refresh(index=f"{service.prefix}-records")
    return report


@pytest.fixture(scope="module")
def app(service: Service) -> Flask:
    return create_app(replace(api_parts(service.settings, service.models), authenticator=Three()))


@pytest.fixture
def http(app: Flask) -> FlaskClient:
    return app.test_client()


def _as(who: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {who}"} if who else {}


def _called(tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """An agent's call of a tool."""
    named = {"name": tool, "arguments": arguments}
    return "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": named}


CSW = "service=CSW&version=2.0.2"
FACETS = "facets=source,keyword,type,decade,region,organisation,cell,year"
Q = "q=glacier+ice+thickness&rerank=false"
ASKED: dict[str, list[tuple[str, Any]]] = {
    # Route -> addresses (with a body to post) that show the record, or the word, to who may see it.
    "/search": [
        (f"/search?{Q}&{FACETS}&highlight=true&explain=true", None),
        (f"/search?{Q}&algorithm=bm25&f=atom", None),
        (f"/search?{Q}&algorithm=dense", None),
        ("/search?q=&source=secret", None),
        ("/search?q=quixotaniun&rerank=false", None),  # misspelt: did you mean
        (f"/search?q=&filter=externalIds%3D'{HIDDEN_DOI}'&rerank=false", None),
    ],
    "/suggest": [("/suggest?q=qui", None), ("/suggest?q=glacier+ice", None), ("/suggest?q=quixotaniun", None)],
    "/suggest/opensearch": [("/suggest/opensearch?q=qui", None)],
    "/ask": [("/ask", {"question": "How many radar profiles across the tongue of the glacier?", "threshold": 0})],
    "/embeddings": [],
    "/mcp": [
        _called("search", query="glacier ice thickness", limit=20),
        _called("get_record", id=HIDDEN),
        _called("get_access", id=HIDDEN),
        _called("find_similar", id=OPEN),
        _called("read_passages", query="How many radar profiles across the tongue of the glacier?"),
        _called("describe_holdings", topic="glacier ice thickness", source="secret"),
        _called("lookup_terms", term="qui"),
    ],
    "/collections": [("/collections", None)],
    "/collections/<catalogue>": [("/collections/secret", None), ("/collections/all", None)],
    "/collections/<catalogue>/facets": [("/collections/secret/facets", None)],
    "/collections/<catalogue>/queryables": [("/collections/secret/queryables", None)],
    "/collections/<catalogue>/sortables": [("/collections/secret/sortables", None)],
    "/collections/<catalogue>/items": [
        ("/collections/all/items", None),
        ("/collections/all/items?sortby=-title&limit=1", None),
        ("/collections/secret/items", None),
        (f"/collections/all/items?externalIds={HIDDEN_DOI}", None),
    ],
    "/collections/<catalogue>/items/<record>": [
        (f"/collections/{catalogue}/items/{HIDDEN}?f={form}", None)
        for catalogue in ("all", "secret")
        for form in ("json", "jsonld", "dcat", "rdf", "iso19139", "dc", "native")
    ],
    "/collections/<catalogue>/items/<record>/provenance": [(f"/collections/all/items/{HIDDEN}/provenance", None)],
    "/collections/<catalogue>/items/<record>/citations": [],  # test_kin.py: nothing is asked for a record of a group
    "/collections/<catalogue>/items/<record>/kin": [(f"/collections/all/items/{HIDDEN}/kin", None)],
    "/collections/<catalogue>/items/<record>/fair": [(f"/collections/all/items/{HIDDEN}/fair", None)],
    "/collections/<catalogue>/fair": [("/collections/secret/fair", None)],
    "/collections/<catalogue>/items/<record>/preview": [],  # asked for below: the record names no picture
    "/collections/<catalogue>/items/<record>/rows": [],  # asked for below: the record names no table
    "/collections/<catalogue>/items/<record>/picture": [],  # asked for below: the record names no service
    "/collections/<catalogue>/items/<record>/granules": [],  # asked for below: nothing says where its granules are
    "/collections/<catalogue>/items/<record>/similar": [
        (f"/collections/all/items/{OPEN}/similar", None),
        (f"/collections/all/items/{HIDDEN}/similar", None),
    ],
    "/records/<record>": [(f"/records/{HIDDEN}", None)],
    "/stac": [("/stac", None)],
    "/stac/collections": [("/stac/collections", None), ("/stac/collections?filter=id='secret'", None)],
    "/stac/collections-queryables": [("/stac/collections-queryables", None)],
    "/stac/collections/<collection>": [("/stac/collections/secret", None)],
    "/stac/collections/<collection>/items": [("/stac/collections/secret/items", None)],
    "/stac/collections/<collection>/items/<item>": [(f"/stac/collections/secret/items/{HIDDEN}", None)],
    "/stac/children": [("/stac/children", None)],
    "/stac/aggregations": [("/stac/aggregations", None)],
    "/stac/collections/<collection>/aggregations": [("/stac/collections/secret/aggregations", None)],
    "/stac/aggregate": [
        ("/stac/aggregate?aggregations=total_count,collection_frequency,keywords_frequency", None),
        ("/stac/aggregate", {"aggregations": ["keywords_frequency"], "ids": [HIDDEN]}),
    ],
    "/stac/collections/<collection>/aggregate": [
        ("/stac/collections/secret/aggregate?aggregations=keywords_frequency", None)
    ],
    "/stac/queryables": [("/stac/queryables", None)],
    "/stac/sortables": [("/stac/sortables", None)],
    "/stac/collections/<collection>/queryables": [("/stac/collections/secret/queryables", None)],
    "/stac/collections/<collection>/sortables": [("/stac/collections/secret/sortables", None)],
    "/stac/search": [
        ("/stac/search", None),
        ("/stac/search", {"ids": [HIDDEN]}),
        ("/stac/search?q=glacier&sortby=-title&fields=title", None),
        ("/stac/search", {"filter": {"op": "=", "args": [{"property": "collection"}, "secret"]}}),
        ("/stac/search", {"query": {"title": {"contains": "glacier"}}, "sortby": [{"field": "datetime"}]}),
    ],
    "/oai": [
        ("/oai?verb=ListRecords&metadataPrefix=oai_dc", None),
        ("/oai?verb=ListRecords&metadataPrefix=iso19139&set=secret", None),
        ("/oai?verb=ListIdentifiers&metadataPrefix=oai_dc", None),
        ("/oai?verb=ListSets", None),
    ],
    "/csw": [
        (f"/csw?{CSW}&request=GetRecords&resultType=results&elementSetName=full", None),
        (f"/csw?{CSW}&request=GetRecords&resultType=results&constraint=csw:AnyText+LIKE+'%25glacier%25'", None),
        (f"/csw?{CSW}&request=GetRecordById&id={HIDDEN}", None),
        (f"/csw?{CSW}&request=GetRecordById&id=hidden-1&outputSchema=http://www.isotc211.org/2005/gmd", None),
        (f"/csw?{CSW}&request=GetDomain&PropertyName=dc:subject", None),
    ],
    "/documents": [("/documents", None)],
    "/dcat": [("/dcat", None), ("/dcat?f=jsonld", None), ("/dcat?source=secret", None)],
    "/sitemap.xml": [],  # asked for below: its parts have addresses of their own
}
HOLDS_NOTHING = {
    "/",
    "/basket",
    "/api",
    "/conformance",
    "/docs",
    "/opensearch.xml",
    "/readyz",
    "/robots.txt",
    "/healthz",
    "/desk",
    "/sign-in",
    "/sources",
}
"""They are asked too: they tell the same to everybody."""
ELSEWHERE = (
    "/answers",
    "/ask/compare",
    "/curation/",
    "/desk/",
    "/documents/<id>",
    "/insight/",
    "/opened/<link>",
    "/my-documents",
    "/page/",
    "/saved-searches",
    "/sources/",
    "/static/",
    "/docs/",
    "/embed",
    "/harvest",
    "/metrics",
    "/library",
    "/stac/conformance",
)
"""Files, and rooms with guards of their own (scopes admin and curate; the owner; a signed link:
test_saved_searches.py; test_documents.py asks for one document as each caller, and the last test here compares it).
"""


def _ask(http: FlaskClient, address: str, body: Any, who: str | None) -> TestResponse:
    if body is not None:
        return http.post(address, json=body, headers={"Accept": "application/json, text/event-stream"} | _as(who))
    return http.get(address, headers=_as(who))


def _tells(answer: TestResponse, address: str, body: Any) -> list[str]:
    """What of the hidden record stands in the answer beyond what the request said itself."""
    text = answer.get_data(as_text=True).lower() + str(answer.headers).lower()
    said = (address + json.dumps(body)).lower()
    signs = (MARK, HIDDEN, "hidden-1", HIDDEN_DOI, "77 ")
    return [sign for sign in signs if sign in text and sign not in said]


def test_every_route_is_asked(app: Flask) -> None:
    routes = {rule.rule for rule in app.url_map.iter_rules() if rule.rule not in HOLDS_NOTHING}
    unasked = {route for route in routes - ASKED.keys() if not route.startswith(ELSEWHERE)}
    assert not unasked, f"say in ASKED how {unasked} could show a record"


CALLS = [
    pytest.param(address, body, id=f"{address[:60]}{'+body' if body else ''}")
    for asked in ASKED.values()
    for address, body in asked
]


@pytest.mark.parametrize("who", [None, "other"])
@pytest.mark.parametrize(("address", "body"), CALLS)
def test_no_endpoint_shows_it_to_anybody_else(http: FlaskClient, address: str, body: Any, who: str | None) -> None:
    answer = _ask(http, address, body, who)
    assert answer.status_code < 500
    assert _tells(answer, address, body) == []


@pytest.mark.parametrize("address", sorted(HOLDS_NOTHING))
def test_pages_without_records_tell_nothing(http: FlaskClient, address: str) -> None:
    assert _tells(http.get(address, headers=_as("other")), address, None) == []


_ONLY_COUNTS = ("queryables", "sortables", "similar", "/stac", "=qui")
SHOWN_BY = [
    param
    for param in CALLS
    if param.values[0] != "/collections/all" and not any(part in str(param.values[0]) for part in _ONLY_COUNTS)
]


@pytest.mark.parametrize(("address", "body"), SHOWN_BY)
def test_the_group_sees_it(http: FlaskClient, address: str, body: Any) -> None:
    """Else the tests above could not fail."""
    answer = _ask(http, address, body, "member")
    assert answer.status_code == 200, answer.get_data(as_text=True)[:300]
    shown = answer.get_data(as_text=True).lower()
    assert MARK in shown or HIDDEN in shown or '"secret"' in shown or "spec>secret" in shown


def test_its_preview_is_not_even_looked_for(http: FlaskClient) -> None:
    address = f"/collections/all/items/{HIDDEN}/preview"
    said = {who: _ask(http, address, None, who).get_json()["detail"] for who in (None, "other", "member")}
    assert said[None] == said["other"] == f"There is no record {HIDDEN!r}."
    assert said["member"] == f"The metadata of {HIDDEN!r} name no preview."


def test_its_granules_are_not_even_looked_for(http: FlaskClient) -> None:
    address = f"/collections/all/items/{HIDDEN}/granules"
    said = {who: _ask(http, address, None, who).get_json()["detail"] for who in (None, "other", "member")}
    assert said[None] == said["other"] == f"There is no record {HIDDEN!r}."
    assert said["member"] == f"Nothing says where the granules of {HIDDEN!r} can be searched."


@pytest.mark.parametrize("name", ["rows", "picture"])
def test_its_data_are_not_even_looked_for(http: FlaskClient, name: str) -> None:
    address = f"/collections/all/items/{HIDDEN}/{name}"
    said = {who: _ask(http, address, None, who).get_json()["detail"] for who in (None, "other", "member")}
    assert said[None] == said["other"] == f"There is no record {HIDDEN!r}."
    assert said["member"] != said["other"]


def _json(http: FlaskClient, address: str, who: str | None) -> dict[str, Any]:
    body: dict[str, Any] = http.get(address, headers=_as(who)).get_json()
    return body


@pytest.mark.parametrize(
    ("who", "items", "documents"), [(None, OPEN_ONLY, 1), ("other", OPEN_ONLY, 1), ("member", OPEN_ONLY + 1, 2)]
)
def test_counts_are_those_of_what_is_seen(http: FlaskClient, who: str | None, items: int, documents: int) -> None:
    """``documents``: the records of the documents about the open and the hidden record; they have nothing for STAC."""
    count = items + documents
    assert _json(http, "/collections/all/items", who)["numberMatched"] == count
    assert _json(http, "/collections/all", who)["sonde:count"] == count
    assert _json(http, "/stac/search", who)["numberMatched"] == items
    fair = _json(http, "/collections/all/fair", who)
    assert (fair["records"], fair["lookedAt"]) == (count, count)
    assert fair["indicators"][0]["fails"] == count  # RDA-F1-01M: no name of a record is persistent
    (total,) = _json(http, "/stac/aggregate?aggregations=total_count", who)["aggregations"]
    assert total["value"] == items
    found = _json(http, f"/search?{Q}&{FACETS}", who)
    assert found["numberMatched"] == count
    assert sum(one["count"] for one in found["sonde:facets"]["type"]["values"]) == count
    sources = {one["value"]: one["count"] for one in found["sonde:facets"]["source"]["values"]}
    assert sources == {"open": OPEN_ONLY, "documents": documents, **({"secret": 1} if who == "member" else {})}
    for name in ("cell", "year"):  # each record lies in the same cells and years
        assert {one["count"] for one in found["sonde:facets"][name]["values"]} == {count}
    text = http.get("/oai?verb=ListIdentifiers&metadataPrefix=oai_dc", headers=_as(who)).get_data(as_text=True)
    assert text.count("<header>") == count


@pytest.mark.parametrize(("who", "seen"), [(None, False), ("other", False), ("member", True)])
def test_the_sitemap_names_what_is_seen(http: FlaskClient, who: str | None, seen: bool) -> None:
    index = http.get("/sitemap.xml", headers=_as(who)).get_data(as_text=True)
    part = index.partition("after=")[2].partition("<")[0]
    urls = http.get(f"/sitemap.xml?after={part}", headers=_as(who)).get_data(as_text=True)
    assert OPEN in urls
    assert (HIDDEN in urls) == seen


@pytest.mark.parametrize(("who", "status"), [(None, 404), ("other", 404), ("member", 200)])
@pytest.mark.parametrize(
    "address",
    [
        f"/collections/all/items/{HIDDEN}",
        f"/collections/all/items/{HIDDEN}?f=native",
        f"/collections/all/items/{HIDDEN}/similar",
        f"/stac/collections/secret/items/{HIDDEN}",
        f"/records/{HIDDEN}",
        "/collections/secret",
    ],
)
def test_what_is_hidden_is_not_there(http: FlaskClient, address: str, who: str | None, status: int) -> None:
    """404 and not 403: that there is such a record is part of what is hidden."""
    assert http.get(address, headers=_as(who)).status_code == status


def test_one_callers_catalogues_are_not_anothers(http: FlaskClient) -> None:
    """They are remembered for a minute, for each group apart."""
    for who, ids in (
        ("member", {"all", "documents", "open", "secret"}),
        (None, {"all", "documents", "open"}),
        ("member", {"all", "documents", "open", "secret"}),
    ):
        assert {one["id"] for one in _json(http, "/collections", who)["collections"]} == ids


def test_which_place_a_name_means_does_not_depend_on_who_asks_first(service: Service) -> None:
    """The density of records is kept for an hour, so what the first caller may see must not decide it."""
    reader = api_parts(service.settings, service.models).search.parts.understander.places
    of_all = catalogue_density(service.client, service.prefix)
    of_nobody = catalogue_density(AccessFilteredElasticsearch.over(service.client), service.prefix)
    box = BBox(7.0, 46.0, 8.0, 47.0)
    assert reader._density(box) == of_all(box) > of_nobody(box) > 0


def test_the_groups_are_not_told(http: FlaskClient) -> None:
    text = http.get(f"/collections/all/items/{HIDDEN}", headers=_as("member")).get_data(as_text=True)
    assert "rivers" not in text
    assert "access_groups" not in text


def test_the_sources_setting_decides_and_passages_and_tombstones_follow(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path: Path, prefix: str
) -> None:
    """Opened, closed again, removed: each is seen at once, though the document's bytes stayed the same."""
    one = Service(es_client, elasticsearch_url, prefix)
    one.prepare()
    http = create_app(replace(api_parts(one.settings, one.models), authenticator=Three())).test_client()
    source = _write(tmp_path / "secret", SECRET)
    question = {"question": "How many radar profiles across the tongue of the glacier?", "threshold": 0}

    def seen(who: str | None) -> tuple[int, int]:
        es_client.indices.refresh(index=f"{prefix}-passages")
        record = http.get(f"/collections/all/items/{HIDDEN}", headers=_as(who)).status_code
        return record, len(http.post("/ask", json=question, headers=_as(who)).get_json()["passages"])

    _harvest(one, "secret", source)
    text = REPORT.format(count=77, name=MARK).encode()
    parts = document_parts(one.settings, one.models, es_client)
    assert ingest(IncomingDocument(text, "a.md", "a.md", record=HIDDEN), parts).entry.state == "ready"
    assert seen(None) == (200, 2), "the abstract and the passage"
    assert _harvest(one, "secret", restrict(source, ("glaciers",))).counts.changed == 1
    assert (seen(None), seen("member")) == ((404, 0), (200, 2))
    assert _harvest(one, "secret", restrict(source, ("glaciers",))).counts.same == 1
    assert _harvest(one, "secret", source).counts.changed == 1
    assert seen(None) == (200, 2)


def _identifiers(http: FlaskClient, who: str | None) -> str:
    """All pages of the listing: what was removed stands on the last."""
    text = page = http.get("/oai?verb=ListIdentifiers&metadataPrefix=oai_dc", headers=_as(who)).get_data(as_text=True)
    while token := page.partition("<resumptionToken")[2].partition(">")[2].partition("<")[0]:
        asked = {"verb": "ListIdentifiers", "resumptionToken": token}
        page = http.get("/oai", query_string=asked, headers=_as(who)).get_data(as_text=True)
        text += page
    return text


def test_a_removed_record_stays_hidden_and_comes_back_hidden(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path: Path, prefix: str
) -> None:
    one = Service(es_client, elasticsearch_url, prefix)
    one.prepare()
    http = create_app(replace(api_parts(one.settings, one.models), authenticator=Three())).test_client()
    folder = tmp_path / "secret"
    also = {**SECRET, "id": "hidden-2"}
    source = restrict(_write(folder, SECRET, also), ("glaciers",))
    _harvest(one, "secret", source)
    (folder / "hidden-1.json").unlink()
    parts = HarvestParts(es_client, prefix, one.models.embedder)
    report = harvest("secret", source, parts, Options(max_removal_share=1.0))
    assert report.counts.removed == 1
    es_client.indices.refresh(index=f"{prefix}-*")
    assert HIDDEN in _identifiers(http, "member")
    for who in (None, "other"):
        assert "hidden" not in _identifiers(http, who)
    restore("secret", [HIDDEN], parts, Options())
    es_client.indices.refresh(index=f"{prefix}-records")
    statuses = [http.get(f"/collections/all/items/{HIDDEN}", headers=_as(who)).status_code for who in (None, "member")]
    assert statuses == [404, 200]


def test_only_the_group_compares_its_document(service: Service, http: FlaskClient) -> None:
    hits = service.client.search(index=f"{service.prefix}-passages", query={"term": {"record": HIDDEN}}).body["hits"]
    document = hits["hits"][0]["_source"]["document"]
    body = {"questions": ["How many radar profiles across the tongue of the glacier?"], "documents": [document]}
    for who, status in ((None, 404), ("other", 404), ("member", 200)):
        answer = http.post("/ask/compare", json=body, headers=_as(who))
        assert answer.status_code == status, answer.text
        assert ("77 " in answer.text) == (status == 200)
