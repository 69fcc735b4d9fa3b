"""``/oai``: OAI-PMH 2.0, by GET and by POST; its lists hold records by time of writing, then deletions.

A page continues after the last (datestamp, id), so a record rewritten meanwhile moves to the end and appears there:
nothing is missed. A token contains the whole state; the server stores nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, cast, get_args

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from lxml import etree
from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from core.errors import InvalidInput, NotFound
from core.json_types import Json
from core.record import Record
from core.timespan import iso
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import EXCEPT_VECTORS
from search_api.catalogue.catalogues import ALL
from search_api.catalogue.listing import RecordReader
from search_api.formats_out.formats import OAI_DC, oai_formats
from search_api.formats_out.notations import add_child
from search_api.http.openapi import PROBLEMS, text_answer
from search_api.http.parameters import OneOf
from search_api.http.responses import Addresses
from search_api.parts import Parts
from search_api.search.order import read_opaque, write_opaque

Verb = Literal["Identify", "ListMetadataFormats", "ListSets", "ListIdentifiers", "ListRecords", "GetRecord"]

_ALLOWED_ARGUMENTS: dict[Verb, tuple[frozenset[str], frozenset[str]]] = {  # required, optional
    "Identify": (frozenset(), frozenset()),
    "ListMetadataFormats": (frozenset(), frozenset(("identifier",))),
    "ListSets": (frozenset(), frozenset(("resumptionToken",))),
    "ListIdentifiers": (frozenset(("metadataPrefix",)), frozenset(("from", "until", "set"))),
    "ListRecords": (frozenset(("metadataPrefix",)), frozenset(("from", "until", "set"))),
    "GetRecord": (frozenset(("identifier", "metadataPrefix")), frozenset()),
}
LONGEST_SET = 512
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$", re.ASCII)

Clause = Json
Phase = Literal["records", "removed"]
PAGE = 100
_NO_LIMIT = 10**9
_Moment = Annotated[AwareDatetime, Field(strict=False)]
_Epoch = Annotated[str, Field(pattern=r"^-?[0-9]{1,16}$")]
_Id = Annotated[str, Field(max_length=1000)]

OAI = "http://www.openarchives.org/OAI/2.0/"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_NSMAP: Any = {None: OAI, "xsi": _XSI}
_IDENTIFIER = "oai:sonde:"
Element = etree._Element

XML = "text/xml"
_EARLIEST = "1970-01-01T00:00:00Z"


class OaiRequestError(Exception):
    """An error of the protocol; the answer has status 200 and this code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class OaiRequest:
    """``since`` and ``until``: UTC, inclusive, to the second."""

    verb: Verb
    prefix: str = OAI_DC
    identifier: str | None = None
    set: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    token: str | None = None


def read_request(arguments: Iterable[tuple[str, str]]) -> OaiRequest:
    """Raises OaiRequestError (badVerb, badArgument, cannotDisseminateFormat)."""
    pairs = list(arguments)
    values = dict(pairs)
    verb = values.pop("verb", "")
    if verb not in get_args(Verb) or sum(name == "verb" for name, _ in pairs) > 1:
        raise OaiRequestError("badVerb", f"verb must be one of {', '.join(get_args(Verb))}, once")
    known_verb = cast(Verb, verb)
    if len(values) + 1 < len(pairs):
        raise OaiRequestError("badArgument", "an argument was given twice")
    _check_names(known_verb, values)
    if "resumptionToken" in values:
        return OaiRequest(known_verb, token=values["resumptionToken"])
    prefix = values.get("metadataPrefix", OAI_DC)
    if prefix not in (known_prefixes := oai_formats()):
        raise OaiRequestError("cannotDisseminateFormat", f"metadataPrefix must be one of {', '.join(known_prefixes)}")
    since, until = _edges(values)
    if len(values.get("set", "")) > LONGEST_SET:
        raise OaiRequestError("badArgument", f"set is longer than {LONGEST_SET} characters")
    return OaiRequest(known_verb, prefix, values.get("identifier"), values.get("set"), since, until)


def _check_names(verb: Verb, arguments: dict[str, str]) -> None:
    required, optional = _ALLOWED_ARGUMENTS[verb]
    lists = verb in ("ListIdentifiers", "ListRecords", "ListSets")
    if lists and "resumptionToken" in arguments:
        if len(arguments) > 1:
            raise OaiRequestError("badArgument", "resumptionToken stands alone")
        return
    missing, unknown = required - arguments.keys(), arguments.keys() - required - optional
    if missing:
        raise OaiRequestError("badArgument", f"{verb} needs {', '.join(sorted(missing))}")
    if unknown:
        raise OaiRequestError("badArgument", f"{verb} does not know {', '.join(sorted(unknown))}")


