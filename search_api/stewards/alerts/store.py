"""Saved searches and confirmed mail addresses in the index ``{prefix}-searches``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from core.errors import Conflict, NotFound
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_gateway.errors import VersionConflict
from es_gateway.searching import stored_document
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from search_api.stewards.alerts.saved import (
    DEFAULT_LANGUAGE,
    Compiled,
    Language,
    SavedSearch,
    compiled_of,
    from_document,
    hash_of_parts,
    to_document,
)

MOST_OF_OWNER = 1_000
BudgetKind = Literal["owner", "mailbox", "domain"]
"""Whose mails per day are limited."""
_DAY = timedelta(days=1)
_SPEND = (
    "if (ctx._source.mailed == null || ctx._source.mailed.compareTo(params.before) < 0)"
    " { ctx._source.mailed = params.now; ctx._source.mails = 0; }"
    " if (ctx._source.mails >= params.most) { ctx.op = 'none'; } else { ctx._source.mails += 1; }"
)
_IS_SEARCH: Json = {"term": {"kind": "search"}}


@dataclass(frozen=True, slots=True)
class MailConfirmation:
    """An owner's mail address. ``mails``: how many confirmations were sent; ``mailed``: when the last one was, in
    ``language``.
    """

    owner: str
    mail: str
    confirmed: str | None = None
    mailed: str | None = None
    mails: int = 0
    language: Language = DEFAULT_LANGUAGE


@dataclass(frozen=True, slots=True)
class StoredSearch:
    """A saved search with its compiled question."""

    saved: SavedSearch
    compiled: Compiled


@dataclass(frozen=True, slots=True)
class SearchPage:
    """``after``: where the next page begins; None at the end."""

    searches: Sequence[StoredSearch]
    after: tuple[str, str] | None


class SavedSearchStore:
    """Raises the errors of the gateway."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "searches")

    def put(self, saved_search: SavedSearch, compiled_question: Compiled) -> None:
        """Visible when this returns. Creates the index if necessary."""
        self._ready()
        self._client.index(
            index=self._index,
            id=saved_search.id,
            document=to_document(saved_search, compiled_question),
            refresh=True,
            require_alias=True,
        )

    def put_compiled(self, stored_searches: Sequence[StoredSearch]) -> None:
        """Stores compiled questions; skips searches that were changed or deleted meanwhile."""
        lines: list[Json] = []
        for search in stored_searches:
            script = {
                "source": "if (ctx._source.changed == params.changed) { ctx._source.putAll(params.doc); }"
                " else { ctx.op = 'none'; }",
                "params": {
                    "changed": search.saved.changed,
                    "doc": {"compiled_by": search.compiled.by, "compiled": search.compiled.as_json()},
                },
            }
            lines += [{"update": {"_id": search.saved.id}}, {"script": script}]
        if lines:
            self._client.bulk(index=self._index, operations=lines, require_alias=True)

    def find(self, id: str) -> StoredSearch:
        """In real time. Raises NotFound."""
        stored_source = stored_document(self._client, self._index, id)
        if stored_source is None or stored_source["_source"]["kind"] != "search":
            raise NotFound("There is no such saved search.")
        return StoredSearch(from_document(id, stored_source["_source"]), compiled_of(stored_source["_source"]))

    def of_owner(self, owner: str) -> list[SavedSearch]:
        """Oldest first."""
        query = {"bool": {"filter": [_IS_SEARCH, {"term": {"owner": owner}}]}}
        hits = self._search(query, [{"created": "asc"}, {"id": "asc"}], MOST_OF_OWNER)
        return [from_document(hit["_id"], hit["_source"]) for hit in hits]

    def count(self) -> int:
        """Of all owners."""
        answer = self._client.count(index=self._index, query=_IS_SEARCH, ignore_unavailable=True)
        return int(answer.body["count"])

    def find_many(self, ids: Sequence[str]) -> dict[str, SavedSearch]:
        """Those that exist, in real time."""
        if not ids:
            return {}
        answer = self._client.options(ignore_status=404).mget(index=self._index, ids=list(ids)).body
        found_documents = [item for item in answer.get("docs", ()) if item.get("found")]
        return {item["_id"]: from_document(item["_id"], item["_source"]) for item in found_documents}

    def active(self, after: tuple[str, str] | None, size: int) -> SearchPage:
        """Active searches, equal questions together; ``size``: at most 10,000."""
        query = {"bool": {"filter": [_IS_SEARCH, {"term": {"active": True}}]}}
        hits = self._search(query, [{"same": "asc"}, {"id": "asc"}], size, after)
        searches = [
            StoredSearch(from_document(hit["_id"], hit["_source"]), compiled_of(hit["_source"])) for hit in hits
        ]
        return SearchPage(searches, tuple(hits[-1]["sort"]) if len(hits) == size else None)

    def delete(self, id: str) -> None:
        """Nothing happens if it is gone."""
        self._client.options(ignore_status=404).delete(index=self._index, id=id, refresh=True)

    def pause(self, id: str, problem: str) -> None:
        """``problem`` tells the owner why; only the owner can activate it again."""
        self._update(id, {"active": False, "problem": problem})

    def note_problem(self, id: str, problem: str) -> None:
        """Shows a problem to the owner; the search stays active."""
        self._update(id, {"problem": problem})

    def note_seen(self, owner: str, at: str) -> None:
        """Stores the owner's visit, from which the validity of a token's groups is counted."""
        self._client.update_by_query(
            index=self._index,
            query={"bool": {"filter": [_IS_SEARCH, {"term": {"owner": owner}}]}},
            script={"source": "ctx._source.seen = params.at", "params": {"at": at}},
            conflicts="proceed",
            ignore_unavailable=True,
        )

    def confirmation(self, owner: str, mail: str) -> MailConfirmation:
        """Also for an unknown address, as unconfirmed."""
        stored_source = stored_document(self._client, self._index, _address_id(owner, mail))
        source = stored_source["_source"] if stored_source is not None else {}
        count, language = source.get("mails", 0), source.get("language", DEFAULT_LANGUAGE)
        return MailConfirmation(owner, mail, source.get("confirmed"), source.get("mailed"), count, language)

    def put_confirmation(self, confirmation: MailConfirmation) -> None:
        self._ready()
        members = {
            "kind": "address",
            "owner": confirmation.owner,
            "mail": confirmation.mail,
            "mailed": confirmation.mailed,
            "mails": confirmation.mails,
        }
        members["language"] = confirmation.language
        document = {**members, **({} if confirmation.confirmed is None else {"confirmed": confirmation.confirmed})}
        self._client.index(
            index=self._index,
            id=_address_id(confirmation.owner, confirmation.mail),
            document=document,
            refresh=True,
            require_alias=True,
        )

    def spend(self, kind: BudgetKind, owner: str, limit: int, now: datetime) -> bool:
        """Counts one mail, unless there were ``limit`` in the day that began with the first; whether it may be sent.

        One request, so that many at once cannot pass together.
        """
        self._ready()
        params = {"most": limit, "now": now.isoformat(), "before": (now - _DAY).isoformat()}
        answer = self._client.update(
            index=self._index,
            id=f"count:{hash_of_parts(kind, owner)}",
            script={"source": _SPEND, "params": params},
            upsert={"kind": "count", "owner": kind, "mails": 0},
            scripted_upsert=True,
            retry_on_conflict=20,
        ).body
        return bool(answer["result"] != "noop")

    def _update(self, id: str, doc: Json) -> None:
        try:
            self._client.options(ignore_status=404).update(
                index=self._index, id=id, doc=doc, refresh=True, retry_on_conflict=3
            )
        except VersionConflict:
            raise Conflict("Somebody else has just changed this search; try again.") from None

    def _ready(self) -> None:
        ensure_without_vectors(self._client, self._prefix, ("searches", "notices"))

    def _search(self, query: Json, sort: list[Json], size: int, after: tuple[str, str] | None = None) -> list[Json]:
        more: Json = {} if after is None else {"search_after": list(after)}
        answer = self._client.search(
            index=self._index, query=query, sort=sort, size=size, ignore_unavailable=True, **more
        )
        return list(answer.body["hits"]["hits"])


def _address_id(owner: str, mail: str) -> str:
    return f"address:{hash_of_parts(owner, mail.lower())}"
