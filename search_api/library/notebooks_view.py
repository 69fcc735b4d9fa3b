"""``/library/collections`` and ``/library/conversations``: documents under a name, and questions with their answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.access import Caller
from core.document import PUBLIC, DocumentEntry
from core.errors import InvalidInput, NotFound
from core.json_types import Json, JsonMapping
from search_api.catalogue.documents.answers import CITATION_TYPES, bibliography
from search_api.formats_out.bibliography import of_document
from search_api.http.access.guard import caller, needs
from search_api.http.addresses import JSON, Addresses, link
from search_api.http.openapi import WITH_NOT_FOUND, text_answer
from search_api.http.parameters import LONGEST_VALUE, printable
from search_api.http.problems import Problem
from search_api.library.notebooks import Collection, Conversation
from search_api.library.view import BibliographyParameters, Name
from search_api.parts import Parts

MOST_DOCUMENTS = 200
_REFUSALS: ResponseDict = {400: Problem, 401: Problem, 403: Problem, 503: Problem}
_GONE = "This answer quotes a document that is deleted, or that you may no longer read."

DocumentId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Group = Annotated[str, AfterValidator(printable), Field(min_length=1, max_length=LONGEST_VALUE)]


class NotebookPath(BaseModel):
    """Which collection or conversation."""

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", description="From the list.")]


class CollectionBody(BaseModel):
    """A new collection. Its documents are the caller's own or public ones."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    description: Annotated[str, AfterValidator(printable)] = Field("", max_length=2000)
    documents: list[DocumentId] = Field(default=[], max_length=MOST_DOCUMENTS)
    groups: list[Group] = Field(
        default=[], max_length=20, description="Groups of the caller whose members may read these documents, too."
    )


class CollectionChange(BaseModel):
    """What is sent replaces what was there; `add` and `remove` change the documents one by one."""

    model_config = ConfigDict(extra="forbid")

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
        asking, addresses = caller(), Addresses.of(parts.http)
        found = parts.notebooks.collections(asking.owner, asking.groups)
        shown = [_presented(one, asking, addresses) for one in found]
        groups = sorted(asking.groups)
        return jsonify(collections=shown, groups=groups, links=[link("self", addresses.this(), JSON)])

    @api.post(
        "/library/collections",
        summary="Make a collection of documents",
        responses={201: LibraryCollection, 409: Problem, **_REFUSALS},
    )
    @needs("library")
    def make(body: CollectionBody) -> tuple[Response, int]:
        asking, addresses = caller(), Addresses.of(parts.http)
        _refuse_unreadable(parts, body.documents, asking)
        made = Collection(
            "", asking.owner, body.name, body.description, _once(body.documents), _groups(body.groups, asking)
        )
        shown = _presented(parts.notebooks.keep_collection(made), asking, addresses)
        response = jsonify(shown)
        response.headers["Location"] = addresses.to(f"/library/collections/{shown['id']}")
        return response, HTTPStatus.CREATED


def _add_collection(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/library/collections/<id>",
        summary="A collection with its documents, or their bibliography",
        responses={200: LibraryCollection, **WITH_NOT_FOUND},
    )
    @needs("library")
    def collection(path: NotebookPath) -> Response:
        asking = caller()
        found = parts.notebooks.collection(path.id, asking.owner, asking.groups)
        return jsonify(_whole(parts, found, asking))

    @api.get(
        "/library/collections/<id>/references",
        summary="The bibliography of a collection",
        responses={200: text_answer(*CITATION_TYPES), **WITH_NOT_FOUND},
    )
    @needs("library")
    def cited(path: NotebookPath, query: BibliographyParameters) -> Response:
        asking, addresses = caller(), Addresses.of(parts.http)
        found = parts.notebooks.collection(path.id, asking.owner, asking.groups)
        entries = parts.documents.visible(found.documents, found.owner).values()
        return bibliography(query.f, [of_document(one, addresses.to(f"/documents/{one.id}")) for one in entries])

    @api.patch(
        "/library/collections/<id>",
        summary="Change a collection of one's own",
        responses={200: LibraryCollection, **WITH_NOT_FOUND},
    )
    @needs("library")
    def change(path: NotebookPath, body: CollectionChange) -> Response:
        asking = caller()
        before = parts.notebooks.collection(path.id, asking.owner, ())
        named = before.documents if body.documents is None else tuple(body.documents)
        kept = _once(id for id in (*named, *body.add) if id not in body.remove)
        if len(kept) > MOST_DOCUMENTS:
            raise InvalidInput("documents", f"documents: a collection has {MOST_DOCUMENTS} at most")
        _refuse_unreadable(parts, [id for id in kept if id not in before.documents], asking)
        after = replace(
            before,
            name=before.name if body.name is None else body.name,
            description=before.description if body.description is None else body.description,
            documents=kept,
            groups=before.groups if body.groups is None else _groups(body.groups, asking),
        )
        return jsonify(_whole(parts, parts.notebooks.keep_collection(after), asking))

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
        shown = [_listed(one, addresses) for one in parts.notebooks.conversations(caller().owner)]
        return jsonify(conversations=shown, links=[link("self", addresses.this(), JSON)])

    @api.get(
        "/library/conversations/<id>",
        summary="One conversation with its answers",
        responses={200: LibraryConversation, **WITH_NOT_FOUND},
    )
    @needs("library")
    def conversation(path: NotebookPath) -> Response:
        asking = caller()
        found = parts.notebooks.conversation(path.id, asking.owner)
        return jsonify({**_listed(found, Addresses.of(parts.http)), "turns": still_readable(parts, found, asking)})

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
        return jsonify(deleted=parts.notebooks.forget(caller().owner))


