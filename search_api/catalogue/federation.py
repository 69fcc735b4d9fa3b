"""Federated search: other catalogues are asked live, beside our own search, and their hits merged with ours by rank.

The names of parameters are those of the draft OGC API - Records - Part 4. Only what is read here is passed on.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote, urlencode

import structlog
from cachetools import TTLCache

from core.deadlines import Breaker, BreakerPolicy
from core.errors import InvalidInput, SondeError, Unavailable
from core.geo import BBox
from core.json_types import Json
from core.record import Record
from core.timespan import TimeSpan
from net.exchange import Outgoing
from net.gate import Gate
from search_api.catalogue.granules.answers import box, count, objects_in, text, web_address
from search_api.formats_out.notations import without_empty
from search_api.http.parameters import read_datetime
from search_api.search.answer import Answer, FoundRecord
from search_api.search.flow import SearchPipeline
from search_api.search.parameters import SearchParameters
from search_api.search.request import Filters, SearchRequest
from search_api.search.views.geojson import feature, polygons

log = structlog.get_logger(__name__)
CatalogueKind = Literal["sonde", "records", "stac", "csw"]

_PATHS: Mapping[CatalogueKind, str] = {"sonde": "/search", "records": "", "stac": "/collections", "csw": ""}
_MOST_BYTES = 4 * 1024 * 1024
_MOST_ANSWERS, _ANSWER_S = 256, 60.0
_MOST_THREADS = 16
_LONGEST_ABSTRACT = 1000
_DOI = re.compile(r"\b10\.\d{4,9}/\S+")
_WORD = re.compile(r"\w{3,}")
_SHORT = 3
"""Letters of words such as *the* and *and*, which a CSW is not asked for."""
_STEM = 5
"""Letters by which a word of the question is known again in a hit: *glaciers* in *glacier*."""
_RRF_K = 60


@dataclass(frozen=True, slots=True)
class FederatedCatalogue:
    """``url``: of a Sonde or a STAC API its root, of an OGC API - Records its items, of a CSW its own address."""

    id: str
    kind: CatalogueKind
    url: str
    title: str = ""

    @property
    def search_address(self) -> str:
        return self.url.rstrip("/") + _PATHS[self.kind]


@dataclass(frozen=True, slots=True)
class CswQuery:
    """What a CSW is asked: the words that a record must have, and the place."""

    words: tuple[str, ...]
    area: BBox | None
    limit: int


CswSearch = Callable[[Gate, str, CswQuery, float], tuple[Sequence[Record], int]]
"""Asks the CSW at an address within some seconds: its records in order, and how many match. Raises SondeError."""


@dataclass(frozen=True, slots=True)
class RemoteHit:
    """``names``: what the same data set has in another catalogue: its DOI and identifiers, in small letters."""

    feature: Json
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """``matched``: None if the catalogue does not count."""

    hits: tuple[RemoteHit, ...]
    matched: int | None
    took_ms: float


Entry = FoundRecord | RemoteHit


@dataclass(frozen=True, slots=True)
class MergedPage:
    """``answer``: with the hits of our own that remain on the page, the best ones. ``catalogues``: what each one gave,
    as JSON.
    """

    answer: Answer
    entries: tuple[Entry, ...]
    catalogues: list[Json]

    def features(self, features: Sequence[object]) -> list[object]:
        """The page's features; ``features``: of our own hits, in order."""
        ours = iter(features)
        return [entry.feature if isinstance(entry, RemoteHit) else next(ours) for entry in self.entries]


@dataclass(frozen=True, slots=True)
class LiveSearch:
    """The answers of other catalogues, under way until ``until`` (of ``time.monotonic``)."""

    answers: Mapping[FederatedCatalogue, Future[RemoteAnswer]]
    until: float

    def merged(self, answer: Answer, limit: int) -> MergedPage:
        """One page of up to ``limit``. Waits for what is under way, but not longer than ``until``."""
        wait(self.answers.values(), max(0.0, self.until - time.monotonic()))
        lists: list[Sequence[RemoteHit]] = []
        catalogues: list[Json] = []
        degraded: list[str] = []
        for catalogue, future in self.answers.items():
            described: Json = {"id": catalogue.id, "title": catalogue.title, "catalogURL": catalogue.url}
            try:
                remote = future.result(timeout=0)
            except (TimeoutError, SondeError) as error:
                future.cancel()
                log.info("federation.none", catalogue=catalogue.id, reason=str(error) or "too slow")
                degraded.append(f"federation.{catalogue.id}")
                catalogues.append(described)
                continue
            folded = [id for hit in remote.hits if (id := _same_record(hit, answer.hits))]
            lists.append([hit for hit in remote.hits if _same_record(hit, answer.hits) is None])
            catalogues.append(
                {**described, **({} if remote.matched is None else {"numberMatched": remote.matched})}
                | {"numberReturned": len(remote.hits), "folded": folded, "elapsedTime": round(remote.took_ms)}
            )
        entries = merged_by_rank(answer.hits, lists)[:limit]
        own_hits = tuple(entry for entry in entries if isinstance(entry, FoundRecord))
        merged_answer = replace(answer, hits=own_hits, degraded=(*answer.degraded, *degraded))
        return MergedPage(merged_answer, tuple(entries), [without_empty(catalogue) for catalogue in catalogues])


