"""Works elsewhere that cite a data set, from a service in the form of DataCite's event data (also those of Crossref).

Off unless an address is set. Asked through the gate when somebody opens a record, and kept in memory for a day.
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
from reading.identifiers import read_identifiers

log = structlog.get_logger(__name__)

_KEPT_S = 24 * 3600.0
_FAILED_S = 600.0
_MOST_KEPT = 5_000
_MOST_EVENTS = 100
_MOST_BYTES = 4 * 1024 * 1024

_CITING = ("cites", "references", "is-supplemented-by", "is-derived-from", "reviews", "documents")
"""The subject cites the object. The others say it the other way round."""
_CITED = ("is-cited-by", "is-referenced-by", "is-supplement-to", "is-source-of", "is-reviewed-by", "is-documented-by")


@dataclass(frozen=True, slots=True)
class Citation:
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
        self._kept: TTLCache[str, tuple[Citation, ...]] = TTLCache(_MOST_KEPT, _KEPT_S)
        self._failed: TTLCache[str, str] = TTLCache(_MOST_KEPT, _FAILED_S)

    @property
    def is_on(self) -> bool:
        return self._service is not None

    def of(self, doi: str) -> tuple[Citation, ...]:
        """Newest first. Raises Unavailable if the service does not answer, now or a few minutes ago."""
        if self._service is None:
            return ()
        with self._lock:
            kept, failed = self._kept.get(doi), self._failed.get(doi)
        if kept is not None:
            return kept
        if failed is not None:
            raise Unavailable(failed)
        try:
            found = citations_of(doi, self._asked(doi, self._service))
        except (Unavailable, Refused, BadStatus, ValueError) as error:
            log.warning("citations.failed", error=type(error).__name__)
            problem = "The service that knows citations does not answer."
            with self._lock:
                self._failed[doi] = problem
            raise Unavailable(problem) from error
        with self._lock:
            self._kept[doi] = found
        return found

    def _asked(self, doi: str, service: EventService) -> object:
        """Raises Unavailable, Refused, BadStatus."""
        params = {"doi": doi, "page[size]": str(_MOST_EVENTS)}
        asked = Outgoing(service.url, params=params, max_bytes=_MOST_BYTES, timeout_s=service.timeout_s)
        said: object = self._gate().request(asked).expect_ok().parsed()
        return said


def citations_of(doi: str, answer: object) -> tuple[Citation, ...]:
    """Each citing work once, newest first, then by DOI. Raises ValueError if this is no list of events."""
    events = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(events, list):
        raise ValueError("no list of events")
    found: dict[str, Citation] = {}
    for one in _read(doi.lower(), events):
        known = found.get(one.doi)
        if known is None or (one.year or "") > (known.year or ""):
            found[one.doi] = one
    return tuple(sorted(found.values(), key=lambda one: (_descending(one.year), one.doi)))


def _read(doi: str, events: Iterable[object]) -> Iterable[Citation]:
    for event in events:
        said = event.get("attributes") if isinstance(event, dict) else None
        if isinstance(said, dict) and (one := _citation(doi, said)) is not None:
            yield one


def _citation(doi: str, said: Json) -> Citation | None:
    subject, object_ = _doi(said.get("subj-id")), _doi(said.get("obj-id"))
    relation = str(said.get("relation-type-id", ""))
    said_by, year = str(said.get("source-id", "")), _year(said.get("occurred-at"))
    if relation in _CITING and object_ == doi and subject not in (None, doi):
        return Citation(str(subject), relation, said_by, year)
    if relation in _CITED and subject == doi and object_ not in (None, doi):
        return Citation(str(object_), _CITING[_CITED.index(relation)], said_by, year)
    return None


def _doi(address: object) -> str | None:
    found = [one.value for one in read_identifiers(str(address or "")) if one.kind == "doi"]
    return found[0] if found else None


def _year(instant: object) -> str | None:
    """Events without a date say the year 0."""
    year = str(instant or "")[:4]
    return year if year.isdecimal() and year > "1000" else None


def _descending(year: str | None) -> int:
    return -int(year or 0)
