"""Identifies callers by key or token; without either, the caller is anonymous."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cachetools import TTLCache

from core.access import Authenticator, Caller, NotAuthenticated
from core.clock import utc_now
from search_api.http.access.key_store import KeyStore
from search_api.http.access.keys import PREFIX, ApiKey, admitted, parted
from search_api.http.telemetry_memory import remembered

_MOST_REMEMBERED = 10_000

Clock = Callable[[], datetime]


class KeyAuthenticator:
    """Identifies callers by API key. Keys are cached for ``memory``: a revocation takes effect after that time."""

    def __init__(self, store: KeyStore, memory: timedelta, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now
        self._lock = threading.Lock()
        self._read: TTLCache[str, tuple[ApiKey | None]] = TTLCache(
            _MOST_REMEMBERED, memory.total_seconds(), lambda: now().timestamp()
        )

    def identify(self, bearer: str | None) -> Caller:
        """Raises NotAuthenticated, or Unavailable if the key is not cached and cannot be read."""
        if bearer is None:
            raise NotAuthenticated("There is no key.")
        id, secret = parted(bearer)
        now = self._now()
        key, fresh = self._found(id)
        found = admitted(key, secret, now)
        if fresh and key is not None:
            self._store.note_use(key, now)
        return found

    def _found(self, id: str) -> tuple[ApiKey | None, bool]:
        """The key, and whether it was read just now."""
        with self._lock:
            known = self._read.get(id)
        remembered("keys", hit=known is not None)
        if known is not None:
            return known[0], False
        key = self._store.find(id)
        with self._lock:
            self._read[id] = (key,)
        return key, True


@dataclass(frozen=True, slots=True)
class Bearers:
    """The service's authenticator: passes each bearer text to the authenticator of its type.

    ``anonymous``: the scopes of a request without a key or token. ``tokens`` None: no issuer is configured.
    """

    keys: Authenticator
    anonymous: Caller
    tokens: Authenticator | None = None

    def identify(self, bearer: str | None) -> Caller:
        if bearer is None:
            return self.anonymous
        if bearer.startswith(PREFIX) or self.tokens is None:
            return self.keys.identify(bearer)
        return self.tokens.identify(bearer)
