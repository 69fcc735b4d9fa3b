"""Bombs and tricks are refused by name: depth, size, entities, remote contexts."""

from __future__ import annotations

import json
import socket

import pytest

from indexer.formats.json_documents import parsing as json_document
from indexer.formats.json_documents import rdf
from indexer.formats.json_documents.parsing import parse_json
from indexer.formats.recognition import recognise
from indexer.formats.registry import read
from indexer.plan.parsed_record import parse
from indexer.raw import RawRecord, RecordRefused
from tests.unit.format_documents import DOCUMENTS


def _reason(content: bytes) -> str:
    with pytest.raises(RecordRefused) as caught:
        read(RawRecord("x", content, "/x"), "t")
    return str(caught.value)


@pytest.mark.parametrize("depth", [200, 100_000])
def test_deep_json_is_refused(depth):
    assert "nested deeper than 100 levels" in _reason(b'{"a":' * depth + b"1" + b"}" * depth)
    assert "nested deeper than 100 levels" in _reason(b"[" * depth + b"]" * depth)


def test_json_of_exactly_the_deepest_level_is_parsed():
    assert parse_json(b"[" * json_document.DEEPEST + b"]" * json_document.DEEPEST)
    with pytest.raises(RecordRefused):
        parse_json(b"[" * (json_document.DEEPEST + 2) + b"]" * (json_document.DEEPEST + 2))


def test_large_json_and_rdf_are_refused(monkeypatch):
    monkeypatch.setattr(json_document, "LARGEST_BYTES", 1000)
    monkeypatch.setattr(rdf, "LARGEST_BYTES", 1000)
    assert "more than 1000" in _reason(DOCUMENTS["ogc-record"])
    assert "more than 1000" in _reason(DOCUMENTS["dcat"])


def test_a_document_that_a_limit_refused_is_recognised_once_the_limit_allows_it(monkeypatch):
    content = DOCUMENTS["ogc-record"] + b" " * 7  # bytes that no other test has
    with monkeypatch.context() as low:
        low.setattr(json_document, "LARGEST_BYTES", 1000)
        assert recognise(content).format is None
    assert recognise(content).format == "ogc-record"


def test_a_number_of_many_digits_is_refused():
    assert "not well-formed JSON" in _reason(b'{"title": ' + b"9" * 10_000 + b"}")


def test_numbers_that_json_does_not_know_are_null():
    assert parse_json(b'{"a": NaN, "b": [Infinity, -Infinity]}') == {"a": None, "b": [None, None]}


def test_json_in_utf_16_with_a_mark_or_of_windows_is_read():
    assert parse_json(b"\xef\xbb\xbf" + '{"a": "é"}'.encode()) == {"a": "é"}
    assert parse_json('{"a": "é"}'.encode("utf-16")) == {"a": "é"}
    assert parse_json('{"a": "é"}'.encode("cp1252")) == {"a": "é"}


def test_half_of_a_surrogate_pair_is_replaced_and_a_whole_one_is_kept():
    names = {"dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/"}
    node = {"@type": "dcat:Dataset", "@id": "https://example.org/1", "dct:title": "Rain \ud800 \U0001f327"}
    content = json.dumps({"@context": names, **node})
    assert "\\ud83c\\udf27" in content
    made = parse(RawRecord("x", content.encode(), "/x"), "t")
    assert made.record.title == "Rain \ufffd \U0001f327"
    assert parse_json(b'{"\\uDFFF": 1}') == {"\ufffd": 1}


def test_line_and_column_of_broken_json_are_named():
    assert "line 2, column 1" in _reason(b'{"a": 1,\n}')


RDF = """<!DOCTYPE rdf:RDF [<!ENTITY a "boom">]><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:dcat="http://www.w3.org/ns/dcat#"><dcat:Dataset rdf:about="x"/></rdf:RDF>"""


def test_entities_in_rdf_are_refused():
    assert "document type" in _reason(RDF.encode())
    assert "document type" in _reason(
        RDF.replace("<!DOCTYPE", '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE').encode("utf-16")
    )
    literal = DOCUMENTS["dcat"].replace(b'"Checked by hand."', b"\"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>\"")
    assert "entities" in _reason(literal)


def test_broken_rdf_is_refused_with_its_line():
    reason = _reason(DOCUMENTS["dcat"].replace(b"dct:title", b"nowhere:title"))
    assert 'it is not well-formed RDF: Prefix "nowhere:" not bound (line ' in reason
    assert "b'" not in reason, "no bytes as Python writes them"


def test_a_remote_context_is_never_fetched(monkeypatch):
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    node = {
        "@context": ["https://context.example.org/evil.jsonld", {"@import": "https://context.example.org/more"}],
        "@type": "dcat:Dataset",
        "dct:title": "T",
        "dct:description": "D",
        "dct:publisher": {"@context": "https://context.example.org/inner", "foaf:name": "P"},
    }
    record = read(RawRecord("x", json.dumps(node).encode(), "/x"), "t")
    assert (record.title, record.contacts[0].organisation) == ("T", "P")


def test_nodes_that_refer_to_each_other_end():
    graph = {
        "@graph": [
            {"@id": "a", "@type": "dcat:Dataset", "dct:title": "A", "dct:relation": {"@id": "b"}},
            {"@id": "b", "dct:title": "B", "dct:relation": {"@id": "a"}},
        ]
    }
    assert read(RawRecord("x", json.dumps(graph).encode(), "/x"), "t").title == "A"
