"""Identifies callers by the tokens (JWT) of an OpenID Connect issuer, and fetches its public keys."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jwt
import structlog

from core.access import ALL_SCOPES, AccessScope, Caller, NotAuthenticated, checked_name
from core.errors import SondeError, Unavailable
from core.json_types import JsonMapping
from net.exchange import Outgoing
from net.gate import Gate

log = structlog.get_logger(__name__)

_LARGEST_BYTES = 1024 * 1024
_MOST_KEYS = 100
_TIMEOUT_S = 5.0
_KEY_TYPES = frozenset(("RSA", "EC", "OKP"))
"""Without ``oct``: a public document must not contain shared secrets."""

_LONGEST_TOKEN = 16_384
_MOST_GROUPS = 500
_WRONG: dict[type[Exception], str] = {
    jwt.InvalidSignatureError: "its signature is wrong",
    jwt.InvalidAudienceError: "it is for another service",
    jwt.InvalidIssuerError: "it is from another issuer",
    jwt.ImmatureSignatureError: "it is not valid yet",
    jwt.MissingRequiredClaimError: "it lacks a claim that is needed",
}


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
            if (stale or self._cached_key(id) is None) and (
                self._tried is None or now - self._tried >= self._issuer.pause_s
            ):
                self._refresh(now)
            if self._fetched is None or now - self._fetched >= self._issuer.longest_s:
                raise Unavailable("The issuer of tokens does not answer, so tokens cannot be checked now.")
            key = self._cached_key(id)
        if key is None:
            raise NotAuthenticated("This token was signed by a key that its issuer does not list.")
        return key

    def _cached_key(self, id: str | None) -> jwt.PyJWK | None:
        if id is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(id)

    def _refresh(self, now: float) -> None:
        """Keys that were fetched before remain valid while the issuer does not answer."""
        self._tried = now
        try:
            self._keys = self._fetch()
            self._fetched = now
        except (SondeError, ValueError, KeyError, TypeError) as error:
            log.warning("access.issuer_unreachable", issuer=self._issuer.issuer, error=type(error).__name__)

    def _fetch(self) -> dict[str | None, jwt.PyJWK]:
        url = self._issuer.jwks_url or self._discover()
        keys: dict[str | None, jwt.PyJWK] = {}
        for entry in self._json(url)["keys"][:_MOST_KEYS]:
            if entry.get("kty") not in _KEY_TYPES or entry.get("use", "sig") != "sig":
                continue
            try:
                keys[entry.get("kid")] = jwt.PyJWK(entry)
            except jwt.PyJWTError as error:  # a key with an unsupported algorithm does not affect the others
                log.info("access.key_left_out", issuer=self._issuer.issuer, error=type(error).__name__)
        return keys

    def _discover(self) -> str:
        document = self._json(f"{self._issuer.issuer.rstrip('/')}/.well-known/openid-configuration")
        if document["issuer"] != self._issuer.issuer:
            raise ValueError("the discovery document is another issuer's")
        return str(document["jwks_uri"])

    def _json(self, url: str) -> Any:
        answer = self._gate().request(Outgoing(url, max_bytes=_LARGEST_BYTES, timeout_s=_TIMEOUT_S))
        if answer.status != 200:
            raise Unavailable(f"The issuer of tokens answered {answer.status}.")
        return json.loads(answer.content)


_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Only those with a public key: ``none`` proves nothing, and with HS* a public key would pass for a secret."""


@dataclass(frozen=True, slots=True)
class TokenPolicy:
    """What a token must contain, and which claims identify the caller.

    Claims may be paths (``realm_access.roles``), and lists or space-separated texts. Scopes are the values of the claim
    that begin with ``scope_prefix``, and ``given_scopes``, which every valid token gets. ``leeway_s``: allowed clock
    difference.
    """

    issuer: str
    audience: str
    leeway_s: float = 60.0
    subject_claim: str = "sub"
    groups_claim: str = "groups"
    scopes_claim: str = "scope"
    scope_prefix: str = "sonde:"
    given_scopes: frozenset[AccessScope] = frozenset(("search", "library"))


class TokenAuthenticator:
    """Checks signature, issuer, audience and times of every token; caches none."""

    def __init__(self, policy: TokenPolicy, keys: IssuerKeys) -> None:
        self._policy = policy
        self._keys = keys

    def identify(self, bearer: str | None) -> Caller:
        """Raises NotAuthenticated with the reason, without the token; Unavailable as the keys do."""
        if bearer is None or len(bearer) > _LONGEST_TOKEN:
            raise NotAuthenticated("This is neither a key nor a token of this service.")
        try:
            header = jwt.get_unverified_header(bearer)
        except jwt.PyJWTError:
            raise NotAuthenticated("This is neither a key nor a token of this service.") from None
        if header.get("alg") not in _ALGORITHMS:
            raise NotAuthenticated("This service does not accept the signature algorithm of this token.")
        key = self._keys.find(header.get("kid"))
        return self._caller(self._claims(bearer, key))

    def _claims(self, bearer: str, key: jwt.PyJWK) -> JsonMapping:
        try:
            claims: JsonMapping = jwt.decode(
                bearer,
                key,
                algorithms=_ALGORITHMS,
                audience=self._policy.audience,
                issuer=self._policy.issuer,
                leeway=self._policy.leeway_s,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.ExpiredSignatureError:
            raise NotAuthenticated("This token has expired.") from None
        except jwt.PyJWTError as error:
            raise NotAuthenticated(f"This token is not accepted: {_WRONG.get(type(error), 'it is wrong')}.") from None
        return claims

    def _caller(self, claims: JsonMapping) -> Caller:
        subject = _claim_at(claims, self._policy.subject_claim)
        try:
            name = checked_name("subject", subject if isinstance(subject, str) else "")
            groups = frozenset(
                checked_name("group", value) for value in _words(_claim_at(claims, self._policy.groups_claim))
            )
        except ValueError as error:
            raise NotAuthenticated(f"This token is not accepted: {error}.") from None
        prefix = self._policy.scope_prefix
        scopes = {
            value.removeprefix(prefix)
            for value in _words(_claim_at(claims, self._policy.scopes_claim))
            if value.startswith(prefix)
        }
        return Caller(name, self._policy.given_scopes | {scope for scope in ALL_SCOPES if scope in scopes}, groups)


def _claim_at(claims: JsonMapping, path: str) -> object:
    """The claim with that name, else the value at the path."""
    if path in claims:
        return claims[path]
    value: object = claims
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [word for word in value if isinstance(word, str)][:_MOST_GROUPS] if isinstance(value, list) else []
