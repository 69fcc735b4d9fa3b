"""Asks Crossref, then DataCite, for the work behind a DOI: through the gate, politely, and each DOI once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

import structlog
from cachetools import TTLCache

from core.document import PUBLIC, DocumentEntry
from core.errors import SondeError
from core.record import Record
from indexer.documents.registered import Registered, RegistryName, from_kept, of_crossref, of_datacite
from net.errors import BadStatus
from net.exchange import Outgoing
from net.gate import Gate

log = structlog.get_logger(__name__)

_KEPT_S = 24 * 3600.0
_DOWN_S = 600.0
_MOST_KEPT = 5_000
_MOST_BYTES = 4 * 1024 * 1024
_UNKNOWN = (404, 410)

_PATHS: Mapping[RegistryName, str] = {"crossref": "works", "datacite": "dois"}
_READERS: Mapping[RegistryName, Callable[[str, object], Registered]] = {
    "crossref": of_crossref,
    "datacite": of_datacite,
}


@dataclass(frozen=True, slots=True)
class RegistryAddresses:
    """Where the registries answer, in the order in which they are asked. ``contact``: a mail address that they may
    write to; the gate's User-Agent carries it too.
    """

    urls: Mapping[RegistryName, str]
    contact: str = ""
    timeout_s: float = 5.0


class Registries:
    """Thread-safe. ``private``: whether the DOIs of users' documents, and of documents that only some groups see, are
    asked too. Nothing here raises: a document is read without what a registry would have said.
    """

    def __init__(self, addresses: RegistryAddresses, gate: Callable[[], Gate], *, private: bool = False) -> None:
        self._addresses = addresses
        self._gate = gate
        self._private = private
        self._lock = threading.Lock()
        self._kept: TTLCache[str, Registered | None] = TTLCache(_MOST_KEPT, _KEPT_S)
        self._down: TTLCache[RegistryName, bool] = TTLCache(len(_PATHS), _DOWN_S)

    def of(self, entry: DocumentEntry, explained: Record | None) -> Registered | None:
        """The work behind the document's DOI: as kept in its entry, else as a registry says now. None: nothing is
        known, or may be asked. ``explained``: the record that it explains.
        """
        if entry.doi is None:
            return None
        kept = from_kept(entry.registered)
        if kept is not None and kept.doi == entry.doi:
            return kept
        is_private = entry.owner != PUBLIC or (explained is not None and bool(explained.access_groups))
        return self.about(entry.doi) if self._private or not is_private else None

    def about(self, doi: str) -> Registered | None:
        """None if no registry knows it, or none answers."""
        with self._lock:
            if doi in self._kept:
                return self._kept[doi]
        found, is_sure = self._asked(doi)
        if found is not None or is_sure:
            with self._lock:
                self._kept[doi] = found
        return found

    def _asked(self, doi: str) -> tuple[Registered | None, bool]:
        """The work, and whether each registry answered. One that is down is left alone for a while."""
        is_sure = True
        for name, url in self._addresses.urls.items():
            with self._lock:
                is_down = name in self._down
            if is_down:
                is_sure = False
                continue
            try:
                found = self._answer(name, url, doi)
            except (SondeError, ValueError) as error:
                log.warning("registry.failed", registry=name, error=type(error).__name__)
                is_sure = False
                if not isinstance(error, (BadStatus, ValueError)):
                    with self._lock:
                        self._down[name] = True
                continue
            if found is not None:
                return found, True
        return None, is_sure

    def _answer(self, name: RegistryName, url: str, doi: str) -> Registered | None:
        """Raises SondeError, and ValueError for an answer of another form."""
        params = {"mailto": self._addresses.contact} if name == "crossref" and "@" in self._addresses.contact else None
        address = f"{url}/{_PATHS[name]}/{quote(doi, safe='')}"
        answer = self._gate().request(
            Outgoing(address, params=params, max_bytes=_MOST_BYTES, timeout_s=self._addresses.timeout_s)
        )
        if answer.status in _UNKNOWN:
            return None
        return _READERS[name](doi, answer.expect_ok().parsed())
