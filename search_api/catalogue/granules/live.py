"""Asks another host for granules: through the gate, within limits, and remembered for a short time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import structlog
from cachetools import TTLCache

from core.errors import NotFound, SondeError, Unavailable
from core.record import Record
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of
from search_api.catalogue.granules.answers import Granules
from search_api.catalogue.granules.cmr import CmrCollection, cmr_granules
from search_api.catalogue.granules.stac import stac_granules
from search_api.catalogue.granules.where import GranuleSearch, granule_search

log = structlog.get_logger(__name__)

CMR = "https://cmr.earthdata.nasa.gov/search"
_MOST_ANSWERS = 256
_FAILED_S = 30.0
_ACCEPT = "application/geo+json, application/json"


@dataclass(frozen=True, slots=True)
class GranuleLimits:
    """Of one request to another host. ``at_once`` are asked; others wait ``wait_s``. Answers last ``kept_s``.

    ``read`` granules are read: the first are shown, and all make the time line where the other side does not count.
    """

    max_bytes: int = 16 * 1024 * 1024
    timeout_s: float = 8.0
    at_once: int = 4
    wait_s: float = 2.0
    kept_s: float = 300.0
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
        self._asking = threading.BoundedSemaphore(self._limits.at_once)
        self._lock = threading.Lock()
        self._kept: TTLCache[object, Granules] = TTLCache(_MOST_ANSWERS, self._limits.kept_s)
        self._failed: TTLCache[object, str] = TTLCache(_MOST_ANSWERS, _FAILED_S)

    def of(self, record: Record) -> GranuleSearch | None:
        """The record's granule search; None if it has none, or they are switched off."""
        return granule_search(record, self._stac_apis()) if self._gate is not None else None

    def host(self, search: GranuleSearch) -> str:
        return host_of(search.address if search.kind == "stac" else self._cmr)

    def ask(self, record: Record, asked: Mapping[str, str]) -> Granules:
        """``asked``: bbox and datetime as parameters of STAC.

        Raises NotFound if the record has no granule search, Unavailable if the other host does not answer, answers with
        an error or with something else.
        """
        search = self.of(record)
        if search is None or self._gate is None:
            raise NotFound(f"Nothing says where the granules of {record.id!r} can be searched.")
        key = (search, tuple(sorted(asked.items())))
        known = self._remembered(key)
        if known is not None:
            return known
        if not self._asking.acquire(timeout=self._limits.wait_s):
            raise Unavailable("Too many granule searches are under way; try again.")
        try:
            return self._remembered(key) or self._fresh(key, search, asked, self._gate())
        finally:
            self._asking.release()

    def _remembered(self, key: object) -> Granules | None:
        with self._lock:
            if key in self._failed:
                raise Unavailable(self._failed[key])
            return self._kept.get(key)

    def _fresh(self, key: object, search: GranuleSearch, asked: Mapping[str, str], gate: Gate) -> Granules:
        def ask(address: str, parameters: Mapping[str, str]) -> object:
            outgoing = Outgoing(
                address,
                params=parameters,
                headers={"accept": _ACCEPT},
                max_bytes=self._limits.max_bytes,
                timeout_s=self._limits.timeout_s,
            )
            answer = gate.request(outgoing).expect_ok()
            said = answer.parsed()
            hits = answer.headers.get("cmr-hits", "")
            return {**said, "hits": int(hits)} if isinstance(said, dict) and hits.isdigit() else said

        try:
            if search.kind == "stac":
                found = stac_granules(search.address, asked, ask, self._limits.read)
            else:
                found = cmr_granules(CmrCollection(self._cmr, search.address), asked, ask, self._limits.read)
        except SondeError as error:
            said = self._said(search, error)
            with self._lock:
                self._failed[key] = said
            raise Unavailable(said) from error
        with self._lock:
            self._kept[key] = found
        return found

    def _said(self, search: GranuleSearch, error: SondeError) -> str:
        """The reason for a refused target would tell of our own network; it is in the log."""
        host = self.host(search)
        log.info("granules.none", host=host, reason=str(error))
        if isinstance(error, Refused):
            return f"The granules at {host} cannot be asked for from here."
        if isinstance(error, BadStatus | Unavailable):
            return f"The granule search did not work: {error}"
        return f"{host} did not answer as a granule search does."
