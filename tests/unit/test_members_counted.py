"""A law of every container: read, refused and passed over are together what is there; survey and harvest agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.survey import Survey, survey_of
from indexer.sources.folder import FolderSource
from sonde.cli.formats import formats
from tests.shared_data import shared_data
from tests.unit.format_documents import survey_document

Good = Callable[[int], object]

_RECORD_CORE = "http://www.opengis.net/spec/ogcapi-records-1/1.0/req/record-core"


def _feature(number: int) -> object:
    properties = {"type": "dataset", "title": f"Gauge {number}", "description": "Hourly levels."}
    return {
        "type": "Feature",
        "id": f"g{number}",
        "geometry": None,
        "conformsTo": [_RECORD_CORE],
        "properties": properties,
    }


def _collection(number: int) -> object:
    extent = {"spatial": {"bbox": [[0, 0, 1, 1]]}, "temporal": {"interval": [[None, None]]}}
    stac = {"type": "Collection", "stac_version": "1.0.0", "license": "CC0-1.0", "links": []}
    return {**stac, "id": f"c{number}", "description": "Scenes.", "extent": extent}


def _data_set(number: int) -> object:
    return {"@type": "dcat:Dataset", "identifier": f"d{number}", "title": f"Counts {number}", "description": "Of fish."}


def _schema_org(number: int) -> object:
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "@id": f"https://x.example.org/{number}",
        "name": f"S{number}",
    }


def _datacite(number: int) -> object:
    attributes = {"doi": f"10.5072/{number}", "titles": [{"title": f"Core {number}"}], "creators": []}
    return {"id": f"10.5072/{number}", "type": "dois", "attributes": attributes}


def _package(number: int) -> object:
    return {
        "id": f"p{number}",
        "name": f"n{number}",
        "title": f"T{number}",
        "notes": "N.",
        "resources": [],
        "extras": [],
    }


def _solr(number: int) -> object:
    return {
        "id": f"m{number}",
        "gbl_mdVersion_s": "Aardvark",
        "dct_title_s": f"Map {number}",
        "gbl_resourceClass_sm": ["Maps"],
    }


_JSON: dict[str, tuple[Good, Callable[[list[object]], object]]] = {
    "features": (_feature, lambda some: {"type": "FeatureCollection", "features": some}),
    "collections": (_collection, lambda some: {"collections": some, "links": []}),
    "data.json": (_data_set, lambda some: {"@type": "dcat:Catalog", "dataset": some}),
    "catalogue in a catalogue": (_data_set, lambda some: {"dataset": [], "catalog": [{"title": "c", "dataset": some}]}),
    "ckan": (_package, lambda some: {"success": True, "result": {"count": len(some), "results": some}}),
    "datacite": (_datacite, lambda some: {"data": some, "meta": {}}),
    "solr": (_solr, lambda some: {"response": {"docs": some}}),
    "list": (_solr, lambda some: some),
    "graph": (_schema_org, lambda some: {"@context": "https://schema.org/", "@graph": some}),
    "graph as a list": (_schema_org, lambda some: some),
}

_ODD = st.sampled_from(
    [None, "a string", 7, True, [], {}, {"@type": "Dataset"}, {"@type": "Person", "name": "Ada"},
     {"title": "only a title"}, {"type": "Feature", "id": "x", "properties": None}, {"foo": {"bar": [1]}}]
)  # fmt: skip


def _all(found: Survey) -> tuple[int, int, int]:
    refused = sum(map(len, found.refusals.values()))
    return sum(found.records.values()), refused, sum(found.passed_over.values())


@pytest.mark.parametrize("kind", _JSON)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_each_member_of_a_json_container_is_counted(kind: str, data: st.DataObject) -> None:
    good, container = _JSON[kind]
    odd = data.draw(st.lists(_ODD, max_size=5))
    number = data.draw(st.integers(min_value=2, max_value=4))
    members = data.draw(st.permutations([*odd, *(good(each) for each in range(number))]))
    read, refused, passed_over = _all(survey_document("f", json.dumps(container(list(members))).encode()))
    assert read + refused + passed_over == len(members)
    assert read == number
    assert refused >= sum(one is None or one == "a string" for one in odd)


_ISO = (
    '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">'
    "<gmd:fileIdentifier><gco:CharacterString>i{n}</gco:CharacterString></gmd:fileIdentifier><gmd:identificationInfo>"
    "<gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation><gmd:title><gco:CharacterString>T{n}</gco:CharacterString>"
    "</gmd:title></gmd:CI_Citation></gmd:citation></gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>"
)
_CSW = '<r:GetRecordsResponse xmlns:r="http://www.opengis.net/cat/csw/2.0.2"><r:SearchResults>{}</r:SearchResults></r:GetRecordsResponse>'
_OAI = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>{}<resumptionToken/></ListRecords></OAI-PMH>'


def _oai(header: str, inside: str) -> str:
    return f"<record><header{header}><identifier>o</identifier></header>{inside}</record>"


_XML: dict[str, tuple[str, Callable[[str], str], list[str]]] = {
    "csw": (_CSW, str, ["<foo/>", '<foo xmlns="urn:x"><bar>1</bar></foo>', "<gmd:MD_Metadata xmlns:gmd='http://www.isotc211.org/2005/gmd'/>"]),
    "oai": (
        _OAI,
        lambda record: _oai("", f"<metadata>{record}</metadata>"),
        [_oai(' status="deleted"', ""), _oai("", ""), _oai("", "<metadata><foo><bar/></foo></metadata>")],
    ),
    "any": ("<all>{}</all>", str, ["<foo/>", "<note>text</note>"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", _XML)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_each_member_of_an_xml_answer_is_counted(kind: str, data: st.DataObject) -> None:
    envelope, wrapped, odd = _XML[kind]
    others = data.draw(st.lists(st.sampled_from(odd), max_size=4))
    number = data.draw(st.integers(min_value=2, max_value=4))
    members = data.draw(
        st.permutations([*others, *(wrapped(_ISO.replace("{n}", str(each))) for each in range(number))])
    )
    read, refused, passed_over = _all(survey_document("f", envelope.replace("{}", "".join(members)).encode()))
    assert read + refused + passed_over == len(members)
    assert read >= number


_PAGE = "<!doctype html><html><head>{}</head><body></body></html>"
_WRAPPINGS = [
    "{}",
    "<!--\n{}\n-->",
    "/*<![CDATA[*/{}/*]]>*/",
    "//<![CDATA[\n{}\n//]]>",
    "<!--//--><![CDATA[//><!--\n{}\n//--><!]]>",
]


@settings(deadline=None, max_examples=60)
@given(
    good=st.lists(st.tuples(st.sampled_from(_WRAPPINGS), st.booleans(), st.booleans()), min_size=2, max_size=4),
    broken=st.integers(min_value=0, max_value=2),
)
def test_each_script_of_a_page_is_read_or_refused(good: list[tuple[str, bool, bool]], broken: int) -> None:
    texts = []
    for number, (wrapping, trailing, main) in enumerate(good):
        node = _schema_org(number)
        text = json.dumps({"@context": "https://schema.org/", "@type": "WebPage", "mainEntity": node} if main else node)
        texts.append(wrapping.replace("{}", text[:-1] + ",}" if trailing else text))
    texts += ['{"@type":"Dataset","name": ,}'] * broken
    scripts = "".join(f'<script type="application/ld+json">{text}</script>' for text in texts)
    read, refused, _ = _all(survey_document("f", _PAGE.replace("{}", scripts).encode()))
    assert (read, refused) == (len(good), broken)


_GOOD = '{"@context":"https://schema.org/","@type":"Dataset","name":"Gauge"}'


@pytest.mark.parametrize(
    ("page", "counts"),
    [
        (f'<html><script type="application/ld+json">{_GOOD[:-9]}', (0, 1, 0)),
        ('<html><script type="application/ld+json"></script></html>', (0, 1, 0)),
        ('<html><script type="application/ld+json">null</script></html>', (0, 1, 0)),
        (f'<html><SCRIPT Type="Application/LD+JSON; charset=utf-8">{_GOOD}</SCRIPT></html>', (1, 0, 0)),
        (f'<html><script type="application/ld+json">\ufeff{_GOOD}</script></html>', (1, 0, 0)),
        (
            '<html><script type="application/ld+json"> </script>'
            f'<script type="application/ld+json">{_GOOD}</script></html>',
            (1, 0, 0),
        ),
    ],
)
def test_a_page_that_is_cut_or_lost_its_script_is_refused(page: str, counts: tuple[int, int, int]) -> None:
    assert _all(survey_document("f", page.encode())) == counts


def test_the_members_of_the_reported_containers() -> None:
    expected = {"features.json": 7, "collections.json": 3, "datacite.json": 4}
    for name, number in expected.items():
        content = shared_data("cases", "14-container-members", name).read_bytes()
        assert sum(_all(survey_document("f", content))) == number, name
    catalogue = survey_document("f", shared_data("cases", "31-data-json-broken-entry", "data.json").read_bytes())
    assert _all(catalogue) == (2, 3, 0)
    places = sorted(origin for origins in catalogue.refusals.values() for origin in origins)
    assert places == ["/f#entry 2 of dataset", "/f#entry 3 of dataset", "/f#entry 4 of dataset"]


def test_a_trailing_comma_inside_a_text_stays() -> None:
    page = _PAGE.replace("{}", '<script type="application/ld+json">{"@type":"Dataset","name":"a,} b,]",}</script>')
    assert _all(survey_document("p", page.encode())) == (1, 0, 0)


def _folder(folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps({"@type": "dcat:Catalog", "dataset": [_data_set(1), _data_set(2), None]}))
    (folder / "b.xml").write_text("<root/>")
    (folder / "c.nt").write_text(
        "<https://x.example.org/n> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
        "<http://www.w3.org/ns/dcat#Dataset> .\n"
        '<https://x.example.org/n> <http://purl.org/dc/terms/title> "N" .\n'
    )
    (folder / "d.geojson").write_text(json.dumps(_feature(4)))
    (folder / "e.pdf").write_bytes(b"%PDF")
    (folder / "f.mef").write_bytes(b"PK")
    (folder / "README").write_text("read me")
    (folder / ".hidden").write_text("x")


def test_files_are_read_or_counted_whatever_their_suffix(tmp_path: Path) -> None:
    _folder(tmp_path)
    found = survey_of(FolderSource(tmp_path).pages())
    assert _all(found) == (4, 2, 3)
    assert "files with the suffix .pdf are not read: documents belong to `sonde ingest`" in found.passed_over
    assert any("harvest it by itself" in reason for reason in found.passed_over)
    printed = CliRunner().invoke(formats, [str(tmp_path)], catch_exceptions=False).output
    assert "2 refused, 3 passed over" in printed


def test_a_folder_resumed_between_files_counts_each_passed_over_file_once(tmp_path: Path) -> None:
    _folder(tmp_path)
    pages = list(FolderSource(tmp_path, page_size=1).pages())
    whole = sum(one.count for page in pages for one in page.passed_over)
    for index, page in enumerate(pages):
        if page.position is not None:
            before = sum(one.count for each in pages[: index + 1] for one in each.passed_over)
            behind = FolderSource(tmp_path, page_size=1).pages(page.position)
            assert before + sum(one.count for each in behind for one in each.passed_over) == whole
