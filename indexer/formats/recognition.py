"""Lists the metadata formats, and recognises a document's format by its content, never by its file name.

A new format is a module with a ``FORMAT``, and one line in the list here.
"""

from __future__ import annotations

from collections.abc import Mapping

from indexer.formats.format import Format, Inspection, inspect
from indexer.formats.json_documents.parsing import first_members, looks_like_json, parse_json
from indexer.formats.json_documents.rdf import looks_like_turtle
from indexer.formats.readers import (
    arcgis,
    ckan,
    data_file,
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
    thredds,
    umm_c,
)
from indexer.formats.repair.text import line
from indexer.formats.xml_documents import Element, FirstElement, find, local_name, parse, text_at
from indexer.raw import Recognition, RecordRefused

_FORMATS = (
    iso19139.FORMAT,
    iso19139.FORMAT_WITH_IMAGERY,
    iso19115_3.FORMAT,
    fgdc.FORMAT,
    eml.FORMAT,
    dif.FORMAT,
    echo10.FORMAT,
    thredds.FORMAT,
    arcgis.FORMAT,
    data_file.FORMAT,
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
FORMATS: dict[str, Format] = {format.name: format for format in _FORMATS}
"""By name. The first format that recognises a document reads it, so specific formats come first: JSON profiles before
plain DCAT and schema.org, which many other documents resemble."""
_LONGEST_QUOTE = 160


def recognise(content: bytes) -> Recognition:
    """The format of a document, and its value if it is JSON.

    The format is None where it is unknown, the document cannot be parsed, or it holds several records.
    """
    try:
        inspection = inspect(content)
    except RecordRefused:
        return Recognition(None)
    return Recognition(_first_format(inspection), inspection.json)


def format_of_element(first: FirstElement, content: bytes) -> str | None:
    """The format that starts with this element; ``content`` is the element with everything inside it."""
    return _first_format(Inspection(content, first))


def format_of_json(value: object) -> str | None:
    return _first_format(Inspection(json=value))


def _first_format(inspection: Inspection) -> str | None:
    return next((name for name, format in FORMATS.items() if format.recognises(inspection)), None)


def describe_unknown(content: bytes) -> str:
    """Describes a document that no reader knows, for a report: its kind, its root, or the syntax error."""
    if looks_like_json(content):
        return _describe_json(content)
    if looks_like_turtle(content):
        return "it is RDF without a dataset of DCAT"
    if not content.lstrip().startswith(b"<") and b"\x00" in content[:4096]:
        return "it is a binary file"
    try:
        root = parse(content).root
    except RecordRefused as refusal:
        return str(refusal)
    return _describe_answer(root) or f"its root element is {root.tag}"


def _describe_answer(root: Element) -> str:
    """Describes server answers that are not records, by their root names."""
    name = local_name(root)
    if name in ("ExceptionReport", "ServiceExceptionReport"):
        fault = text_at(root, "Exception/ExceptionText", "ServiceException")
        return f"the server answered with an exception: {line(fault)[:_LONGEST_QUOTE]}".rstrip(": ")
    if name == "OAI-PMH":
        error = find(root, "error")
        if error is not None:
            fault = line(error.text)[:_LONGEST_QUOTE]
            return f"the server answered with an OAI-PMH error: {error.get('code', '')} {fault}"
        return "it is an answer of OAI-PMH without records of a known format"
    if name.endswith("Capabilities") or name == "WMT_MS_Capabilities":
        return "it is the capabilities document of a service, not metadata of a record"
    return ""


def _describe_json(content: bytes) -> str:
    try:
        document = parse_json(content)
    except RecordRefused as refusal:
        return str(refusal)
    if isinstance(document, list):
        return f"it is a JSON list of {len(document)} without records of a known format"
    if not isinstance(document, Mapping):
        return "it is JSON without an object"
    return f"it is JSON that starts with {first_members(document)}"
