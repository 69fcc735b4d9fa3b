"""``/csw``: Catalogue Service for the Web 2.0.2, by key-value pairs and by XML."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from lxml import etree

from core.json_types import Json
from core.record import Record
from core.timespan import iso
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import EXCEPT_VECTORS
from search_api.catalogue.catalogues import ALL
from search_api.catalogue.listing import ListRequest, RecordReader, Selection, selected
from search_api.http.openapi import PROBLEMS, text_answer
from search_api.http.responses import Addresses
from search_api.parts import Parts
from search_api.protocols.csw import answers
from search_api.protocols.csw.answers import CswService, capabilities, operations
from search_api.protocols.csw.constraint import clause_for, for_ids, order_of
from search_api.protocols.csw.filter_xml import CSW_QUERYABLES, CswError, local
from search_api.protocols.csw.request import CswRequest, Operation, of_pairs, of_xml
from search_api.search.filtering.queryables import QUERYABLES
from search_api.search.order import sort_body

_LARGEST_WINDOW = 10_000
"""Elasticsearch's limit for a position; further ones are reached in steps of this size."""
_MOST_VALUES = 1000

XML = "application/xml"
LARGEST_BODY_BYTES = 256 * 1024
_MOST_IDS = 200


def _page(reader: RecordReader, csw: CswRequest) -> tuple[list[Record], int]:
    """The records from the position on, and how many match. Without an order, by id. Raises CswError."""
    has_words = reader.has_words
    filters = () if csw.constraint is None else (clause_for(csw.constraint, has_words),)
    query = selected(Selection(terms=csw.words, area=csw.box, also=filters), has_words)
    listing: Json = {"query": query, **sort_body(order_of(csw.sort))}
    skipped = csw.start - 1
    while skipped + csw.size > _LARGEST_WINDOW:
        step = min(skipped, _LARGEST_WINDOW)
        if step == 0:
            break
        hits = reader.search({**listing, "size": step, "_source": False})["hits"]["hits"]
        if len(hits) < step:
            return [], _count_matches(reader, query)
        listing["search_after"], skipped = hits[-1]["sort"], skipped - step
    if "search_after" not in listing:
        listing["from"] = skipped
    size = csw.size if csw.result == "results" else 0
    answer = reader.search({**listing, "size": size, "_source": EXCEPT_VECTORS, "track_total_hits": True})["hits"]
    return [from_document(hit["_source"]) for hit in answer["hits"]], int(answer["total"]["value"])


def _records_by_id(reader: RecordReader, ids: tuple[str, ...]) -> list[Record]:
    """In the order of ``ids``, without unknown ones; of several with the same identifier, the first by id."""
    records = [
        stored.record
        for stored in reader.page(ListRequest(Selection(also=(for_ids(ids),)), limit=len(ids) * 5)).records
    ]
    by_name: dict[str, Record] = {}
    for record in reversed(records):
        by_name.update(dict.fromkeys((record.identifier, record.doi or record.identifier), record))
    by_name.update({record.id: record for record in records})
    return list({by_name[id].id: by_name[id] for id in ids if id in by_name}.values())


def _values_of(reader: RecordReader, name: str) -> list[str]:
    """The most frequent values of a queryable, in alphabetical order. Raises CswError if it has none to list."""
    queryable = QUERYABLES.get(CSW_QUERYABLES.get(local(name), ""))
    if queryable is None or queryable.kind not in ("folded", "exact"):
        raise CswError("InvalidParameterValue", f"{name[:100]} has no values to list", "PropertyName")
    body = {"size": 0, "aggs": {"values": {"terms": {"field": queryable.fields[0], "size": _MOST_VALUES}}}}
    buckets = reader.search(body)["aggregations"]["values"]["buckets"]
    return sorted(str(bucket["key"]) for bucket in buckets)


def _count_matches(reader: RecordReader, query: Json) -> int:
    body = {"query": query, "size": 0, "track_total_hits": True}
    return int(reader.search(body)["hits"]["total"]["value"])


