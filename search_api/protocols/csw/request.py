"""The types that a request names: csw:Record and gmd:MD_Metadata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, get_args

from lxml import etree

from core.geo import BBox
from search_api.formats_out.iso19139 import GMD
from search_api.protocols.csw.filter_xml import CSW, ELEMENTS, OGC, VERSION, CswError, box_of_pair, local

Namespaces = Mapping[str | None, str]
"""Prefix to namespace; None is the default namespace."""

TYPES = {(CSW, "Record"): "csw:Record", (GMD, "MD_Metadata"): "gmd:MD_Metadata"}
_USUAL: Namespaces = {"csw": CSW, "gmd": GMD}

Operation = Literal["GetCapabilities", "DescribeRecord", "GetRecords", "GetRecordById", "GetDomain"]
Detail = Literal["brief", "summary", "full"]
Result = Literal["hits", "results", "validate"]
T = TypeVar("T")
LARGEST_PAGE = 100
SCHEMA_LANGUAGES = ("http://www.w3.org/XML/Schema", "http://www.w3.org/2001/XMLSchema", "XMLSCHEMA")
_LARGEST_NUMBER = 10**9


def named_types(text: str, parameter: str, declared: Namespaces) -> tuple[str, ...]:
    """The names with their usual prefixes. Raises CswError for another type, and for a name of no namespace.

    ``text``: names between commas or spaces. The prefixes csw and gmd count undeclared too, because clients forget
    them. A name without a prefix is in the default namespace, which key-value pairs do not have.
    """
    return tuple(_known_type(name, parameter, declared) for name in text.replace(",", " ").split())


def _known_type(name: str, parameter: str, declared: Namespaces) -> str:
    prefix, _, local = name.rpartition(":")
    namespaces = {**_USUAL, **declared}
    record_type = TYPES.get((namespaces.get(prefix or None, ""), local))
    if record_type is None:
        message = f"{parameter} is csw:Record or gmd:MD_Metadata, not {name[:100]}"
        raise CswError("InvalidParameterValue", message, parameter)
    return record_type


@dataclass(frozen=True, slots=True)
class CswRequest:
    """``start``: 1 is the first record, and so is the 0 of some clients. ``constraint``: a filter element, or CQL text.

    ``elements`` and ``sort`` (``-dc:title``: descending) have the client's names. ``domain``: GetDomain's names.
    ``words`` (a record has any of them) and ``box`` are the pairs ``q`` and ``bbox`` of CSW 3, which also count.
    ``sent``: the XML body.
    """

    operation: Operation
    schema: str = CSW
    detail: Detail = "summary"
    elements: tuple[str, ...] = ()
    result: Result = "hits"
    start: int = 1
    size: int = 10
    constraint: etree._Element | str | None = None
    sort: str | None = None
    ids: tuple[str, ...] = ()
    domain: tuple[str | None, str | None] = (None, None)
    type_names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    box: BBox | None = None
    sent: etree._Element | None = field(default=None, compare=False)


def of_pairs(pairs: Iterable[tuple[str, str]]) -> CswRequest:
    """Names in any case. Raises CswError."""
    values = {name.lower(): value for name, value in pairs}
    operation = _operation(values.get("request"))
    _check_service(values)
    constraint: etree._Element | str | None = values.get("constraint") or None
    if constraint and values.get("constraintlanguage", "CQL_TEXT").upper() == "FILTER":
        constraint = read_xml(values["constraint"].encode())
    csw_request = _check(
        operation,
        {
            **values,
            "sort": ",".join(map(_sort_key_of_pair, _split(values.get("sortby")))),
            "elements": values.get("elementname", ""),
            "detail": values.get("elementsetname"),
            "ids": values.get("id", ""),
        },
        constraint,
    )
    box = box_of_pair(values["bbox"]) if values.get("bbox") else None
    return replace(csw_request, words=_split(values.get("q")), box=box)


def of_xml(body: bytes) -> CswRequest:
    """Raises CswError."""
    root = read_xml(body)
    name = etree.QName(root)
    if name.namespace != CSW:
        raise CswError("OperationNotSupported", f"the body is no request of {CSW}", "request")
    operation = _operation(name.localname)
    values = {str(key).lower(): str(value) for key, value in root.attrib.items()}
    _check_service({"service": "CSW", **values} if operation == "GetCapabilities" else values)
    query = root.find(f"{{{CSW}}}Query")
    query_element = root if query is None else query
    constraint = query_element.find(f"{{{CSW}}}Constraint")
    sort = [_sort_key(key_element) for key_element in query_element.iterfind(f"{{{OGC}}}SortBy/{{{OGC}}}SortProperty")]
    csw_request = _check(
        operation,
        {
            **values,
            "typenames": str(query_element.get("typeNames") or values.get("typenames", "")),
            "typename": ",".join(_texts(root, "TypeName")),
            "detail": query_element.findtext(f"{{{CSW}}}ElementSetName"),
            "elements": ",".join(_texts(query_element, "ElementName")),
            "ids": ",".join(_texts(root, "Id")),
            "sort": ",".join(sort),
            "propertyname": root.findtext(f"{{{CSW}}}PropertyName") or "",
            "parametername": root.findtext(f"{{{CSW}}}ParameterName") or "",
        },
        _constraint(constraint),
        dict(query_element.nsmap),
    )
    return replace(csw_request, sent=root)


def read_xml(body: bytes) -> etree._Element:
    """Without entities, network and document types. Raises CswError."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise CswError("NoApplicableCode", f"the XML cannot be read: {error.msg}") from None
    if root.getroottree().docinfo.doctype:  # type: ignore[union-attr]
        raise CswError("NoApplicableCode", "a document type is not accepted")
    return root


