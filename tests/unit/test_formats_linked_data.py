"""JSON-LD and RDF: contexts inside the document, blank nodes, licences in words, schema.org beside DCAT; the survey."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.record import Contact, Record
from indexer.formats.json_documents.rdf import looks_like_turtle
from indexer.formats.recognition import recognise
from indexer.formats.registry import read
from indexer.formats.splitting.split import split
from indexer.raw import RawRecord
from tests.unit import second_formats
from tests.unit.format_documents import DOCUMENTS, survey_document

PREFIXES = """@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
"""


def _read(document: Any) -> Record:
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    return read(RawRecord("file", content, "file"), "test")


def test_the_documents_own_context_says_what_its_names_and_addresses_are():
    found = _read(
        {
            "@context": {
                "ex": "https://data.example.org/",
                "id": "@id",
                "art": "@type",
                "naam": "http://purl.org/dc/terms/title",
                "dct": "http://purl.org/dc/terms/",
                "licence": {"@id": "dct:license", "@type": "@id"},
                "cc": "https://creativecommons.org/licenses/",
            },
            "id": "ex:set/1",
            "art": "http://www.w3.org/ns/dcat#Dataset",
            "naam": "Rain",
            "dct:description": "Daily sums.",
            "licence": "cc:by/4.0/",
            "dct:isPartOf": {"id": "ex:series"},
        }
    )
    assert (found.identifier, found.title, found.native_format) == ("https://data.example.org/set/1", "Rain", "dcat")
    assert (found.licence, found.parent) == ("CC-BY-4.0", "https://data.example.org/series")


def test_the_base_of_a_graph_completes_the_addresses_in_it():
    document = {
        "@context": [{"@base": "https://data.example.org/"}, "https://schema.org/"],
        "@graph": [
            {"@id": "set/1", "@type": "Dataset", "name": "Rain", "creator": {"@id": "#ada"}},
            {"@id": "#ada", "@type": "Person", "name": "Ada"},
        ],
    }
    found = _read(document)
    assert (found.identifier, found.contacts) == ("https://data.example.org/set/1", (Contact("Ada", None, "author"),))


def test_blank_nodes_are_neither_records_nor_contacts():
    document = {
        "@context": "https://schema.org/",
        "@graph": [
            {"@id": "https://a.org/1", "@type": "Dataset", "name": "Rain", "isBasedOn": {"@id": "_:source"},
             "creator": [{"@id": "_:nobody"}, {"@id": "_:ada"}]},
            {"@id": "_:source", "@type": "Dataset", "name": "Gauges"},
            {"@id": "_:ada", "@type": "Person", "name": "Ada"},
        ],
    }  # fmt: skip
    assert len(split(json.dumps(document).encode()).records) == 1
    found = _read(document)
    assert (found.title, found.contacts) == ("Rain", (Contact("Ada", None, "author"),))
    turtle = PREFIXES + (
        '<https://a.org/1> a dcat:Dataset ; dct:title "Rain" ; dct:source [ a dcat:Dataset ; dct:title "Gauges" ] ;'
        " dct:creator [ a foaf:Person ] ."
    )
    found = _read(turtle.encode())
    assert (found.title, found.contacts) == ("Rain", ())


def test_a_blank_node_alone_is_a_record_under_the_sources_own_name():
    found = _read({"@context": "http://www.w3.org/ns/dcat#", "@id": "_:b0", "@type": "Dataset", "title": "Rain"})
    assert (found.identifier, found.title) == ("file", "Rain")


@pytest.mark.parametrize(
    ("licence", "expected", "constraints", "access"),
    [
        ('[ a dct:LicenseDocument ; rdfs:label "Internal use only" ]', None, ("Internal use only",), "restricted"),
        ('[ a dct:LicenseDocument ; rdfs:label "CC BY 4.0" ]', "CC-BY-4.0", ("CC BY 4.0",), "open"),
        ('[ a dct:LicenseDocument ; dct:title "Ask the office." ]', None, ("Ask the office.",), "open"),
        ("[ a dct:LicenseDocument ]", None, (), "open"),
        ("<https://a.org/terms>", "https://a.org/terms", (), "open"),
    ],
)
def test_a_licence_in_a_blank_node_is_what_it_says_and_never_its_class(licence, expected, constraints, access):
    turtle = PREFIXES + f'<https://a.org/1> a dcat:Dataset ; dct:title "Rain" ; dct:license {licence} .'
    found = _read(turtle.encode())
    assert (found.licence, found.constraints, found.access) == (expected, constraints, access)
    ours = json.loads(split((turtle + " <https://a.org/2> a dcat:Dataset .").encode()).records[0].content)
    assert _read(ours).licence == expected


@pytest.mark.parametrize(
    "document",
    [
        {"@context": "https://schema.org/", "@type": "Dataset", "@id": "https://a.org/1", "description": "Rain."},
        {"@type": "schema:Dataset", "schema:description": "Rain.", "@id": "https://a.org/1"},
        {"@context": {"@vocab": "http://schema.org/"}, "@type": "Dataset", "title": "?", "@id": "https://a.org/1"},
    ],
)
def test_a_data_set_of_schema_org_without_a_name_is_schema_org(document):
    content = json.dumps(document).encode()
    assert recognise(content).format == "schema.org"
    assert _read(document).identifier == "https://a.org/1"


def test_several_of_them_in_a_graph_are_parted_as_schema_org():
    for name, content in second_formats.of("ESIPFed+science-on-schema.org/examples").items():
        assert {record.native_format for record in second_formats.records(content, name)} == {"schema.org"}, name


def test_the_same_service_in_turtle_and_json_ld_has_the_same_identifier():
    folder = "SEMICeu+DCAT-AP/releases_2.2.0-hvd_html_examples_example-data_service_service_desk"
    both = [second_formats.records(content, name) for name, content in second_formats.of(folder).items()]
    assert [[record.identifier for record in found] for found in both] == [
        ["https://data.exampleMS.gov/id/dataset/EAMS-APIplatform"]
    ] * 2


@pytest.mark.parametrize(
    "content", [b"<metadata>\n  <idinfo/></metadata>", b"<Collection> <ShortName>A</ShortName>", b"<a/> <b/>"]
)
def test_xml_without_declaration_and_namespace_is_no_turtle(content):
    assert not looks_like_turtle(content)


@pytest.mark.parametrize(
    "content",
    [
        b"<https://a.org/1> a <http://b.org/C> .",
        b"<urn:x:1> <http://p.org/q> 1 .",
        b"<#it> a <#that> .",
        b"_:b a <#c> .",
    ],
)
def test_turtle_without_prefixes_is_turtle(content):
    assert looks_like_turtle(content)


def test_the_survey_reads_as_the_harvest_does():
    bare = {name: content for name, content in DOCUMENTS.items() if name in ("echo10", "fgdc", "dif")}
    for name, content in bare.items():
        without = content[content.index(b"?>") + 2 :].lstrip() if content.startswith(b"<?xml") else content
        found = survey_document(name, without)
        assert (sum(found.records.values()), found.refusals) == (1, {}), name
    several = DOCUMENTS["echo10"] + b"\n"
    assert survey_document("x", several).share() == 1.0


NEW = "https://doi.org/10.5555/new"
SUCCEEDED = {
    "datacite": json.dumps(
        {
            "titles": [{"title": "Snow"}], "doi": "10.5555/old", "publicationYear": 2020,
            "relatedIdentifiers": [
                {"relatedIdentifier": "10.5555/new", "relationType": "IsPreviousVersionOf"}
            ],
        }
    ),
    "stac": json.dumps(
        {
            "type": "Collection", "stac_version": "1.0.0", "id": "snow", "description": "Snow.", "license": "MIT",
            "extent": {"spatial": {"bbox": [[5, 45, 10, 48]]}, "temporal": {"interval": [["2001-01-01", None]]}},
            "links": [{"rel": "successor-version", "href": NEW}],
        }
    ),
    "ogc-record": json.dumps(
        {
            "type": "Feature", "id": "snow", "geometry": None, "properties": {"type": "dataset", "title": "Snow"},
            "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"],
            "links": [{"rel": "successor-version", "href": NEW}],
        }
    ),
    "dcat": PREFIXES + f'<https://x.example/old> a dcat:Dataset ; dct:title "Snow" ; dct:isReplacedBy <{NEW}> .',
    "dublin-core": (
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/"><dc:title>Snow</dc:title><dc:identifier>x1</dc:identifier>'
        "<dct:isReplacedBy>doi:10.5555/new</dct:isReplacedBy></oai_dc:dc>"
    ),
}  # fmt: skip


@pytest.mark.parametrize("format", SUCCEEDED)
def test_what_replaces_a_data_set_is_a_link(format: str) -> None:
    found = _read(SUCCEEDED[format].encode())
    assert found.native_format == format
    assert [link.href for link in found.links if link.rel == "successor-version"] == [NEW]