def csw_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("csw", __name__, abp_tags=[Tag(name="feeds", description="For harvesters and crawlers")])
    responses = {200: text_answer(XML), **PROBLEMS, 400: text_answer(XML)}

    @api.get("/csw", summary="CSW 2.0.2 (service, request, constraint, ...)", responses=responses)
    def csw() -> Response:
        return _answer(parts, lambda: of_pairs(request.args.items(multi=True)))

    @api.post("/csw", summary="CSW 2.0.2 by XML", responses=responses)
    def csw_by_xml() -> Response:
        request.max_content_length = LARGEST_BODY_BYTES
        if request.mimetype == "application/x-www-form-urlencoded":
            return _answer(parts, lambda: of_pairs(request.form.items(multi=True)))
        return _answer(parts, lambda: of_xml(request.get_data()))

    return api


def _answer(parts: Parts, parse: Callable[[], CswRequest]) -> Response:
    try:
        csw = parse()
        root = _OPERATIONS[csw.operation](parts, csw)
        status = 200
    except CswError as error:
        root, status = answers.exception(error), 400
    return Response(etree.tostring(root, xml_declaration=True, encoding="UTF-8"), status, mimetype=XML)


def _capabilities(parts: Parts, _csw: CswRequest) -> etree._Element:
    addresses, all_catalogues = Addresses.of(parts.http), parts.catalogues.get(ALL)
    service = CswService(
        address=addresses.to("/csw"),
        title="Sonde",
        abstract=f"{all_catalogues.count} records of geoscience and environmental data catalogues",
        publisher=parts.http.publisher,
        mail=parts.http.contact,
        revised=iso(all_catalogues.updated if all_catalogues.updated is not None else parts.now_ms())[:10],
        schemas=answers.schemas(),
    )
    return capabilities(service)


def _describe(_parts: Parts, csw: CswRequest) -> etree._Element:
    return answers.record_schemas(csw.type_names)


def _records(parts: Parts, csw: CswRequest) -> etree._Element:
    write, item = answers.writer_of(csw), Addresses.of(parts.http).item
    moment = iso(parts.now_ms() // 1000 * 1000)
    records, total = _page(parts.records, csw)
    if csw.result == "validate":
        return answers.acknowledgement(csw, moment)
    return answers.get_records(csw, moment, (write(record, item(record)) for record in records), total)


def _by_id(parts: Parts, csw: CswRequest) -> etree._Element:
    if not csw.ids:
        raise CswError("MissingParameterValue", "Id is missing", "Id")
    if len(csw.ids) > _MOST_IDS:
        raise CswError("InvalidParameterValue", f"there are more than {_MOST_IDS} ids", "Id")
    write, item = answers.writer_of(csw), Addresses.of(parts.http).item
    return answers.by_id(write(record, item(record)) for record in _records_by_id(parts.records, csw.ids))


def _domain(parts: Parts, csw: CswRequest) -> etree._Element:
    prop, parameter = csw.domain
    if parameter is not None:
        operation, _, name = parameter.partition(".")
        parameters = operations(answers.schemas()).get(operation, {})
        values = next((options for key, options in parameters.items() if key.lower() == name.lower()), None)
        if values is None:
            raise CswError("InvalidParameterValue", f"there is no parameter {parameter[:100]}", "ParameterName")
        return answers.domain("ParameterName", parameter, values, "csw:Record")
    if prop is None:
        raise CswError("MissingParameterValue", "PropertyName or ParameterName is missing", "PropertyName")
    return answers.domain("PropertyName", prop, _values_of(parts.records, prop), "csw:Record")


_OPERATIONS: dict[Operation, Callable[[Parts, CswRequest], etree._Element]] = {
    "GetCapabilities": _capabilities,
    "DescribeRecord": _describe,
    "GetRecords": _records,
    "GetRecordById": _by_id,
    "GetDomain": _domain,
}
