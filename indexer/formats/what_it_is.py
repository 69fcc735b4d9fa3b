"""Describes a document that no reader knows, in a few words for a report."""

from __future__ import annotations

from collections.abc import Mapping

from indexer.formats import xml
from indexer.formats.json_document import looks_like_json, parse_json
from indexer.formats.rdf import looks_like_turtle
from indexer.formats.reader import Refused
from indexer.formats.text import line
from indexer.formats.unread import first_members
from indexer.formats.xml_names import Element, name_of, one_of, text_at

_LONGEST = 160


def what_it_is(content: bytes) -> str:
    """What a data steward needs to know: the kind of document, its root, or the syntax error."""
    if looks_like_json(content):
        return _json(content)
    if looks_like_turtle(content):
        return "it is RDF without a dataset of DCAT"
    if not content.lstrip().startswith(b"<") and b"\x00" in content[:4096]:
        return "it is a binary file"
    if xml.first_element(content) is None:
        return xml.what_it_is(content)
    try:
        return _xml(xml.parse(content).root) or xml.what_it_is(content)
    except Refused as refused:
        return str(refused)


def _xml(root: Element) -> str:
    """Describes server answers that are not records, by their root names."""
    name = name_of(root)
    if name in ("ExceptionReport", "ServiceExceptionReport"):
        said = text_at(root, "Exception/ExceptionText", "ServiceException")
        return f"the server answered with an exception: {line(said)[:_LONGEST]}".rstrip(": ")
    if name == "OAI-PMH":
        error = one_of(root, "error")
        if error is not None:
            return f"the server answered with an OAI-PMH error: {error.get('code', '')} {line(error.text)[:_LONGEST]}"
        return "it is an answer of OAI-PMH without records of a known format"
    if name.endswith("Capabilities") or name == "WMT_MS_Capabilities":
        return "it is the capabilities document of a service, not metadata of a record"
    return ""


def _json(content: bytes) -> str:
    try:
        document = parse_json(content)
    except Refused as refused:
        return str(refused)
    if isinstance(document, list):
        return f"it is a JSON list of {len(document)} without records of a known format"
    if not isinstance(document, Mapping):
        return "it is JSON without an object"
    return f"it is JSON that starts with {first_members(document)}"