def merged_by_rank(own_hits: Sequence[FoundRecord], lists: Sequence[Sequence[RemoteHit]]) -> list[Entry]:
    """Best first, by reciprocal rank fusion (Cormack et al., SIGIR 2009); at a tie our own first.

    A data set of several lists is one entry, with the sum of its shares. Our own hits stay in their order.
    """
    scored: list[tuple[float, Entry]] = [(_share(rank), hit) for rank, hit in enumerate(own_hits)]
    groups: list[tuple[float, RemoteHit]] = []
    for hits in lists:
        for rank, hit in enumerate(hits):
            at = next((at for at, (_, entry) in enumerate(groups) if entry.names & hit.names), None)
            if at is None:
                groups.append((_share(rank), hit))
            else:
                score, entry = groups[at]
                groups[at] = (score + _share(rank), replace(entry, names=entry.names | hit.names))
    return [entry for _, entry in sorted([*scored, *groups], key=lambda pair: -pair[0])]


def _share(rank: int) -> float:
    return 1.0 / (_RRF_K + 1 + rank)


def _same_record(hit: RemoteHit, own_hits: Sequence[FoundRecord]) -> str | None:
    """The id of our own hit that is the same data set."""
    return next((entry.record.id for entry in own_hits if _names_of(entry.record) & hit.names), None)


def _names_of(record: Record) -> frozenset[str]:
    return _names((record.id, record.identifier, record.doi))


def _names(values: Sequence[object]) -> frozenset[str]:
    """A mere number is no name: every catalogue has a record 12."""
    texts = [value.strip().lower() for value in values if isinstance(value, str)]
    dois = [mention[0] for value in texts if (mention := _DOI.search(value))]
    return frozenset(dois or (value for value in texts if value and not value.isdigit()))


