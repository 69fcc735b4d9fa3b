"""What there is to harvest, in the order of when it was written: records first, then what was removed.

Pages are continued after the last (datestamp, id), so a record that is written anew on the way moves to the end and is
seen there: nothing is missed. What a token holds is all that is needed; the server remembers nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from core.errors import InvalidInput
from core.record import Record
from es_mappings.documents import from_document
from search_api.listing.position import read_position, write_position
from search_api.listing.reader import RecordReader
from search_api.oai.request import PREFIXES, OaiError, OaiRequest, Prefix, Verb

Clause = dict[str, Any]
Phase = Literal["records", "removed"]

_QUESTION = "oai"
PAGE = 100


@dataclass(frozen=True, slots=True)
class Header:
    """``record`` None: it was removed, or only headers were asked for. ``datestamp`` to the second, UTC."""

    id: str
    source: str
    datestamp: str
    removed: bool = False
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class HeaderPage:
    """``token`` None on the last page; ``seen`` counts the headers of the pages before."""

    headers: tuple[Header, ...]
    prefix: Prefix
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


def list_headers(reader: RecordReader, request: OaiRequest) -> HeaderPage:
    """Raises OaiError (badResumptionToken, noRecordsMatch)."""
    place = _resumed(request) if request.token is not None else _Place(request)
    matched = place.matched if place.matched is not None else _count(reader, place.request)
    if matched == 0:
        raise OaiError("noRecordsMatch", "nothing was written or removed in that time and set")
    headers, following = _page(reader, place)
    token = None
    if following is not None:
        token = _token(replace(following, seen=place.seen + len(headers), matched=matched))
    return HeaderPage(tuple(headers), place.request.prefix, token, matched, place.seen)


def _page(reader: RecordReader, place: _Place) -> tuple[list[Header], _Place | None]:
    """A page of one phase; the next phase starts on a page of its own."""
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


def _hits(reader: RecordReader, place: _Place) -> list[dict[str, Any]]:
    search, moment, key = _phase(reader, place.phase)
    body: dict[str, Any] = {
        "query": {"bool": {"filter": _filters(place.request, place.phase)}},
        "size": PAGE + 1,
        "sort": [{moment: {"order": "asc", "format": "epoch_millis", "numeric_type": "date"}}, {key: "asc"}],
        "_source": {"excludes": ["vector"]},
        "track_total_hits": False,
    }
    if place.after is not None:
        body["search_after"] = list(place.after)
    hits: list[dict[str, Any]] = search(body)["hits"]["hits"]
    return hits


def _phase(reader: RecordReader, phase: Phase) -> tuple[Callable[[dict[str, Any]], dict[str, Any]], str, str]:
    """Where the phase looks, the field of its moment and the field that tells equal moments apart."""
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


def _header(hit: dict[str, Any], phase: Phase) -> Header:
    source = hit["_source"]
    if phase == "removed":
        return Header(source["record"], source["source"], second(source["removed_at"]), removed=True)
    record = from_document(source)
    return Header(record.id, record.source, second(source["harvest"]["written"]), record=record)


def second(text: str) -> str:
    """An ISO 8601 moment to the second, UTC."""
    moment = datetime.fromisoformat(text)
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _token(place: _Place) -> str:
    request = place.request
    edges = [edge.isoformat() if edge is not None else None for edge in (request.since, request.until)]
    state = json.dumps([place.phase, request.verb, request.prefix, request.set, *edges, place.seen, place.matched])
    return write_position((state, *(place.after or ())), _QUESTION)


def _resumed(request: OaiRequest) -> _Place:
    try:
        state, *after = read_position(request.token or "", _QUESTION, "resumptionToken")
        phase, verb, prefix, chosen, since, until, seen, matched = json.loads(str(state))
        start, end = (datetime.fromisoformat(edge) if edge is not None else None for edge in (since, until))
        if (
            phase not in ("records", "removed")
            or prefix not in PREFIXES
            or verb != request.verb
            or len(after) not in (0, 2)
        ):
            raise ValueError("another list")
        asked = OaiRequest(_verb(verb), prefix, None, chosen, start, end)
        return _Place(asked, phase, tuple(after) or None, int(seen), int(matched))
    except (InvalidInput, ValueError, TypeError) as error:
        raise OaiError("badResumptionToken", "the token is not one that this service gave out for this list") from error


def _verb(text: str) -> Verb:
    return "ListIdentifiers" if text == "ListIdentifiers" else "ListRecords"
