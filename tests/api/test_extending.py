"""The modules of docs/extending/index.md are read from the page, added to their lists, and used."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient
from lxml import etree

from core.errors import SondeError
from encoders.rerankers import RERANKERS
from evaluation.local_server import serve
from indexer.formats.recognition import FORMATS
from indexer.formats.registry import read
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts as HarvestParts
from indexer.sources.probe import probe
from indexer.sources.protocols import PROTOCOLS, open_source
from search_api.app import create_app
from search_api.formats_out.formats import FORMATS as OUTPUT_FORMATS
from search_api.parts import Parts
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.combiners import COMBINERS
from search_api.search.ranking.config import Extensions, RankingConfig, default_config
from search_api.search.ranking.signals import SIGNALS
from sonde.settings import CrossEncoderSettings
from sonde.wiring.api import api_parts
from tests.servers.asking import fetcher_of
from tests.service import Service
from workers.source_config import load_sources

PAGE = (Path(__file__).parents[2] / "docs" / "extending" / "index.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
MODULES = {text.partition("\n")[0].removeprefix("# "): text for kind, text in BLOCKS if kind == "python"}
CONFIGURED = [json.loads(text) for kind, text in BLOCKS if kind == "json" and "tagline" not in text]
ENVIRONMENT = dict(line.split("=", 1) for kind, text in BLOCKS if kind == "ini" for line in text.splitlines())
(SOURCES_YAML,) = (text for kind, text in BLOCKS if kind == "yaml")

NOTE = {
    "number": "N-1",
    "headline": "Soil moisture near Pretoria",
    "text": "Weekly soil moisture from twelve probes.",
    "box": [28.0, -26.0, 28.5, -25.5],
    "from": "2019-01-01",
    "to": "2020-12-31",
    "licence": "CC-BY-4.0",
}
SERVED: dict[str, Any] = {
    "/list.json": {"geolist": ["note-1.json", "note-2.json", "other.json"]},
    "/note-1.json": {"fieldnote": NOTE},
    "/note-2.json": {
        "fieldnote": {"number": "N-2", "headline": "Soil moisture, soil moisture", "text": "Probes near Pretoria."}
    },
}


class _Catalogue(BaseHTTPRequestHandler):
    """A GeoList, and a TEI server that prefers the first note."""

    def do_GET(self) -> None:
        self._reply(SERVED.get(self.path))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert (self.path, asked["query"]) == ("/rerank", "soil moisture")
        scores = [9.0 if "twelve probes" in text else -9.0 for text in asked["texts"]]
        self._reply([{"index": at, "score": score} for at, score in enumerate(scores)])

    def _reply(self, body: Any) -> None:
        self.send_response(404 if body is None else 200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ModuleType]:
    """The modules of the page, imported from files."""
    folder = tmp_path_factory.mktemp("extensions")
    return {Path(name).stem: _imported(folder / Path(name).name, text) for name, text in MODULES.items()}


def _imported(path: Path, text: str) -> ModuleType:
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(f"extension_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def added(example: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """The one entry of each list."""
    monkeypatch.setitem(PROTOCOLS, "geolist", example["geolist"].PROTOCOL)
    monkeypatch.setitem(FORMATS, "fieldnote", example["fieldnote"].FORMAT)
    monkeypatch.setitem(OUTPUT_FORMATS, "brief", example["brief"].FORMAT)
    monkeypatch.setitem(RERANKERS, "shared-words", example["shared_words"].RERANKER)
    return example


@pytest.fixture
def catalogue() -> Iterator[str]:
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), _Catalogue)) as url:
        yield url


@pytest.fixture
def harvested(
    added: dict[str, ModuleType], catalogue: str, es_client: Elasticsearch, elasticsearch_url: str, prefix: str
) -> Service:
    """The two notes of the catalogue in an index of this test's own."""
    service = Service(es_client, elasticsearch_url, prefix)
    service.prepare()
    source = open_source("geolist", fetcher_of(f"{catalogue}/list.json"), None, {"contains": "note"})
    report = harvest("notes", source, HarvestParts(es_client, prefix, service.models.embedder))
    assert (report.state, report.counts.new, report.counts.refused) == ("complete", 2, 0)
    return service


