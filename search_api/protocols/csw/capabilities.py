"""GetCapabilities, with INSPIRE's extended capabilities of a discovery service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lxml import etree

from search_api.formats_out.notations import add_child
from search_api.protocols.csw import filter_xml
from search_api.protocols.csw.names import (
    ADDITIONAL,
    CSW,
    INSPIRE,
    INSPIRE_DS,
    NSMAP,
    OGC,
    OWS,
    SUPPORTED,
    VERSION,
    XLINK,
    XSI,
)
from search_api.protocols.csw.request import SCHEMA_LANGUAGES

Element = etree._Element

_FORMATS = ("application/xml",)
_LOCATIONS = (
    f"{CSW} http://schemas.opengis.net/csw/2.0.2/CSW-discovery.xsd "
    f"{INSPIRE_DS} http://inspire.ec.europa.eu/schemas/inspire_ds/1.0/inspire_ds.xsd"
)


@dataclass(frozen=True, slots=True)
class CswService:
    """What the capabilities say of this service; ``revised`` and ``languages`` are those of its records."""

    address: str
    title: str
    abstract: str
    publisher: str
    mail: str
    revised: str
    schemas: Sequence[str]


def capabilities(service: CswService) -> Element:
    root = etree.Element(f"{{{CSW}}}Capabilities", nsmap={**NSMAP, "inspire_ds": INSPIRE_DS, "inspire_common": INSPIRE})
    root.set("version", VERSION)
    root.set(f"{{{XSI}}}schemaLocation", _LOCATIONS)
    _identification(root, service)
    _provider(root, service)
    _operations(root, service)
    _filters(root)
    return root


def _identification(root: Element, service: CswService) -> None:
    element = _ows(root, "ServiceIdentification")
    _ows(element, "Title", service.title)
    _ows(element, "Abstract", service.abstract)
    keywords = _ows(element, "Keywords")
    for word in ("catalogue", "discovery", "metadata", "infoCatalogueService"):
        _ows(keywords, "Keyword", word)
    _ows(element, "ServiceType", "CSW")
    _ows(element, "ServiceTypeVersion", VERSION)
    _ows(element, "Fees", "none")
    _ows(element, "AccessConstraints", "none")


def _provider(root: Element, service: CswService) -> None:
    element = _ows(root, "ServiceProvider")
    _ows(element, "ProviderName", service.publisher)
    add_child(element, f"{{{OWS}}}ProviderSite", **{f"{{{XLINK}}}href": service.address, f"{{{XLINK}}}type": "simple"})
    contact = _ows(_ows(_ows(element, "ServiceContact"), "ContactInfo"), "Address")
    _ows(contact, "ElectronicMailAddress", service.mail)


def _operations(root: Element, service: CswService) -> None:
    element = _ows(root, "OperationsMetadata")
    for name, parameters in operations(service.schemas).items():
        operation = add_child(element, f"{{{OWS}}}Operation", name=name)
        http = _ows(_ows(operation, "DCP"), "HTTP")
        for method in ("Get", "Post"):
            way = add_child(
                http, f"{{{OWS}}}{method}", **{f"{{{XLINK}}}href": service.address, f"{{{XLINK}}}type": "simple"}
            )
            if method == "Post":
                _domain(way, "Constraint", "PostEncoding", ("XML",))
        for parameter, values in parameters.items():
            _domain(operation, "Parameter", parameter, values)
        if name == "GetRecords":
            _domain(operation, "Constraint", "SupportedISOQueryables", ADDITIONAL)
            _domain(operation, "Constraint", "SupportedDublinCoreQueryables", SUPPORTED)
    _domain(element, "Parameter", "service", ("CSW",))
    _domain(element, "Parameter", "version", (VERSION,))
    _inspire(_ows(element, "ExtendedCapabilities"), service)


def operations(schemas: Iterable[str]) -> dict[str, dict[str, Sequence[str]]]:
    """Each operation's parameters with the values that they take."""
    outputs = {"outputFormat": _FORMATS, "outputSchema": tuple(schemas), "ElementSetName": ("brief", "summary", "full")}
    return {
        "GetCapabilities": {"sections": ("All",)},
        "DescribeRecord": {"outputFormat": _FORMATS, "schemaLanguage": SCHEMA_LANGUAGES},
        "GetRecords": {
            **outputs,
            "CONSTRAINTLANGUAGE": ("CQL_TEXT", "FILTER"),
            "resultType": ("hits", "results", "validate"),
            "typeNames": ("csw:Record", "gmd:MD_Metadata"),
        },
        "GetRecordById": dict(outputs),
        "GetDomain": {"ParameterName": ("GetRecords.outputSchema", "GetRecords.typeNames", "GetRecords.resultType")},
    }


