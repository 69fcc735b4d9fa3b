"""Lists records by time of writing: first records, then deletions.

A page continues after the last (datestamp, id), so a record rewritten meanwhile moves to the end and appears there:
nothing is missed. A token contains the whole state; the server stores nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from core.errors import InvalidInput
from core.json_types import Json
from core.record import Record
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import WITHOUT
from search_api.catalogue.listing.reader import RecordReader
from search_api.formats_out.formats import oai_formats
from search_api.http.one_of import OneOf
from search_api.protocols.oai.request import LONGEST_SET, OaiError, OaiRequest
from search_api.search.position import read_opaque, write_opaque

Clause = Json
Phase = Literal["records", "removed"]

PAGE = 100
_MOST = 10**9
_Moment = Annotated[AwareDatetime, Field(strict=False)]
_Epoch = Annotated[str, Field(pattern=r"^-?[0-9]{1,16}$")]
_Id = Annotated[str, Field(max_length=1000)]


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
class _Place:
    request: OaiRequest
    phase: Phase = "records"
    after: tuple[Any, ...] | None = None
    seen: int = 0
    matched: int | None = None


class _State(BaseModel):
    """The content of a token: the whole state."""

    model_config = ConfigDict(extra="forbid", strict=True)

    phase: Phase
    verb: Literal["ListIdentifiers", "ListRecords"]
    prefix: Annotated[str, OneOf(oai_formats)]
    set: str | None = Field(None, max_length=LONGEST_SET)
    since: _Moment | None = None
    until: _Moment | None = None
    seen: int = Field(ge=0, le=_MOST)
    matched: int = Field(ge=0, le=_MOST)
    after: Annotated[tuple[_Epoch, _Id], Field(strict=False)] | None = None


def list_headers(reader: RecordReader, request: OaiRequest) -> HeaderPage:
    """Raises OaiError (badResumptionToken, noRecordsMatch)."""
    place = _resumed(request) if request.token is not None else _Place(request)
    matched = place.matched if place.matched is not None else _count(reader, place.request)
    if matched == 0:
        raise OaiError("noRecordsMatch", "nothing was written or removed in that time and set")
    try:
        headers, following = _page(reader, place)
    except InvalidInput as error:
        raise _not_ours() from error
    token = None
    if following is not None:
        token = _token(replace(following, seen=place.seen + len(headers), matched=matched))
    return HeaderPage(tuple(headers), place.request.prefix, token, matched, place.seen)


def _page(reader: RecordReader, place: _Place) -> tuple[list[Header], _Place | None]:
    """A page of one phase; the next phase starts on a new page."""
    found = _hits(reader, place)
    headers = [_header(hit, place.phase) for hit in found[:PAGE]]
    if len(found) > PAGE:
        return headers, replace(place, after=tuple(found[PAGE - 1]["sort"]))
    if place.phase == "removed":
        return headers, None
    removed = _Place(place.request, "removed")
    if not headers:
        return _page(reader, removed)
    return headers, removed if _hits(reader, removed) else None


def _hits(reader: RecordReader, place: _Place) -> list[Json]:
    search, moment, key = _phase(reader, place.phase)
    body: Json = {
        "query": {"bool": {"filter": _filters(place.request, place.phase)}},
        "size": PAGE + 1,
        "sort": [{moment: {"order": "asc", "format": "epoch_millis", "numeric_type": "date"}}, {key: "asc"}],
        "_source": WITHOUT,
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


def _token(place: _Place) -> str:
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


def _resumed(request: OaiRequest) -> _Place:
    try:
        state = _State.model_validate(read_opaque(request.token or "", "resumptionToken"))
    except (InvalidInput, ValidationError) as error:
        raise _not_ours() from error
    if state.verb != request.verb:
        raise _not_ours()
    asked = OaiRequest(state.verb, state.prefix, None, state.set, state.since, state.until)
    return _Place(asked, state.phase, state.after, state.seen, state.matched)


def _not_ours() -> OaiError:
    return OaiError("badResumptionToken", "the token is not one that this service gave out for this list")
