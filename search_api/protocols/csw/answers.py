"""CSW answers as XML: records, domains, schemas, the request's echo, exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy

from lxml import etree

from core.record import Record
from search_api.formats_out.dublin_core import csw_record
from search_api.formats_out.formats import oai_formats
from search_api.formats_out.iso19139 import GMD
from search_api.formats_out.notations import add_child
from search_api.protocols.csw.names import CSW, NSMAP, OGC, OWS, RECORD_SCHEMA, VERSION, XSD, XSI, CswError, local
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
        chosen = frozenset(map(local, csw.elements))
        detail = "full" if chosen else csw.detail
        return lambda record, address: csw_record(record, address, detail, chosen)
    writer = next((format.write for format in oai_formats().values() if format.namespace == csw.schema), None)
    if writer is None:
        raise CswError("InvalidParameterValue", f"outputSchema is one of {', '.join(schemas())}", "outputSchema")
    return writer


def get_records(csw: CswRequest, moment: str, records: Iterable[Element], matched: int) -> Element:
    root = _root("GetRecordsResponse")
    root.set("version", VERSION)
    add_child(root, f"{{{CSW}}}SearchStatus", timestamp=moment)
    shown = list(records)
    end = csw.start + len(shown)
    following = end if shown and end <= matched else 0
    if csw.result == "hits":
        following = 1 if matched else 0
    results = add_child(
        root,
        f"{{{CSW}}}SearchResults",
        numberOfRecordsMatched=str(matched),
        numberOfRecordsReturned=str(len(shown)),
        nextRecord=str(following),
        recordSchema=csw.schema,
        **({} if csw.elements else {"elementSet": csw.detail}),
    )
    results.extend(shown)
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
