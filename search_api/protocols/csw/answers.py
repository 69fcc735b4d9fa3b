"""CSW answers as XML: records, domains, schemas, the request's echo, exceptions, and GetCapabilities with INSPIRE's
extended capabilities of a discovery service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass

from lxml import etree

from core.record import Record
from search_api.formats_out.dublin_core import csw_record
from search_api.formats_out.formats import oai_formats
from search_api.formats_out.iso19139 import GMD
from search_api.formats_out.notations import add_child
from search_api.protocols.csw.filter_xml import (
    ADDITIONAL,
    COMPARISONS,
    CSW,
    INSPIRE,
    INSPIRE_DS,
    NSMAP,
    OGC,
    OWS,
    RECORD_SCHEMA,
    SPATIAL,
    SUPPORTED,
    VERSION,
    XLINK,
    XSD,
    XSI,
    CswError,
    local,
)
from search_api.protocols.csw.request import SCHEMA_LANGUAGES, CswRequest

Element = etree._Element

_LOCATION = f"{CSW} http://schemas.opengis.net/csw/2.0.2/CSW-discovery.xsd"
_SCHEMAS = {
    "csw:Record": (CSW, RECORD_SCHEMA),
    "gmd:MD_Metadata": (GMD, "http://schemas.opengis.net/iso/19139/20060504/gmd/gmd.xsd"),
}


def _echo(csw: CswRequest) -> Element:
    """The XML body as sent, without its comments; for key-value pairs the csw:GetRecords that means the same."""
    if csw.sent is not None:
        return deepcopy(csw.sent)
    root = etree.Element(f"{{{CSW}}}GetRecords", nsmap={**NSMAP, "gmd": GMD})
    attributes = {
        "service": "CSW",
        "version": VERSION,
        "resultType": csw.result,
        "outputSchema": csw.schema,
        "startPosition": str(csw.start),
        "maxRecords": str(csw.size),
    }
    for name, value in attributes.items():
        root.set(name, value)
    _add_query(root, csw)
    return root


def _add_query(root: Element, csw: CswRequest) -> None:
    query = add_child(root, f"{{{CSW}}}Query", typeNames=" ".join(csw.type_names or ("csw:Record",)))
    if not csw.elements:
        add_child(query, f"{{{CSW}}}ElementSetName", csw.detail)
    for name in csw.elements:
        add_child(query, f"{{{CSW}}}ElementName", name)
    if csw.constraint is not None:
        constraint = add_child(query, f"{{{CSW}}}Constraint", version="1.1.0")
        if isinstance(csw.constraint, str):
            add_child(constraint, f"{{{CSW}}}CqlText", csw.constraint)
        else:
            constraint.append(deepcopy(csw.constraint))
    if csw.sort is not None:
        _add_order(query, csw.sort)


def _add_order(query: Element, sort: str) -> None:
    order = add_child(query, f"{{{OGC}}}SortBy")
    for key in sort.split(","):
        element = add_child(order, f"{{{OGC}}}SortProperty")
        add_child(element, f"{{{OGC}}}PropertyName", key.removeprefix("-"))
        add_child(element, f"{{{OGC}}}SortOrder", "DESC" if key.startswith("-") else "ASC")


def schemas() -> tuple[str, ...]:
    """The values of ``outputSchema``: CSW's own, and each format that OAI-PMH carries too."""
    return (CSW, *(format.namespace for format in oai_formats().values()))


def writer_of(csw: CswRequest) -> Callable[[Record, str], Element]:
    """Writes one record. Raises CswError for an unknown schema."""
    if csw.schema == CSW:
        elements = frozenset(map(local, csw.elements))
        detail = "full" if elements else csw.detail
        return lambda record, address: csw_record(record, address, detail, elements)
    writer = next((format.write for format in oai_formats().values() if format.namespace == csw.schema), None)
    if writer is None:
        raise CswError("InvalidParameterValue", f"outputSchema is one of {', '.join(schemas())}", "outputSchema")
    return writer


def get_records(csw: CswRequest, moment: str, records: Iterable[Element], total: int) -> Element:
    root = _root("GetRecordsResponse")
    root.set("version", VERSION)
    add_child(root, f"{{{CSW}}}SearchStatus", timestamp=moment)
    page = list(records)
    end = csw.start + len(page)
    following = end if page and end <= total else 0
    if csw.result == "hits":
        following = 1 if total else 0
    results = add_child(
        root,
        f"{{{CSW}}}SearchResults",
        numberOfRecordsMatched=str(total),
        numberOfRecordsReturned=str(len(page)),
        nextRecord=str(following),
        recordSchema=csw.schema,
        **({} if csw.elements else {"elementSet": csw.detail}),
    )
    results.extend(page)
    return root


def acknowledgement(csw: CswRequest, moment: str) -> Element:
    """The answer to ``resultType=validate``."""
    root = _root("Acknowledgement")
    root.set("timeStamp", moment)
    add_child(root, f"{{{CSW}}}EchoedRequest").append(_echo(csw))
    return root


def by_id(records: Iterable[Element]) -> Element:
    root = _root("GetRecordByIdResponse")
    root.extend(list(records))
    return root


def domain(kind: str, name: str, values: Iterable[str], type_name: str) -> Element:
    """``kind``: ParameterName or PropertyName."""
    root = _root("GetDomainResponse")
    values_part = add_child(root, f"{{{CSW}}}DomainValues", type=type_name)
    add_child(values_part, f"{{{CSW}}}{kind}", name)
    list_element = add_child(values_part, f"{{{CSW}}}ListOfValues")
    for value in values:
        add_child(list_element, f"{{{CSW}}}Value", value)
    return root


def record_schemas(names: Iterable[str]) -> Element:
    """The schema of each type, as an import of the published one."""
    root = _root("DescribeRecordResponse")
    for name in tuple(names) or tuple(_SCHEMAS):
        namespace, location = _SCHEMAS[name]
        part = add_child(
            root, f"{{{CSW}}}SchemaComponent", targetNamespace=namespace, schemaLanguage=SCHEMA_LANGUAGES[0]
        )
        schema = etree.SubElement(part, f"{{{XSD}}}schema", nsmap={"xs": XSD})
        add_child(schema, f"{{{XSD}}}import", namespace=namespace, schemaLocation=location)
    return root


def exception(error: CswError) -> Element:
    root = etree.Element(f"{{{OWS}}}ExceptionReport", nsmap={"ows": OWS, "xsi": XSI})
    root.set("version", "1.0.0")
    root.set(f"{{{XSI}}}schemaLocation", f"{OWS} http://schemas.opengis.net/ows/1.0.0/owsExceptionReport.xsd")
    attributes = {"exceptionCode": error.code} | ({"locator": error.locator} if error.locator else {})
    element = add_child(root, f"{{{OWS}}}Exception", **attributes)
    add_child(element, f"{{{OWS}}}ExceptionText", str(error))
    return root


def _root(name: str) -> Element:
    root = etree.Element(f"{{{CSW}}}{name}", nsmap=NSMAP)
    root.set(f"{{{XSI}}}schemaLocation", _LOCATION)
    return root


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
    for name in SPATIAL:
        add_child(operators, f"{{{OGC}}}SpatialOperator", name=name)
    scalar = add_child(element, f"{{{OGC}}}Scalar_Capabilities")
    add_child(scalar, f"{{{OGC}}}LogicalOperators")
    compared = add_child(scalar, f"{{{OGC}}}ComparisonOperators")
    for name in COMPARISONS:
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
