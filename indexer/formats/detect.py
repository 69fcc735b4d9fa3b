"""The format of a document, by what it says, never by its file name."""

from __future__ import annotations

import re

from indexer.formats.detect_json import detect_json
from indexer.formats.json_document import looks_like_json, parse_json
from indexer.formats.json_ld import may_hold_scripts
from indexer.formats.rdf import looks_like_turtle
from indexer.formats.reader import Refused
from indexer.formats.xml import FirstElement, first_element

_ROOTS = {
    "{http://www.isotc211.org/2005/gmd}MD_Metadata": "iso19139",
    "{http://www.isotc211.org/2005/gmi}MI_Metadata": "iso19115-2",
    "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc": "dublin-core",
    "{info:srw/schema/1/dc-schema}dc": "dublin-core",
    "{http://www.openarchives.org/OAI/2.0/rdf/}RDF": "dublin-core",
}
_BY_ISO_TYPE = {"MD_Metadata": "iso19139", "MI_Metadata": "iso19115-2"}
_PATTERNS = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"^\{http://standards\.iso\.org/iso/19115/-3/mdb/[0-9.]+\}MD_Metadata$", "iso19115-3"),
        (r"^\{http://www\.opengis\.net/cat/csw/[0-9.]+\}(?:Record|SummaryRecord|BriefRecord)$", "dublin-core"),
        (r"^\{http://datacite\.org/schema/kernel-[0-9.]+\}resource$", "datacite"),
        (r"^\{(?:eml|https?)://(?:ecoinformatics\.org|eml\.ecoinformatics\.org)/eml-2[^}]*\}eml$", "eml"),
        (r"^(?:\{http://gcmd\.[^}]*\})?DIF$", "dif"),
        (r"^\{http://earthdata\.nasa\.gov/schema/dif[^}]*\}DIF$", "dif"),
    )
)
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}RDF"
_DCAT = b"http://www.w3.org/ns/dcat#"
_DUBLIN_CORE = b"http://purl.org/dc/"


def detect(content: bytes) -> str | None:
    """The name of the format (a key of the registry), None where it is not known, or where it holds several records.

    XML is looked at in its start only, JSON is parsed.
    """
    if looks_like_json(content):
        try:
            return detect_json(parse_json(content))
        except Refused:
            return None
    root = first_element(content)
    if root is not None and not _is_page(root):
        return detect_element(root, content)
    if looks_like_turtle(content):
        return "dcat" if _DCAT in content else None
    return "schema.org" if may_hold_scripts(content) else None


def detect_element(root: FirstElement, content: bytes) -> str | None:
    """The format that begins with an element; ``content`` is it and what is inside it."""
    if root.iso_type is not None and root.tag not in _ROOTS:  # a national profile with a root of its own
        return _BY_ISO_TYPE.get(root.iso_type.rpartition(":")[2])
    for pattern, name in _PATTERNS:
        if pattern.match(root.tag):
            return name
    if root.tag == _RDF:
        return "dcat" if _DCAT in content else "dublin-core" if _DUBLIN_CORE in content else None
    return _ROOTS.get(root.tag) or _without_namespace(root.tag, content)


def _without_namespace(tag: str, content: bytes) -> str | None:
    """Roots that say nothing by their name alone."""
    match tag:
        case "metadata" if b"<idinfo" in content:
            return "fgdc"
        case "metadata" | "dc" | "simpledc" | "qualifieddc" | "record" if b"http://purl.org/dc/elements/" in content:
            return "dublin-core"
        case "eml" if b"<dataset" in content:
            return "eml"
    return _inherited(tag.rpartition("}")[2], content)


def _inherited(name: str, content: bytes) -> str | None:
    """Roots that may have got the namespace of the envelope they came in."""
    if name == "Collection" and b"<ShortName" in content and b"<VersionId" in content:
        return "echo10"
    return "datacite" if name == "resource" and b"<creators" in content and b"<titles" in content else None


def _is_page(root: FirstElement) -> bool:
    return root.tag.rpartition("}")[2].lower() == "html"
