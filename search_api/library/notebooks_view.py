"""``/library/collections`` and ``/library/conversations``: documents under a name, and questions with their answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import AfterValidator, BaseModel, Field

from core.access import Caller
from core.document import PUBLIC, DocumentEntry
from core.errors import InvalidInput, NotFound
from core.json_types import Json, JsonMapping
from search_api.catalogue.documents.answers import CITATION_TYPES, bibliography
from search_api.formats_out.bibliography import of_document
from search_api.http.access.guard import caller, needs
from search_api.http.openapi import WITH_NOT_FOUND, text_answer
from search_api.http.parameters import LONGEST_VALUE, printable
from search_api.http.problems import Problem
from search_api.http.responses import JSON, Addresses, link
from search_api.library.notebooks import Conversation, DocumentCollection
from search_api.library.view import BibliographyParameters, Name
from search_api.parts import Parts
from search_api.search.passages.values import SharedDocuments

MOST_DOCUMENTS = 200
_REFUSALS: ResponseDict = {400: Problem, 401: Problem, 403: Problem, 503: Problem}
_WITHHELD = "This answer quotes a document that is deleted, or that you may no longer read."

DocumentId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Group = Annotated[str, AfterValidator(printable), Field(min_length=1, max_length=LONGEST_VALUE)]


class NotebookPath(BaseModel):
    id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", description="From the list.")]


class CollectionBody(BaseModel, extra="forbid"):
    """A new collection. Its documents are the caller's own or public ones."""

    name: Name
    description: Annotated[str, AfterValidator(printable)] = Field("", max_length=2000)
    documents: list[DocumentId] = Field(default=[], max_length=MOST_DOCUMENTS)
    groups: list[Group] = Field(
        default=[], max_length=20, description="Groups of the caller whose members may read these documents, too."
    )


class CollectionChange(BaseModel, extra="forbid"):
    """What is sent replaces what was there; `add` and `remove` change the documents one by one."""

    name: Name | None = None
    description: Annotated[str, AfterValidator(printable)] | None = Field(None, max_length=2000)
    documents: list[DocumentId] | None = Field(None, max_length=MOST_DOCUMENTS)
    add: list[DocumentId] = Field(default=[], max_length=MOST_DOCUMENTS)
    remove: list[DocumentId] = Field(default=[], max_length=MOST_DOCUMENTS)
    groups: list[Group] | None = Field(None, max_length=20)


class DocumentOfCollection(BaseModel):
    """A document that can be read now."""

    id: str
    title: str
    private: bool
    links: list[Json]


class LibraryCollection(BaseModel):
    """A collection. `own`: the caller may change it; `gone`: documents that were deleted or are hidden now."""

    id: str
    name: str
    description: str
    own: bool
    groups: list[str]
    created: str
    updated: str
    numberOfDocuments: int  # noqa: N815 - as in all lists of this service
    documents: list[DocumentOfCollection] | None = None
    gone: int | None = None
    links: list[Json]


class LibraryCollections(BaseModel):
    """The caller's collections, and those that are shared with the caller's groups."""

    collections: list[LibraryCollection]
    groups: list[str] = Field(description="The caller's own groups, with which a collection can be shared.")
    links: list[Json]


class LibraryConversation(BaseModel):
    """Questions and answers, oldest first, as `/ask` takes and gives them."""

    id: str
    title: str
    numberOfTurns: int  # noqa: N815
    created: str
    updated: str
    turns: list[Json] | None = None
    links: list[Json]


class LibraryConversations(BaseModel):
    """The caller's conversations, the latest first."""

    conversations: list[LibraryConversation]
    links: list[Json]


class DeletedBody(BaseModel):
    """How many are gone."""

    deleted: int


def notebook_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("notebooks", __name__, abp_tags=[Tag(name="library", description="A user's own documents")])
    _add_collections(api, parts)
    _add_collection(api, parts)
    _add_conversations(api, parts)

    @api.after_request
    def keep_private(response: Response) -> Response:
        response.headers["Cache-Control"] = "private, no-store"
        return response

    return api


