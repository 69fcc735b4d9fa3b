"""What users keep beside their documents, in the index ``{prefix}-notebooks``: collections, and questions with answers.

Every request here includes the owner's clause, or for collections that of the caller's groups.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from core.clock import now_iso
from core.errors import Conflict, NotFound, Unavailable
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from search_api.search.retrieval.filters import Clause

MOST_COLLECTIONS = 200
MOST_CONVERSATIONS = 500
MOST_TURNS = 100
_NEWEST: list[Json] = [{"updated": "desc"}, {"name": "asc"}]
_TRIES = 5
_COLLECTION = "collection"
_CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents under a name. ``groups``: whose members may read it and, through it, these documents of its owner."""

    id: str
    owner: str
    name: str
    description: str = ""
    documents: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    created: str = ""
    updated: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Questions of one user with their answers, oldest first; each turn is the JSON that ``/ask`` takes and gives.

    A list of conversations leaves ``turns`` empty; ``count`` is their number.
    """

    id: str
    owner: str
    title: str
    count: int
    turns: tuple[Json, ...] = ()
    created: str = ""
    updated: str = ""


def nobody_knows(_owner: str) -> frozenset[str] | None:
    """For a service without keys."""
    return None


class Notebooks:
    """Raises core.errors.Unavailable if Elasticsearch does not answer.

    ``groups_of`` gives the groups that an owner has now, by their keys: a collection is shared no further, and not at
    all after the last key ended. None: the owner comes with tokens, of which nobody knows how long they are given.
    """

    def __init__(
        self, client: Elasticsearch, prefix: str, groups_of: Callable[[str], frozenset[str] | None] = nobody_knows
    ) -> None:
        self._groups_of = groups_of
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "notebooks")

    def collections(self, owner: str, groups: Iterable[str]) -> list[Collection]:
        """The owner's, and those that are shared with these groups; the latest first."""
        found = [_collection(hit) for hit in self._search(_COLLECTION, _readable(owner, groups), _NEWEST)]
        return self._still_open(found, owner, groups)

    def collection(self, id: str, owner: str, groups: Iterable[str]) -> Collection:
        """Raises NotFound, also for one that the caller may not read."""
        found = self._one(_COLLECTION, id)
        if found is None or not (read := self._still_open([_collection(found)], owner, groups)):
            raise NotFound(f"There is no collection {id!r}.")
        return read[0]

    def keep_collection(self, kept: Collection) -> Collection:
        """Writes it; new if its id is empty. Visible when this returns. Raises Conflict if the owner has too many."""
        if not kept.id:
            if self._count(_COLLECTION, kept.owner) >= MOST_COLLECTIONS:
                raise Conflict(f"You have {MOST_COLLECTIONS} collections; delete one first.")
            kept = replace(kept, id=secrets.token_hex(16), created=now_iso())
        kept = replace(kept, updated=now_iso())
        self._write(
            kept.id,
            {
                "kind": _COLLECTION,
                "owner": kept.owner,
                "name": kept.name,
                "description": kept.description,
                "documents": list(kept.documents),
                "groups": list(kept.groups),
                "created": kept.created,
                "updated": kept.updated,
            },
        )
        return kept

    def sharing(self, document: str, groups: Iterable[str]) -> list[str]:
        """The owners of collections that open this document to these groups."""
        among = sorted(groups)
        if not among:
            return []
        clauses: list[Clause] = [{"term": {"documents": document}}, {"terms": {"groups": among}}]
        found = [_collection(hit) for hit in self._search(_COLLECTION, clauses, _NEWEST)]
        return sorted({one.owner for one in self._still_open(found, None, among)})

    def _still_open(self, found: Sequence[Collection], reader: str | None, groups: Iterable[str]) -> list[Collection]:
        """Those of the reader, and those whose owner has one of these groups, and shares with it."""
        theirs, of_owner = set(groups), {one.owner: self._groups_of(one.owner) for one in found if one.owner != reader}

        def is_open(one: Collection) -> bool:
            if one.owner == reader:
                return True
            has = of_owner[one.owner]
            return not theirs.isdisjoint(one.groups if has is None else has.intersection(one.groups))

        return [one for one in found if is_open(one)]

    def remove(self, kind: Literal["collection", "conversation"], id: str, owner: str) -> None:
        """Raises NotFound, also for another user's."""
        found = self._one(kind, id)
        if found is None or found["_source"]["owner"] != owner:
            raise NotFound(f"There is no {kind} {id!r} of yours.")
        self._client.options(ignore_status=404).delete(index=self._index, id=id, refresh=True)

    def conversations(self, owner: str) -> list[Conversation]:
        """The latest first, without their turns."""
        return [_conversation(hit) for hit in self._search(_CONVERSATION, [{"term": {"owner": owner}}], _NEWEST)]

    def conversation(self, id: str, owner: str) -> Conversation:
        """With its turns. Raises NotFound, also for another user's."""
        found = self._one(_CONVERSATION, id)
        if found is None or found["_source"]["owner"] != owner:
            raise NotFound(f"There is no conversation {id!r} of yours.")
        return _conversation(found)

    def begin(self, owner: str, title: str) -> Conversation:
        """An empty one that is not yet written: a question that fails leaves none."""
        return Conversation(secrets.token_hex(16), owner, title, 0, created=now_iso())

    def add(self, begun: Conversation, turn: Json) -> Conversation:
        """Appends a turn, after those that another window added meanwhile. Visible when this returns.

        Of the owner's conversations beyond 500 the oldest is deleted. Raises Conflict at 100 turns.
        """
        for _ in range(_TRIES):
            found = self._one(_CONVERSATION, begun.id)
            now = begun if found is None else _conversation(found)
            if now.count >= MOST_TURNS:
                raise Conflict(f"A conversation has {MOST_TURNS} questions at most; begin a new one.")
            longer = replace(now, turns=(*now.turns, turn), count=now.count + 1, updated=now_iso())
            if self._written(longer, found):
                if found is None:
                    self._drop_oldest(begun.owner)
                return longer
        raise Unavailable("Several windows write to this conversation at once; ask again.")

    def forget(self, owner: str) -> int:
        """Deletes all of the owner's conversations; their number."""
        query = {"bool": {"filter": [{"term": {"kind": _CONVERSATION}}, {"term": {"owner": owner}}]}}
        done = self._client.delete_by_query(
            index=self._index, query=query, refresh=True, ignore_unavailable=True, conflicts="proceed"
        ).body
        return int(done["deleted"])

    def _written(self, kept: Conversation, before: JsonMapping | None) -> bool:
        """False if somebody else wrote it meanwhile."""
        source = {
            "kind": _CONVERSATION,
            "owner": kept.owner,
            "name": kept.title,
            "turns": kept.count,
            "created": kept.created,
            "updated": kept.updated,
            "content": {"turns": list(kept.turns)},
        }
        if before is None:
            return self._write(kept.id, source, op_type="create")
        return self._write(kept.id, source, seq_no=before["_seq_no"], primary_term=before["_primary_term"])

    def _drop_oldest(self, owner: str) -> None:
        for old in self.conversations(owner)[MOST_CONVERSATIONS:]:
            self._client.options(ignore_status=404).delete(index=self._index, id=old.id, refresh=True)

    def _write(
        self,
        id: str,
        source: Json,
        *,
        op_type: Literal["create"] | None = None,
        seq_no: int | None = None,
        primary_term: int | None = None,
    ) -> bool:
        """False for a version conflict."""
        ensure_without_vectors(self._client, self._prefix, ("notebooks",))
        answer = self._client.options(ignore_status=409).index(
            index=self._index,
            id=id,
            document=source,
            refresh=True,
            require_alias=True,
            op_type=op_type,
            if_seq_no=seq_no,
            if_primary_term=primary_term,
        )
        return "error" not in answer.body

    def _one(self, kind: str, id: str) -> Json | None:
        """In real time."""
        found: Json = self._client.options(ignore_status=404).get(index=self._index, id=id).body
        return found if found.get("found") and found["_source"]["kind"] == kind else None

    def _count(self, kind: str, owner: str) -> int:
        query = {"bool": {"filter": [{"term": {"kind": kind}}, {"term": {"owner": owner}}]}}
        return int(self._client.count(index=self._index, query=query, ignore_unavailable=True).body["count"])

    def _search(self, kind: str, clauses: Sequence[Clause], sort: list[Json]) -> list[Json]:
        query = {"bool": {"filter": [{"term": {"kind": kind}}, *clauses]}}
        found = self._client.search(
            index=self._index,
            query=query,
            sort=sort,
            size=1000,
            source_excludes=["content"],
            ignore_unavailable=True,
        )
        return cast("list[Json]", found.body["hits"]["hits"])


def _readable(owner: str, groups: Iterable[str]) -> list[Clause]:
    own: Clause = {"term": {"owner": owner}}
    return [{"bool": {"should": [own, {"terms": {"groups": sorted(groups)}}], "minimum_should_match": 1}}]


def _collection(hit: JsonMapping) -> Collection:
    source = hit["_source"]
    return Collection(
        id=hit["_id"],
        owner=source["owner"],
        name=source["name"],
        description=source.get("description", ""),
        documents=tuple(source.get("documents", ())),
        groups=tuple(source.get("groups", ())),
        created=source["created"],
        updated=source["updated"],
    )


def _conversation(hit: JsonMapping) -> Conversation:
    source = hit["_source"]
    turns = tuple(source.get("content", {}).get("turns", ()))
    return Conversation(
        hit["_id"], source["owner"], source["name"], source["turns"], turns, source["created"], source["updated"]
    )
