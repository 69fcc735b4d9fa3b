"""Recognises the format of a document by its content, never by its file name; lists the formats."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from cachetools import LRUCache, cached

from indexer.formats import xml_documents as xml
from indexer.formats.format import Format, Inspection, inspect
from indexer.formats.json_documents.parsing import first_members, looks_like_json, parse_json
from indexer.formats.json_documents.rdf import looks_like_turtle
from indexer.formats.readers import (
    ckan,
    datacite,
    dcat,
    dif,
    dublin_core,
    echo10,
    eml,
    fgdc,
    geoblacklight,
    iso19115_3,
    iso19139,
    ogc_record,
    schema_org,
    stac,
    umm_c,
)
from indexer.formats.refused import Refused
from indexer.formats.repair.text import line
from indexer.formats.xml_documents import Element, FirstElement, local_name, one_of, text_at
from indexer.hashes import content_hash

_LISTED = (
    iso19139.FORMAT,
    iso19139.FORMAT_WITH_IMAGERY,
    iso19115_3.FORMAT,
    fgdc.FORMAT,
    eml.FORMAT,
    dif.FORMAT,
    echo10.FORMAT,
    stac.FORMAT,
    ogc_record.FORMAT,
    umm_c.FORMAT,
    geoblacklight.FORMAT,
    datacite.FORMAT,
    ckan.FORMAT,
    dcat.FORMAT,
    schema_org.FORMAT,
    dublin_core.FORMAT,
)
FORMATS: dict[str, Format] = {one.name: one for one in _LISTED}
_REMEMBERED = 1_024
_LONGEST = 160


def detect(content: bytes) -> str | None:
    """The name of the format; None where it is unknown or the document holds several records.

    A harvest asks for it three times: to split a file, to see whether it must be read again, and to read it.
    """
    try:
        return _detect(content)
    except Refused:  # not remembered: the limits that refused it may change
        return None


@cached(LRUCache(_REMEMBERED), key=content_hash, lock=Lock())
def _detect(content: bytes) -> str | None:
    return _first(inspect(content))


def detect_element(first: FirstElement, content: bytes) -> str | None:
    """The format that starts with this element; ``content`` is the element with everything inside it."""
    return _first(Inspection(content, first))


def detect_json(document: object) -> str | None:
    """The format of a parsed JSON document."""
    return _first(Inspection(document=document))


def _first(inspection: Inspection) -> str | None:
    return next((one.name for one in FORMATS.values() if one.recognises(inspection)), None)


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
    name = local_name(root)
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
