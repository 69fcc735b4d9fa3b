"""The requests that are frozen: questions, listing protocols, documents, and requests that must be refused."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from core.json_types import Json

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = ("samples", "second_formats", "ncar_eol_800", "ncar_rda_1669")
"""The catalogues of the frozen index."""

_TOPICS = (
    "rainfall in southern Africa since 1990", "sea ice", "Italian greenhouse gases 2010", "ocean temperature profiles",
    "radiosonde soundings over the tropical Pacific in 1992", "ERA-Interim", "soil moisture Europe", "TOGA COARE",
    "glacier mass balance in the Alps", "snow depth 1980 to 2000", "aerosol optical depth", "PM2.5 in Berlin",
    "wind speed at 10 m over the North Sea", "tropical cyclone tracks", "sea level rise Fiji", "CMIP6 projections",
    "aircraft measurements of ozone over the western US summer 2014", "land cover map", "global precipitation daily",
    "discharge of the Rhine", "MODIS vegetation index", "lightning", "reanalysis surface pressure before 1950",
    "Wie viel Eis hat Grönland verloren", "température de la mer Baltique", "drought index Sahel", "DYNAMO radar",
    "bathymetry of the Arctic Ocean", "carbon dioxide flux towers", "weather stations in Colorado last ten years",
)  # fmt: skip
_COURSES: tuple[Json, ...] = ({"algorithm": "hybrid"}, {"algorithm": "bm25"}, {"algorithm": "dense"})
_FULL: Json = {"explain": "true", "highlight": "true", "facets": "all"}

Ids = Callable[[str], Sequence[str]]
"""Some record ids of a catalogue."""


@dataclass(frozen=True, slots=True)
class Call:
    """``pages``: how many of its ``next`` links are followed. ``steward``: sent with the key."""

    name: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    method: str = "GET"
    body: Any = None
    form: Mapping[str, str] | None = None
    text: str | None = None
    media_type: str | None = None
    accept: str | None = None
    pages: int = 0
    steward: bool = False


def course_calls(box: str | None) -> Iterator[Call]:
    """Half of the 360 questions of ADR 0033: thirty topics, three algorithms, plain and with everything explained."""
    for topic, course, full in product(_TOPICS, _COURSES, (False, True)):
        query: Json = {"q": topic, **course, **({"bbox": box} if box else {}), **(_FULL if full else {})}
        kind = " ".join((course["algorithm"], *(("box",) if box else ()), *(("full",) if full else ())))
        yield Call(f"search 360 {kind}: {topic}", "/search", query)


def judged_calls(shared: Path) -> Iterator[Call]:
    """A fixed share of the questions of each judged set."""
    for name, questions in judged_questions(shared).items():
        limit = len(questions) if name == "samples" else 24 if name in ("ncar", "typed") else 8
        for question in spread(questions, limit):
            yield Call(f"search {name}: {question}", "/search", {"q": question})


_OPTIONS: Mapping[str, Json] = {
    "spatial blend": {"spatial": "blend", "bbox": "-130,20,-60,55", "explain": "true"},
    "spatial hausdorff": {"spatial": "hausdorff", "bbox": "-130,20,-60,55", "explain": "true"},
    "spatial off": {"spatial": "off", "bbox": "-130,20,-60,55"},
    "hausdorff without box": {"spatial": "hausdorff"},
    "antimeridian": {"bbox": "150,-30,-150,10"},
    "within": {"bbox": "-180,0,180,90", "relation": "within"},
    "contains": {"bbox": "8,46,9,47", "relation": "contains"},
    "intersects": {"place": "Europe", "relation": "intersects"},
    "place": {"place": "Germany"},
    "datetime": {"datetime": "1990-01-01/2000-12-31"},
    "datetime open": {"datetime": "../1960-01-01"},
    "temporal off": {"datetime": "1990-01-01/2000-12-31", "temporal": "off"},
    "interpret none": {"interpret": "none"},
    "interpret place,time": {"interpret": "place,time", "explain": "true"},
    "expand off": {"expand": "off"},
    "rerank off": {"rerank": "false"},
    "group none": {"group": "none"},
    "diversity off": {"diversity": "off"},
    "spelling off": {"spelling": "off"},
    "type": {"type": "dataset"},
    "source": {"source": "samples,ncar_rda_1669"},
    "keyword": {"keyword": "precipitation"},
    "provenance": {"provenance": "reanalysis"},
    "format": {"format": "netCDF"},
    "cql2": {"filter": "type = 'dataset' AND S_INTERSECTS(geometry, BBOX(-20,30,40,70))"},
    "cql2 json": {"filter": '{"op":"=","args":[{"property":"source"},"samples"]}', "filter-lang": "cql2-json"},
    "facets": {"facets": "all", "limit": "1"},
    "cells": {"facets": "cell,year", "cell_area": "-10,35,30,60"},
    "cell level": {"facets": "cell", "cell_level": "4"},
    "sorted": {"sortby": "-updated"},
    "sorted by title": {"sortby": "+title", "explain": "true"},
    "limit 100": {"limit": "100"},
    "sbert": {"algorithm": "sbert"},
}
_FORMATS = ("json", "atom", "csv", "bibtex", "ris", "csl", "html")


def option_calls() -> Iterator[Call]:
    for (name, options), topic in product(_OPTIONS.items(), ("precipitation in the Pacific", "")):
        yield Call(f"search {name}: {topic}", "/search", {"q": topic, **options})
    for name in _FORMATS:
        yield Call(f"search as {name}", "/search", {"q": "sea ice", "f": name}, pages=1)
    yield Call("search as accepted", "/search", {"q": "sea ice"}, accept="text/html")
    for topic, course in product(("precipitation", "sea ice", "radiosondes over the ocean", ""), _COURSES):
        yield Call(f"search pages {course['algorithm']}: {topic}", "/search", {"q": topic, **course}, pages=3)
    yield Call("search far pages", "/search", {"q": "temperature", "limit": "100"}, pages=6)
    yield Call("search sorted pages", "/search", {"q": "temperature", "sortby": "-updated", "limit": "50"}, pages=6)
    for number, topic in enumerate(_TOPICS[:4]):
        body = {"q": topic, "facets": ["type", "decade"], "limit": 5}
        yield Call(f"search by POST {number}", "/search", method="POST", body=body)
    yield Call("search by form", "/search", method="POST", form={"q": "sea ice", "limit": "3"})
    for q in (
        "precipitaton",
        "tempreature of the oceen",
        "10.5065/D6",
        "zzqqy",
        "*",
        '"sea ice"',
        "a" * 900,
        "北海道 降水",
    ):
        yield Call(f"search odd: {q[:40]}", "/search", {"q": q, "highlight": "true"})


def judged_questions(shared: Path) -> dict[str, list[str]]:
    """The questions of every judged set, by its name."""
    quality, folder = CHECKOUT / "tests" / "quality", shared / "judged"
    cranfield = json.loads((folder / "cranfield" / "cran.qry.json").read_text("utf-8"))
    pubmed_entries = json.loads(gzip.decompress((folder / "pubmedqa" / "ori_pqal.json.gz").read_bytes()))
    with (folder / "pira" / "validation.csv").open(encoding="utf-8", newline="") as file:
        pira = [row["question_en_origin"] for row in csv.DictReader(file)]
    languages = _lines(CHECKOUT / "samples" / "questions_languages.jsonl")
    return {
        "samples": [line["q"] for line in _lines(CHECKOUT / "samples" / "questions.jsonl")],
        "languages": [line[code] for line in languages for code in ("de", "fr", "es", "it")],
        "keyword": [line["text"] for line in _lines(folder / "keyword_questions" / "questions.jsonl")],
        "ncar": [line["text"] for line in _lines(quality / "ncar" / "queries.jsonl")],
        "typed": [line["text"] for line in _lines(quality / "typed" / "questions.jsonl")],
        "places": [line["question"] for line in _lines(quality / "ask_places.jsonl")],
        "nonsense": [line["text"] for line in _lines(quality / "nonsense.jsonl")],
        "cranfield": [entry["query"] for entry in cranfield],
        "climate_fever": [line["claim"] for line in _lines(folder / "climate_fever" / "climate-fever.jsonl")],
        "pubmedqa": [entry["QUESTION"] for entry in pubmed_entries.values()],
        "pira": pira,
    }


def spread(values: Sequence[str], limit: int) -> list[str]:
    """At most so many of them, evenly spread."""
    step = max(1, -(-len(values) // limit))
    return list(values[::step])


def _lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def ask_calls() -> Iterator[Call]:
    questions = [line["question"] for line in _lines(CHECKOUT / "tests" / "quality" / "pdf_questions.jsonl")]
    for question in spread(questions, 24):
        yield Call(f"ask: {question}", "/ask", method="POST", body={"question": question})
    places = [line["question"] for line in _lines(CHECKOUT / "tests" / "quality" / "ask_places.jsonl")]
    for question in spread(places, 6):
        yield Call(f"ask place: {question}", "/ask", method="POST", body={"question": question})
    first = questions[0]
    bodies: Mapping[str, Json] = {
        "top_k": {"top_k": 3},
        "threshold": {"threshold": 0.9},
        "turns": {"turns": [{"question": first, "answer": "netCDF"}], "question": "And who wrote it?"},
        "section": {"section_role": ["methods"]},
        "box": {"bbox": "-130,20,-60,55"},
        "record": {"record": "samples:camels-gb"},
        "source": {"source": ["samples"]},
        "stream": {"stream": True},
    }
    for name, members in bodies.items():
        yield Call(f"ask with {name}", "/ask", method="POST", body={"question": first, **members})
    yield Call("ask as a stream", "/ask", method="POST", body={"question": first}, accept="text/event-stream")


def listing_calls(ids: Ids, items: Sequence[str], documents: Sequence[str]) -> Iterator[Call]:
    """Everything besides questions; ``items``: ids of STAC, ``documents``: of public documents."""
    yield from _fixed_calls()
    for source in SOURCES:
        records = ids(source)
        yield from _catalogue_calls(source, records)
        for record in records:
            yield from _record_calls(source, record)
    yield from _oai(ids("samples")[0])
    yield from _csw(ids("samples")[0])
    yield from _stac(items)
    for number, document in enumerate(documents):
        yield from _document_calls(number, document)
    table = {"questions": ["Which method was used?", "What is the study about?"], "documents": list(documents[:3])}
    for form in ("json", "csv"):
        yield Call(f"ask compare {form}", "/ask/compare", method="POST", body={**table, "f": form})
    for q in ("r", "rain", "sea i", "ber", "ERA", "mod", "precipitation da", "zzzz", "fide"):
        yield Call(f"suggest {q}", "/suggest", {"q": q})
        yield Call(f"suggest opensearch {q}", "/suggest/opensearch", {"q": q, "limit": "3"})
    for kind in ("query", "document"):
        body = {"input": ["rain in Berlin", "sea ice extent"], "kind": kind}
        yield Call(f"embeddings {kind}", "/embeddings", method="POST", body=body)
    yield from _steward()
    yield from _refused_calls()


_FIXED_REQUESTS = (
    "/", "/api", "/conformance", "/collections", "/collections/all", "/collections/all/queryables", "/docs", "/search",
    "/collections/all/sortables", "/opensearch.xml", "/robots.txt", "/sitemap.xml", "/sources", "/sources/samples",
    "/documents", "/answers", "/stac", "/stac/conformance", "/stac/queryables", "/stac/sortables", "/stac/collections",
    "/stac/collections-queryables", "/stac/aggregations", "/stac/children", "/embed",
)  # fmt: skip


def _fixed_calls() -> Iterator[Call]:
    for path in _FIXED_REQUESTS:
        yield Call(f"{path}", path)
        yield Call(f"{path} for a browser", path, accept="text/html")
    yield Call("/api 3.0", "/api", accept="application/vnd.oai.openapi+json;version=3.0")
    for name in (None, "turtle", "jsonld", "rdf", "nope"):
        yield Call(f"/dcat as {name}", "/dcat", {"limit": "20", **({"f": name} if name else {})})
    yield Call("/dcat of a catalogue", "/dcat", {"source": "samples", "limit": "50"}, accept="text/turtle")
    for tool in ("initialize", "tools/list"):
        body = {"jsonrpc": "2.0", "id": 1, "method": tool, "params": {}}
        yield Call(f"mcp {tool}", "/mcp", method="POST", body=body, accept="application/json, text/event-stream")
    tool_call = {"name": "search", "arguments": {"q": "sea ice"}}
    body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": tool_call}
    yield Call("mcp call", "/mcp", method="POST", body=body, accept="application/json, text/event-stream")


def _catalogue_calls(source: str, records: Sequence[str]) -> Iterator[Call]:
    base = f"/collections/{source}"
    for path in ("", "/queryables", "/sortables", "/fair"):
        yield Call(f"catalogue {source}{path}", f"{base}{path}")
    queries: Mapping[str, Json] = {
        "first": {"limit": "3"},
        "box": {"bbox": "-20,30,40,70", "limit": "3"},
        "time": {"datetime": "1990-01-01/1999-12-31", "limit": "3"},
        "words": {"q": "temperature,rain", "limit": "3"},
        "sorted": {"sortby": "-updated,+title", "limit": "3"},
        "type": {"type": "dataset", "limit": "3"},
        "filter": {"filter": "title LIKE '%sea%'", "limit": "3"},
        "filter null": {"filter": "license IS NULL AND updated > DATE('2010-01-01')", "limit": "3"},
        "html": {"f": "html", "limit": "3"},
        "ids": {"ids": ",".join(records[:2])},
        "external": {"externalIds": "aeronet-v3"},
    }
    for name, query in queries.items():
        yield Call(f"items {source} {name}", f"{base}/items", query, pages=1)
    yield Call(f"stac collection {source}", f"/stac/collections/{source}")
    for path in ("/queryables", "/sortables", "/aggregations"):
        yield Call(f"stac collection {source}{path}", f"/stac/collections/{source}{path}")
    yield Call(f"stac items {source}", f"/stac/collections/{source}/items", {"limit": "3"}, pages=2)


_RECORD_FORMS = (
    "json", "jsonld", "croissant", "dcat", "rdf", "iso19139", "dc", "bibtex", "ris", "csl", "native", "html", "nope",
)  # fmt: skip


def _record_calls(source: str, record: str) -> Iterator[Call]:
    base = f"/collections/{source}/items/{record}"
    yield Call(f"record {record}", base)
    yield Call(f"record {record} short", f"/records/{record}")
    yield Call(f"record {record} for a browser", base, accept="text/html")
    for name in _RECORD_FORMS:
        yield Call(f"record {record} as {name}", base, {"f": name})
    for path in ("similar", "kin", "fair", "provenance", "citations"):
        yield Call(f"record {record} {path}", f"{base}/{path}")
    if source == "samples":  # whose records name no host for granules
        yield Call(f"record {record} granules", f"{base}/granules")


def _oai(record: str) -> Iterator[Call]:
    identifier = {"identifier": f"oai:sonde:{record}"}
    verbs: Mapping[str, Json] = {
        "Identify": {},
        "ListMetadataFormats": {},
        "ListSets": {},
        "ListIdentifiers": {"metadataPrefix": "oai_dc", "set": "samples"},
        "ListRecords": {"metadataPrefix": "oai_dc"},
        "GetRecord": {"metadataPrefix": "oai_dc", **identifier},
        "Nothing": {},
    }
    for verb, arguments in verbs.items():
        yield Call(f"oai {verb}", "/oai", {"verb": verb, **arguments})
    for prefix in ("iso19139", "nope"):
        yield Call(f"oai ListRecords {prefix}", "/oai", {"verb": "ListRecords", "metadataPrefix": prefix})
    yield Call("oai from", "/oai", {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc", "from": "2030-01-01"})
    yield Call("oai by form", "/oai", method="POST", form={"verb": "Identify"})


_CSW_FILTER = """<csw:GetRecords xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" xmlns:ogc="http://www.opengis.net/ogc"
 service="CSW" version="2.0.2" resultType="results" maxRecords="5"><csw:Query typeNames="csw:Record">