def _edges(arguments: dict[str, str]) -> tuple[datetime | None, datetime | None]:
    since, until = arguments.get("from"), arguments.get("until")
    if since and until and len(since) != len(until):
        raise OaiRequestError("badArgument", "from and until must be of the same granularity")
    start, end = _read_moment("from", since, last=False), _read_moment("until", until, last=True)
    if start is not None and end is not None and start > end:
        raise OaiRequestError("badArgument", "from lies after until")
    return start, end


def _read_moment(name: str, text: str | None, *, last: bool) -> datetime | None:
    if text is None:
        return None
    if not _DATE.match(text):
        raise OaiRequestError("badArgument", f"{name} must be YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
    clock = text if "T" in text else f"{text}T{'23:59:59' if last else '00:00:00'}Z"
    try:
        return datetime.strptime(clock, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise OaiRequestError("badArgument", f"{name} is not a date that exists") from None


@dataclass(frozen=True, slots=True)
class Header:
    """``record`` None: deleted, or only headers were requested. ``datestamp`` to the second, UTC."""

    id: str
    source: str
    datestamp: str
    removed: bool = False
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class HeaderPage:
    """``token`` None on the last page; ``seen`` counts the headers of earlier pages."""

    headers: tuple[Header, ...]
    prefix: str
    token: str | None
    matched: int
    seen: int


@dataclass(frozen=True, slots=True)
class _Position:
    request: OaiRequest
    phase: Phase = "records"
    after: tuple[Any, ...] | None = None
    seen: int = 0
    matched: int | None = None


class _State(BaseModel, extra="forbid", strict=True):
    """The content of a token: the whole state."""

    phase: Phase
    verb: Literal["ListIdentifiers", "ListRecords"]
    prefix: Annotated[str, OneOf(oai_formats)]
    set: str | None = Field(None, max_length=LONGEST_SET)
    since: _Moment | None = None
    until: _Moment | None = None
    seen: int = Field(ge=0, le=_NO_LIMIT)
    matched: int = Field(ge=0, le=_NO_LIMIT)
    after: Annotated[tuple[_Epoch, _Id], Field(strict=False)] | None = None


def list_headers(reader: RecordReader, request: OaiRequest) -> HeaderPage:
    """Raises OaiRequestError (badResumptionToken, noRecordsMatch)."""
    place = _resume(request) if request.token is not None else _Position(request)
    matched = place.matched if place.matched is not None else _count(reader, place.request)
    if matched == 0:
        raise OaiRequestError("noRecordsMatch", "nothing was written or removed in that time and set")
    try:
        headers, following = _page(reader, place)
    except InvalidInput as error:
        raise _not_ours() from error
    token = None
    if following is not None:
        token = _token(replace(following, seen=place.seen + len(headers), matched=matched))
    return HeaderPage(tuple(headers), place.request.prefix, token, matched, place.seen)


def _page(reader: RecordReader, place: _Position) -> tuple[list[Header], _Position | None]:
    """A page of one phase; the next phase starts on a new page."""
    hits = _read_hits(reader, place)
    headers = [_header(hit, place.phase) for hit in hits[:PAGE]]
    if len(hits) > PAGE:
        return headers, replace(place, after=tuple(hits[PAGE - 1]["sort"]))
    if place.phase == "removed":
        return headers, None
    removed = _Position(place.request, "removed")
    if not headers:
        return _page(reader, removed)
    return headers, removed if _read_hits(reader, removed) else None


def _read_hits(reader: RecordReader, place: _Position) -> list[Json]:
    search, moment, key = _phase(reader, place.phase)
    body: Json = {
        "query": {"bool": {"filter": _filters(place.request, place.phase)}},
        "size": PAGE + 1,
        "sort": [{moment: {"order": "asc", "format": "epoch_millis", "numeric_type": "date"}}, {key: "asc"}],
        "_source": EXCEPT_VECTORS,
        "track_total_hits": False,
    }
    if place.after is not None:
        body["search_after"] = list(place.after)
    hits: list[Json] = search(body)["hits"]["hits"]
    return hits


def _phase(reader: RecordReader, phase: Phase) -> tuple[Callable[[Json], Json], str, str]:
    """The index of the phase, its time field, and the field that orders equal times."""
    if phase == "records":
        return reader.search, "harvest.written", "id"
    return reader.ledger, "removed_at", "record"


def _filters(request: OaiRequest, phase: Phase) -> list[Clause]:
    moment = "harvest.written" if phase == "records" else "removed_at"
    edges = {"gte": request.since, "lte": request.until}
    limits = {name: edge.strftime("%Y-%m-%dT%H:%M:%S") for name, edge in edges.items() if edge is not None}
    if "lte" in limits:  # to the end of that second
        limits["lte"] += ".999"
    clauses: list[Clause] = [{"range": {moment: limits}}] if limits else []
    if request.set is not None:
        clauses.append({"term": {"source": request.set}})
    if phase == "removed":
        clauses += [{"term": {"state": "removed"}}, {"exists": {"field": "record"}}, {"exists": {"field": moment}}]
    return clauses


def _count(reader: RecordReader, request: OaiRequest) -> int:
    total = 0
    for phase in get_args(Phase):
        search, *_ = _phase(reader, phase)
        query = {"bool": {"filter": _filters(request, phase)}}
        total += search({"query": query, "size": 0, "track_total_hits": True})["hits"]["total"]["value"]
    return total


def _header(hit: Json, phase: Phase) -> Header:
    source = hit["_source"]
    if phase == "removed":
        return Header(source["record"], source["source"], second(source["removed_at"]), removed=True)
    record = from_document(source)
    return Header(record.id, record.source, second(source["harvest"]["written"]), record=record)


def second(text: str) -> str:
    """An ISO 8601 moment, to the second, in UTC."""
    moment = datetime.fromisoformat(text)
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _token(place: _Position) -> str:
    request = place.request
    state = _State(
        phase=place.phase,
        verb="ListIdentifiers" if request.verb == "ListIdentifiers" else "ListRecords",
        prefix=request.prefix,
        set=request.set,
        since=request.since,
        until=request.until,
        seen=place.seen,
        matched=place.matched or 0,
        after=place.after,
    )
    return write_opaque(state.model_dump(mode="json", exclude_none=True))


def _resume(request: OaiRequest) -> _Position:
    try:
        state = _State.model_validate(read_opaque(request.token or "", "resumptionToken"))
    except (InvalidInput, ValidationError) as error:
        raise _not_ours() from error
    if state.verb != request.verb:
        raise _not_ours()
    resumed = OaiRequest(state.verb, state.prefix, None, state.set, state.since, state.until)
    return _Position(resumed, state.phase, state.after, state.seen, state.matched)


def _not_ours() -> OaiRequestError:
    return OaiRequestError("badResumptionToken", "the token is not one that this service gave out for this list")


def oai_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("oai", __name__, abp_tags=[Tag(name="feeds", description="For harvesters and crawlers")])
    responses = {200: text_answer(XML), **PROBLEMS}

    @api.get("/oai", summary="OAI-PMH 2.0 (verb, metadataPrefix, from, until, set, ...)", responses=responses)
    def oai() -> Response:
        return _answer(parts, list(request.args.items(multi=True)))

    @api.post("/oai", summary="OAI-PMH 2.0 by POST, the arguments as a form", responses=responses)
    def oai_by_form() -> Response:
        return _answer(parts, list(request.form.items(multi=True)))

    return api


def _answer(parts: Parts, arguments: list[tuple[str, str]]) -> Response:
    base, moment = Addresses.of(parts.http).to("/oai"), iso(parts.now_ms() // 1000 * 1000)
    try:
        oai = read_request(arguments)
        root = _envelope(base, moment, dict(arguments))
        _VERBS[oai.verb](parts, oai, root)
    except OaiRequestError as error:
        valid_arguments = {} if error.code in ("badVerb", "badArgument") else dict(arguments)
        root = _envelope(base, moment, valid_arguments)
        add_child(root, f"{{{OAI}}}error", str(error), code=error.code)
    return Response(etree.tostring(root, xml_declaration=True, encoding="UTF-8"), mimetype=XML)


def _envelope(base: str, moment: str, arguments: Mapping[str, str]) -> Element:
    """The root with ``request``; ``arguments`` is empty if they were invalid."""
    root = etree.Element(f"{{{OAI}}}OAI-PMH", nsmap=_NSMAP)
    root.set(f"{{{_XSI}}}schemaLocation", f"{OAI} http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd")
    _text(root, "responseDate", moment)
    add_child(root, f"{{{OAI}}}request", base, **arguments)
    return root


def _identify(parts: Parts, _oai: OaiRequest, root: Element) -> None:
    moments = [moment for phase in get_args(Phase) if (moment := _earliest(parts.records, phase)) is not None]
    answer = {
        "repositoryName": "Sonde",
        "baseURL": Addresses.of(parts.http).to("/oai"),
        "protocolVersion": "2.0",
        "adminEmail": parts.http.contact,
        "earliestDatestamp": iso(min(moments) // 1000 * 1000) if moments else _EARLIEST,
        "deletedRecord": "transient",
        "granularity": "YYYY-MM-DDThh:mm:ssZ",
    }
    _texts(_text(root, "Identify"), answer)


def _earliest(reader: RecordReader, phase: Phase) -> int | None:
    """Milliseconds since 1970 UTC."""
    search, moment, _ = _phase(reader, phase)
    query = {"bool": {"filter": _filters(OaiRequest("Identify"), phase)}}
    body = {"query": query, "size": 0, "aggs": {"earliest": {"min": {"field": moment}}}}
    value = search(body)["aggregations"]["earliest"]["value"]
    return None if value is None else int(value)


def _formats(parts: Parts, oai: OaiRequest, root: Element) -> None:
    if oai.identifier is not None:
        _header_of(parts, oai.identifier)
    formats = _text(root, "ListMetadataFormats")
    for format in oai_formats().values():
        members = {"metadataPrefix": format.prefix, "schema": format.schema, "metadataNamespace": format.namespace}
        _texts(_text(formats, "metadataFormat"), members)


def _sets(parts: Parts, oai: OaiRequest, root: Element) -> None:
    if oai.token is not None:
        raise OaiRequestError("badResumptionToken", "the sets come in one list")
    sets = _text(root, "ListSets")
    for catalogue in parts.catalogues.list():
        if catalogue.id != ALL:
            _texts(_text(sets, "set"), {"setSpec": catalogue.id, "setName": catalogue.title})


def _list(parts: Parts, oai: OaiRequest, root: Element) -> None:
    page = list_headers(parts.records, oai)
    element = _text(root, oai.verb)
    for header in page.headers:
        if oai.verb == "ListIdentifiers":
            _add_header(element, header)
        else:
            _add_record(element, header, page.prefix, parts)
    if page.token is not None or page.seen:
        counts = {"completeListSize": str(page.matched), "cursor": str(page.seen)}
        add_child(element, f"{{{OAI}}}resumptionToken", page.token or "", **counts)


def _get(parts: Parts, oai: OaiRequest, root: Element) -> None:
    header = _header_of(parts, oai.identifier or "")
    _add_record(_text(root, "GetRecord"), header, oai.prefix, parts)


def _header_of(parts: Parts, identifier: str) -> Header:
    """Raises OaiRequestError (idDoesNotExist)."""
    if not identifier.startswith(_IDENTIFIER):
        raise OaiRequestError("idDoesNotExist", f"identifiers begin with {_IDENTIFIER}")
    try:
        stored = parts.records.record(identifier.removeprefix(_IDENTIFIER))
    except NotFound as error:
        raise OaiRequestError("idDoesNotExist", str(error)) from None
    datestamp = second(stored.written) if stored.written else _EARLIEST
    return Header(stored.record.id, stored.record.source, datestamp, record=stored.record)


def _add_record(parent: Element, header: Header, prefix: str, parts: Parts) -> None:
    element = _text(parent, "record")
    _add_header(element, header)
    if header.record is not None:
        metadata = oai_formats()[prefix].write(header.record, Addresses.of(parts.http).item(header.record))
        _text(element, "metadata").append(metadata)


def _add_header(parent: Element, header: Header) -> None:
    element = _text(parent, "header")
    if header.removed:
        element.set("status", "deleted")
    members = {"identifier": f"{_IDENTIFIER}{header.id}", "datestamp": header.datestamp, "setSpec": header.source}
    _texts(element, members)


def _texts(parent: Element, members: Mapping[str, str]) -> None:
    for name, text in members.items():
        _text(parent, name, text)


def _text(parent: Element, name: str, text: str | None = None) -> Element:
    return add_child(parent, f"{{{OAI}}}{name}", text)


_VERBS: dict[Verb, Callable[[Parts, OaiRequest, Element], None]] = {
    "Identify": _identify,
    "ListMetadataFormats": _formats,
    "ListSets": _sets,
    "ListIdentifiers": _list,
    "ListRecords": _list,
    "GetRecord": _get,
}
