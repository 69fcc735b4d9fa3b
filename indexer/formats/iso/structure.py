"""Prepares a tree of ISO 19139: repairs its structure, resolves references, and orders translations.

Some catalogues export the structure of ISO 19115-3 in the namespace of ISO 19139, several objects in one property, or a
property beside the object that should hold it. The meaning of such an element does not depend on its place."""

from __future__ import annotations

from typing import cast

from lxml import etree

from indexer.formats.iso.elements import GCO, GMD, XLINK_HREF, child, children, code_of, one_line
from indexer.formats.repair.codes import language
from indexer.formats.xml_documents import Element, copy_of, local_name

STRUCTURE_REPAIRED = "structure: elements in the wrong place were read by their names"
NAMES_OF_19115_3 = "structure: elements of ISO 19115-3 in the namespace of ISO 19139 were read by their names"

_NAMES = {
    f"{GMD}{wrong}": f"{GMD}citedResponsibleParty"
    for wrong in ("citeResponsibleParty", "citedResponsibilityParty", "citedResponsibility")
}
_ONLY_IN_19115_3 = frozenset(
    f"{GMD}{name}"
    for name in ("metadataIdentifier", "parentMetadata", "CI_Responsibility", "resourceLineage", "defaultLocale",
                 "dateInfo", "metadataScope", "associatedResource", "formatSpecificationCitation")
)  # fmt: skip
_HOLDERS = {  # a property -> the class that should hold it
    **dict.fromkeys(("geographicElement", "temporalElement", "verticalElement"), "extent"),
    **dict.fromkeys(("transferOptions", "distributionFormat", "distributor"), "distribution"),
    **dict.fromkeys(("distributorContact", "distributorFormat", "distributorTransferOptions"), "distributor"),
    **dict.fromkeys(
        ("descriptiveKeywords", "topicCategory", "pointOfContact", "graphicOverview", "resourceFormat",
         "aggregationInfo"),
        "identification",
    ),
}  # fmt: skip
_HELD_PROPERTIES = tuple(f"{GMD}{name}" for name in _HOLDERS)
_ROLE, _PARTY, _RESPONSIBILITY = f"{GMD}role", f"{GMD}party", f"{GMD}CI_Responsibility"
_MOST_REFERENCES = 200
_LARGEST_TARGET = 500  # elements of a referred object
_IDS = ("id", "{http://www.opengis.net/gml/3.2}id", "{http://www.opengis.net/gml}id", "uuid")
_FREE_TEXT = f"{GMD}PT_FreeText"
# libxml2 finds these few elements in a tenth of the time of a loop over all of them.
_CROWDED = etree.XPath("descendant-or-self::gmd:*[*[2]]", namespaces={"gmd": GMD.strip("{}")})
_REFERENCES = etree.XPath(
    "descendant-or-self::*[not(*)][starts-with(@xlink:href, '#')]",
    namespaces={"xlink": XLINK_HREF.partition("}")[0].lstrip("{")},
)


def _found(path: etree.XPath, root: Element) -> list[Element]:
    return cast(list[Element], path(root))


def repair_structure(root: Element) -> list[str]:
    """Changes the tree in place; the warnings list the repairs. A correct document gives none."""
    warnings: list[str] = []
    if next(root.iter(*_ONLY_IN_19115_3), None) is not None:
        warnings.append(NAMES_OF_19115_3)
        _join_objects(list(root.iter("*")))
    misplaced_properties = [prop for prop in root.iter(*_HELD_PROPERTIES) if _is_misplaced(prop)]
    crowded_properties = [prop for prop in _found(_CROWDED, root) if _holds_objects(prop)]
    if misplaced_properties or crowded_properties:
        warnings.append(STRUCTURE_REPAIRED)
    for prop in crowded_properties:
        _split_property(prop)
    for prop in misplaced_properties:
        _move(prop)
    for lineage in list(root.iter(f"{GMD}LI_Lineage")):
        _move_lineage(root, lineage)
    return warnings


def _join_objects(elements: list[Element]) -> None:
    """Joins the objects of one property into one."""
    for element in elements:
        element.tag = _NAMES.get(str(element.tag), element.tag)
        if element.tag == _RESPONSIBILITY:
            _move_roles(element)
        elif element.tag == f"{GMD}CI_Date":
            _move_date_type(element)
        elif element.tag == f"{GMD}MD_Identifier" and child(element, "code") is None:
            for space in list(children(element, "codeSpace"))[:1]:
                space.tag = f"{GMD}code"
        elif element.tag == f"{GMD}PT_Locale":
            for prop in [*children(element, "defaultLocale"), *children(element, "languageCode")]:
                prop.tag = f"{GMD}language"


