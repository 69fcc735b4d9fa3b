"""What a steward reads: real numbers and names, one example for each kind, no words of a library."""

from __future__ import annotations

import pytest

from indexer.formats.registry import read
from indexer.quality.quality import quality_page, summary
from indexer.raw import RawRecord, RecordRefused
from indexer.store.bulk import _reason

_LIBRARY = ("Exception", "AttValue", "xmlParse", "StartTag", "EntityRef", "PCDATA", "[1:")


def test_findings_are_grouped_by_kind_and_show_the_words_and_numbers_of_one() -> None:
    said = ["latitude 95.2 outside -90..90", "latitude -91 outside -90..90", "title: none given"]
    documents = [{"id": f"s:{index}", "title": "T", "warnings": [text]} for index, text in enumerate(said)]

    report = summary("s", documents)

    assert [(found.sentence, found.count) for found in report.repaired] == [
        ("latitude 95.2 outside -90..90 (and others like it)", 2),
        ("title: none given", 1),
    ]
    assert "latitude 95.2 outside -90..90" in quality_page(report)
    assert "#" not in "".join(found.sentence for found in report.repaired)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<a b=c/>", "an attribute has no quotes around its value (line 1, column 6)"),
        (b"<a>R&D</a>", 'a "&" is not written as "&amp;"'),
        (b"<a>1 < 2</a>", 'a "<" is not written as "&lt;"'),
        (b"<a><b></a></b>", "an element ends with the tag of another one"),
        (b"<a><b>", "it breaks off"),
        (b"<a/><b/>", "something follows behind its end"),
        (b"<a b='1' b='2'/>", "an element has the same attribute twice"),
        (b"<a b/>", "an attribute has no value"),
    ],
)
def test_broken_xml_is_told_in_plain_words_with_its_place(content: bytes, said: str) -> None:
    with pytest.raises(RecordRefused) as refused:
        read(RawRecord("a.xml", content, "a.xml"), "s")
    assert said in str(refused.value)
    assert not any(word in str(refused.value) for word in _LIBRARY)


def test_what_elasticsearch_refuses_is_told_by_field() -> None:
    shape = {
        "type": "document_parsing_exception",
        "reason": "[1:771] failed to parse field [extent] of type [geo_shape] in document with id 's:x'. "
        "Preview of field's value: '{a=1}'",
        "caused_by": {"type": "illegal_argument_exception", "reason": "java.lang.IllegalArgumentException: a hole"},
    }
    long = {"type": "illegal_argument_exception", "reason": 'Document contains an immense term in field="identifier"'}
    assert _reason(400, shape) == "400 its extent cannot be used: a hole"
    assert "its identifier is longer than" in _reason(400, long)