class Federation:
    """Thread-safe. Without catalogues nobody is asked. An answer is remembered for a minute."""

    def __init__(
        self,
        gate: Callable[[], Gate] | None = None,
        catalogues: Sequence[FederatedCatalogue] = (),
        limit_s: float = 2.0,
        csw: CswSearch | None = None,
    ) -> None:
        self._gate, self._limit_s, self._csw = gate, limit_s, csw
        self.catalogues = {catalogue.id: catalogue for catalogue in catalogues}
        rules = BreakerPolicy(pause_s=30.0)
        self._breakers = {id: Breaker(f"The catalogue {id!r}", rules) for id in self.catalogues}
        self._pool = ThreadPoolExecutor(_MOST_THREADS, "federation")
        self._lock = threading.Lock()
        self._cache: TTLCache[object, RemoteAnswer] = TTLCache(_MOST_ANSWERS, _ANSWER_S)

    def start(self, query: SearchParameters, request: SearchRequest, pipeline: SearchPipeline) -> LiveSearch | None:
        """None if no other catalogue is to be asked: a later page, or the last hop.

        Raises InvalidInput for what other catalogues cannot answer.
        """
        catalogues = self._chosen(query.federatedCatalogs)
        _refuse_unmergeable(query, request)
        if query.cursor is not None or query.hopCount in (0, 1):
            return None
        filters = pipeline.locate(request)
        interpretation = pipeline.interpret(request)
        area = filters.area or next(iter(interpretation.areas), None)
        whole = question_of(request.q, filters.area, filters.span, request.limit)
        topic = request.q if interpretation.identifiers else interpretation.thematic
        parts = question_of(topic, area, filters.span or interpretation.span, request.limit)
        until = time.monotonic() + self._limit_s
        answers = {
            catalogue: self._pool.submit(self.ask, catalogue, whole if catalogue.kind == "sonde" else parts)
            for catalogue in catalogues
        }
        return LiveSearch(answers, until)

    def _chosen(self, ids: Sequence[str]) -> list[FederatedCatalogue]:
        if not self.catalogues:
            raise InvalidInput(
                "distributedSearch",
                "distributedSearch: this service asks no other catalogues; its operator names them in "
                "SONDE_FEDERATION__CATALOGUES",
            )
        unknown = [id for id in ids if id not in self.catalogues]
        if unknown:
            raise InvalidInput(
                "federatedCatalogs",
                f"federatedCatalogs: {unknown[0]!r} is not among {', '.join(self.catalogues)}",
            )
        return [catalogue for id, catalogue in self.catalogues.items() if not ids or id in ids]

    def ask(self, catalogue: FederatedCatalogue, parameters: Mapping[str, str]) -> RemoteAnswer:
        """Raises SondeError. ``distributedSearch`` is never sent, so no search goes on from there, or in a circle."""
        key = (catalogue.id, tuple(parameters.items()))
        with self._lock:
            remembered = self._cache.get(key)
        if remembered is not None:
            return remembered
        if self._gate is None:
            raise Unavailable("no gate leads to other catalogues")
        started = time.monotonic()
        with self._breakers[catalogue.id].guarding(SondeError):
            document = self._document(catalogue, parameters, self._gate())
            hits, matched = read_hits(catalogue, document, parameters.get("q", ""))
        answer = RemoteAnswer(hits, matched, (time.monotonic() - started) * 1000.0)
        with self._lock:
            self._cache[key] = answer
        return answer

    def _document(self, catalogue: FederatedCatalogue, parameters: Mapping[str, str], gate: Gate) -> object:
        if catalogue.kind != "csw":
            outgoing_request = Outgoing(
                catalogue.search_address,
                params=parameters,
                headers={"accept": "application/geo+json, application/json"},
                max_bytes=_MOST_BYTES,
                timeout_s=self._limit_s,
            )
            return gate.request(outgoing_request).expect_ok().parsed()
        if self._csw is None:
            raise Unavailable("no CSW can be asked here")
        bbox = [float(edge) for edge in parameters.get("bbox", "").split(",") if edge]
        words = [word.lower() for word in _WORD.findall(parameters.get("q", ""))]
        long_words = tuple(word for word in words if len(word) > _SHORT) or tuple(words)
        query = CswQuery(long_words, box(bbox), int(parameters["limit"]))
        records, matched = self._csw(gate, catalogue.url, query, self._limit_s)
        return _as_document(records, matched, parameters.get("datetime", ""))


def _as_document(records: Sequence[Record], matched: int, period: str) -> Json:
    """As the items of an OGC API. A CSW is not asked for times, which few can filter: others are left out here."""
    span = read_datetime(period) if period else None
    in_time = [record for record in records if span is None or _overlaps(record, span)]
    features = [
        {**feature(record), "id": record.identifier, "bbox": record.extents[0].as_list() if record.extents else None}
        for record in in_time
    ]
    return {"features": features, **({"numberMatched": matched} if len(in_time) == len(records) else {})}


def _overlaps(record: Record, span: TimeSpan) -> bool:
    """Also if it states no time."""
    first, last = span.start_ms, span.end_ms
    return not record.times or any(
        (last is None or each.start_ms is None or each.start_ms <= last)
        and (first is None or each.end_ms is None or each.end_ms >= first)
        for each in record.times
    )


def _refuse_unmergeable(query: SearchParameters, request: SearchRequest) -> None:
    """Raises InvalidInput: other catalogues filter by area and time only, and a sorted list has no ranks to merge."""
    others = replace(request.filters, area=None, area_name=None, span=None)
    ways = {
        "other filters": others != Filters(),
        "sortby": query.sortby is not None,
        "scope": query.scope != "public",
        "f": query.f not in (None, "json"),
    }
    name = next((name for name, is_set in ways.items() if is_set), None)
    if name is not None:
        raise InvalidInput(
            "distributedSearch",
            f"distributedSearch: others read q, bbox, place and datetime and answer in JSON; leave out {name}",
        )


def question_of(q: str, area: BBox | None, span: TimeSpan | None, limit: int) -> dict[str, str]:
    interval = "" if span is None else "/".join(edge or ".." for edge in (span.start_iso, span.end_iso))
    bbox = "" if area is None else ",".join(f"{edge:g}" for edge in area.as_list())
    parameters = {"q": q, "bbox": bbox, "datetime": interval, "limit": str(limit)}
    return {name: value for name, value in parameters.items() if value}


