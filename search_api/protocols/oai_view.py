"""``/oai``: OAI-PMH 2.0, by GET and by POST."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from lxml import etree

from core.errors import NotFound
from core.timespan import iso
from search_api.catalogue.catalogues import ALL, Catalogue
from search_api.formats_out.formats import oai_formats
from search_api.formats_out.notations import add_child
from search_api.http.openapi import PROBLEMS, text_answer
from search_api.http.responses import Addresses
from search_api.parts import Parts
from search_api.protocols.oai import (
    Header,
    HeaderPage,
    OaiRequest,
    OaiRequestError,
    Verb,
    list_headers,
    read_request,
    second,
)

OAI = "http://www.openarchives.org/OAI/2.0/"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_NSMAP: Any = {None: OAI, "xsi": _XSI}
Element = etree._Element

XML = "text/xml"
_EARLIEST = "1970-01-01T00:00:00Z"


def identifier(record_id: str) -> str:
    return f"oai:sonde:{record_id}"


def record_id(text: str) -> str:
    """Raises OaiRequestError (idDoesNotExist) if the identifier is not one of ours."""
    if not text.startswith("oai:sonde:"):
        raise OaiRequestError("idDoesNotExist", "identifiers begin with oai:sonde:")
    return text.removeprefix("oai:sonde:")


def envelope(base: str, moment: str, arguments: Mapping[str, str]) -> Element:
    """The root with ``request``; ``arguments`` is empty if they were invalid."""
    root = etree.Element(f"{{{OAI}}}OAI-PMH", nsmap=_NSMAP)
    root.set(f"{{{_XSI}}}schemaLocation", f"{OAI} http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd")
    _text(root, "responseDate", moment)
    add_child(root, f"{{{OAI}}}request", base, **arguments)
    return root


def add_error(root: Element, error: OaiRequestError) -> None:
    add_child(root, f"{{{OAI}}}error", str(error), code=error.code)


def add_identify(root: Element, base: str, mail: str, earliest: str) -> None:
    identify = _text(root, "Identify")
    for name, text in (
        ("repositoryName", "Sonde"),
        ("baseURL", base),
        ("protocolVersion", "2.0"),
        ("adminEmail", mail),
        ("earliestDatestamp", earliest),
        ("deletedRecord", "transient"),
        ("granularity", "YYYY-MM-DDThh:mm:ssZ"),
    ):
        _text(identify, name, text)


def add_formats(root: Element) -> None:
    formats = _text(root, "ListMetadataFormats")
    for format in oai_formats().values():
        element = _text(formats, "metadataFormat")
        _text(element, "metadataPrefix", format.prefix)
        _text(element, "schema", format.schema)
        _text(element, "metadataNamespace", format.namespace)


def add_sets(root: Element, catalogues: Iterable[Catalogue]) -> None:
    sets = _text(root, "ListSets")
    for catalogue in catalogues:
        element = _text(sets, "set")
        _text(element, "setSpec", catalogue.id)
        _text(element, "setName", catalogue.title)


def add_list(root: Element, verb: str, page: HeaderPage, prefix: str, address_of: Any) -> None:
    """``address_of``: maps a Record to the address of its page."""
    element = _text(root, verb)
    for header in page.headers:
        if verb == "ListIdentifiers":
            _header(element, header)
        else:
            add_record(element, header, prefix, address_of)
    if page.token is not None or page.seen:
        counts = {"completeListSize": str(page.matched), "cursor": str(page.seen)}
        add_child(element, f"{{{OAI}}}resumptionToken", page.token or "", **counts)


def add_record(parent: Element, header: Header, prefix: str, address_of: Any) -> None:
    element = _text(parent, "record")
    _header(element, header)
    if header.record is not None:
        metadata = oai_formats()[prefix].write(header.record, address_of(header.record))
        _text(element, "metadata").append(metadata)


def _header(parent: Element, header: Header) -> None:
    element = _text(parent, "header")
    if header.removed:
        element.set("status", "deleted")
    _text(element, "identifier", identifier(header.id))
    _text(element, "datestamp", header.datestamp)
    _text(element, "setSpec", header.source)


def _text(parent: Element, name: str, text: str | None = None) -> Element:
    return add_child(parent, f"{{{OAI}}}{name}", text)


def oai_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("oai", __name__, abp_tags=[Tag(name="feeds", description="For harvesters and crawlers")])
    responses_by_status = {200: text_answer(XML), **PROBLEMS}

    @api.get("/oai", summary="OAI-PMH 2.0 (verb, metadataPrefix, from, until, set, ...)", responses=responses_by_status)
    def oai() -> Response:
        return _answer(parts)

    @api.post("/oai", summary="OAI-PMH 2.0 by POST, the arguments as a form", responses=responses_by_status)
    def oai_by_form() -> Response:
        return _answer(parts)

    return api


def _answer(parts: Parts) -> Response:
    arguments = list((request.form if request.method == "POST" else request.args).items(multi=True))
    addresses = Addresses.of(parts.http)
    base, moment = addresses.to("/oai"), iso(parts.now_ms() // 1000 * 1000)
    try:
        oai = read_request(arguments)
        root = envelope(base, moment, dict(arguments))
        _VERBS[oai.verb](parts, oai, root)
    except OaiRequestError as error:
        valid_arguments = {} if error.code in ("badVerb", "badArgument") else dict(arguments)
        root = envelope(base, moment, valid_arguments)
        add_error(root, error)
    return Response(etree.tostring(root, xml_declaration=True, encoding="UTF-8"), mimetype=XML)


def _identify(parts: Parts, _oai: OaiRequest, root: etree._Element) -> None:
    oldest = {"size": 0, "aggs": {"oldest": {"min": {"field": "harvest.written"}}}}
    value = parts.records.search(oldest)["aggregations"]["oldest"]["value"]
    earliest = iso(int(value) // 1000 * 1000) if value is not None else _EARLIEST
    add_identify(root, Addresses.of(parts.http).to("/oai"), parts.http.contact, earliest)


def _formats(parts: Parts, oai: OaiRequest, root: etree._Element) -> None:
    if oai.identifier is not None:
        _header_of(parts, oai.identifier)
    add_formats(root)


def _sets(parts: Parts, oai: OaiRequest, root: etree._Element) -> None:
    if oai.token is not None:
        raise OaiRequestError("badResumptionToken", "the sets come in one list")
    add_sets(root, [catalogue for catalogue in parts.catalogues.list() if catalogue.id != ALL])


def _list(parts: Parts, oai: OaiRequest, root: etree._Element) -> None:
    page = list_headers(parts.records, oai)
    add_list(root, oai.verb, page, page.prefix, Addresses.of(parts.http).item)


def _get(parts: Parts, oai: OaiRequest, root: etree._Element) -> None:
    header = _header_of(parts, oai.identifier or "")
    element = etree.SubElement(root, f"{{{OAI}}}GetRecord")
    add_record(element, header, oai.prefix, Addresses.of(parts.http).item)


def _header_of(parts: Parts, identifier: str) -> Header:
    try:
        stored = parts.records.record(record_id(identifier))
    except NotFound as error:
        raise OaiRequestError("idDoesNotExist", str(error)) from None
    datestamp = second(stored.written) if stored.written else _EARLIEST
    return Header(stored.record.id, stored.record.source, datestamp, record=stored.record)


_VERBS: dict[Verb, Callable[[Parts, OaiRequest, etree._Element], None]] = {
    "Identify": _identify,
    "ListMetadataFormats": _formats,
    "ListSets": _sets,
    "ListIdentifiers": _list,
    "ListRecords": _list,
    "GetRecord": _get,
}
