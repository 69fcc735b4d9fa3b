"""API keys: their parts, the store ``{prefix}-keys``, and the callers that they identify.

A key's text is ``sonde_<id>_<secret>``: the id finds the key, the secret (256 random bits) proves it. Only the secret's
SHA-256 is stored. Slow hashes protect secrets that people choose; 256 random bits cannot be guessed from a fast one.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog
from cachetools import TTLCache

from core.access import ALL_SCOPES, AccessScope, Authenticator, Caller, NotAuthenticated, checked_name
from core.errors import InvalidInput, NotFound, Unavailable
from core.json_types import Json, JsonMapping
from core.timespan import utc_now
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError, VersionConflict
from es_gateway.searching import stored_document
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from search_api.http.telemetry import count_cache_lookup

PREFIX = "sonde_"
_KEY_TEXT = re.compile(r"sonde_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_SECRET_BYTES = 32
_UNKNOWN = "This key is not known."


log = structlog.get_logger(__name__)
MOST_LISTED = 10_000
_USE_IS_STORED_EVERY = timedelta(hours=1)
_MOST_REMEMBERED = 10_000
Clock = Callable[[], datetime]


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
class StoredSecret:
    """``hash``: SHA-256 in hex; ``until``: the end of a rotated secret, None for the current one."""

    hash: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A stored key. Times are aware and in UTC; ``last_used`` is coarse (see the store)."""

    id: str
    grant: Grant
    secrets: tuple[StoredSecret, ...]
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


def new_key(grant: Grant, now: datetime) -> tuple[ApiKey, str]:
    """A new key and its text, which is not stored. Raises InvalidInput for an invalid grant."""
    id, secret = secrets.token_hex(8), secrets.token_urlsafe(_SECRET_BYTES)
    return ApiKey(id, grant.checked(now), (StoredSecret(_hash(secret)),), now), f"{PREFIX}{id}_{secret}"


def rotated_key(key: ApiKey, grace: timedelta, now: datetime) -> tuple[ApiKey, str]:
    """The key with a new secret, and its text; the previous secret stays valid for ``grace``.

    Secrets of earlier rotations end now, so there are never more than two.
    """
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    old = [replace(old_secret, until=now + grace) for old_secret in key.secrets if old_secret.until is None]
    return replace(key, secrets=(StoredSecret(_hash(secret)), *old)), f"{PREFIX}{key.id}_{secret}"


def split_key(text: str) -> tuple[str, str]:
    """Id and secret. Raises NotAuthenticated for a text that cannot be a key."""
    match = _KEY_TEXT.fullmatch(text)
    if match is None:
        raise NotAuthenticated(_UNKNOWN)
    return match[1], match[2]


def caller_of(key: ApiKey | None, secret: str, now: datetime) -> Caller:
    """The caller of the key. Raises NotAuthenticated; only the right secret reveals that the key has ended."""
    secrets = key.secrets if key is not None else ()
    hash_given = _hash(secret)
    # Compares all stored hashes in constant time, so that the time does not reveal a partial match.
    matches = [candidate for candidate in secrets if hmac.compare_digest(candidate.hash, hash_given)]
    if key is None or not matches:
        raise NotAuthenticated(_UNKNOWN)
    if (state := key.state(now)) != "active":
        raise NotAuthenticated(f"This key is {state}.")
    if all(candidate.until is not None and candidate.until <= now for candidate in matches):
        raise NotAuthenticated("This key was replaced by a new one.")
    return key.caller


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


