"""Identifies callers by the tokens (JWT) of an OpenID Connect issuer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import jwt

from core.access import ALL_SCOPES, AccessScope, Caller, NotAuthenticated, checked_name
from core.json_types import JsonMapping
from search_api.http.access.algorithms import ALGORITHMS, Algorithm
from search_api.http.access.jwks import IssuerKeys

_LONGEST_TOKEN = 16_384
_MOST_GROUPS = 500


@dataclass(frozen=True, slots=True)
class TokenPolicy:
    """What a token must contain, and which claims identify the caller.

    Claims may be paths (``realm_access.roles``), and lists or space-separated texts. Scopes are the values of the claim
    that begin with ``scope_prefix``, and ``given_scopes``, which every valid token gets. ``leeway_s``: allowed clock
    difference.
    """

    issuer: str
    audience: str
    algorithms: tuple[Algorithm, ...] = ("RS256", "ES256")
    leeway_s: float = 60.0
    subject_claim: str = "sub"
    groups_claim: str = "groups"
    scopes_claim: str = "scope"
    scope_prefix: str = "sonde:"
    given_scopes: frozenset[AccessScope] = frozenset(("search", "library"))


class TokenAuthenticator:
    """Checks signature, issuer, audience and times of every token; caches none."""

    def __init__(self, policy: TokenPolicy, keys: IssuerKeys) -> None:
        """Raises ValueError for an algorithm without proof."""
        if not policy.algorithms or not set(policy.algorithms) <= set(ALGORITHMS):
            raise ValueError(f"algorithms must be of {', '.join(ALGORITHMS)}")
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
        if header.get("alg") not in self._policy.algorithms:
            raise NotAuthenticated("This service does not accept the signature algorithm of this token.")
        key = self._keys.find(header.get("kid"))
        return self._caller(self._claims(bearer, key))

    def _claims(self, bearer: str, key: jwt.PyJWK) -> JsonMapping:
        try:
            claims: JsonMapping = jwt.decode(
                bearer,
                key,
                algorithms=list(self._policy.algorithms),
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
        subject = _at(claims, self._policy.subject_claim)
        try:
            name = checked_name("subject", subject if isinstance(subject, str) else "")
            groups = frozenset(checked_name("group", one) for one in _words(_at(claims, self._policy.groups_claim)))
        except ValueError as error:
            raise NotAuthenticated(f"This token is not accepted: {error}.") from None
        prefix = self._policy.scope_prefix
        said = {one.removeprefix(prefix) for one in self._scopes(claims) if one.startswith(prefix)}
        return Caller(name, self._policy.given_scopes | {scope for scope in ALL_SCOPES if scope in said}, groups)

    def _scopes(self, claims: JsonMapping) -> list[str]:
        return _words(_at(claims, self._policy.scopes_claim))


_WRONG: dict[type[Exception], str] = {
    jwt.InvalidSignatureError: "its signature is wrong",
    jwt.InvalidAudienceError: "it is for another service",
    jwt.InvalidIssuerError: "it is from another issuer",
    jwt.ImmatureSignatureError: "it is not valid yet",
    jwt.MissingRequiredClaimError: "it lacks a claim that is needed",
}


def _at(claims: JsonMapping, path: str) -> object:
    """The claim with that name, else the value at the path."""
    if path in claims:
        return claims[path]
    found: object = claims
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [one for one in value if isinstance(one, str)][:_MOST_GROUPS] if isinstance(value, list) else []
