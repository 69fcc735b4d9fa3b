"""The granule search of a record, and its answers: through the gate, within limits, and cached for a short time."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, quote

import structlog
from cachetools import TTLCache

from core.errors import NotFound, SondeError, Unavailable
from core.record import Record
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of
from search_api.catalogue.granules.answers import CmrCollection, Granules, cmr_granules, stac_granules
from search_api.formats_out.notations import split_address

Kind = Literal["stac", "cmr"]

_ITEMS = re.compile(r"^(?P<collection>https?://[^?#]+/collections/[^/?#]+)(?:/items)?/?$")
_CONCEPT = re.compile(r"^C\d{4,}-[A-Z0-9_]+$")
_CONCEPT_IN_PATH = re.compile(r"/(C\d{4,}-[A-Z0-9_]+)(?=[./?]|$)")
_OF_CMR = ("cmr.earthdata.nasa.gov", "search.earthdata.nasa.gov")


log = structlog.get_logger(__name__)
CMR = "https://cmr.earthdata.nasa.gov/search"
_MOST_ANSWERS = 256
_FAILED_S = 30.0
_ACCEPT = "application/geo+json, application/json"


@dataclass(frozen=True, slots=True)
class GranuleSearch:
    """``address``: of a STAC collection (without ``/items``), or a collection's concept id in CMR."""

    kind: Kind
    address: str


def granule_search(record: Record, stac_apis: Mapping[str, str]) -> GranuleSearch | None:
    """None if nothing says where the record's granules are. ``stac_apis``: addresses of harvested STAC APIs by source.

    A collection of a harvested STAC API is searched there, a record with a concept id in CMR. Else a link decides that
    leads to a collection of a STAC API, or to CMR.
    """
    api = stac_apis.get(record.source)
    if api is not None and record.native_format == "stac" and record.type == "series" and record.identifier:
        return GranuleSearch("stac", f"{api.rstrip('/')}/collections/{quote(record.identifier, safe='')}")
    if _CONCEPT.match(record.identifier):
        return GranuleSearch("cmr", record.identifier)
    return next((search for link in record.links if (search := _of_link(link.href))), None)


def _of_link(href: str) -> GranuleSearch | None:
    split = split_address(href)
    if split.hostname in _OF_CMR:
        concepts = [*parse_qs(split.query).get("p", []), *_CONCEPT_IN_PATH.findall(split.path)]
        concept = next((id for id in concepts if _CONCEPT.match(id)), None)
        return GranuleSearch("cmr", concept) if concept else None
    items = _ITEMS.match(href) if split.netloc else None
    if items is None or not ("/stac" in split.path or href.rstrip("/").endswith("/items")):
        return None
    return GranuleSearch("stac", items["collection"])


@dataclass(frozen=True, slots=True)
class GranuleLimits:
    """Of one request to another host. ``at_once`` are asked; others wait ``wait_s``. Answers last ``cache_s``.

    ``read`` granules are read: the first are shown, and all make the time line where the other host does not count.
    """

    max_bytes: int = 16 * 1024 * 1024
    timeout_s: float = 8.0
    at_once: int = 4
    wait_s: float = 2.0
    cache_s: float = 300.0
    read: int = 100


class GranuleSearches:
    """Thread-safe. ``gate`` None: switched off. ``stac_apis``: addresses of the harvested STAC APIs by source."""

    def __init__(
        self,
        gate: Callable[[], Gate] | None,
        stac_apis: Callable[[], Mapping[str, str]] = dict,
        cmr: str = CMR,
        limits: GranuleLimits | None = None,
    ) -> None:
        self._gate, self._cmr, self._limits = gate, cmr, limits or GranuleLimits()
        self._stac_apis = stac_apis
        self._slots = threading.BoundedSemaphore(self._limits.at_once)
        self._lock = threading.Lock()
        self._cache: TTLCache[object, Granules] = TTLCache(_MOST_ANSWERS, self._limits.cache_s)
        self._failed: TTLCache[object, str] = TTLCache(_MOST_ANSWERS, _FAILED_S)

    def of(self, record: Record) -> GranuleSearch | None:
        """The record's granule search; None if it has none, or they are switched off."""
        return granule_search(record, self._stac_apis()) if self._gate is not None else None

    def host(self, search: GranuleSearch) -> str:
        return host_of(search.address if search.kind == "stac" else self._cmr)

    def ask(self, record: Record, filters: Mapping[str, str]) -> Granules:
        """``filters``: bbox and datetime as parameters of STAC.

        Raises NotFound if the record has no granule search, Unavailable if the other host does not answer, answers with
        an error or with something else.
        """
        search = self.of(record)
        if search is None or self._gate is None:
            raise NotFound(f"Nothing says where the granules of {record.id!r} can be searched.")
        key = (search, tuple(sorted(filters.items())))
        from_cache = self._from_cache(key)
        if from_cache is not None:
            return from_cache
        if not self._slots.acquire(timeout=self._limits.wait_s):
            raise Unavailable("Too many granule searches are under way; try again.")
        try:
            return self._from_cache(key) or self._ask_host(key, search, filters, self._gate())
        finally:
            self._slots.release()

    def _from_cache(self, key: object) -> Granules | None:
        with self._lock:
            if (problem := self._failed.get(key)) is not None:
                raise Unavailable(problem)
            return self._cache.get(key)

    def _ask_host(self, key: object, search: GranuleSearch, filters: Mapping[str, str], gate: Gate) -> Granules:
        def ask(address: str, parameters: Mapping[str, str]) -> object:
            outgoing_request = Outgoing(
                address,
                params=parameters,
                headers={"accept": _ACCEPT},
                max_bytes=self._limits.max_bytes,
                timeout_s=self._limits.timeout_s,
            )
            answer = gate.request(outgoing_request).expect_ok()
            body = answer.parsed()
            hits = answer.headers.get("cmr-hits", "")
            return {**body, "hits": int(hits)} if isinstance(body, dict) and hits.isdigit() else body

        try:
            if search.kind == "stac":
                granules = stac_granules(search.address, filters, ask, self._limits.read)
            else:
                granules = cmr_granules(CmrCollection(self._cmr, search.address), filters, ask, self._limits.read)
        except SondeError as error:
            problem = self._problem(search, error)
            with self._lock:
                self._failed[key] = problem
            raise Unavailable(problem) from error
        with self._lock:
            self._cache[key] = granules
        return granules

    def _problem(self, search: GranuleSearch, error: SondeError) -> str:
        """The reason for the client: that of a refused target would reveal our network, so it is only in the log."""
        host = self.host(search)
        log.info("granules.none", host=host, reason=str(error))
        if isinstance(error, Refused):
            return f"The granules at {host} cannot be asked for from here."
        if isinstance(error, BadStatus | Unavailable):
            return f"The granule search did not work: {error}"
        return f"{host} did not answer as a granule search does."
