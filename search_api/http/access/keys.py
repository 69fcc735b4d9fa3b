"""API keys as values: their parts, and the check of a key's text; no I/O.

A key's text is ``sonde_<id>_<secret>``: the id finds the key, the secret (256 random bits) proves it. Only the secret's
SHA-256 is stored. Slow hashes protect secrets that people choose; 256 random bits cannot be guessed from a fast one.
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
    """What a new key may do. ``expires`` None: it is valid until it is revoked."""

    subject: str
    scopes: frozenset[AccessScope]
    groups: frozenset[str] = frozenset()
    expires: datetime | None = None
    note: str = ""

    def checked(self, now: datetime) -> Grant:
        """The grant with normalised names. Raises InvalidInput for an unusable one."""
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
    """``hash``: SHA-256 in hex; ``until``: the end of a rotated secret, None for the current one."""

    hash: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A stored key. Times are aware and in UTC; ``last_used`` is coarse (see the store)."""

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
    """A new key and its text, which is not stored. Raises InvalidInput for an invalid grant."""
    id, secret = secrets.token_hex(8), secrets.token_urlsafe(_SECRET_BYTES)
    return ApiKey(id, grant.checked(now), (KeptSecret(_hashed(secret)),), now), f"{PREFIX}{id}_{secret}"


def rotated(key: ApiKey, grace: timedelta, now: datetime) -> tuple[ApiKey, str]:
    """The key with a new secret, and its text; the previous secret stays valid for ``grace``.

    Secrets of earlier rotations end now, so there are never more than two.
    """
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    old = [replace(one, until=now + grace) for one in key.secrets if one.until is None]
    return replace(key, secrets=(KeptSecret(_hashed(secret)), *old)), f"{PREFIX}{key.id}_{secret}"


def parted(text: str) -> tuple[str, str]:
    """Id and secret. Raises NotAuthenticated for a text that cannot be a key."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise NotAuthenticated(_UNKNOWN)
    return match[1], match[2]


def admitted(key: ApiKey | None, secret: str, now: datetime) -> Caller:
    """The caller of the key. Raises NotAuthenticated; only the right secret reveals that the key has ended."""
    kept = key.secrets if key is not None else ()
    given = _hashed(secret)
    # Compares all stored hashes in constant time, so that the time does not reveal a partial match.
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