def _move_roles(responsibility: Element) -> None:
    """Moves a role to its party: it can be beside it, inside it, or in a separate object after it."""
    for code in list(children(responsibility, "CI_RoleCode")):
        etree.SubElement(responsibility, _ROLE).append(code)
    for party in list(children(responsibility, _PARTY)):
        inner_role = child(party, _ROLE)
        if inner_role is not None:
            new_role = etree.Element(_RESPONSIBILITY)
            responsibility.addnext(new_role)
            new_role.extend([party, inner_role])
    role, holder = child(responsibility, _ROLE), responsibility.getparent()
    if role is None or holder is None or child(responsibility, _PARTY) is not None:
        return
    for role_holder in children(holder, _RESPONSIBILITY):
        if role_holder is not responsibility and child(role_holder, _ROLE) is None:
            role_holder.append(copy_of(role))
    holder.remove(responsibility)


def _move_date_type(date: Element) -> None:
    """Moves the type of a date to its date: it can be in a separate object after it, or lack its property."""
    code, previous = child(date, "CI_DateTypeCode"), date.getprevious()
    if code is None:
        return
    if child(date, "date") is not None:
        etree.SubElement(date, f"{GMD}dateType").append(code)
    elif previous is not None and previous.tag == date.tag and child(previous, "dateType") is None:
        etree.SubElement(previous, f"{GMD}dateType").append(code)
        holder = date.getparent()
        if holder is not None:
            holder.remove(date)


def _holds_objects(prop: Element) -> bool:
    """Whether a property holds several objects; a text with its translations is one."""
    if not local_name(prop)[:1].islower() or prop.tag == _PARTY:
        return False
    parts = list(prop.iterchildren("*"))
    return all(local_name(part)[:1].isupper() and str(part.tag).startswith(GMD) for part in parts) and not any(
        str(part.tag) == f"{GMD}PT_FreeText" or str(part.tag).startswith(GCO) for part in parts
    )


def _split_property(prop: Element) -> None:
    """Makes one property for each object, in order."""
    place = prop
    for part in list(prop.iterchildren("*"))[1:]:
        new_property = etree.Element(prop.tag)
        new_property.append(part)
        place.addnext(new_property)
        place = new_property


def _is_misplaced(prop: Element) -> bool:
    kind, parent = _HOLDERS[local_name(prop)], prop.getparent()
    return parent is not None and not _is_a(parent, kind) and _holder(prop, kind) is not None


def _move(prop: Element) -> None:
    holder = _holder(prop, _HOLDERS[local_name(prop)])
    if holder is not None:
        holder.append(prop)


def _holder(prop: Element, kind: str) -> Element | None:
    return next((ancestor for ancestor in prop.iterancestors() if _is_a(ancestor, kind)), None)


def _is_a(element: Element, kind: str) -> bool:
    """Whether an object is an EX_Extent, MD_Distribution, ... or a profile's variant of it."""
    return local_name(element).lower().endswith(kind)


def _move_lineage(root: Element, lineage: Element) -> None:
    prop = lineage.getparent()
    parent = prop.getparent() if prop is not None else None
    if (
        prop is None
        or parent is None
        or local_name(parent) == "DQ_DataQuality"
        or local_name(prop) not in ("lineage", "resourceLineage")
    ):
        return
    quality = etree.SubElement(etree.SubElement(root, f"{GMD}dataQualityInfo"), f"{GMD}DQ_DataQuality")
    prop.tag = f"{GMD}lineage"
    quality.append(prop)


def resolve_references(root: Element) -> None:
    """Puts a copy of an object of the same document where an empty property refers to it (``xlink:href="#id"``)."""
    empty_properties = [(prop, str(prop.get(XLINK_HREF))[1:]) for prop in _found(_REFERENCES, root)]
    if not empty_properties:
        return
    by_id = {str(element.get(name)): element for element in root.iter("*") for name in _IDS if element.get(name)}
    for prop, name in empty_properties[:_MOST_REFERENCES]:
        target = by_id.get(name)
        if target is None or prop in target.iter("*") or len(list(target.iter("*"))) > _LARGEST_TARGET:
            continue
        prop.append(copy_of(target))


def put_own_language_first(root: Element) -> None:
    """Orders the translations of each text so that the one in the record's language comes first."""
    own_language = _own_language(root)
    if own_language is None:
        return
    locales = {
        str(locale.get("id"))
        for locale in root.iter(f"{GMD}PT_Locale")
        if locale.get("id") and _code(locale) == own_language
    }
    for free_text in root.iter(_FREE_TEXT):
        groups = list(free_text.iterchildren(f"{GMD}textGroup"))
        groups.sort(
            key=lambda group: not any(_is_in_language(string, locales, own_language) for string in group)
        )  # stable
        free_text[:] = groups


def _own_language(root: Element) -> str | None:
    prop = child(root, "language")
    language_code = language(code_of(prop) or one_line(prop))
    return language_code if language_code is not None else _code(child(root, "defaultLocale"))


def _code(holder: Element | None) -> str | None:
    """The language of a locale."""
    code = None if holder is None else next(holder.iter(f"{GMD}LanguageCode"), None)
    return None if code is None else language(code.get("codeListValue") or code.text or "")


def _is_in_language(string: Element, locales: set[str], own_language: str) -> bool:
    """By the locale that the text names; some write the language itself instead."""
    name = (string.get("locale") or "").lstrip("#")
    return name in locales or (bool(name) and not locales and language(name) == own_language)
