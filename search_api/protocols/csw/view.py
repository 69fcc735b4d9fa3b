"""``/csw``: Catalogue Service for the Web 2.0.2, by key-value pairs and by XML."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from lxml import etree

from core.timespan import iso
from search_api.catalogue.listing.catalogues import ALL
from search_api.http.addresses import Addresses
from search_api.http.documented import PROBLEMS, texts
from search_api.parts import Parts
from search_api.protocols.csw import answers, reading
from search_api.protocols.csw.capabilities import Service, capabilities, operations
from search_api.protocols.csw.errors import CswError
from search_api.protocols.csw.request import CswRequest, Operation, of_pairs, of_xml

XML = "application/xml"
LARGEST_BODY_BYTES = 256 * 1024
_MOST_IDS = 200


def csw_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("csw", __name__, abp_tags=[Tag(name="feeds", description="For harvesters and crawlers")])
    described = {200: texts(XML), **PROBLEMS, 400: texts(XML)}

    @api.get("/csw", summary="CSW 2.0.2 (service, request, constraint, ...)", responses=described)
    def csw() -> Response:
        return _answer(parts, lambda: of_pairs(request.args.items(multi=True)))

    @api.post("/csw", summary="CSW 2.0.2 by XML", responses=described)
    def csw_by_xml() -> Response:
        request.max_content_length = LARGEST_BODY_BYTES
        if request.mimetype == "application/x-www-form-urlencoded":
            return _answer(parts, lambda: of_pairs(request.form.items(multi=True)))
        return _answer(parts, lambda: of_xml(request.get_data()))

    return api


def _answer(parts: Parts, read: Callable[[], CswRequest]) -> Response:
    try:
        asked = read()
        root = _OPERATIONS[asked.operation](parts, asked)
        status = 200
    except CswError as error:
        root, status = answers.exception(error), 400
    return Response(etree.tostring(root, xml_declaration=True, encoding="UTF-8"), status, mimetype=XML)


def _capabilities(parts: Parts, _asked: CswRequest) -> etree._Element:
    addresses, everything = Addresses.of(parts), parts.catalogues.get(ALL)
    service = Service(
        address=addresses.to("/csw"),
        title="Sonde",
        abstract=f"{everything.count} records of geoscience and environmental data catalogues",
        publisher=parts.http.publisher,
        mail=parts.http.contact,
        revised=iso(everything.updated if everything.updated is not None else parts.now_ms())[:10],
        schemas=answers.schemas(),
    )
    return capabilities(service)


def _describe(_parts: Parts, asked: CswRequest) -> etree._Element:
    return answers.described(asked.type_names)


def _records(parts: Parts, asked: CswRequest) -> etree._Element:
    write, item = answers.writer_of(asked), Addresses.of(parts).item
    moment = iso(parts.now_ms() // 1000 * 1000)
    found, matched = reading.page(parts.records, asked)
    if asked.result == "validate":
        return answers.acknowledgement(asked, moment)
    return answers.get_records(asked, moment, (write(one, item(one)) for one in found), matched)


def _by_id(parts: Parts, asked: CswRequest) -> etree._Element:
    if not asked.ids:
        raise CswError("MissingParameterValue", "Id is missing", "Id")
    if len(asked.ids) > _MOST_IDS:
        raise CswError("InvalidParameterValue", f"there are more than {_MOST_IDS} ids", "Id")
    write, item = answers.writer_of(asked), Addresses.of(parts).item
    return answers.by_id(write(one, item(one)) for one in reading.by_id(parts.records, asked.ids))


def _domain(parts: Parts, asked: CswRequest) -> etree._Element:
    prop, parameter = asked.domain
    if parameter is not None:
        operation, _, name = parameter.partition(".")
        known = operations(answers.schemas()).get(operation, {})
        values = next((listed for key, listed in known.items() if key.lower() == name.lower()), None)
        if values is None:
            raise CswError("InvalidParameterValue", f"there is no parameter {parameter[:100]}", "ParameterName")
        return answers.domain("ParameterName", parameter, values, "csw:Record")
    if prop is None:
        raise CswError("MissingParameterValue", "PropertyName or ParameterName is missing", "PropertyName")
    return answers.domain("PropertyName", prop, reading.values_of(parts.records, prop), "csw:Record")


_OPERATIONS: dict[Operation, Callable[[Parts, CswRequest], etree._Element]] = {
    "GetCapabilities": _capabilities,
    "DescribeRecord": _describe,
    "GetRecords": _records,
    "GetRecordById": _by_id,
    "GetDomain": _domain,
}