def _add_collections(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/library/collections",
        summary="The caller's collections of documents, and those shared with the caller's groups",
        responses={200: LibraryCollections, **_REFUSALS},
    )
    @needs("library")
    def collections() -> Response:
        user, addresses = caller(), Addresses.of(parts.http)
        readable = parts.notebooks.collections(user.owner, user.groups)
        bodies = [_collection_json(collection, user, addresses) for collection in readable]
        groups = sorted(user.groups)
        return jsonify(collections=bodies, groups=groups, links=[link("self", addresses.this(), JSON)])

    @api.post(
        "/library/collections",
        summary="Make a collection of documents",
        responses={201: LibraryCollection, 409: Problem, **_REFUSALS},
    )
    @needs("library")
    def make(body: CollectionBody) -> tuple[Response, int]:
        user, addresses = caller(), Addresses.of(parts.http)
        _refuse_unreadable(parts, body.documents, user)
        collection = DocumentCollection(
            "", user.owner, body.name, body.description, _distinct(body.documents), _own_groups(body.groups, user)
        )
        body_json = _collection_json(parts.notebooks.new_collection(collection), user, addresses)
        response = jsonify(body_json)
        response.headers["Location"] = addresses.to(f"/library/collections/{body_json['id']}")
        return response, HTTPStatus.CREATED


def _add_collection(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/library/collections/<id>",
        summary="A collection with its documents, or their bibliography",
        responses={200: LibraryCollection, **WITH_NOT_FOUND},
    )
    @needs("library")
    def collection(path: NotebookPath) -> Response:
        user = caller()
        stored_item = parts.notebooks.collection(path.id, user.owner, user.groups)
        return jsonify(_collection_with_documents(parts, stored_item, user))

    @api.get(
        "/library/collections/<id>/references",
        summary="The bibliography of a collection",
        responses={200: text_answer(*CITATION_TYPES), **WITH_NOT_FOUND},
    )
    @needs("library")
    def cited(path: NotebookPath, query: BibliographyParameters) -> Response:
        user, addresses = caller(), Addresses.of(parts.http)
        collection = parts.notebooks.collection(path.id, user.owner, user.groups)
        entries = parts.documents.visible(collection.documents, collection.owner).values()
        return bibliography(query.f, [of_document(entry, addresses.to(f"/documents/{entry.id}")) for entry in entries])

    @api.patch(
        "/library/collections/<id>",
        summary="Change a collection of one's own",
        responses={200: LibraryCollection, **WITH_NOT_FOUND},
    )
    @needs("library")
    def change(path: NotebookPath, body: CollectionChange) -> Response:
        user = caller()

        def changed(before: DocumentCollection) -> DocumentCollection:
            named_documents = before.documents if body.documents is None else tuple(body.documents)
            documents = _distinct(id for id in (*named_documents, *body.add) if id not in body.remove)
            if len(documents) > MOST_DOCUMENTS:
                raise InvalidInput("documents", f"documents: a collection has {MOST_DOCUMENTS} at most")
            _refuse_unreadable(parts, [id for id in documents if id not in before.documents], user)
            return replace(
                before,
                name=before.name if body.name is None else body.name,
                description=before.description if body.description is None else body.description,
                documents=documents,
                groups=before.groups if body.groups is None else _own_groups(body.groups, user),
            )

        after = parts.notebooks.change_collection(path.id, user.owner, changed)
        return jsonify(_collection_with_documents(parts, after, user))

    @api.delete(
        "/library/collections/<id>",
        summary="Delete a collection of one's own; its documents stay",
        responses={204: None, **WITH_NOT_FOUND},
    )
    @needs("library")
    def delete_collection(path: NotebookPath) -> tuple[str, int]:
        parts.notebooks.remove("collection", path.id, caller().owner)
        return "", HTTPStatus.NO_CONTENT


def _add_conversations(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/library/conversations",
        summary="The caller's questions and answers that were kept",
        responses={200: LibraryConversations, **_REFUSALS},
    )
    @needs("library")
    def conversations() -> Response:
        addresses = Addresses.of(parts.http)
        bodies = [
            _conversation_json(conversation, addresses)
            for conversation in parts.notebooks.conversations(caller().owner)
        ]
        return jsonify(conversations=bodies, links=[link("self", addresses.this(), JSON)])

    @api.get(
        "/library/conversations/<id>",
        summary="One conversation with its answers",
        responses={200: LibraryConversation, **WITH_NOT_FOUND},
    )
    @needs("library")
    def conversation(path: NotebookPath) -> Response:
        user = caller()
        stored_item = parts.notebooks.conversation(path.id, user.owner)
        return jsonify(
            {
                **_conversation_json(stored_item, Addresses.of(parts.http)),
                "turns": still_readable(parts, stored_item, user),
            }
        )

    @api.delete(
        "/library/conversations/<id>",
        summary="Delete one conversation",
        responses={204: None, **WITH_NOT_FOUND},
    )
    @needs("library")
    def delete_conversation(path: NotebookPath) -> tuple[str, int]:
        parts.notebooks.remove("conversation", path.id, caller().owner)
        return "", HTTPStatus.NO_CONTENT

    @api.delete(
        "/library/conversations",
        summary="Delete all of the caller's conversations",
        responses={200: DeletedBody, **_REFUSALS},
    )
    @needs("library")
    def forget() -> Response:
        return jsonify(deleted=parts.notebooks.delete_conversations(caller().owner))