def read_hits(catalogue: FederatedCatalogue, document: object, q: str) -> tuple[tuple[RemoteHit, ...], int | None]:
    """The hits in their order, and how many match.

    Some services ignore ``q`` and list everything: of others than a Sonde, a hit must have a word of it. Raises
    Unavailable for another document than a list of records or collections.
    """
    member = "collections" if catalogue.kind == "stac" else "features"
    if not isinstance(document, dict) or not isinstance(document.get(member), list):
        raise Unavailable(f"The catalogue {catalogue.id!r} does not answer as a search does.")
    entries = objects_in(document, member)
    stems = [] if catalogue.kind == "sonde" else _stems(q)
    hits = tuple(_hit(catalogue, entry) for entry in entries if not stems or _mentions(entry, stems))
    return hits, count(document.get("numberMatched")) if len(hits) == len(entries) else None


def _stems(q: str) -> list[str]:
    return [word[:_STEM].lower() for word in _WORD.findall(q)]


def _mentions(entry: Json, stems: Sequence[str]) -> bool:
    words = " ".join(_texts(entry)).lower()
    return any(stem in words for stem in stems)


def _texts(value: object, deep: int = 6) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif deep and isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts(member, deep - 1)


def _hit(catalogue: FederatedCatalogue, entry: Json) -> RemoteHit:
    """Of a record (OGC API - Records) or a STAC collection."""
    members = _object(entry.get("properties")) or entry
    extent = _object(entry.get("extent"))
    area = box(entry.get("bbox")) or box(_first(_object(extent.get("spatial")).get("bbox"))) or _box_around(entry)
    moments = _object(entry.get("time")).get("interval") or _first(_object(extent.get("temporal")).get("interval"))
    id, abstract = text(entry.get("id")), members.get("description")
    feature: Json = {
        "type": "Feature",
        "id": id,
        "geometry": None if area is None else polygons(area),
        "time": _time(moments),
        "properties": without_empty(
            {
                "type": text(members.get("type")) if members is not entry else "series",
                "title": text(members.get("title")) or id,
                "description": abstract[:_LONGEST_ABSTRACT] if isinstance(abstract, str) else "",
            }
        ),
        "links": [{"rel": "canonical", "href": _address(catalogue, entry, id)}],
        "sonde:origin": without_empty({"id": catalogue.id, "title": catalogue.title, "catalogURL": catalogue.url}),
    }
    identifiers = [external.get("value") for external in objects_in(members, "externalIds")]
    cited = [link.get("href") for link in objects_in(entry, "links") if link.get("rel") == "cite-as"]
    stated = (entry.get("id"), members.get("identifier"), members.get("externalId"), members.get("sci:doi"))
    return RemoteHit(feature, _names((*stated, entry.get("sci:doi"), *identifiers, *cited)))


def _address(catalogue: FederatedCatalogue, entry: Json, id: str) -> str:
    """The one that the catalogue states, else by its standard; of a Sonde without one its root."""
    by_rel = {str(link.get("rel")): web_address(link.get("href")) for link in reversed(objects_in(entry, "links"))}
    stated = next((href for rel in ("canonical", "self", "about", "alternate") if (href := by_rel.get(rel))), "")
    if stated or catalogue.kind == "sonde" or not id:
        return stated or catalogue.url
    if catalogue.kind == "csw":
        query = {"service": "CSW", "version": "2.0.2", "request": "GetRecordById", "elementSetName": "full", "id": id}
        return f"{catalogue.url}{'&' if '?' in catalogue.url else '?'}{urlencode(query)}"
    return f"{catalogue.search_address}/{quote(id, safe='')}"


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else None


def _time(moments: object) -> Json | None:
    """``interval`` of OGC's time; an end that is not stated is open."""
    if not isinstance(moments, list) or len(moments) != 2:
        return None
    return {"interval": [text(edge) or ".." for edge in moments]}


def _box_around(entry: Json) -> BBox | None:
    """The box around a geometry; None if there is none, or it has parts on both sides of the antimeridian."""
    points = list(_points(_object(entry.get("geometry")).get("coordinates")))
    if not points:
        return None
    longitudes, latitudes = zip(*points, strict=True)
    return box([min(longitudes), min(latitudes), max(longitudes), max(latitudes)])


def _points(coordinates: object, deep: int = 5) -> Iterator[tuple[float, float]]:
    if not isinstance(coordinates, list) or not deep:
        return
    edges = [edge for edge in coordinates[:2] if isinstance(edge, int | float)]
    if len(edges) == 2:
        yield edges[0], edges[1]
    else:
        for part in coordinates:
            yield from _points(part, deep - 1)
