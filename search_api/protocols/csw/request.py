"""A CSW request from key-value pairs or from an XML body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, get_args

from lxml import etree

from core.extent import BBox
from search_api.protocols.csw.boxes import box_of_pair
from search_api.protocols.csw.errors import CswError
from search_api.protocols.csw.names import CSW, ELEMENTS, OGC, VERSION, local
from search_api.protocols.csw.type_names import Namespaces, known_types

Operation = Literal["GetCapabilities", "DescribeRecord", "GetRecords", "GetRecordById", "GetDomain"]
Detail = Literal["brief", "summary", "full"]
Result = Literal["hits", "results", "validate"]

T = TypeVar("T")

LARGEST_PAGE = 100
SCHEMA_LANGUAGES = ("http://www.w3.org/XML/Schema", "http://www.w3.org/2001/XMLSchema", "XMLSCHEMA")
_LARGEST_NUMBER = 10**9


@dataclass(frozen=True, slots=True)
class CswRequest:
    """``start``: 1 is the first record, and so is the 0 of some clients. ``constraint``: a filter element, or CQL text.

    ``elements`` and ``sort`` (``-dc:title``: descending) have the client's names. ``domain``: GetDomain's names.
    ``words`` (a record has any of them) and ``box`` are the pairs ``q`` and ``bbox`` of CSW 3, beside the constraint.
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
    given = {name.lower(): value for name, value in pairs}
    operation = _operation(given.get("request"))
    _check_service(given)
    constraint: etree._Element | str | None = given.get("constraint") or None
    if constraint and given.get("constraintlanguage", "CQL_TEXT").upper() == "FILTER":
        constraint = read_xml(given["constraint"].encode())
    checked = _checked(
        operation,
        {
            **given,
            "sort": ",".join(map(_sort_key_of_pair, _listed(given.get("sortby")))),
            "elements": given.get("elementname", ""),
            "detail": given.get("elementsetname"),
            "ids": given.get("id", ""),
        },
        constraint,
    )
    box = box_of_pair(given["bbox"]) if given.get("bbox") else None
    return replace(checked, words=_listed(given.get("q")), box=box)


def of_xml(body: bytes) -> CswRequest:
    """Raises CswError."""
    root = read_xml(body)
    name = etree.QName(root)
    if name.namespace != CSW:
        raise CswError("OperationNotSupported", f"the body is no request of {CSW}", "request")
    operation = _operation(name.localname)
    given = {str(key).lower(): str(value) for key, value in root.attrib.items()}
    _check_service({"service": "CSW", **given} if operation == "GetCapabilities" else given)
    query = root.find(f"{{{CSW}}}Query")
    asked = root if query is None else query
    constraint = asked.find(f"{{{CSW}}}Constraint")
    sort = [_sort_key(one) for one in asked.iterfind(f"{{{OGC}}}SortBy/{{{OGC}}}SortProperty")]
    checked = _checked(
        operation,
        {
            **given,
            "typenames": str(asked.get("typeNames") or given.get("typenames", "")),
            "typename": ",".join(_texts(root, "TypeName")),
            "detail": asked.findtext(f"{{{CSW}}}ElementSetName"),
            "elements": ",".join(_texts(asked, "ElementName")),
            "ids": ",".join(_texts(root, "Id")),
            "sort": ",".join(sort),
            "propertyname": root.findtext(f"{{{CSW}}}PropertyName") or "",
            "parametername": root.findtext(f"{{{CSW}}}ParameterName") or "",
        },
        _constraint(constraint),
        dict(asked.nsmap),
    )
    return replace(checked, sent=root)


