"""Collections of documents, and conversations: questions with answers. Kept in the index ``{prefix}-notebooks``.

Every request here includes the owner's clause, or for collections that of the caller's groups.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, cast

from core.errors import Conflict, NotFound, Unavailable
from core.json_types import Json, JsonMapping
from core.timespan import now_iso
from es_gateway.client import Elasticsearch
from es_gateway.searching import stored_document
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from search_api.search.retrieval.clauses import Clause, any_of

MOST_COLLECTIONS = 200
MOST_CONVERSATIONS = 500
MOST_TURNS = 100
_NEWEST: list[Json] = [{"updated": "desc"}, {"name": "asc"}]
_TRIES = 5
_COLLECTION = "collection"
_CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class DocumentCollection:
    """Documents under a name. Members of ``groups`` may read the collection and, through it, its owner's documents."""

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
    """Questions of one user with their answers, oldest first; a turn is the JSON of request and answer of ``/ask``.

    A list of conversations leaves ``turns`` empty; ``count`` is their number.
    """

    id: str
    owner: str
    title: str
    count: int
    turns: tuple[Json, ...] = ()
    created: str = ""
    updated: str = ""


def unknown_groups(_owner: str) -> frozenset[str] | None:
    """For a service without keys."""
    return None


class Notebooks:
    """Raises core.errors.Unavailable if Elasticsearch does not answer.

    ``groups_of`` returns the groups that the owner's keys have now. A collection is shared only with these, and with
    nobody after the last key has expired. None: the owner uses tokens, so the groups of now are unknown.
    """

    def __init__(
        self, client: Elasticsearch, prefix: str, groups_of: Callable[[str], frozenset[str] | None] = unknown_groups
    ) -> None:
        self._groups_of = groups_of
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "notebooks")

    def collections(self, owner: str, groups: Iterable[str]) -> list[DocumentCollection]:
        """The owner's, and those that are shared with these groups; newest first."""
        collections = [_collection(hit) for hit in self._search(_COLLECTION, _readable_clause(owner, groups), _NEWEST)]
        return self._readable_now(collections, owner, groups)

    def collection(self, id: str, owner: str, groups: Iterable[str]) -> DocumentCollection:
        """Raises NotFound, also for one that the caller may not read."""
        hit = self._get(_COLLECTION, id)
        if hit is None or not (readable := self._readable_now([_collection(hit)], owner, groups)):
            raise NotFound(f"There is no collection {id!r}.")
        return readable[0]

    def new_collection(self, collection: DocumentCollection) -> DocumentCollection:
        """Writes it under a new id. Visible when this returns. Raises Conflict if the owner has too many."""
        if self._count(collection.owner) >= MOST_COLLECTIONS:
            raise Conflict(f"You have {MOST_COLLECTIONS} collections; delete one first.")
        now = now_iso()
        collection = replace(collection, id=secrets.token_hex(16), created=now, updated=now)
        self._write(collection.id, _source(collection))
        return collection

    def change_collection(
        self, id: str, owner: str, change: Callable[[DocumentCollection], DocumentCollection]
    ) -> DocumentCollection:
        """``change`` of the owner's collection, made anew if another window wrote meanwhile. Visible when this returns.

        Raises NotFound, also for another user's, Unavailable if others write all the time, and what ``change`` raises.
        """
        for _ in range(_TRIES):
            hit = self._owned(_COLLECTION, id, owner)
            changed = replace(change(_collection(hit)), updated=now_iso())
            if self._write(id, _source(changed), seq_no=hit["_seq_no"], primary_term=hit["_primary_term"]):
                return changed
        raise Unavailable("Several windows change this collection at once; try again.")

    def owners_sharing(self, document: str, groups: Iterable[str]) -> list[str]:
        """The owners of collections that open this document to these groups."""
        group_list = sorted(groups)
        if not group_list:
            return []
        clauses: list[Clause] = [{"term": {"documents": document}}, {"terms": {"groups": group_list}}]
        collections = [_collection(hit) for hit in self._search(_COLLECTION, clauses, _NEWEST)]
        return sorted({collection.owner for collection in self._readable_now(collections, None, group_list)})

    def _readable_now(
        self, collections: Sequence[DocumentCollection], reader: str | None, groups: Iterable[str]
    ) -> list[DocumentCollection]:
        """Those of the reader, and those shared with one of these groups by an owner who is still in it."""
        reader_groups = set(groups)
        of_owner = {
            owner: self._groups_of(owner) for owner in {collection.owner for collection in collections} - {reader}
        }

        def is_open(collection: DocumentCollection) -> bool:
            if collection.owner == reader:
                return True
            has = of_owner[collection.owner]
            return not reader_groups.isdisjoint(
                collection.groups if has is None else has.intersection(collection.groups)
            )

        return [collection for collection in collections if is_open(collection)]

    def remove(self, kind: Literal["collection", "conversation"], id: str, owner: str) -> None:
        """Raises NotFound, also for another user's."""
        self._owned(kind, id, owner)
        self._client.options(ignore_status=404).delete(index=self._index, id=id, refresh=True)

    def conversations(self, owner: str) -> list[Conversation]:
        """The latest first, without their turns."""
        return [_conversation(hit) for hit in self._search(_CONVERSATION, [{"term": {"owner": owner}}], _NEWEST)]

    def conversation(self, id: str, owner: str) -> Conversation:
        """With its turns. Raises NotFound, also for another user's."""
        return _conversation(self._owned(_CONVERSATION, id, owner))

    def new_conversation(self, owner: str, title: str) -> Conversation:
        """An empty conversation. It is not stored before its first turn, so a failed question leaves none."""
        return Conversation(secrets.token_hex(16), owner, title, 0, created=now_iso())

    def add_turn(self, conversation: Conversation, turn: Json) -> Conversation:
        """Appends a turn after those that another window added meanwhile. Visible when this returns.

        Of the owner's conversations beyond 500 the oldest is deleted. Raises Conflict at 100 turns, and
        NotFound if it was deleted meanwhile.
        """
        for _ in range(_TRIES):
            stored_source = self._get(_CONVERSATION, conversation.id)
            if stored_source is None and conversation.count:
                raise NotFound(f"The conversation {conversation.id!r} was deleted meanwhile.")
            current = conversation if stored_source is None else _conversation(stored_source)
            if current.count >= MOST_TURNS:
                raise Conflict(f"A conversation has {MOST_TURNS} questions at most; begin a new one.")
            extended = replace(current, turns=(*current.turns, turn), count=current.count + 1, updated=now_iso())
            if self._save_conversation(extended, stored_source):
                if stored_source is None:
                    self._drop_oldest(conversation.owner)
                return extended
        raise Unavailable("Several windows write to this conversation at once; ask again.")

    def delete_conversations(self, owner: str) -> int:
        """Deletes all of the owner's conversations; their number."""
        query = {"bool": {"filter": [{"term": {"kind": _CONVERSATION}}, {"term": {"owner": owner}}]}}
        answer = self._client.delete_by_query(
            index=self._index, query=query, refresh=True, ignore_unavailable=True, conflicts="proceed"
        ).body
        return int(answer["deleted"])

    def _save_conversation(self, conversation: Conversation, before: JsonMapping | None) -> bool:
        """False if it was changed meanwhile."""
        source = {
            "kind": _CONVERSATION,
            "owner": conversation.owner,
            "name": conversation.title,
            "turns": conversation.count,
            "created": conversation.created,
            "updated": conversation.updated,
            "content": {"turns": list(conversation.turns)},
        }
        if before is None:
            return self._write(conversation.id, source, op_type="create")
        return self._write(conversation.id, source, seq_no=before["_seq_no"], primary_term=before["_primary_term"])

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

    def _owned(self, kind: str, id: str, owner: str) -> Json:
        hit = self._get(kind, id)
        if hit is None or hit["_source"]["owner"] != owner:
            raise NotFound(f"There is no {kind} {id!r} of yours.")
        return hit

    def _get(self, kind: str, id: str) -> Json | None:
        """In real time."""
        stored_source = stored_document(self._client, self._index, id)
        return stored_source if stored_source is not None and stored_source["_source"]["kind"] == kind else None

    def _count(self, owner: str) -> int:
        query = {"bool": {"filter": [{"term": {"kind": _COLLECTION}}, {"term": {"owner": owner}}]}}
        return int(self._client.count(index=self._index, query=query, ignore_unavailable=True).body["count"])

    def _search(self, kind: str, clauses: Sequence[Clause], sort: list[Json]) -> list[Json]:
        query = {"bool": {"filter": [{"term": {"kind": kind}}, *clauses]}}
        answer = self._client.search(
            index=self._index,
            query=query,
            sort=sort,
            size=1000,
            source_excludes=["content"],
            ignore_unavailable=True,
        )
        return cast("list[Json]", answer.body["hits"]["hits"])


def _readable_clause(owner: str, groups: Iterable[str]) -> list[Clause]:
    own_clause: Clause = {"term": {"owner": owner}}
    return [any_of(own_clause, {"terms": {"groups": sorted(groups)}})]


def _source(collection: DocumentCollection) -> Json:
    members = asdict(collection)
    del members["id"]
    return {"kind": _COLLECTION, **members}


def _collection(hit: JsonMapping) -> DocumentCollection:
    members: Json = {name: value for name, value in hit["_source"].items() if name != "kind"}
    lists: Json = {name: tuple(members.get(name, ())) for name in ("documents", "groups")}
    return DocumentCollection(**{**members, **lists, "id": hit["_id"]})


def _conversation(hit: JsonMapping) -> Conversation:
    source = hit["_source"]
    turns = tuple(source.get("content", {}).get("turns", ()))
    return Conversation(
        hit["_id"], source["owner"], source["name"], source["turns"], turns, source["created"], source["updated"]
    )
