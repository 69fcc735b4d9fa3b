"""Dublin Core to Record: oai_dc:dc, csw:Record (2.0.2 and 3.0, also summary and brief), rdf:RDF and simple forms."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.record import Record
from core.versions import SUCCESSOR
from indexer.formats.draft import RecordDraft, add_period
from indexer.formats.format import Format, Inspection
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.text import line
from indexer.formats.xml_documents import Element, find, find_all, inner_text, local_name, parse, text_at, texts_at
from indexer.raw import RawRecord, RecordRefused

_ROLES = {"creator": "author", "contributor": "contributor", "publisher": "publisher", "rightsHolder": "rightsHolder"}
_DATES = {
    "date": "published", "issued": "published", "available": "published", "created": "created", "modified": "modified",
    "dateSubmitted": "created", "dateAccepted": "published",
}  # fmt: skip
_RELATIONS = ("source", "isVersionOf", "isFormatOf")
_RDF_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_RDF_RESOURCE = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"
_ADDRESS = re.compile(r"^(?:https?|ftps?)://\S+$", re.IGNORECASE)


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: not XML, or no Dublin Core element."""
    xml = parse(raw.content)
    holder = _element_holder(xml.root)
    if not any("purl.org/dc/" in str(element.tag) for element in holder.iterchildren("*")):
        raise RecordRefused("it holds no element of Dublin Core")
    draft = RecordDraft(raw, source, "dublin-core", list(xml.warnings))
    _add_citation(draft, holder)
    _add_contacts_and_dates(draft, holder)
    _add_extents(draft, holder)
    _add_distribution(draft, holder)
    return draft.finish()


def _element_holder(root: Element) -> Element:
    """The element that holds the elements of Dublin Core."""
    if local_name(root) != "RDF":
        return root
    return next((child for child in root.iterchildren("*") if find(child, "title") is not None), root)


def _add_citation(draft: RecordDraft, holder: Element) -> None:
    identifiers = texts_at(holder, "identifier")
    about = holder.get(_RDF_ABOUT) or ""
    draft.doi = next((doi for text in [*identifiers, about] if (doi := doi_in(text))), None)
    local_identifiers = [text for text in identifiers if not _ADDRESS.match(text) and not doi_in(text)]
    draft.identifier = next(iter([*local_identifiers, *identifiers, about]), "")
    titles = texts_at(holder, "title")
    draft.title = next(iter(titles), "")
    for other_title in [*titles[1:], *texts_at(holder, "alternative")]:
        draft.add_alternate_title(other_title)
    draft.abstract = "\n\n".join(dict.fromkeys(texts_at(holder, "abstract") or texts_at(holder, "description")))
    for kind in reversed(texts_at(holder, "type")):
        draft.set_type(kind)
    for code in texts_at(holder, "language"):
        draft.add_language(code)
    for subject in find_all(holder, "subject"):
        draft.add_keyword(inner_text(subject), subject.get("scheme"))
    for name in ("format", "medium"):
        for text in texts_at(holder, name):
            draft.add_format(text)
    draft.parent = text_at(holder, "isPartOf") or None
    draft.lineage += texts_at(holder, "provenance")


def _add_contacts_and_dates(draft: RecordDraft, holder: Element) -> None:
    for name, role in _ROLES.items():
        for text in texts_at(holder, name):
            if role == "publisher":
                draft.add_contact("", text, role=role)
            else:
                draft.add_contact(text, role=role)
    for name, kind in _DATES.items():
        for text in texts_at(holder, name):
            draft.add_date(kind, text)
    for text in texts_at(holder, "temporal"):
        add_period(draft, text)


def _add_extents(draft: RecordDraft, holder: Element) -> None:
    for name in ("BoundingBox", "WGS84BoundingBox"):
        for box in find_all(holder, name):
            crs = box.get("crs", "") if name == "BoundingBox" else ""
            draft.places.add_corners(text_at(box, "LowerCorner"), text_at(box, "UpperCorner"), crs)
    for name in ("spatial", "coverage"):
        for text in texts_at(holder, name):
            _add_coverage(draft, text)


def _add_coverage(draft: RecordDraft, text: str) -> None:
    """A place, a period, or the name of either."""
    if not draft.places.add_text(text) and not draft.add_interval(text):
        draft.add_keyword(text, "spatial")


def _add_distribution(draft: RecordDraft, holder: Element) -> None:
    for name in ("license", "rights", "accessRights"):
        for element in find_all(holder, name):
            text = inner_text(element).strip() or element.get(_RDF_RESOURCE) or ""
            draft.add_constraint(text)
            if name == "license" or _ADDRESS.match(text):
                draft.add_licence(text)
    for name, rel in (("identifier", "about"), ("isReplacedBy", SUCCESSOR)):
        _add_addresses(draft, texts_at(holder, name), rel)
    for name in ("URI", "references", "relation"):
        for element in find_all(holder, name):
            _add_reference(draft, element)
    for name in _RELATIONS:
        for text in texts_at(holder, name):
            draft.add_source(text)


def _add_addresses(draft: RecordDraft, texts: Iterable[str], rel: str) -> None:
    for text in texts:
        if _ADDRESS.match(text) or doi_in(text):
            draft.add_link(text if _ADDRESS.match(text) else f"https://doi.org/{doi_in(text)}", rel)


def _add_reference(draft: RecordDraft, element: Element) -> None:
    """Adds a link, with the attributes that csw:Record and GeoNetwork give it."""
    text = line(inner_text(element))
    if _ADDRESS.match(text):
        scheme = (element.get("scheme") or element.get("protocol") or "").strip()
        draft.add_link(
            text,
            _rel(scheme),
            protocol=scheme,
            name=element.get("name"),
            description=element.get("description"),
        )


def _rel(scheme: str) -> str | None:
    scheme_name = scheme.lower()
    if "download" in scheme_name:
        return "download"
    if "thumbnail" in scheme_name:
        return "preview"
    return "service" if scheme_name.startswith(("ogc:", "urn:ogc:", "urn:x-esri")) else None


_ROOTS = (
    "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc",
    "{info:srw/schema/1/dc-schema}dc",
    "{http://www.openarchives.org/OAI/2.0/rdf/}RDF",
)
_CSW_RECORD = re.compile(r"\{http://www\.opengis\.net/cat/csw/[0-9.]+\}(?:Record|SummaryRecord|BriefRecord)")
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}RDF"
_NAMELESS = ("metadata", "dc", "simpledc", "qualifieddc", "record")
"""Roots that many documents share: only the elements inside decide."""


def _recognises(inspection: Inspection) -> bool:
    tag, content = inspection.tag, inspection.content
    if tag == _RDF:
        return b"http://purl.org/dc/" in content and not inspection.holds_dcat
    if tag in _NAMELESS:
        return b"http://purl.org/dc/elements/" in content and b"<idinfo" not in content
    return tag in _ROOTS or _CSW_RECORD.fullmatch(tag) is not None


FORMAT = Format(
    "dublin-core",
    7,
    read,
    _recognises,
    "`oai_dc:dc`, `csw:Record` (full, summary, brief; 2.0.2, 3.0), `rdf:RDF` of Dublin Core, plain `dc`",
    lambda raw: _element_holder(parse(raw.content).root),
)