<csw:ElementSetName>full</csw:ElementSetName><csw:Constraint version="1.1.0"><ogc:Filter><ogc:PropertyIsLike
 wildCard="%" singleChar="_" escapeChar="\\"><ogc:PropertyName>csw:AnyText</ogc:PropertyName><ogc:Literal>%ice%</ogc:Literal>
</ogc:PropertyIsLike></ogc:Filter></csw:Constraint></csw:Query></csw:GetRecords>"""  # noqa: E501 - one request, as it is sent


def _csw(record: str) -> Iterator[Call]:
    base = {"service": "CSW", "version": "2.0.2"}
    records = {**base, "request": "GetRecords", "resultType": "results", "typeNames": "csw:Record"}
    requests: Mapping[str, Json] = {
        "GetCapabilities": {"service": "CSW", "request": "GetCapabilities"},
        "GetCapabilities 3": {"service": "CSW", "request": "GetCapabilities", "acceptVersions": "3.0.0"},
        "DescribeRecord": {**base, "request": "DescribeRecord"},
        "GetDomain": {**base, "request": "GetDomain", "propertyName": "dc:type"},
        "GetRecordById": {**base, "request": "GetRecordById", "id": record, "elementSetName": "full"},
        "GetRecordById iso": {
            **base, "request": "GetRecordById", "id": record, "outputSchema": "http://www.isotc211.org/2005/gmd",
        },
        "GetRecords": {**records, "elementSetName": "full", "maxRecords": "5"},
        "GetRecords brief": {**records, "elementSetName": "brief", "startPosition": "11"},
        "GetRecords hits": {**records, "resultType": "hits"},
        "GetRecords cql": {
            **records, "constraintLanguage": "CQL_TEXT", "constraint": "AnyText LIKE '%ice%'",
            "constraint_language_version": "1.1.0",
        },
        "GetRecords 3": {
            "service": "CSW", "version": "3.0.0", "request": "GetRecords", "typeNames": "csw:Record", "q": "sea ice",
            "bbox": "-20,30,40,70", "elementSetName": "summary",
        },
        "nothing": {"service": "CSW", "request": "Nothing"},
    }  # fmt: skip
    for name, query in requests.items():
        yield Call(f"csw {name}", "/csw", query)
    yield Call("csw by POST", "/csw", method="POST", text=_CSW_FILTER, media_type="application/xml")


def _stac(items: Sequence[str]) -> Iterator[Call]:
    queries: Mapping[str, Json] = {
        "all": {},
        "box": {"bbox": "-20,30,40,70"},
        "time": {"datetime": "1990-01-01T00:00:00Z/2000-01-01T00:00:00Z"},
        "collections": {"collections": "samples,second_formats"},
        "sorted": {"sortby": "-datetime"},
        "fields": {"fields": "id,properties.title"},
        "filter": {"filter": "title LIKE '%temperature%'"},
        "words": {"q": "rain"},
        "ids": {"ids": ",".join(items)},
    }
    for name, query in queries.items():
        yield Call(f"stac search {name}", "/stac/search", {"limit": "5", **query}, pages=1)
    body = {"limit": 5, "intersects": {"type": "Point", "coordinates": [10.0, 50.0]}, "sortby": [{"field": "id"}]}
    yield Call("stac search by POST", "/stac/search", method="POST", body=body)
    names = "total_count,datetime_min,datetime_max,collection_frequency,datetime_frequency"
    for query in ({}, {"aggregations": names}, {"aggregations": names, "bbox": "-20,30,40,70"}, {"aggregations": "no"}):
        yield Call(f"stac aggregate {query}", "/stac/aggregate", query)
    yield Call("stac aggregate by POST", "/stac/aggregate", method="POST", body={"aggregations": ["total_count"]})
    for item in items:
        yield Call(f"stac item {item}", f"/stac/collections/{item.partition(':')[0]}/items/{item}")


def _document_calls(number: int, document: str) -> Iterator[Call]:
    base = f"/documents/{document}"
    for path, query in (
        ("", {}), ("", {"f": "html"}), ("/passages", {"limit": "5"}), ("/passages/0", {}), ("/passages/1", {}),
        ("/passages/100000", {}), ("/tables/1", {}), ("/tables/1", {"f": "csv"}), ("/file", {}),
    ):  # fmt: skip
        yield Call(f"document {number}{path} {query}", base + path, query)


def _steward() -> Iterator[Call]:
    """What stewards read."""
    for path in (
        "/harvest/sources", "/harvest/sources/samples", "/harvest/sources/samples/quality", "/harvest/runs",
        "/insight/summary", "/insight/queries", "/insight/measurements", "/insight/alerts", "/insight/collection",
        "/insight/records/samples:camels-gb", "/curation/pins", "/curation/blocks", "/curation/boosts",
        "/curation/synonyms", "/curation/places", "/curation/overlays", "/curation/drafts", "/curation/history",
        "/curation/nothing", "/library/documents", "/library/collections", "/saved-searches", "/desk", "/my-documents",
    ):  # fmt: skip
        yield Call(f"steward {path}", path, steward=True)
        yield Call(f"anybody {path}", path)


def _refused_calls() -> Iterator[Call]:
    refused_bodies: Sequence[tuple[str, Json]] = (
        ("/search", {"q": "x", "nope": "1"}), ("/search", {"limit": "0"}), ("/search", {"limit": "x"}),
        ("/search", {"bbox": "1,2,3"}), ("/search", {"bbox": "1,80,2,10"}), ("/search", {"datetime": "yesterday"}),
        ("/search", {"q": "x" * 5000}), ("/search", {"relation": "within"}), ("/search", {"cursor": "abc"}),
        ("/search", {"place": "Europe", "bbox": "1,2,3,4"}), ("/search", {"filter": "a = = b"}),
        ("/search", {"f": "x"}),
        ("/search", {"place": "Nowhereville-on-Sea"}), ("/search", {"sortby": "-nothing"}),
        ("/search", {"scope": "mine"}),
        ("/collections/none/items", {}), ("/collections/samples/items/none", {}), ("/nothing", {}), ("/suggest", {}),
        ("/collections/samples/items", {"limit": "100000"}), ("/stac/collections/none", {}), ("/documents/none", {}),
    )  # fmt: skip
    for path, query in refused_bodies:
        yield Call(f"refused {path} {json.dumps(query)[:80]}", path, query)
    yield Call("refused for a browser", "/nothing", accept="text/html")
    yield Call("refused method", "/search", method="DELETE")
    yield Call("refused body", "/search", method="POST", text="{", media_type="application/json")
    yield Call("refused type", "/search", method="POST", text="q=a", media_type="text/plain")
    yield Call("refused ask", "/ask", method="POST", body={"question": ""})
    yield Call("refused embeddings", "/embeddings", method="POST", body={"input": ["x"], "model": "none"})
    yield Call("refused record", "/collections/samples/items", method="POST", body={"id": "x"})