def still_readable(parts: Parts, conversation: Conversation, user: Caller) -> list[Json]:
    """The turns. An answer that quotes a document or record which the caller may not read now is replaced by a note."""
    passages = [passage for turn in conversation.turns for passage in _shown(turn)]
    quoted_documents = {passage["document"] for passage in passages if passage["document"]}
    readable = set(parts.documents.visible(sorted(quoted_documents), user.owner))
    for document in quoted_documents - readable:
        if any(
            parts.documents.visible([document], owner)
            for owner in parts.notebooks.owners_sharing(document, user.groups)
        ):
            readable.add(document)
    readable |= parts.records.visible({passage["record"] for passage in passages if not passage["document"]})
    return [
        turn if _quotes_only(turn, readable) else {**turn, "answer": None, "withheld": _WITHHELD}
        for turn in conversation.turns
    ]


def _shown(turn: JsonMapping) -> list[Json]:
    """The passages of an answer; of a refusal those that came near, which it shows too."""
    return [*turn["answer"]["passages"], *turn["answer"].get("near_misses", ())]


def _quotes_only(turn: JsonMapping, readable: set[str]) -> bool:
    return all((passage["document"] or passage["record"]) in readable for passage in _shown(turn))


def _refuse_unreadable(parts: Parts, documents: Iterable[str], user: Caller) -> None:
    """Raises NotFound for a document that is neither the caller's own nor a public one."""
    ids = list(documents)
    readable = parts.documents.visible(ids, user.owner)
    for id in ids:
        if id not in readable:
            raise NotFound(f"There is no document {id!r} that you may put into a collection.")


def _own_groups(groups: Iterable[str], user: Caller) -> tuple[str, ...]:
    """Raises InvalidInput for a group that the caller is not in."""
    for group in groups:
        if group not in user.groups:
            raise InvalidInput("groups", f"groups: you are not in the group {group!r}")
    return _distinct(groups)


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _collection_with_documents(parts: Parts, collection: DocumentCollection, user: Caller) -> Json:
    addresses = Addresses.of(parts.http)
    readable = parts.documents.visible(collection.documents, collection.owner)
    documents = [_document_json(readable[id], addresses) for id in collection.documents if id in readable]
    body = _collection_json(collection, user, addresses)
    return {**body, "documents": documents, "gone": len(collection.documents) - len(documents)}


def _document_json(entry: DocumentEntry, addresses: Addresses) -> Json:
    links = [link("item", addresses.to(f"/documents/{entry.id}"), "application/geo+json")]
    return {"id": entry.id, "title": entry.title or entry.name, "private": entry.owner != PUBLIC, "links": links}


def _collection_json(collection: DocumentCollection, user: Caller, addresses: Addresses) -> Json:
    is_own = collection.owner == user.subject
    address = addresses.to(f"/library/collections/{collection.id}")
    return {
        "id": collection.id,
        "name": collection.name,
        "description": collection.description,
        "own": is_own,
        "groups": list(collection.groups) if is_own else sorted(user.groups.intersection(collection.groups)),
        "created": collection.created,
        "updated": collection.updated,
        "numberOfDocuments": len(collection.documents),
        "links": [link("self", address, JSON)],
    }


def _conversation_json(conversation: Conversation, addresses: Addresses) -> Json:
    return {
        "id": conversation.id,
        "title": conversation.title,
        "numberOfTurns": conversation.count,
        "created": conversation.created,
        "updated": conversation.updated,
        "links": [link("self", addresses.to(f"/library/conversations/{conversation.id}"), JSON)],
    }


def shared_documents(parts: Parts, id: str) -> SharedDocuments:
    """The documents of a collection that the caller may read.

    Raises NotAuthenticated, NotAllowed, NotFound, InvalidInput.
    """
    user = caller()
    user.must_have("library")
    collection = parts.notebooks.collection(id, user.owner, user.groups)
    if not collection.documents:
        raise InvalidInput("collection", f"collection: {collection.name!r} has no documents yet")
    return SharedDocuments(collection.owner, collection.documents)
