"""The names of a record as ISO 19139: identifiers of the citation, typed keywords, and the content of a coverage.

The platforms of ISO 19115-2 need a root element of their own, so platforms, instruments and projects are keywords of
these types.
"""

from __future__ import annotations

from core.names import Variable
from core.record import Record
from search_api.formats_out.iso_elements import Element, code, node, text
from search_api.formats_out.stated_names import NameKind, names_beside_keywords, variable_label

_TYPES: tuple[NameKind, ...] = ("platform", "instrument", "project")
SHORT_NAME = "short name"
"""The code space of an identifier that is a product's short name."""


def short_names(record: Record) -> list[Element]:
    """For the citation."""
    return [
        node(
            "gmd:identifier",
            node("gmd:RS_Identifier", text("gmd:code", name), text("gmd:codeSpace", SHORT_NAME)),
        )
        for name in record.names.short_names
    ]


def keywords(record: Record) -> list[Element]:
    typed = {kind: [text("gmd:keyword", name) for name in names_beside_keywords(record, kind)] for kind in _TYPES}
    return [
        node(
            "gmd:descriptiveKeywords",
            node("gmd:MD_Keywords", *words, code("gmd:type", "MD_KeywordTypeCode", kind)),
        )
        for kind, words in typed.items()
        if words
    ]


def content(record: Record) -> Element | None:
    """Variables with their units as bands, and the level of processing, for which only an image has a place."""
    level = record.names.processing_level
    if not record.names.variables and not level:
        return None
    described = node(
        f"gmd:{'MD_ImageDescription' if level else 'MD_CoverageDescription'}",
        node("gmd:attributeDescription", gco__nilReason="unknown"),
        code("gmd:contentType", "MD_CoverageContentTypeCode", "physicalMeasurement"),
        *[_band(one, position) for position, one in enumerate(record.names.variables, 1)],
        node("gmd:processingLevelCode", node("gmd:MD_Identifier", text("gmd:code", level))) if level else None,
    )
    return node("gmd:contentInfo", described)


def _band(variable: Variable, position: int) -> Element:
    label = variable_label(variable)
    kind = node("gco:attributeType", node("gco:TypeName", text("gco:aName", "number")))
    member = node("gco:MemberName", text("gco:aName", label), kind)
    return node(
        "gmd:dimension",
        node(
            "gmd:MD_Band",
            node("gmd:sequenceIdentifier", member),
            text("gmd:descriptor", label),
            _unit(variable.unit, position) if variable.unit else None,
        ),
    )


def _unit(unit: str, position: int) -> Element:
    named = node("gml:identifier", text=unit, codeSpace="unit")
    return node("gmd:units", node("gml:UnitDefinition", named, gml__id=f"unit-{position}"))