def test_each_module_of_the_page_lies_where_its_table_says() -> None:
    rooms = re.findall(r"^\| [a-z ]+ \| `([a-z_/]+/)` \| `([a-z_/]+\.py)`", PAGE, re.MULTILINE)
    assert {f"{Path(name).parent}/" for name in MODULES} == {room for room, _ in rooms}
    assert all((Path(__file__).parents[2] / listed).is_file() for _, listed in rooms)


def test_every_file_that_the_pages_name_is_there() -> None:
    root = Path(__file__).parents[2]
    pages = "".join(page.read_text("utf-8") for page in (root / "docs" / "extending").glob("*.md"))
    named = re.findall(r"`((?:reading|web|search_api|indexer|encoders|es_mappings|sonde|tests)/[\w./*-]+)`", pages)
    assert len(named) > 30
    assert [name for name in named if not list(root.glob(name.rstrip("/")))] == []


def test_a_protocol_is_taken_by_the_sources_file_and_its_options_are_checked(
    added: dict[str, ModuleType], tmp_path: Path
) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(SOURCES_YAML, "utf-8")
    assert load_sources(path)["notes"].type == "geolist"
    path.write_text(SOURCES_YAML.replace("contains", "contians"), "utf-8")
    with pytest.raises(SondeError, match="contians"):
        load_sources(path)


def test_without_its_entry_the_protocol_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(SOURCES_YAML, "utf-8")
    with pytest.raises(SondeError, match="must be one of folder, "):
        load_sources(path)
    assert yaml.safe_load(SOURCES_YAML)["sources"][0]["type"] not in PROTOCOLS


def test_a_protocol_is_recognised_at_its_address(added: dict[str, ModuleType], catalogue: str) -> None:
    SERVED["/other.json"] = SERVED["/note-2.json"]  # the preview asks for everything that is listed
    looked = probe(fetcher_of(f"{catalogue}/list.json"), f"{catalogue}/list.json")
    assert looked.found is not None, looked.tried
    assert looked.found.type == "geolist"
    assert read(looked.found.preview[0], "notes").title == NOTE["headline"]


def test_an_output_format_answers_for_records_searches_and_in_oai_pmh(harvested: Service) -> None:
    http, item = harvested.http, "/collections/all/items/notes:N-1"
    one = http.get(f"{item}?f=brief")
    assert (one.status_code, one.mimetype) == (200, "application/vnd.example.brief+xml")
    assert etree.fromstring(one.data).findtext("{*}title") == NOTE["headline"]
    assert http.get(item, headers={"Accept": one.mimetype}).data == one.data
    record = http.get(item).get_json()
    assert any(link["rel"] == "alternate" and link["href"].endswith("?f=brief") for link in record["links"])
    assert record["geometry"] is not None

    found = etree.fromstring(http.get("/search?q=soil+moisture&f=brief").data)
    assert (found.get("matched"), len(found)) == ("2", 2)

    formats = etree.fromstring(http.get("/oai?verb=ListMetadataFormats").data)
    assert [one.text for one in formats.iter("{*}metadataPrefix")] == ["oai_dc", "iso19139", "brief"]
    listed = etree.fromstring(http.get("/oai?verb=ListRecords&metadataPrefix=brief").data)
    assert sorted(one.text or "" for one in listed.iter("{https://example.org/brief}title")) == [
        "Soil moisture near Pretoria",
        "Soil moisture, soil moisture",
    ]