def still_readable(parts: Parts, conversation: Conversation, asking: Caller) -> list[Json]:
    """The turns; an answer that quotes what the caller may not read now is left out, and says so."""
    quoted = {one["document"] for turn in conversation.turns for one in turn["answer"]["passages"]}
    seen = set(parts.documents.visible(sorted(quoted), asking.owner))
    for document in quoted - seen:
        if any(
            parts.documents.visible([document], owner) for owner in parts.notebooks.sharing(document, asking.groups)
        ):
            seen.add(document)
    return [turn if _within(turn, seen) else {**turn, "answer": None, "withheld": _GONE} for turn in conversation.turns]


def _within(turn: JsonMapping, seen: set[str]) -> bool:
    return all(one["document"] in seen for one in turn["answer"]["passages"])


def _refuse_unreadable(parts: Parts, documents: Iterable[str], asking: Caller) -> None:
    """Raises NotFound for a document that is neither the caller's own nor a public one."""
    wanted = list(documents)
    seen = parts.documents.visible(wanted, asking.owner)
    for id in wanted:
        if id not in seen:
            raise NotFound(f"There is no document {id!r} that you may put into a collection.")


def _groups(named: Iterable[str], asking: Caller) -> tuple[str, ...]:
    """Raises InvalidInput for a group that the caller is not in."""
    for group in named:
        if group not in asking.groups:
            raise InvalidInput("groups", f"groups: you are not in the group {group!r}")
    return _once(named)


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _whole(parts: Parts, found: Collection, asking: Caller) -> Json:
    addresses = Addresses.of(parts.http)
    seen = parts.documents.visible(found.documents, found.owner)
    documents = [_document(seen[id], addresses) for id in found.documents if id in seen]
    shown = _presented(found, asking, addresses)
    return {**shown, "documents": documents, "gone": len(found.documents) - len(documents)}


def _document(entry: DocumentEntry, addresses: Addresses) -> Json:
    links = [link("item", addresses.to(f"/documents/{entry.id}"), "application/geo+json")]
    return {"id": entry.id, "title": entry.title or entry.name, "private": entry.owner != PUBLIC, "links": links}


def _presented(found: Collection, asking: Caller, addresses: Addresses) -> Json:
    own = found.owner == asking.subject
    here = addresses.to(f"/library/collections/{found.id}")
    return {
        "id": found.id,
        "name": found.name,
        "description": found.description,
        "own": own,
        "groups": list(found.groups) if own else sorted(asking.groups.intersection(found.groups)),
        "created": found.created,
        "updated": found.updated,
        "numberOfDocuments": len(found.documents),
        "links": [link("self", here, JSON)],
    }


def _listed(found: Conversation, addresses: Addresses) -> Json:
    return {
        "id": found.id,
        "title": found.title,
        "numberOfTurns": found.count,
        "created": found.created,
        "updated": found.updated,
        "links": [link("self", addresses.to(f"/library/conversations/{found.id}"), JSON)],
    }
