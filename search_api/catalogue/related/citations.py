"""Works elsewhere that cite a data set, from a service in the form of DataCite's event data (also those of Crossref).

Off unless an address is set. Asked through the gate when a record is opened, and cached in memory for a day.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog
from cachetools import TTLCache

from core.errors import Unavailable
from core.json_types import Json
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from reading.names import read_identifiers

log = structlog.get_logger(__name__)

_CACHE_S = 24 * 3600.0
_FAILED_S = 600.0
_MOST_CACHED = 5_000
_MOST_EVENTS = 100
_MOST_BYTES = 4 * 1024 * 1024

_CITING = ("cites", "references", "is-supplemented-by", "is-derived-from", "reviews", "documents")
"""The subject cites the object; the relations below say it the other way round."""
_CITED = ("is-cited-by", "is-referenced-by", "is-supplement-to", "is-source-of", "is-reviewed-by", "is-documented-by")


@dataclass(frozen=True, slots=True)
class CitingWork:
    """``doi`` of the work that cites, bare and in lower case; ``relation`` as that work would say it (``cites``);
    ``said_by``: who reported it (``crossref``, ``datacite-related``)."""

    doi: str
    relation: str
    said_by: str
    year: str | None = None


@dataclass(frozen=True, slots=True)
class EventService:
    """``url``: of the events, without a query."""

    url: str
    timeout_s: float = 5.0


class CitationEvents:
    """Thread-safe. Without a service nothing is asked and nothing is known."""

    def __init__(self, service: EventService | None, gate: Callable[[], Gate]) -> None:
        self._service = service
        self._gate = gate
        self._lock = threading.Lock()
        self._cache: TTLCache[str, tuple[CitingWork, ...]] = TTLCache(_MOST_CACHED, _CACHE_S)
        self._failed: TTLCache[str, str] = TTLCache(_MOST_CACHED, _FAILED_S)

    @property
    def is_on(self) -> bool:
        return self._service is not None

    def of(self, doi: str) -> tuple[CitingWork, ...]:
        """Newest first. Raises Unavailable if the service does not answer, now or a few minutes ago."""
        if self._service is None:
            return ()
        with self._lock:
            cached, failed = self._cache.get(doi), self._failed.get(doi)
        if cached is not None:
            return cached
        if failed is not None:
            raise Unavailable(failed)
        try:
            citations = citations_of(doi, self._fetch(doi, self._service))
        except (Unavailable, Refused, BadStatus, ValueError) as error:
            log.warning("citations.failed", error=type(error).__name__)
            problem = "The service that knows citations does not answer."
            with self._lock:
                self._failed[doi] = problem
            raise Unavailable(problem) from error
        with self._lock:
            self._cache[doi] = citations
        return citations

    def _fetch(self, doi: str, service: EventService) -> object:
        """Raises Unavailable, Refused, BadStatus."""
        params = {"doi": doi, "page[size]": str(_MOST_EVENTS)}
        outgoing = Outgoing(service.url, params=params, max_bytes=_MOST_BYTES, timeout_s=service.timeout_s)
        answer: object = self._gate().request(outgoing).expect_ok().parsed()
        return answer


def citations_of(doi: str, answer: object) -> tuple[CitingWork, ...]:
    """Each citing work once, newest first, then by DOI. Raises ValueError if this is no list of events."""
    events = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(events, list):
        raise ValueError("no list of events")
    newest: dict[str, CitingWork] = {}
    for citation in _read(doi.lower(), events):
        earlier = newest.get(citation.doi)
        if earlier is None or (citation.year or "") > (earlier.year or ""):
            newest[citation.doi] = citation
    return tuple(sorted(newest.values(), key=lambda citation: (-int(citation.year or 0), citation.doi)))


def _read(doi: str, events: Iterable[object]) -> Iterable[CitingWork]:
    for event in events:
        attributes = event.get("attributes") if isinstance(event, dict) else None
        if isinstance(attributes, dict) and (citation := _citation(doi, attributes)) is not None:
            yield citation


def _citation(doi: str, attributes: Json) -> CitingWork | None:
    citing, cited = _doi(attributes.get("subj-id")), _doi(attributes.get("obj-id"))
    relation = str(attributes.get("relation-type-id", ""))
    reporter, year = str(attributes.get("source-id", "")), _year(attributes.get("occurred-at"))
    if relation in _CITING and cited == doi and citing not in (None, doi):
        return CitingWork(str(citing), relation, reporter, year)
    if relation in _CITED and citing == doi and cited not in (None, doi):
        return CitingWork(str(cited), _CITING[_CITED.index(relation)], reporter, year)
    return None


def _doi(address: object) -> str | None:
    dois = [identifier.value for identifier in read_identifiers(str(address or "")) if identifier.kind == "doi"]
    return dois[0] if dois else None


def _year(instant: object) -> str | None:
    """Events without a date say the year 0."""
    year = str(instant or "")[:4]
    return year if year.isdecimal() and year > "1000" else None
