"""API keys as values: what one is made of, and whether a text is one that holds now; no I/O.

A key's text is ``sonde_<id>_<secret>``: the id finds the key, the secret (256 random bits) proves it. Only the secret's
SHA-256 is kept. A slow hash is for secrets that people choose; 256 random bits cannot be guessed from a fast one.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.access import ALL_SCOPES, AccessScope, Caller, NotAuthenticated, checked_name
from core.errors import InvalidInput

PREFIX = "sonde_"
_TEXT = re.compile(r"sonde_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_SECRET_BYTES = 32
_UNKNOWN = "This key is not known."


@dataclass(frozen=True, slots=True)
class Grant:
    """What a key is made for. ``expires`` None: it holds until it is revoked."""

    subject: str
    scopes: frozenset[AccessScope]
    groups: frozenset[str] = frozenset()
    expires: datetime | None = None
    note: str = ""

    def checked(self, now: datetime) -> Grant:
        """The grant with its names tidied. Raises InvalidInput for one that could never be used."""
        try:
            subject = checked_name("subject", self.subject)
            groups = frozenset(checked_name("group", group) for group in self.groups)
        except ValueError as error:
            raise InvalidInput("subject", str(error)) from None
        if not self.scopes or not self.scopes <= ALL_SCOPES:
            raise InvalidInput("scopes", f"a key needs at least one scope of {', '.join(sorted(ALL_SCOPES))}")
        if self.expires is not None and self.expires <= now:
            raise InvalidInput("expires", f"{self.expires.isoformat()} has passed")
        return replace(self, subject=subject, groups=groups)


@dataclass(frozen=True, slots=True)
class KeptSecret:
    """``hash``: SHA-256 in hex; ``until``: a rotated secret holds until then, None for the one in use."""

    hash: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is kept. Times are aware and in UTC; ``last_used`` is coarse (the store says how much)."""

    id: str
    grant: Grant
    secrets: tuple[KeptSecret, ...]
    created: datetime
    revoked: datetime | None = None
    last_used: datetime | None = None

    @property
    def caller(self) -> Caller:
        return Caller(self.grant.subject, self.grant.scopes, self.grant.groups)

    def state(self, now: datetime) -> str:
        """``active``, ``expired`` or ``revoked``."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.grant.expires is not None and self.grant.expires <= now else "active"


def made(grant: Grant, now: datetime) -> tuple[ApiKey, str]:
    """A new key and its text, which nobody sees again. Raises InvalidInput for a grant that makes no sense."""
    id, secret = secrets.token_hex(8), secrets.token_urlsafe(_SECRET_BYTES)
    return ApiKey(id, grant.checked(now), (KeptSecret(_hashed(secret)),), now), f"{PREFIX}{id}_{secret}"


def rotated(key: ApiKey, grace: timedelta, now: datetime) -> tuple[ApiKey, str]:
    """The key with a new secret, and its text; the secret in use until now holds for ``grace`` longer.

    Secrets of earlier rotations end here, so that there are never more than two.
    """
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    old = [replace(one, until=now + grace) for one in key.secrets if one.until is None]
    return replace(key, secrets=(KeptSecret(_hashed(secret)), *old)), f"{PREFIX}{key.id}_{secret}"


def parted(text: str) -> tuple[str, str]:
    """Id and secret. Raises NotAuthenticated for what cannot be a key."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise NotAuthenticated(_UNKNOWN)
    return match[1], match[2]


def admitted(key: ApiKey | None, secret: str, now: datetime) -> Caller:
    """Who the key speaks for. Raises NotAuthenticated; only who holds the right secret is told that it has ended."""
    kept = key.secrets if key is not None else ()
    given = _hashed(secret)
    # Every kept hash is compared, in constant time, so that the time taken says nothing of which one came close.
    matches = [one for one in kept if hmac.compare_digest(one.hash, given)]
    if key is None or not matches:
        raise NotAuthenticated(_UNKNOWN)
    if (state := key.state(now)) != "active":
        raise NotAuthenticated(f"This key is {state}.")
    if all(one.until is not None and one.until <= now for one in matches):
        raise NotAuthenticated("This key was replaced by a new one.")
    return key.caller


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