def _check(
    operation: Operation,
    values: Mapping[str, str | None],
    constraint: etree._Element | str | None,
    namespaces: Namespaces | None = None,
) -> CswRequest:
    _check_format(values.get("outputformat"))
    _check_elements(values)
    if operation == "DescribeRecord":
        _check_language(values.get("schemalanguage"))
    size = min(_number("maxRecords", values.get("maxrecords"), 10, least=0), LARGEST_PAGE)
    result = _one_of("resultType", values.get("resulttype") or "hits", get_args(Result))
    kind = "typeName" if operation == "DescribeRecord" else "typeNames"
    return CswRequest(
        operation,
        schema=values.get("outputschema") or CSW,
        detail=_one_of("ElementSetName", values.get("detail") or "summary", get_args(Detail)),
        elements=_split(values.get("elements")),
        result="hits" if result == "results" and size == 0 else result,
        start=max(1, _number("startPosition", values.get("startposition"), 1, least=0)),
        size=size,
        constraint=constraint,
        sort=values.get("sort") or None,
        ids=_split(values.get("ids")),
        domain=(values.get("propertyname") or None, values.get("parametername") or None),
        type_names=named_types(values.get("typenames") or values.get("typename") or "", kind, namespaces or {}),
    )


def _operation(name: str | None) -> Operation:
    if not name:
        raise CswError("MissingParameterValue", "request is missing", "request")
    for operation in get_args(Operation):
        if name == operation:
            operation_name: Operation = operation
            return operation_name
    raise CswError("OperationNotSupported", f"{name[:100]} is not supported", "request")


def _check_service(values: Mapping[str, str]) -> None:
    if values.get("service", "") != "CSW":
        code = "InvalidParameterValue" if values.get("service") else "MissingParameterValue"
        raise CswError(code, "service must be CSW", "service")
    accepted = [version.strip() for version in values.get("acceptversions", "").split(",") if version.strip()]
    if accepted and VERSION not in accepted:
        raise CswError("VersionNegotiationFailed", f"only version {VERSION} is served", "acceptversions")
    if not accepted and values.get("version", VERSION) not in (VERSION, ""):
        raise CswError("InvalidParameterValue", f"version must be {VERSION}", "version")


def _one_of(name: str, text: str, values: tuple[T, ...]) -> T:
    for value in values:
        if value == text:
            return value
    raise CswError("InvalidParameterValue", f"{name} is one of {', '.join(map(str, values))}", name)


def _check_format(format: str | None) -> None:
    if format and format not in ("application/xml", "text/xml"):
        raise CswError("InvalidParameterValue", "outputFormat must be application/xml", "outputFormat")


def _check_elements(values: Mapping[str, str | None]) -> None:
    """Elements are those of csw:Record; another schema's records are written whole, whatever elements are named."""
    elements = _split(values.get("elements"))
    if elements and values.get("detail"):
        message = "ElementSetName and ElementName exclude each other"
        raise CswError("InvalidParameterValue", message, "ElementSetName")
    for element in elements if (values.get("outputschema") or CSW) == CSW else ():
        if local(element) not in ELEMENTS:
            raise CswError("InvalidParameterValue", f"csw:Record has no element {element[:100]}", "ElementName")


def _check_language(language: str | None) -> None:
    if language and language not in SCHEMA_LANGUAGES:
        message = f"schemaLanguage is one of {', '.join(SCHEMA_LANGUAGES)}"
        raise CswError("InvalidParameterValue", message, "schemaLanguage")


def _number(name: str, text: str | None, default: int, *, least: int) -> int:
    if not text:
        return default
    if not text.isdecimal() or len(text) > 12 or not least <= int(text) <= _LARGEST_NUMBER:
        raise CswError("InvalidParameterValue", f"{name} is a whole number from {least} on", name)
    return int(text)


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _texts(parent: etree._Element, name: str) -> list[str]:
    return [child.text.strip() for child in parent.iterfind(f"{{{CSW}}}{name}") if child.text]


def _sort_key_of_pair(text: str) -> str:
    """``dc:title:D`` as ``-dc:title``."""
    name, _, order = text.rpartition(":")
    if order.upper() in ("A", "D", "ASC", "DESC") and name:
        return f"{'-' if order.upper().startswith('D') else ''}{name}"
    return text


def _sort_key(element: etree._Element) -> str:
    name = (element.findtext(f"{{{OGC}}}PropertyName") or "").strip()
    return f"-{name}" if (element.findtext(f"{{{OGC}}}SortOrder") or "").upper().startswith("D") else name


def _constraint(element: etree._Element | None) -> etree._Element | str | None:
    if element is None:
        return None
    filter_element = element.find(f"{{{OGC}}}Filter")
    if filter_element is not None:
        return filter_element
    text = element.findtext(f"{{{CSW}}}CqlText")
    if not text:
        raise CswError("InvalidParameterValue", "Constraint holds an ogc:Filter or a csw:CqlText", "constraint")
    return text
