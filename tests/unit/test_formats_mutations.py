"""A full document with one place broken is still a record, or refused by name: never another error."""

# ruff: noqa: E501  # documents stand as they are written

from __future__ import annotations

import contextlib
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from indexer.formats.recognition import FORMATS
from indexer.formats.registry import read
from indexer.raw import RawRecord, RecordRefused
from tests.unit.format_documents import DOCUMENTS, VARIANTS

JSON = {name: content for name, content in {**DOCUMENTS, **VARIANTS}.items() if content.startswith(b"{")} | {
    name: content for name, content in DOCUMENTS.items() if content.startswith(b"{")
}
XML = {name: content for name, content in DOCUMENTS.items() if content.startswith(b"<") and name != "schema.org"}
ODD: list[Any] = [
    None, True, -1, 1e308, "", "x", "9999-99-99", "POLYGON((", "ENVELOPE(1,2,3,4)", [], {}, [[]], [None], ["a", 1], {"a": 1},
    {"type": "Polygon"}, {"type": "Polygon", "coordinates": [[1, 2]]}, {"@id": 5}, {"coordinates": "x"}, [[1], [2, "b"]],
]  # fmt: skip
TEXTS = [
    "",
    "x",
    "-",
    "9999",
    "nan",
    "1e999",
    "0001-01-01",
    "2020-13-45",
    "http://",
    "10.",
    "P",
    "a/b/c/d",
    "( 1 2",
    "\u202e",
]


def _places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to every value of a document."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(found for key, value in inner for found in _places(value, (*path, key)))][(not path) :]


def _with(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return document


def _reads_or_refuses(name: str, content: bytes) -> None:
    with contextlib.suppress(RecordRefused):
        assert FORMATS[name].read(RawRecord("native", content, "/x"), "test").title
    with contextlib.suppress(RecordRefused):
        assert read(RawRecord("native", content, "/x"), "test").title


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(JSON)), st.data())
def test_json_with_a_value_of_another_type(name, data):
    document = json.loads(JSON[name])
    path = data.draw(st.sampled_from(_places(document)))
    _reads_or_refuses(name, json.dumps(_with(document, path, data.draw(st.sampled_from(ODD)))).encode())


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(XML)), st.data())
def test_xml_with_an_element_gone_empty_or_odd(name, data):
    root = etree.fromstring(XML[name])
    element = data.draw(st.sampled_from([one for one in root.iter("*") if one is not root]))
    if data.draw(st.booleans()):
        parent = element.getparent()
        assert parent is not None
        parent.remove(element)
    else:
        for inner in list(element):
            element.remove(inner)
        element.text = data.draw(st.sampled_from(TEXTS))
    _reads_or_refuses(name, etree.tostring(root))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_turtle_with_an_object_replaced(data):
    lines = DOCUMENTS["dcat"].decode().splitlines()
    number = data.draw(st.integers(11, len(lines) - 2))
    lines[number] = data.draw(
        st.sampled_from(["", '  dct:spatial "x" ;', "  dct:temporal [ ] ;", "  dct:publisher <x> ; dct:license 5 ;",
                         '  dct:spatial [ dct:title "a" ; dcat:bbox 5, "POLYGON" ] ;', '  dcat:distribution "x", [ ] ;'])
    )  # fmt: skip
    _reads_or_refuses("dcat", "\n".join(lines).encode())
