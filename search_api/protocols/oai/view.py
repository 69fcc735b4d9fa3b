"""``/oai``: OAI-PMH 2.0, by GET and by POST."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from lxml import etree

from core.errors import NotFound
from core.timespan import iso
from search_api.catalogue.listing.catalogues import ALL
from search_api.http.addresses import Addresses
from search_api.http.documented import PROBLEMS, texts
from search_api.parts import Parts
from search_api.protocols.oai import xml
from search_api.protocols.oai.listing import Header, list_headers, second
from search_api.protocols.oai.request import OaiError, OaiRequest, Verb, read_request

XML = "text/xml"
_EARLIEST = "1970-01-01T00:00:00Z"


def oai_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("oai", __name__, abp_tags=[Tag(name="feeds", description="For harvesters and crawlers")])
    described = {200: texts(XML), **PROBLEMS}

    @api.get("/oai", summary="OAI-PMH 2.0 (verb, metadataPrefix, from, until, set, ...)", responses=described)
    def oai() -> Response:
        return _answer(parts)

    @api.post("/oai", summary="OAI-PMH 2.0 by POST, the arguments as a form", responses=described)
    def oai_by_form() -> Response:
        return _answer(parts)

    return api


def _answer(parts: Parts) -> Response:
    arguments = list((request.form if request.method == "POST" else request.args).items(multi=True))
    addresses = Addresses.of(parts)
    base, moment = addresses.to("/oai"), iso(parts.now_ms() // 1000 * 1000)
    try:
        asked = read_request(arguments)
        root = xml.envelope(base, moment, dict(arguments))
        _VERBS[asked.verb](parts, asked, root)
    except OaiError as error:
        understood = {} if error.code in ("badVerb", "badArgument") else dict(arguments)
        root = xml.envelope(base, moment, understood)
        xml.add_error(root, error)
    return Response(etree.tostring(root, xml_declaration=True, encoding="UTF-8"), mimetype=XML)


def _identify(parts: Parts, _asked: OaiRequest, root: etree._Element) -> None:
    oldest = {"size": 0, "aggs": {"oldest": {"min": {"field": "harvest.written"}}}}
    value = parts.records.search(oldest)["aggregations"]["oldest"]["value"]
    earliest = iso(int(value) // 1000 * 1000) if value is not None else _EARLIEST
    xml.add_identify(root, Addresses.of(parts).to("/oai"), parts.http.contact, earliest)


def _formats(parts: Parts, asked: OaiRequest, root: etree._Element) -> None:
    if asked.identifier is not None:
        _stored(parts, asked.identifier)
    xml.add_formats(root)


def _sets(parts: Parts, asked: OaiRequest, root: etree._Element) -> None:
    if asked.token is not None:
        raise OaiError("badResumptionToken", "the sets come in one list")
    xml.add_sets(root, [one for one in parts.catalogues.list() if one.id != ALL])


def _list(parts: Parts, asked: OaiRequest, root: etree._Element) -> None:
    page = list_headers(parts.records, asked)
    xml.add_list(root, asked.verb, page, page.prefix, Addresses.of(parts).item)


def _get(parts: Parts, asked: OaiRequest, root: etree._Element) -> None:
    found = _stored(parts, asked.identifier or "")
    listed = etree.SubElement(root, f"{{{xml.OAI}}}GetRecord")
    xml.add_record(listed, found, asked.prefix, Addresses.of(parts).item)


def _stored(parts: Parts, identifier: str) -> Header:
    try:
        found = parts.records.record(xml.record_id(identifier))
    except NotFound as error:
        raise OaiError("idDoesNotExist", str(error)) from None
    stamp = second(found.written) if found.written else _EARLIEST
    return Header(found.record.id, found.record.source, stamp, record=found.record)


_VERBS: dict[Verb, Callable[[Parts, OaiRequest, etree._Element], None]] = {
    "Identify": _identify,
    "ListMetadataFormats": _formats,
    "ListSets": _sets,
    "ListIdentifiers": _list,
    "ListRecords": _list,
    "GetRecord": _get,
}
