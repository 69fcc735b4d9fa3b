"""Hostile and broken documents: what the parser refuses, and what it mends."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iso19139_document import document, read_bytes, record

from indexer.formats.recognition import FORMATS, recognise
from indexer.formats.registry import reader_tag
from indexer.raw import RawRecord, RecordRefused

BODY = document().partition(b"?>")[2]


def _reason(content: bytes) -> str:
    with pytest.raises(RecordRefused) as refused:
        read_bytes(content)
    return refused.value.reason


def test_billion_laughs_is_refused_by_name():
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    content = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>'.encode() + BODY.replace(
        b"Daily", b"&l9;"
    )
    assert "document type" in _reason(content)


def test_a_file_of_the_machine_is_never_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("xyzzy")
    content = f'<!DOCTYPE x [<!ENTITY s SYSTEM "{secret.as_uri()}">]>'.encode() + BODY.replace(b"Daily", b"&s;")
    assert "document type" in _reason(content)
    assert "document type" in _reason(b"<!-- a --> <?pi?>" + content)


def test_a_document_type_that_is_only_named_is_passed_over():
    named = b'<!DOCTYPE metadata SYSTEM "http://www.fgdc.gov/metadata/fgdc-std-001-1998.dtd">'
    assert read_bytes(b"<!-- a -->" + named + BODY).title == "Rain gauges of the Limpopo"
    assert "document type" in _reason(b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + BODY)
    assert "not well-formed" in _reason(named + BODY.replace(b"Daily", b"&undeclared;"))


def test_many_comments_before_the_root_take_no_time():
    assert read_bytes(b"<!-- a -->\n" * 50_000 + BODY).title == "Rain gauges of the Limpopo"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_document_type_hidden_by_an_encoding_is_refused(encoding):
    text = f'<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x [<!ENTITY s "y">]>{BODY.decode()}'
    assert "document type" in _reason(text.encode(encoding))


def test_utf_16_and_latin_1_are_read():
    text = BODY.decode().replace("Limpopo", "Límpopo")
    assert read_bytes(f'<?xml version="1.0" encoding="UTF-16"?>{text}'.encode("utf-16")).title.endswith("Límpopo")
    latin = f'<?xml version="1.0" encoding="ISO-8859-1"?>{text}'.encode("latin-1")
    assert read_bytes(latin).title.endswith("Límpopo")
    assert read_bytes(latin).warnings == ()


def test_control_characters_are_removed():
    found = read_bytes(document().replace(b"Daily", b"Dai\x0bly&#x1F;&#0;"))
    assert found.abstract == "Daily sums."
    assert found.warnings == ("xml: control characters were removed",)


def test_stray_windows_bytes_are_read_as_such():
    found = read_bytes(document().replace(b"Daily", b"\x93Daily\x94 \xc3\xa9"))
    assert found.abstract == "“Daily” é sums."
    assert found.warnings == ("xml: bytes that are not UTF-8 were read as Windows-1252",)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the document is empty"),
        (b"  \n", "the document is empty"),
        (document()[:-20], "not well-formed XML"),
        (document().replace(b"Daily", b"A & B"), "not well-formed XML"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "a web page"),
        (b"<html><head/></html>", "a web page"),
        (b'{"type": "Feature"}', "it is JSON that starts with type"),
        (b"<root/>", "its root element is root"),
        (b'<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"/>', "no identificationInfo"),
    ],
)
def test_refusals_name_what_is_wrong(content, reason):
    assert reason in _reason(content)


def test_white_space_before_the_declaration_is_harmless():
    assert read_bytes(b"\n " + document()).warnings == ()


def test_comments_inside_values_do_not_hide_them():
    assert record(abstract="Daily <!-- really --> sums.").abstract == "Daily sums."


def test_the_format_is_found_in_the_content():
    assert recognise(document()).format == "iso19139"
    assert recognise(document(root="gmi:MI_Metadata")).format == "iso19115-2"
    assert recognise(b"<!-- " + b"x" * 5000 + b" -->" + BODY).format == "iso19139"
    assert recognise(b'{"title": "x"}').format is None
    assert recognise(b"<root/>").format is None
    tags = [reader_tag(RawRecord("x", content, "/x")) for content in (document(), b"<root/>")]
    assert tags == [f"iso19139/{FORMATS['iso19139'].version}", "none/0"]


def test_a_deep_document_is_refused_not_fatal():
    deep = document().replace(b"Daily", b"<a>" * 5000 + b"</a>" * 5000)
    assert "not well-formed" in _reason(deep)


@given(st.binary(max_size=200), st.integers(0, len(document())))
def test_damage_gives_a_record_or_a_refusal_never_another_error(noise, place):
    content = document()
    with suppress(RecordRefused):
        assert read_bytes(content[:place] + noise + content[place:]).title