def _inspire(parent: Element, service: CswService) -> None:
    """Every element that INSPIRE's network services ask of a discovery service, without a link to other metadata."""
    element = add_child(parent, f"{{{INSPIRE_DS}}}ExtendedCapabilities")
    _inspire_text(
        _inspire_text(element, "ResourceLocator"), "URL", f"{service.address}?service=CSW&request=GetCapabilities"
    )
    _inspire_text(element, "ResourceType", "service")
    _inspire_text(_inspire_text(element, "TemporalReference"), "DateOfLastRevision", service.revised)
    conformity = _inspire_text(element, "Conformity")
    specification = _inspire_text(conformity, "Specification")
    _inspire_text(specification, "Title", "Commission Regulation (EC) No 976/2009, network services")
    _inspire_text(specification, "DateOfPublication", "2009-10-19")
    _inspire_text(conformity, "Degree", "notEvaluated")
    contact = _inspire_text(element, "MetadataPointOfContact")
    _inspire_text(contact, "OrganisationName", service.publisher)
    _inspire_text(contact, "EmailAddress", service.mail)
    _inspire_text(element, "MetadataDate", service.revised)
    _inspire_text(element, "SpatialDataServiceType", "discovery")
    keyword = _inspire_text(element, "MandatoryKeyword")
    _inspire_text(keyword, "KeywordValue", "infoCatalogueService")
    languages = _inspire_text(element, "SupportedLanguages")
    _inspire_text(_inspire_text(languages, "DefaultLanguage"), "Language", "eng")
    _inspire_text(_inspire_text(element, "ResponseLanguage"), "Language", "eng")


def _filters(root: Element) -> None:
    element = add_child(root, f"{{{OGC}}}Filter_Capabilities")
    spatial = add_child(element, f"{{{OGC}}}Spatial_Capabilities")
    operands = add_child(spatial, f"{{{OGC}}}GeometryOperands")
    for name in ("Envelope", "Point", "LineString", "Polygon"):
        add_child(operands, f"{{{OGC}}}GeometryOperand", f"gml:{name}")
    operators = add_child(spatial, f"{{{OGC}}}SpatialOperators")
    for name in filter_xml.SPATIAL:
        add_child(operators, f"{{{OGC}}}SpatialOperator", name=name)
    scalar = add_child(element, f"{{{OGC}}}Scalar_Capabilities")
    add_child(scalar, f"{{{OGC}}}LogicalOperators")
    compared = add_child(scalar, f"{{{OGC}}}ComparisonOperators")
    for name in filter_xml.COMPARISONS:
        add_child(compared, f"{{{OGC}}}ComparisonOperator", name.replace("OrEqualTo", "EqualTo"))
    ids = add_child(element, f"{{{OGC}}}Id_Capabilities")
    add_child(ids, f"{{{OGC}}}EID")


def _domain(parent: Element, kind: str, name: str, values: Iterable[str]) -> None:
    element = add_child(parent, f"{{{OWS}}}{kind}", name=name)
    for value in values:
        _ows(element, "Value", value)


def _ows(parent: Element, name: str, text: str | None = None) -> Element:
    return add_child(parent, f"{{{OWS}}}{name}", text)


def _inspire_text(parent: Element, name: str, text: str | None = None) -> Element:
    return add_child(parent, f"{{{INSPIRE}}}{name}", text)
