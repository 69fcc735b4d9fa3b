"""GetCapabilities, with INSPIRE's extended capabilities of a discovery service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lxml import etree

from search_api.formats_out.xml_text import child
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
class Service:
    """What the capabilities say of this service; ``revised`` and ``languages`` are those of its records."""

    address: str
    title: str
    abstract: str
    publisher: str
    mail: str
    revised: str
    schemas: Sequence[str]


def capabilities(service: Service) -> Element:
    root = etree.Element(f"{{{CSW}}}Capabilities", nsmap={**NSMAP, "inspire_ds": INSPIRE_DS, "inspire_common": INSPIRE})
    root.set("version", VERSION)
    root.set(f"{{{XSI}}}schemaLocation", _LOCATIONS)
    _identification(root, service)
    _provider(root, service)
    _operations(root, service)
    _filters(root)
    return root


def _identification(root: Element, service: Service) -> None:
    made = _ows(root, "ServiceIdentification")
    _ows(made, "Title", service.title)
    _ows(made, "Abstract", service.abstract)
    keywords = _ows(made, "Keywords")
    for word in ("catalogue", "discovery", "metadata", "infoCatalogueService"):
        _ows(keywords, "Keyword", word)
    _ows(made, "ServiceType", "CSW")
    _ows(made, "ServiceTypeVersion", VERSION)
    _ows(made, "Fees", "none")
    _ows(made, "AccessConstraints", "none")


def _provider(root: Element, service: Service) -> None:
    made = _ows(root, "ServiceProvider")
    _ows(made, "ProviderName", service.publisher)
    child(made, f"{{{OWS}}}ProviderSite", **{f"{{{XLINK}}}href": service.address, f"{{{XLINK}}}type": "simple"})
    contact = _ows(_ows(_ows(made, "ServiceContact"), "ContactInfo"), "Address")
    _ows(contact, "ElectronicMailAddress", service.mail)


def _operations(root: Element, service: Service) -> None:
    made = _ows(root, "OperationsMetadata")
    for name, parameters in operations(service.schemas).items():
        operation = child(made, f"{{{OWS}}}Operation", name=name)
        http = _ows(_ows(operation, "DCP"), "HTTP")
        for method in ("Get", "Post"):
            way = child(
                http, f"{{{OWS}}}{method}", **{f"{{{XLINK}}}href": service.address, f"{{{XLINK}}}type": "simple"}
            )
            if method == "Post":
                _domain(way, "Constraint", "PostEncoding", ("XML",))
        for parameter, values in parameters.items():
            _domain(operation, "Parameter", parameter, values)
        if name == "GetRecords":
            _domain(operation, "Constraint", "SupportedISOQueryables", ADDITIONAL)
            _domain(operation, "Constraint", "SupportedDublinCoreQueryables", SUPPORTED)
    _domain(made, "Parameter", "service", ("CSW",))
    _domain(made, "Parameter", "version", (VERSION,))
    _inspire(_ows(made, "ExtendedCapabilities"), service)


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


def _inspire(parent: Element, service: Service) -> None:
    """Every element that INSPIRE's network services ask of a discovery service, without a link to other metadata."""
    made = child(parent, f"{{{INSPIRE_DS}}}ExtendedCapabilities")
    _inspire_text(
        _inspire_text(made, "ResourceLocator"), "URL", f"{service.address}?service=CSW&request=GetCapabilities"
    )
    _inspire_text(made, "ResourceType", "service")
    _inspire_text(_inspire_text(made, "TemporalReference"), "DateOfLastRevision", service.revised)
    conformity = _inspire_text(made, "Conformity")
    specification = _inspire_text(conformity, "Specification")
    _inspire_text(specification, "Title", "Commission Regulation (EC) No 976/2009, network services")
    _inspire_text(specification, "DateOfPublication", "2009-10-19")
    _inspire_text(conformity, "Degree", "notEvaluated")
    contact = _inspire_text(made, "MetadataPointOfContact")
    _inspire_text(contact, "OrganisationName", service.publisher)
    _inspire_text(contact, "EmailAddress", service.mail)
    _inspire_text(made, "MetadataDate", service.revised)
    _inspire_text(made, "SpatialDataServiceType", "discovery")
    keyword = _inspire_text(made, "MandatoryKeyword")
    _inspire_text(keyword, "KeywordValue", "infoCatalogueService")
    languages = _inspire_text(made, "SupportedLanguages")
    _inspire_text(_inspire_text(languages, "DefaultLanguage"), "Language", "eng")
    _inspire_text(_inspire_text(made, "ResponseLanguage"), "Language", "eng")


def _filters(root: Element) -> None:
    made = child(root, f"{{{OGC}}}Filter_Capabilities")
    spatial = child(made, f"{{{OGC}}}Spatial_Capabilities")
    operands = child(spatial, f"{{{OGC}}}GeometryOperands")
    for name in ("Envelope", "Point", "LineString", "Polygon"):
        child(operands, f"{{{OGC}}}GeometryOperand", f"gml:{name}")
    operators = child(spatial, f"{{{OGC}}}SpatialOperators")
    for name in filter_xml.SPATIAL:
        child(operators, f"{{{OGC}}}SpatialOperator", name=name)
    scalar = child(made, f"{{{OGC}}}Scalar_Capabilities")
    child(scalar, f"{{{OGC}}}LogicalOperators")
    compared = child(scalar, f"{{{OGC}}}ComparisonOperators")
    for name in filter_xml.COMPARISONS:
        child(compared, f"{{{OGC}}}ComparisonOperator", name.replace("OrEqualTo", "EqualTo"))
    ids = child(made, f"{{{OGC}}}Id_Capabilities")
    child(ids, f"{{{OGC}}}EID")


def _domain(parent: Element, kind: str, name: str, values: Iterable[str]) -> None:
    made = child(parent, f"{{{OWS}}}{kind}", name=name)
    for value in values:
        _ows(made, "Value", value)


def _ows(parent: Element, name: str, text: str | None = None) -> Element:
    return child(parent, f"{{{OWS}}}{name}", text)


def _inspire_text(parent: Element, name: str, text: str | None = None) -> Element:
    return child(parent, f"{{{INSPIRE}}}{name}", text)