def test_openapi_names_the_output_format(harvested: Service) -> None:
    paths = harvested.http.get("/api").get_json()["paths"]
    for path in ("/search", "/collections/{catalogue}/items/{record}"):
        (form,) = (one for one in paths[path]["get"]["parameters"] if one["name"] == "f")
        assert "brief" in json.dumps(form["schema"])
        assert "application/vnd.example.brief+xml" in paths[path]["get"]["responses"]["200"]["content"]


def test_without_its_entry_the_output_format_is_refused(samples: Service) -> None:
    answer = samples.http.get("/search?q=rain&f=brief")
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "f")
    assert "cannotDisseminateFormat" in samples.http.get("/oai?verb=ListRecords&metadataPrefix=brief").text


def _ranked_by(service: Service, raw: dict[str, Any], example: dict[str, ModuleType]) -> FlaskClient:
    """The service with the ranking's configuration changed so."""
    known = Extensions((*SIGNALS, example["licensed"].Licensed), (*COMBINERS, example["regression"].Regression))
    parts: Parts = api_parts(service.settings, service.models)
    assert isinstance(parts.search, SearchPipeline)
    config = RankingConfig.from_json(json.dumps(raw), known)
    search = SearchPipeline(replace(parts.search.parts, config=config))
    return create_app(replace(parts, search=search)).test_client()


def test_a_signal_and_a_combiner_order_hits_and_explain_it(harvested: Service, example: dict[str, ModuleType]) -> None:
    (signal, combiner), raw = CONFIGURED, json.loads(default_config().to_json())
    raw["records"]["signals"] |= signal
    answer = _ranked_by(harvested, raw, example).get("/search?q=soil+moisture&explain=true").get_json()
    known = {one["id"]: one["sonde:signals"]["licensed"] for one in answer["features"]}
    assert known == {"notes:N-1": 1.0, "notes:N-2": 0.0}

    raw["records"]["combiner"] = combiner
    answer = _ranked_by(harvested, raw, example).get("/search?q=soil+moisture&explain=true").get_json()
    assert [one["id"] for one in answer["features"]] == [
        "notes:N-1",
        "notes:N-2",
    ]  # 3.0 for the licence outweighs words
    for one in answer["features"]:
        parts = {part["signal"]: part["contribution"] for part in one["sonde:explanation"]["signals"]}
        assert parts["base"] == pytest.approx(
            -2.0 * (1.0 - default_config().records.signals["late_interaction"].weight)
        )
        assert sum(parts.values()) == pytest.approx(one["sonde:score"])


def _reranked(service: Service, **given: Any) -> dict[str, Any]:
    settings = service.settings.model_copy(update={"cross_encoder": CrossEncoderSettings(**given)})
    fresh = Service(service.client, service.url, service.prefix)
    fresh.__dict__["settings"] = settings
    return fresh.search("soil moisture")


def test_a_reranker_behind_an_address_is_used(harvested: Service, catalogue: str) -> None:
    given = {name.rpartition("__")[2].lower(): value for name, value in ENVIRONMENT.items()}
    assert set(given) == {"model", "runtime", "url"}
    answer = _reranked(harvested, **given | {"url": catalogue})
    scores = {one["id"]: one["sonde:signals"]["cross_encoder"] for one in answer["features"]}
    assert scores["notes:N-1"] == pytest.approx(1.0, abs=1e-3)
    assert scores["notes:N-2"] == pytest.approx(0.0, abs=1e-3)
    assert answer["features"][0]["id"] == "notes:N-1"
    assert answer["sonde:degraded"] == []


def test_a_runtime_of_rerankers_is_used(harvested: Service) -> None:
    answer = _reranked(harvested, model="words", runtime="shared-words")
    scores = [one["sonde:signals"]["cross_encoder"] for one in answer["features"]]
    assert scores == pytest.approx([0.881] * 2, abs=1e-3)  # both share two words: sigmoid(2)


def test_without_its_entry_the_runtime_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of auto, onnx, torch, remote"):
        CrossEncoderSettings(runtime="shared-words")
