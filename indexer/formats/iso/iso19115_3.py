"""Moves the parts of ISO 19115-3 that are in other places to where the ISO 19139 reader expects them."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from indexer.formats.iso.elements import (
    GCO,
    GMD,
    GMX,
    XLINK_HREF,
    child,
    children,
    code_of,
    first_object,
    object_in,
    objects,
    one_line,
    raw_text,
    text_of,
    texts_of,
)
from indexer.formats.xml_documents import Element, copy_of, local_name


def move_to_19139(root: Element) -> None:
    """Moves the parts in place; ``root`` already has the names of ISO 19139."""
    _move_metadata_fields(root)
    for responsibility in list(root.iter(f"{GMD}CI_Responsibility")):
        _split_responsibility(responsibility)
    for holder in (root, *objects(root, "identificationInfo")):
        _move_language(holder)
    for identification in objects(root, "identificationInfo"):
        _move_identification(identification)
    for lineage in list(children(root, "resourceLineage")):
        quality = _add_property(_add_property(root, "dataQualityInfo"), "DQ_DataQuality")
        lineage.tag = f"{GMD}lineage"
        quality.append(lineage)
    for element in root.iter(f"{GMD}MD_Format"):
        _name_format(element)
    for system in root.iter(f"{GMD}verticalCRSId"):
        system.tag = f"{GMD}verticalCRS"
    for content in objects(root, "contentInfo"):
        for group in list(objects(content, "attributeGroup")):
            for prop in list(children(group, "contentType")):
                content.append(prop)


def _move_metadata_fields(root: Element) -> None:
    identifier = text_of(first_object(root, "metadataIdentifier"), "code")
    if identifier:
        _add_text(root, "fileIdentifier", identifier)
    parent = child(root, "parentMetadata")
    if parent is not None:
        _add_text(root, "parentIdentifier", _parent(parent))
    for scope in objects(root, "metadataScope"):
        for prop in list(children(scope, "resourceScope")):
            prop.tag = f"{GMD}hierarchyLevel"
            root.append(prop)
    stamp = _stamp(root)
    if stamp:
        _add_text(root, "dateStamp", stamp)
    for linkage in list(children(root, "metadataLinkage")):
        linkage.tag = f"{GMD}extensionOnLineResource"
        _add_property(_add_property(root, "metadataExtensionInfo"), "MD_MetadataExtensionInformation").append(linkage)
    landing_page = first_object(first_object(root, "identificationInfo"), "citation/onlineResource")
    address = raw_text(child(landing_page, "linkage")).strip()
    if address:
        _add_text(root, "dataSetURI", address)


def _parent(prop: Element) -> str:
    citation = object_in(prop)
    identifier = text_of(first_object(citation, "identifier"), "code") or text_of(citation, "title")
    return prop.get("uuidref") or identifier or ""


def _stamp(root: Element) -> str:
    """The date of the metadata: the last revision or update, else the creation, else any."""
    by_type: dict[str, list[str]] = {}
    for date in objects(root, "dateInfo"):
        by_type.setdefault(code_of(child(date, "dateType")), []).append(raw_text(child(date, "date")).strip())
    for kind in ("revision", "lastUpdate", "publication", "creation", *by_type):
        if kind in by_type:
            return max(by_type[kind])
    return ""


def _split_responsibility(responsibility: Element) -> None:
    """Splits a responsibility of several parties: one responsible party per organisation and per person in it."""
    prop = responsibility.getparent()
    role = child(responsibility, "role")
    if prop is None or prop.getparent() is None:
        return
    place = prop
    for prop_of_party in children(responsibility, "party"):
        for party in _parties(list(prop_of_party.iterchildren("*"))):
            if role is not None:
                party.append(copy_of(role))
            new_property = etree.Element(prop.tag)
            new_property.append(party)
            place.addnext(new_property)
            place = new_property
    holder = prop.getparent()
    if holder is not None:
        holder.remove(prop)


def _parties(held_parties: list[Element]) -> Iterator[Element]:
    """Usually one organisation or one person; a person and an organisation in one property belong together."""
    people = [party for party in held_parties if local_name(party) == "CI_Individual"]
    organisations = [party for party in held_parties if local_name(party) != "CI_Individual"]
    if people and organisations:
        yield from (_party(person, text_of(organisations[0], "name"), organisations[0]) for person in people)
    elif people:
        yield from (_party(person, "", person) for person in people)
    for organisation in organisations:
        yield from _organisation_parties(organisation, alone=not people)


def _organisation_parties(organisation: Element, *, alone: bool) -> Iterator[Element]:
    """One party for each person, and for each name but the first, which the people carry."""
    name, *other_names = [*texts_of(organisation, "name"), ""]
    people: list[Element | None] = [*objects(organisation, "individual")]
    for person in people or ([None] if alone else []):
        yield _party(person, name, organisation)
    for name_element in other_names:
        if name_element:
            yield _party(None, name_element, organisation)


def _party(person: Element | None, organisation: str, party: Element) -> Element:
    responsible_party = etree.Element(f"{GMD}CI_ResponsibleParty")
    if person is not None:
        _add_text(responsible_party, "individualName", text_of(person, "name"))
        _add_text(responsible_party, "positionName", text_of(person, "positionName"))
    _add_text(responsible_party, "organisationName", organisation)
    for holder in (person, party):
        for contact in children(holder, "contactInfo"):
            responsible_party.append(copy_of(contact))
    return responsible_party


def _move_language(holder: Element) -> None:
    for locale in objects(holder, "defaultLocale"):
        for prop in children(locale, "language"):
            holder.append(copy_of(prop))


def _move_identification(identification: Element) -> None:
    for resolution in objects(identification, "spatialResolution"):
        for angle in children(resolution, "angularDistance"):
            angle.tag = f"{GMD}distance"
    for prop in list(children(identification, "associatedResource")):
        prop.tag = f"{GMD}aggregationInfo"
        aggregate = object_in(prop)
        for name in children(aggregate, "name"):
            name.tag = f"{GMD}aggregateDataSetName"
        for identifier in list(objects(aggregate, "metadataReference/identifier")):
            if aggregate is not None:
                _add_property(aggregate, "aggregateDataSetIdentifier").append(copy_of(identifier))
    for block in objects(identification, "resourceConstraints"):
        for citation in list(objects(block, "reference")):
            _add_cited_terms(block, citation)


def _add_cited_terms(block: Element, citation: Element) -> None:
    """A cited licence, as a constraint with its link."""
    anchor = etree.SubElement(_add_property(block, "otherConstraints"), f"{GMX}Anchor")
    anchor.text = text_of(citation, "title")
    address = raw_text(child(first_object(citation, "onlineResource"), "linkage")).strip()
    if address:
        anchor.set(XLINK_HREF, address)


def _name_format(element: Element) -> None:
    citation = first_object(element, "formatSpecificationCitation")
    name = one_line(child(citation, "title"))
    alternate = one_line(child(citation, "alternateTitle"))
    if name or alternate:
        _add_text(element, "name", name or alternate)


def _add_property(parent: Element, name: str) -> Element:
    return etree.SubElement(parent, f"{GMD}{name}")


def _add_text(parent: Element, name: str, text: str) -> None:
    if text:
        etree.SubElement(_add_property(parent, name), f"{GCO}CharacterString").text = text