class KeyStore:
    """Reads and writes keys. Every call raises Unavailable if Elasticsearch fails."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "keys")

    def add(self, grant: Grant, now: datetime) -> tuple[ApiKey, str]:
        """A new key and its text; creates the index if necessary. Raises InvalidInput."""
        key, text = new_key(grant, now)
        with _unavailable_if_failing():
            ensure_without_vectors(self._client, self._prefix, ("keys",))
            self._client.create(index=self._index, id=key.id, document=_document(key), refresh=True, require_alias=True)
        return key, text

    def find(self, id: str) -> ApiKey | None:
        """The key in real time; None if there is none."""
        answer = self._stored_document(id)
        return None if answer is None else _key_of(answer["_id"], answer["_source"])

    def list(self) -> list[ApiKey]:
        """At most 10,000, newest first; empty if the index does not exist yet."""
        with _unavailable_if_failing():
            answer = self._client.search(
                index=self._index, size=MOST_LISTED, sort=[{"created": "desc"}], ignore_unavailable=True
            )
        return [_key_of(hit["_id"], hit["_source"]) for hit in answer.body["hits"]["hits"]]

    def groups_of(self, subject: str, scope: AccessScope, now: datetime) -> frozenset[str] | None:
        """The groups that the person's active keys with this scope have together; None for a person without any key,
        active or not.
        """
        with _unavailable_if_failing():
            answer = self._client.search(
                index=self._index, size=MOST_LISTED, query={"term": {"subject": subject}}, ignore_unavailable=True
            )
        keys = [_key_of(hit["_id"], hit["_source"]) for hit in answer.body["hits"]["hits"]]
        active = [key for key in keys if key.state(now) == "active" and key.grant.scopes & {scope, "admin"}]
        return frozenset[str]().union(*(key.grant.groups for key in active)) if keys else None

    def revoke(self, id: str, now: datetime) -> ApiKey:
        """Revokes the key and returns it; a revoked key keeps its earlier time. Raises NotFound."""
        return self._change(id, lambda key: key if key.revoked else replace(key, revoked=now))

    def rotate(self, id: str, grace: timedelta, now: datetime) -> tuple[ApiKey, str]:
        """The key with a new secret, and its text. Raises NotFound, also for a key that is no longer active."""
        texts: list[str] = []

        def change(key: ApiKey) -> ApiKey:
            if (state := key.state(now)) != "active":
                raise NotFound(f"The key {id} is {state}; make a new one with `sonde keys add`.")
            after, text = rotated_key(key, grace, now)
            texts.append(text)
            return after

        return self._change(id, change), texts[-1]

    def note_use(self, key: ApiKey, now: datetime) -> None:
        """Stores the time of use, at most once an hour; a failure is only logged, because the time is informative."""
        if key.last_used is not None and now - key.last_used < _USE_IS_STORED_EVERY:
            return
        try:
            self._client.update(index=self._index, id=key.id, doc={"last_used": now.isoformat()})
        except ElasticsearchError as error:
            log.warning("keys.use_not_noted", key=key.id, error=type(error).__name__)

    def _change(self, id: str, change: Callable[[ApiKey], ApiKey]) -> ApiKey:
        """Raises Unavailable if the key was changed in the meantime."""
        answer = self._stored_document(id)
        if answer is None:
            raise NotFound(f"There is no key {id}; `sonde keys list` shows all keys.")
        changed_key = change(_key_of(answer["_id"], answer["_source"]))
        with _unavailable_if_failing():
            self._client.index(
                index=self._index,
                id=id,
                document=_document(changed_key),
                if_seq_no=answer["_seq_no"],
                if_primary_term=answer["_primary_term"],
                refresh=True,
                require_alias=True,
            )
        return changed_key

    def _stored_document(self, id: str) -> JsonMapping | None:
        with _unavailable_if_failing():
            return stored_document(self._client, self._index, id)


@contextmanager
def _unavailable_if_failing() -> Iterator[None]:
    try:
        yield
    except VersionConflict as error:
        raise Unavailable("Somebody else has just changed the key; try again.") from error
    except ElasticsearchError as error:
        raise Unavailable(f"Keys cannot be read or written now: {type(error).__name__}.") from error


def _document(key: ApiKey) -> Json:
    document = {
        "subject": key.grant.subject,
        "scopes": sorted(key.grant.scopes),
        "groups": sorted(key.grant.groups),
        "note": key.grant.note or None,
        "secrets": [{"hash": secret.hash, "until": _text(secret.until)} for secret in key.secrets],
        "created": _text(key.created),
        "expires": _text(key.grant.expires),
        "revoked": _text(key.revoked),
        "last_used": _text(key.last_used),
    }
    return {name: value for name, value in document.items() if value is not None}


def _key_of(id: str, source: JsonMapping) -> ApiKey:
    grant = Grant(
        source["subject"],
        frozenset(source["scopes"]),
        frozenset(source.get("groups", ())),
        _time(source.get("expires")),
        source.get("note", ""),
    )
    stored_secrets = tuple(StoredSecret(entry["hash"], _time(entry.get("until"))) for entry in source["secrets"])
    created = datetime.fromisoformat(source["created"])
    return ApiKey(id, grant, stored_secrets, created, _time(source.get("revoked")), _time(source.get("last_used")))


def _text(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


class KeyAuthenticator:
    """Identifies callers by API key. Keys are cached for ``memory``: a revocation takes effect after that time."""

    def __init__(self, store: KeyStore, memory: timedelta, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now
        self._lock = threading.Lock()
        self._cache: TTLCache[str, tuple[ApiKey | None]] = TTLCache(
            _MOST_REMEMBERED, memory.total_seconds(), lambda: now().timestamp()
        )

    def identify(self, bearer: str | None) -> Caller:
        """Raises NotAuthenticated, or Unavailable if the key is not cached and cannot be read."""
        if bearer is None:
            raise NotAuthenticated("There is no key.")
        id, secret = split_key(bearer)
        now = self._now()
        key, fresh = self._find(id)
        caller = caller_of(key, secret, now)
        if fresh and key is not None:
            self._store.note_use(key, now)
        return caller

    def _find(self, id: str) -> tuple[ApiKey | None, bool]:
        """The key, and whether it was read just now."""
        with self._lock:
            from_cache = self._cache.get(id)
        count_cache_lookup("keys", hit=from_cache is not None)
        if from_cache is not None:
            return from_cache[0], False
        key = self._store.find(id)
        with self._lock:
            self._cache[id] = (key,)
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
