"""ISO 19139: gmd:MD_Metadata, and gmi:MI_Metadata of ISO 19115-2, to Record."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.record import Record, record_id
from indexer.formats.draft import makers_among, title_or_substitute, unique_keywords_of
from indexer.formats.format import Format, Inspection
from indexer.formats.iso.citation import (
    doi_of,
    parent_in_aggregates,
    read_contacts,
    read_dates,
    read_provenance,
    read_titles,
)
from indexer.formats.iso.distribution import doi_among, read_links, read_terms
from indexer.formats.iso.elements import (
    GCO,
    child,
    children,
    code_of,
    first_object,
    objects,
    one_line,
    paragraphs,
    text_of,
)
from indexer.formats.iso.extents import read_extents, read_resolution, read_times, read_vertical
from indexer.formats.iso.iso19115_3 import move_to_19139
from indexer.formats.iso.keywords import read_edition, read_keywords, read_names, read_themes
from indexer.formats.iso.structure import NAMES_OF_19115_3, put_own_language_first, repair_structure, resolve_references
from indexer.formats.repair.codes import language, resource_type, scope
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.text import is_placeholder, unique
from indexer.formats.xml_documents import Element, ParsedXml, local_name, parse, xml_root
from indexer.raw import RawRecord, RecordRefused


@dataclass(frozen=True, slots=True)
class _IsoDocument:
    """The parts of a document from which several fields are read."""

    native_format: str
    metadata: Element
    identifications: list[Element]
    citation: Element | None
    extents: list[Element]

    @property
    def identification(self) -> Element:
        return self.identifications[0]


def read(raw: RawRecord, source: str) -> Record:
    """The Record of one document; its id comes from the file identifier, else from the source's native id.

    Raises RecordRefused: not XML, a document type, another root, or no identifier, title and abstract at all.
    """
    xml = parse(raw.content)
    repairs = repair_structure(xml.root)
    if NAMES_OF_19115_3 in repairs:
        move_to_19139(xml.root)
    return read_tree(ParsedXml(xml.root, (*xml.warnings, *repairs)), raw, source)


def read_tree(xml: ParsedXml, raw: RawRecord, source: str) -> Record:
    """The Record of a parsed document; renamed ISO 19115-3 comes here too. Raises RecordRefused.

    It is long, but a table of where each field is read.
    """
    resolve_references(xml.root)
    put_own_language_first(xml.root)
    parts = _document_parts(xml.root)
    metadata, identifications, citation = parts.metadata, parts.identifications, parts.citation
    warnings = list(xml.warnings)
    file_identifier = text_of(metadata, "fileIdentifier")
    identifier = file_identifier or raw.native_id
    abstract = _abstract(parts, warnings)
    main_title, other_titles = read_titles(citation)
    title = title_or_substitute(main_title, other_titles, file_identifier, abstract, warnings)
    alternate_titles = tuple(other_title for other_title in other_titles if other_title != title)
    if not file_identifier:
        warnings.append("identifier: none given, the source's own name for the document is used")
    terms_used = read_keywords(metadata, identifications)
    words = " ".join([title, *alternate_titles, *(keyword.term for keyword in terms_used)])
    extents = read_extents(parts.extents, words, warnings)
    keywords = unique_keywords_of([*terms_used, *extents.places])
    contacts = read_contacts(metadata, parts.identification, citation, warnings)
    links = read_links(metadata, identifications, warnings)
    terms = read_terms(identifications)
    return Record(
        id=record_id(source, identifier),
        source=source,
        identifier=identifier,
        title=title,
        abstract=abstract,
        alternate_titles=alternate_titles,
        languages=_languages(parts),
        type=_type(parts, warnings),
        keywords=keywords,
        themes=read_themes(identifications),
        contacts=contacts,
        extents=extents.boxes,
        geometry=extents.geometry,
        vertical=read_vertical(parts.extents, warnings),
        times=read_times(parts.extents, warnings),
        resolution=read_resolution(metadata, identifications, parts.extents, warnings),
        provenance=read_provenance(metadata, identifications, keywords, makers_among(contacts)),
        licence=terms.licence,
        constraints=terms.constraints,
        access=terms.access,
        links=links,
        dates=read_dates(citation, child(metadata, "dateStamp"), warnings),
        formats=_formats(parts),
        names=read_names(metadata, identifications, citation),
        edition=read_edition(citation),
        doi=_doi(parts, identifier) or doi_among(links),
        parent=text_of(parts.metadata, "parentIdentifier") or parent_in_aggregates(parts.identifications),
        native_format=parts.native_format,
        warnings=unique(warnings),
    )


def _document_parts(root: Element) -> _IsoDocument:
    kind = root.get(f"{GCO}isoType", "").rpartition(":")[2] or local_name(root)
    if kind not in ("MD_Metadata", "MI_Metadata"):
        raise RecordRefused(f"its root element is {root.tag}, not MD_Metadata or MI_Metadata")
    identifications = list(objects(root, "identificationInfo"))
    if not identifications:
        raise RecordRefused("it has no identificationInfo: it describes no resource")
    extents = [
        extent
        for identification in identifications
        for name in ("extent", "srv:extent")
        for extent in objects(identification, name)
    ]
    native_format = "iso19115-2" if kind == "MI_Metadata" else "iso19139"
    return _IsoDocument(native_format, root, identifications, first_object(identifications[0], "citation"), extents)


def _abstract(parts: _IsoDocument, warnings: list[str]) -> str:
    abstract = paragraphs(child(parts.identification, "abstract"))
    if abstract and not is_placeholder(abstract):
        return abstract
    purpose = paragraphs(child(parts.identification, "purpose"))
    if purpose and not is_placeholder(purpose):
        warnings.append("abstract: none given, the purpose is used")
        return purpose
    return ""


def _languages(parts: _IsoDocument) -> tuple[str, ...]:
    """The languages of the resource, else of the metadata."""
    for holders in (parts.identifications, [parts.metadata]):
        languages = unique(
            code
            for holder in holders
            for prop in children(holder, "language")
            if (code := language(code_of(prop) or one_line(prop))) is not None
        )
        if languages:
            return languages
    return ()


def _type(parts: _IsoDocument, warnings: list[str]) -> str:
    level_code = code_of(child(parts.metadata, "hierarchyLevel"))
    if not level_code:
        return "service" if local_name(parts.identification) == "SV_ServiceIdentification" else "dataset"
    type_code = scope(level_code) or resource_type(level_code)
    if type_code is None:
        warnings.append(f"type: {level_code[:40]!r} is no scope code, read as dataset")
    return type_code or "dataset"


def _formats(parts: _IsoDocument) -> tuple[str, ...]:
    formats = [
        *objects(parts.metadata, "distributionInfo/distributionFormat"),
        *objects(parts.metadata, "distributionInfo/distributor/distributorFormat"),
        *(format for identification in parts.identifications for format in objects(identification, "resourceFormat")),
    ]
    return unique(name for format in formats if not is_placeholder(name := text_of(format, "name")))


def _doi(parts: _IsoDocument, identifier: str) -> str | None:
    uri = text_of(parts.metadata, "dataSetURI")
    return doi_of(parts.citation) or doi_in(uri) or doi_in(identifier)


_ROOT = "{http://www.isotc211.org/2005/gmd}MD_Metadata"
_ROOT_WITH_IMAGERY = "{http://www.isotc211.org/2005/gmi}MI_Metadata"


def _recognises(inspection: Inspection) -> bool:
    """Either the standard root, or the root of a national profile that declares itself as such."""
    return inspection.tag == _ROOT or (inspection.iso_type == "MD_Metadata" and inspection.tag != _ROOT_WITH_IMAGERY)


def _recognises_imagery(inspection: Inspection) -> bool:
    return inspection.tag == _ROOT_WITH_IMAGERY or (inspection.iso_type == "MI_Metadata" and inspection.tag != _ROOT)


FORMAT = Format(
    "iso19139",
    6,
    read,
    _recognises,
    'root `gmd:MD_Metadata`, or a national root with `gco:isoType="gmd:MD_Metadata"`',
    xml_root,
)
FORMAT_WITH_IMAGERY = replace(
    FORMAT,
    name="iso19115-2",
    recognises=_recognises_imagery,
    found_by="root `gmi:MI_Metadata`",
)
