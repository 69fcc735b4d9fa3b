"""API keys in the index ``{prefix}-keys``: one document per key, read by id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from core.access import AccessScope
from core.errors import NotFound, Unavailable
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError, VersionConflict
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from search_api.http.access.keys import ApiKey, Grant, KeptSecret, made, rotated

log = structlog.get_logger(__name__)

MOST_LISTED = 10_000
_USE_IS_TOLD_EVERY = timedelta(hours=1)


class KeyStore:
    """Reads and writes keys. Every call raises Unavailable if Elasticsearch fails."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "keys")

    def add(self, grant: Grant, now: datetime) -> tuple[ApiKey, str]:
        """A new key and its text; creates the index if necessary. Raises InvalidInput."""
        key, text = made(grant, now)
        with _answering():
            ensure_without_vectors(self._client, self._prefix, ("keys",))
            self._client.create(index=self._index, id=key.id, document=_document(key), refresh=True, require_alias=True)
        return key, text

    def find(self, id: str) -> ApiKey | None:
        """The key in real time; None if there is none."""
        found = self._read(id)
        return None if found is None else _key(found["_id"], found["_source"])

    def list(self) -> list[ApiKey]:
        """At most 10,000, newest first; empty if the index does not exist yet."""
        with _answering():
            found = self._client.search(
                index=self._index, size=MOST_LISTED, sort=[{"created": "desc"}], ignore_unavailable=True
            )
        return [_key(hit["_id"], hit["_source"]) for hit in found.body["hits"]["hits"]]

    def groups_of(self, subject: str, scope: AccessScope, now: datetime) -> frozenset[str] | None:
        """The groups that the person's active keys with this scope have together; None for a person without any key,
        active or not.
        """
        with _answering():
            found = self._client.search(
                index=self._index, size=MOST_LISTED, query={"term": {"subject": subject}}, ignore_unavailable=True
            )
        keys = [_key(hit["_id"], hit["_source"]) for hit in found.body["hits"]["hits"]]
        active = [key for key in keys if key.state(now) == "active" and key.grant.scopes & {scope, "admin"}]
        return frozenset[str]().union(*(key.grant.groups for key in active)) if keys else None

    def revoke(self, id: str, now: datetime) -> ApiKey:
        """Revokes the key and returns it; a revoked key keeps its earlier time. Raises NotFound."""
        return self._changed(id, lambda key: key if key.revoked else replace(key, revoked=now))

    def rotate(self, id: str, grace: timedelta, now: datetime) -> tuple[ApiKey, str]:
        """The key with a new secret, and its text. Raises NotFound, also for a key that is no longer active."""
        texts: list[str] = []

        def change(key: ApiKey) -> ApiKey:
            if (state := key.state(now)) != "active":
                raise NotFound(f"The key {id} is {state}; make a new one with `sonde keys add`.")
            after, text = rotated(key, grace, now)
            texts.append(text)
            return after

        return self._changed(id, change), texts[-1]

    def note_use(self, key: ApiKey, now: datetime) -> None:
        """Stores the time of use, at most once an hour; a failure is only logged, because the time is informative."""
        if key.last_used is not None and now - key.last_used < _USE_IS_TOLD_EVERY:
            return
        try:
            self._client.update(index=self._index, id=key.id, doc={"last_used": now.isoformat()})
        except ElasticsearchError as error:
            log.warning("keys.use_not_noted", key=key.id, error=type(error).__name__)

    def _changed(self, id: str, change: Callable[[ApiKey], ApiKey]) -> ApiKey:
        """Raises if somebody else changed the key in the meantime."""
        found = self._read(id)
        if found is None:
            raise NotFound(f"There is no key {id}; `sonde keys list` shows all keys.")
        after = change(_key(found["_id"], found["_source"]))
        with _answering():
            self._client.index(
                index=self._index,
                id=id,
                document=_document(after),
                if_seq_no=found["_seq_no"],
                if_primary_term=found["_primary_term"],
                refresh=True,
                require_alias=True,
            )
        return after

    def _read(self, id: str) -> JsonMapping | None:
        with _answering():
            found: Json = self._client.options(ignore_status=404).get(index=self._index, id=id).body
        return found if found.get("found") else None


@contextmanager
def _answering() -> Iterator[None]:
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
        "secrets": [{"hash": one.hash, "until": _text(one.until)} for one in key.secrets],
        "created": _text(key.created),
        "expires": _text(key.grant.expires),
        "revoked": _text(key.revoked),
        "last_used": _text(key.last_used),
    }
    return {name: value for name, value in document.items() if value is not None}


def _key(id: str, source: JsonMapping) -> ApiKey:
    grant = Grant(
        source["subject"],
        frozenset(source["scopes"]),
        frozenset(source.get("groups", ())),
        _time(source.get("expires")),
        source.get("note", ""),
    )
    kept = tuple(KeptSecret(one["hash"], _time(one.get("until"))) for one in source["secrets"])
    created = datetime.fromisoformat(source["created"])
    return ApiKey(id, grant, kept, created, _time(source.get("revoked")), _time(source.get("last_used")))


def _text(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
