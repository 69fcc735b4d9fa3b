"""The public keys of a token issuer, fetched through the gate and cached."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jwt
import structlog

from core.access import NotAuthenticated
from core.errors import SondeError, Unavailable
from net.exchange import Outgoing
from net.gate import Gate

log = structlog.get_logger(__name__)

_LARGEST_BYTES = 1024 * 1024
_MOST_KEYS = 100
_TIMEOUT_S = 5.0
_KINDS = frozenset(("RSA", "EC", "OKP"))
"""Without ``oct``: a public document must not contain shared secrets."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """``jwks_url`` None: read from the issuer's discovery document. Times in seconds.

    Keys are fetched again after ``fresh_s``, and for an unknown key id, but at most once per ``pause_s``: tokens with
    invented ids must not cause endless requests to the issuer. While the issuer does not answer, its keys count for
    ``longest_s`` after they were fetched.
    """

    issuer: str
    jwks_url: str | None = None
    fresh_s: float = 3600.0
    pause_s: float = 30.0
    longest_s: float = 86_400.0


class IssuerKeys:
    """Keys by their id; thread-safe."""

    def __init__(self, issuer: Issuer, gate: Callable[[], Gate], clock: Callable[[], float] = time.monotonic) -> None:
        self._issuer = issuer
        self._gate = gate
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._fetched: float | None = None
        self._tried: float | None = None

    def find(self, id: str | None) -> jwt.PyJWK:
        """The key with that id; without an id, the issuer's only key.

        Raises NotAuthenticated if the issuer has no such key, Unavailable if it has not answered for too long.
        """
        with self._lock:
            now = self._clock()
            stale = self._fetched is None or now - self._fetched >= self._issuer.fresh_s
            if (stale or self._known(id) is None) and self._may_ask(now):
                self._refresh(now)
            if self._fetched is None or now - self._fetched >= self._issuer.longest_s:
                raise Unavailable("The issuer of tokens does not answer, so tokens cannot be checked now.")
            key = self._known(id)
        if key is None:
            raise NotAuthenticated("This token was signed by a key that its issuer does not list.")
        return key

    def _known(self, id: str | None) -> jwt.PyJWK | None:
        if id is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(id)

    def _may_ask(self, now: float) -> bool:
        return self._tried is None or now - self._tried >= self._issuer.pause_s

    def _refresh(self, now: float) -> None:
        """Keys that were fetched before remain valid while the issuer does not answer."""
        self._tried = now
        try:
            self._keys = self._fetch()
            self._fetched = now
        except (SondeError, ValueError, KeyError, TypeError) as error:
            log.warning("access.issuer_not_heard", issuer=self._issuer.issuer, error=type(error).__name__)

    def _fetch(self) -> dict[str | None, jwt.PyJWK]:
        url = self._issuer.jwks_url or self._discovered()
        keys: dict[str | None, jwt.PyJWK] = {}
        for entry in self._json(url)["keys"][:_MOST_KEYS]:
            if entry.get("kty") not in _KINDS or entry.get("use", "sig") != "sig":
                continue
            try:
                keys[entry.get("kid")] = jwt.PyJWK(entry)
            except jwt.PyJWTError as error:  # a key with an unsupported algorithm does not affect the others
                log.info("access.key_left_out", issuer=self._issuer.issuer, error=type(error).__name__)
        return keys

    def _discovered(self) -> str:
        found = self._json(f"{self._issuer.issuer.rstrip('/')}/.well-known/openid-configuration")
        if found["issuer"] != self._issuer.issuer:
            raise ValueError("the discovery document is another issuer's")
        return str(found["jwks_uri"])

    def _json(self, url: str) -> Any:
        answer = self._gate().request(Outgoing(url, max_bytes=_LARGEST_BYTES, timeout_s=_TIMEOUT_S))
        if answer.status != 200:
            raise Unavailable(f"The issuer of tokens answered {answer.status}.")
        return json.loads(answer.content)
