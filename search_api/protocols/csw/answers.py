"""CSW answers as XML: records, domains, schemas, exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lxml import etree

from core.record import Record
from search_api.formats_out.csw_record import csw_record
from search_api.formats_out.formats import oai_formats
from search_api.formats_out.iso19139 import GMD
from search_api.formats_out.xml_text import child
from search_api.protocols.csw.echo import echoed
from search_api.protocols.csw.errors import CswError
from search_api.protocols.csw.names import CSW, NSMAP, OWS, RECORD_SCHEMA, VERSION, XSD, XSI, local
from search_api.protocols.csw.request import SCHEMA_LANGUAGES, CswRequest

Element = etree._Element
_LOCATION = f"{CSW} http://schemas.opengis.net/csw/2.0.2/CSW-discovery.xsd"


def schemas() -> tuple[str, ...]:
    """The values of ``outputSchema``: CSW's own, and each format that OAI-PMH carries too."""
    return (CSW, *(one.namespace for one in oai_formats().values()))


def writer_of(asked: CswRequest) -> Callable[[Record, str], Element]:
    """Writes one record. Raises CswError for an unknown schema."""
    if asked.schema == CSW:
        chosen = frozenset(map(local, asked.elements))
        detail = "full" if chosen else asked.detail
        return lambda record, address: csw_record(record, address, detail, chosen)
    found = next((one.write for one in oai_formats().values() if one.namespace == asked.schema), None)
    if found is None:
        raise CswError("InvalidParameterValue", f"outputSchema is one of {', '.join(schemas())}", "outputSchema")
    return found


def get_records(asked: CswRequest, moment: str, records: Iterable[Element], matched: int) -> Element:
    root = _root("GetRecordsResponse")
    root.set("version", VERSION)
    child(root, f"{{{CSW}}}SearchStatus", timestamp=moment)
    shown = list(records)
    end = asked.start + len(shown)
    following = end if shown and end <= matched else 0
    if asked.result == "hits":
        following = 1 if matched else 0
    results = child(
        root,
        f"{{{CSW}}}SearchResults",
        numberOfRecordsMatched=str(matched),
        numberOfRecordsReturned=str(len(shown)),
        nextRecord=str(following),
        recordSchema=asked.schema,
        **({} if asked.elements else {"elementSet": asked.detail}),
    )
    results.extend(shown)
    return root


def acknowledgement(asked: CswRequest, moment: str) -> Element:
    """The answer to ``resultType=validate``."""
    root = _root("Acknowledgement")
    root.set("timeStamp", moment)
    child(root, f"{{{CSW}}}EchoedRequest").append(echoed(asked))
    return root


def by_id(records: Iterable[Element]) -> Element:
    root = _root("GetRecordByIdResponse")
    root.extend(list(records))
    return root


def domain(kind: str, name: str, values: Iterable[str], type_name: str) -> Element:
    """``kind``: ParameterName or PropertyName."""
    root = _root("GetDomainResponse")
    made = child(root, f"{{{CSW}}}DomainValues", type=type_name)
    child(made, f"{{{CSW}}}{kind}", name)
    listed = child(made, f"{{{CSW}}}ListOfValues")
    for value in values:
        child(listed, f"{{{CSW}}}Value", value)
    return root


def described(names: Iterable[str]) -> Element:
    """The schema of each type, as an import of the published one."""
    root = _root("DescribeRecordResponse")
    for name in tuple(names) or tuple(_SCHEMAS):
        namespace, location = _SCHEMAS[name]
        part = child(root, f"{{{CSW}}}SchemaComponent", targetNamespace=namespace, schemaLanguage=SCHEMA_LANGUAGES[0])
        schema = etree.SubElement(part, f"{{{XSD}}}schema", nsmap={"xs": XSD})
        child(schema, f"{{{XSD}}}import", namespace=namespace, schemaLocation=location)
    return root


_SCHEMAS = {
    "csw:Record": (CSW, RECORD_SCHEMA),
    "gmd:MD_Metadata": (GMD, "http://schemas.opengis.net/iso/19139/20060504/gmd/gmd.xsd"),
}


def exception(error: CswError) -> Element:
    root = etree.Element(f"{{{OWS}}}ExceptionReport", nsmap={"ows": OWS, "xsi": XSI})
    root.set("version", "1.0.0")
    root.set(f"{{{XSI}}}schemaLocation", f"{OWS} http://schemas.opengis.net/ows/1.0.0/owsExceptionReport.xsd")
    attributes = {"exceptionCode": error.code} | ({"locator": error.locator} if error.locator else {})
    made = child(root, f"{{{OWS}}}Exception", **attributes)
    child(made, f"{{{OWS}}}ExceptionText", str(error))
    return root


def _root(name: str) -> Element:
    root = etree.Element(f"{{{CSW}}}{name}", nsmap=NSMAP)
    root.set(f"{{{XSI}}}schemaLocation", _LOCATION)
    return root
