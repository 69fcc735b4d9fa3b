"""Documents of several records are parted the same way each time; what is one record stays as it is."""

# ruff: noqa: E501  # documents stand as they are written

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.registry import read, separate
from indexer.formats.splitting.split import split
from indexer.raw import RawRecord, RecordRefused
from tests.unit.format_documents import DOCUMENTS, TITLE, VARIANTS

OAI = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>
<record><header><identifier>oai:x:1</identifier></header><metadata>{one}</metadata></record>
<record><header status="deleted"><identifier>oai:x:2</identifier></header></record>
<record><header><identifier>oai:x:3</identifier></header><metadata>{two}</metadata></record>
</ListRecords></OAI-PMH>"""


def _split(content: bytes) -> list[tuple[str, bytes]]:
    return [(record.name, record.content) for record in split(content).records]


def _titles(content: bytes) -> dict[str, str]:
    return {name: read(RawRecord(name or "one", part, "/x"), "test").title for name, part in _split(content)}


def _xml(name: str) -> str:
    """A document without declaration and document type, to stand inside another."""
    text = DOCUMENTS[name].decode()
    return text[text.index("<", text.rfind("?>") + 1) :].split(">\n<metadata>")[-1]


@pytest.mark.parametrize("content", [*DOCUMENTS.values(), *VARIANTS.values()])
def test_a_single_record_comes_back_as_it_is(content):
    assert _split(content) == [("", content)]


@pytest.mark.parametrize("name", ["iso19139", "iso19115-3", "dublin-core", "datacite", "eml", "dif", "echo10"])
def test_oai_pmh_names_its_records_and_passes_over_deleted_ones(name):
    answer = OAI.format(one=_xml(name), two=_xml(name)).encode()
    assert _titles(answer) == {"oai:x:1": TITLE, "oai:x:3": TITLE}


def test_csw_and_cmr_answers():
    records = _xml("iso19139") + VARIANTS["dublin-core"].decode()
    csw = f'<csw:R xmlns:csw="http://www.opengis.net/cat/csw/2.0.2"><csw:SearchResults>{records}</csw:SearchResults></csw:R>'
    assert [read(RawRecord("x", part, "/x"), "t").title for _, part in _split(csw.encode())] == [TITLE, TITLE]
    cmr = f'<results><result concept-id="C1">{_xml("echo10")}</result><result concept-id="C2">{_xml("dif")}</result></results>'
    assert _titles(cmr.encode()) == {"C1": TITLE, "C2": TITLE}


def test_an_envelope_of_one_record_is_read_without_splitting():
    alone = OAI.replace(
        "<record><header><identifier>oai:x:3</identifier></header><metadata>{two}</metadata></record>", ""
    )
    record = read(RawRecord("file.xml", alone.format(one=_xml("datacite")).encode(), "/x"), "t")
    assert record.title == TITLE


def test_several_records_are_refused_where_one_is_asked_for():
    answer = OAI.format(one=_xml("eml"), two=_xml("eml")).encode()
    with pytest.raises(RecordRefused, match="2 records"):
        read(RawRecord("x", answer, "/x"), "t")


def _json(name: str) -> dict[str, object]:
    document = json.loads((VARIANTS if name == "dcat" else DOCUMENTS)[name])
    assert isinstance(document, dict)
    return document


@pytest.mark.parametrize(
    ("name", "envelope"),
    [
        ("stac", lambda a, b: {"type": "FeatureCollection", "features": [a, b]}),
        ("ogc-record", lambda a, b: {"type": "FeatureCollection", "features": [a, b], "links": []}),
        ("stac", lambda a, b: {"collections": [a, b], "links": []}),
        ("ckan", lambda a, b: {"success": True, "result": {"count": 2, "results": [a, b]}}),
        ("geoblacklight", lambda a, b: {"response": {"docs": [a, b]}}),
        ("umm-c", lambda a, b: {"hits": 2, "items": [a, b]}),
        ("dcat", lambda a, b: {"@type": "dcat:Catalog", "dataset": [a, b]}),
        ("dcat", lambda a, b: {"dataset": [a], "catalog": [{"title": "inner", "dataset": [b]}]}),
        ("dcat", lambda a, b: [a, b]),
    ],
)
def test_json_envelopes(name, envelope):
    first, second = _json(name), _json(name)
    for number, one in enumerate((first, second)):
        holder = one.get("meta", one)
        assert isinstance(holder, dict)
        holder["identifier" if name == "dcat" else "concept-id" if "meta" in one else "id"] = f"number-{number}"
    assert _titles(json.dumps(envelope(first, second)).encode()) == {"number-0": TITLE, "number-1": TITLE}


TURTLE = """@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
<https://x.example.org/a> a dcat:Dataset ; dct:title "A" ; dct:publisher [ dct:title "Office" ] ; dct:source <https://x.example.org/b> .
<https://x.example.org/b> a dcat:Dataset ; dct:title "B" ; dct:publisher [ dct:title "Office" ] .
"""


def test_a_graph_of_two_data_sets_gives_the_same_bytes_in_any_order():
    lines = TURTLE.splitlines()
    turned = "\n".join([lines[0], lines[2], lines[1]])
    assert _split(TURTLE.encode()) == _split(turned.encode())
    assert _titles(TURTLE.encode()) == {"https://x.example.org/a": "A", "https://x.example.org/b": "B"}
    part = read(RawRecord("a", _split(TURTLE.encode())[0][1], "/x"), "t")
    assert part.provenance.derived_from == ("https://x.example.org/b",)


def test_a_page_with_two_data_sets():
    script = '<script type="application/ld+json">{"@type":"Dataset","@id":"%s","name":"%s","description":"d"}</script>'
    page = f"<html><head>{script % ('a', 'A')}{script % ('b', 'B')}</head></html>".encode()
    assert _titles(page) == {"a": "A", "b": "B"}
    with pytest.raises(RecordRefused, match="a web page"):
        read(RawRecord("x", b"<html><body>404</body></html>", "/x"), "t")


def test_a_series_lists_its_members_once():
    member = {"@type": "Dataset", "identifier": "m", "title": "M", "description": "d"}
    series = {"@type": "DatasetSeries", "@id": "s", "title": "S", "seriesMember": [member], "first": member}
    parts = _split(json.dumps({"@type": "Catalog", "dataset": [member], "datasetSeries": [series]}).encode())
    assert [name for name, _ in parts] == ["m", "s"]
    assert read(RawRecord("m", parts[0][1], "/x"), "t").parent == "s"


@pytest.mark.parametrize(
    ("content", "media_type", "passed_over"),
    [
        (b"Notes on the cruise", "text/plain", 1),
        (b"<broken", "text/plain", 0),
        (b"Notes on the cruise", "application/xml", 0),
    ],
    ids=["readme", "metadata_in_txt", "xml_by_its_name"],
)
def test_a_plain_text_is_passed_over_and_broken_metadata_are_refused(content, media_type, passed_over):
    separation = separate(RawRecord("README.txt", content, "/x/README.txt", media_type))
    assert (len(separation.passed_over), len(separation.records)) == (passed_over, 1 - passed_over)
    assert all(member.native_id == "README.txt" for member in separation.passed_over)


@settings(deadline=None)
@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode()))
def test_whatever_the_bytes_they_are_parted_or_refused(content):
    try:
        parts = _split(content)
    except RecordRefused:
        return
    assert all(part for _, part in parts)


LEAVES = st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8) | st.integers()
KEYS = st.sampled_from(
    ["type", "id", "title", "stac_version", "properties", "geometry", "extent", "umm", "titles", "name", "notes", "extras",
     "resources", "@type", "@graph", "dataset", "features", "result", "bbox", "time", "links", "spatial", "temporal",
     "creators", "dct_title_s", "description", "distribution", "keyword", "EntryTitle", "ShortName", "data"]
)  # fmt: skip
VALUES = st.recursive(
    LEAVES | st.sampled_from(["Feature", "Dataset", "Collection", "FeatureCollection"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=8))
def test_json_of_any_shape_is_read_or_refused(document):
    """A reader never breaks on a member of another type than its standard asks for."""
    with contextlib.suppress(RecordRefused):
        for name, part in _split(json.dumps(document).encode()):
            assert read(RawRecord(name or "x", part, "/x"), "t").title
