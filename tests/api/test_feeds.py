"""The DCAT feed, the sitemap, OpenSearch and the formats they are made of."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.robotparser import RobotFileParser

import pytest
from lxml import etree
from rdflib import DCAT, DCTERMS, RDF, Graph, Literal, URIRef

from core.geo import BBox
from core.record import Contact, Keyword, Link, Record
from core.timespan import TimeSpan
from indexer.formats import registry
from indexer.raw import RawRecord
from search_api.formats_out import dcat, dublin_core, iso19139, schema_org, stac
from search_api.formats_out.formats import feed_writers
from search_api.formats_out.notations import iri
from tests.service import SAMPLES, Service

COUNT = len(list(SAMPLES.glob("*.xml")))
HYDRA_NEXT = URIRef("http://www.w3.org/ns/hydra/core#next")

NASTY = Record(
    id="s:x",
    source="s",
    identifier='<">&\x07',
    title='A "quoted" <title> & more\x00',
    abstract="line\none\\two'''\"\"\"",
    languages=("en", "xx-not-a-language", "e1"),
    keywords=(Keyword('rain"', "GCMD", "not an iri"), Keyword("snow", "GEMET", "http://x.example/a b<c>")),
    contacts=(Contact(name="N", email="a b@c"), Contact(organisation="O", role="publisher", email="nothing")),
    extents=(BBox(170.0, -20.0, -170.0, -10.0), BBox(1.0, 2.0, 1.0, 2.0)),
    times=(TimeSpan.from_iso("-9700-01-01", None),),
    licence="free as in <b>",
    links=(Link("ftp://h/a file.nc", "download", media_type="weird type"), Link("no address at all"), Link("")),
    doi='10.1/a"b<c>',
)


@pytest.mark.parametrize("syntax", ["turtle", "json-ld", "xml"])
def test_nasty_metadata_are_valid_rdf(syntax: dcat.Syntax) -> None:
    graph = Graph().parse(data=dcat.record_text(NASTY, "http://h/x", syntax), format=syntax)
    assert (URIRef("http://h/x"), RDF.type, DCAT.Dataset) in graph


def test_nasty_metadata_are_valid_xml_and_json() -> None:
    for element in (iso19139.metadata(NASTY), dublin_core.oai_dc(NASTY, "http://h/x")):
        again = etree.fromstring(etree.tostring(element))
        assert 'A "quoted" <title> & more' in " ".join(again.itertext())
    json.dumps(schema_org.dataset(NASTY, "http://h/x"))


def test_schema_org_says_what_search_engines_ask_for() -> None:
    said = schema_org.dataset(NASTY, "http://h/x")
    assert said["@type"] == "Dataset"
    assert said["temporalCoverage"] == "-9700-01-01T00:00:00Z/.."
    assert said["spatialCoverage"][0]["geo"]["box"] == "-20 170 -10 -170"
    assert said["spatialCoverage"][1]["geo"] == {"@type": "GeoCoordinates", "latitude": 2.0, "longitude": 1.0}
    assert said["distribution"][0]["contentUrl"] == "ftp://h/a file.nc"


def test_a_picture_goes_out_with_its_record() -> None:
    picture = Link("https://h.example/quick.png", "preview", media_type="image/png", name="Quick look")
    shown = replace(NASTY, links=(*NASTY.links, picture))
    written = etree.tostring(iso19139.metadata(shown))
    assert picture in registry.read(RawRecord("x", written, "x", None), "s").links
    assert schema_org.dataset(shown, "http://h/x")["thumbnailUrl"] == picture.href
    assert stac.item(shown, None, [])["assets"] == {
        "data-1": {"href": "ftp://h/a file.nc", "type": "weird type", "roles": ["data"]},
        "thumbnail-1": {"href": picture.href, "type": "image/png", "title": "Quick look", "roles": ["thumbnail"]},
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://h/a b", "http://h/a%20b"),
        ("http://h/a%20b", "http://h/a%20b"),
        ("urn:x:y", "urn:x:y"),
        ("plain words", None),
        ("", None),
        (None, None),
        ("http://h/<x>", "http://h/%3Cx%3E"),
    ],
)
def test_texts_become_iris_or_nothing(text: str | None, expected: str | None) -> None:
    assert iri(text) == expected


@pytest.mark.parametrize(("languages", "stated"), [(("de",), "de"), (("en", "de"), None), ((), None)])
def test_keywords_have_a_language_where_the_record_has_one(languages: tuple[str, ...], stated: str | None) -> None:
    record = Record("a", "s", "a", "Boden", languages=languages, keywords=(Keyword("Boden"),))
    graph = Graph().parse(data=dcat.record_text(record, "http://h/a", "turtle"), format="turtle")
    assert list(graph.objects(None, DCAT.keyword)) == [Literal("Boden", lang=stated)]


def test_the_dcat_feed_leads_through_every_record(samples: Service) -> None:
    address, found = "/dcat?limit=60", set()
    while address:
        graph = Graph().parse(data=samples.http.get(address).text, format="turtle")
        found |= {str(one) for one in graph.objects(None, DCAT.dataset)}
        found |= {str(one) for one in graph.objects(None, DCAT.service)}
        address = next((str(one).removeprefix("http://localhost") for one in graph.objects(None, HYDRA_NEXT)), "")
    assert len(found) == COUNT


def test_the_feed_speaks_the_syntax_that_is_accepted(samples: Service) -> None:
    for media_type, _ in feed_writers().values():
        assert samples.http.get("/dcat?limit=1", headers={"Accept": media_type}).mimetype == media_type
    assert samples.http.get("/dcat?source=nowhere").status_code == 404
    assert samples.http.get("/dcat?cursor=x").status_code == 400


def test_the_sitemap_names_every_record(samples: Service) -> None:
    index = etree.fromstring(samples.http.get("/sitemap.xml").data)
    pages: list[str] = []
    for part in index.iter("{*}loc"):
        address = str(part.text).removeprefix("http://localhost")
        pages += [str(one.text) for one in etree.fromstring(samples.http.get(address).data).iter("{*}loc")]
    assert len(pages) == len(set(pages)) == COUNT
    assert samples.http.get(pages[0].removeprefix("http://localhost")).status_code == 200
    assert samples.http.get("/sitemap.xml?after=x").status_code == 400


def test_the_sitemap_has_the_canonical_address_of_each_record(samples: Service) -> None:
    index = etree.fromstring(samples.http.get("/sitemap.xml").data)
    part = str(index.findtext(".//{*}loc")).removeprefix("http://localhost")
    listed = str(etree.fromstring(samples.http.get(part).data).findtext(".//{*}loc"))
    shown = samples.http.get(listed.removeprefix("http://localhost")).text
    assert f'<link rel="canonical" href="{listed}">' in shown


def test_robots_are_told_of_the_sitemap_and_of_what_is_computed(samples: Service) -> None:
    answer = samples.http.get("/robots.txt")
    assert answer.mimetype == "text/plain"
    assert "Sitemap: http://localhost/sitemap.xml" in answer.text.splitlines()
    rules = RobotFileParser()
    rules.parse(answer.text.splitlines())
    assert rules.can_fetch("any", "http://localhost/records/samples:era5")
    assert not rules.can_fetch("any", "http://localhost/search?q=rain")


@pytest.mark.parametrize(
    ("licence", "address"),
    [
        ("CC-BY-NC-4.0", "https://creativecommons.org/licenses/by-nc/4.0/"),
        ("CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
        ("Apache-2.0", "https://spdx.org/licenses/Apache-2.0"),
        ("https://a.example/terms", "https://a.example/terms"),
        ("ask the owner", "ask the owner"),
    ],
)
def test_a_licence_is_an_address_where_it_has_one(licence: str, address: str) -> None:
    record = Record("s:1", "s", "1", "T", licence=licence)
    assert schema_org.dataset(record, "https://a.example/1")["license"] == address
    graph = Graph().parse(data=dcat.record_text(record, "https://a.example/1", "turtle"), format="turtle")
    named = URIRef(address) if address.startswith("https") else None
    assert named is None or (None, DCTERMS.license, named) in graph


def test_opensearch_names_templates_that_answer(samples: Service) -> None:
    root = etree.fromstring(samples.http.get("/opensearch.xml").data)
    for url in root.iter("{*}Url"):
        address = str(url.get("template")).removeprefix("http://localhost").replace("{searchTerms}", "rain")
        answer = samples.http.get(address, headers={"Accept": str(url.get("type"))})
        assert (answer.status_code, answer.mimetype) == (200, url.get("type"))