def read_xml(body: bytes) -> etree._Element:
    """Without entities, network and document types. Raises CswError."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise CswError("NoApplicableCode", f"the XML cannot be read: {error.msg}") from None
    if root.getroottree().docinfo.doctype:  # type: ignore[union-attr]
        raise CswError("NoApplicableCode", "a document type is not accepted")
    return root


def _checked(
    operation: Operation,
    given: Mapping[str, str | None],
    constraint: etree._Element | str | None,
    namespaces: Namespaces | None = None,
) -> CswRequest:
    _check_format(given.get("outputformat"))
    _check_elements(given)
    if operation == "DescribeRecord":
        _check_language(given.get("schemalanguage"))
    size = min(_number("maxRecords", given.get("maxrecords"), 10, least=0), LARGEST_PAGE)
    result = _one_of("resultType", given.get("resulttype") or "hits", get_args(Result))
    kind = "typeName" if operation == "DescribeRecord" else "typeNames"
    return CswRequest(
        operation,
        schema=given.get("outputschema") or CSW,
        detail=_one_of("ElementSetName", given.get("detail") or "summary", get_args(Detail)),
        elements=_listed(given.get("elements")),
        result="hits" if result == "results" and size == 0 else result,
        start=max(1, _number("startPosition", given.get("startposition"), 1, least=0)),
        size=size,
        constraint=constraint,
        sort=given.get("sort") or None,
        ids=_listed(given.get("ids")),
        domain=(given.get("propertyname") or None, given.get("parametername") or None),
        type_names=known_types(given.get("typenames") or given.get("typename") or "", kind, namespaces or {}),
    )


def _operation(name: str | None) -> Operation:
    if not name:
        raise CswError("MissingParameterValue", "request is missing", "request")
    for known in get_args(Operation):
        if name == known:
            found: Operation = known
            return found
    raise CswError("OperationNotSupported", f"{name[:100]} is not supported", "request")


def _check_service(given: Mapping[str, str]) -> None:
    if given.get("service", "") != "CSW":
        code = "InvalidParameterValue" if given.get("service") else "MissingParameterValue"
        raise CswError(code, "service must be CSW", "service")
    accepted = [one.strip() for one in given.get("acceptversions", "").split(",") if one.strip()]
    if accepted and VERSION not in accepted:
        raise CswError("VersionNegotiationFailed", f"only version {VERSION} is served", "acceptversions")
    if not accepted and given.get("version", VERSION) not in (VERSION, ""):
        raise CswError("InvalidParameterValue", f"version must be {VERSION}", "version")


def _one_of(name: str, text: str, known: tuple[T, ...]) -> T:
    for one in known:
        if one == text:
            return one
    raise CswError("InvalidParameterValue", f"{name} is one of {', '.join(map(str, known))}", name)


def _check_format(given: str | None) -> None:
    if given and given not in ("application/xml", "text/xml"):
        raise CswError("InvalidParameterValue", "outputFormat must be application/xml", "outputFormat")


def _check_elements(given: Mapping[str, str | None]) -> None:
    """Elements are those of csw:Record; another schema's records are written whole, whatever elements are named."""
    elements = _listed(given.get("elements"))
    if elements and given.get("detail"):
        message = "ElementSetName and ElementName exclude each other"
        raise CswError("InvalidParameterValue", message, "ElementSetName")
    for one in elements if (given.get("outputschema") or CSW) == CSW else ():
        if local(one) not in ELEMENTS:
            raise CswError("InvalidParameterValue", f"csw:Record has no element {one[:100]}", "ElementName")


def _check_language(given: str | None) -> None:
    if given and given not in SCHEMA_LANGUAGES:
        message = f"schemaLanguage is one of {', '.join(SCHEMA_LANGUAGES)}"
        raise CswError("InvalidParameterValue", message, "schemaLanguage")


def _number(name: str, text: str | None, default: int, *, least: int) -> int:
    if not text:
        return default
    if not text.isdecimal() or not least <= int(text[:12]) <= _LARGEST_NUMBER:
        raise CswError("InvalidParameterValue", f"{name} is a whole number from {least} on", name)
    return int(text)


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _texts(parent: etree._Element, name: str) -> list[str]:
    return [one.text.strip() for one in parent.iterfind(f"{{{CSW}}}{name}") if one.text]


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
    found = element.find(f"{{{OGC}}}Filter")
    if found is not None:
        return found
    text = element.findtext(f"{{{CSW}}}CqlText")
    if not text:
        raise CswError("InvalidParameterValue", "Constraint holds an ogc:Filter or a csw:CqlText", "constraint")
    return text
