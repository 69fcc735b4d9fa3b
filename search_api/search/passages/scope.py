"""Which passages a caller may search: the only place that combines indices, routing and owner filters.

Every passage search for an answer or for a user's library starts here, and no other code names those indices, so no
view can omit the filter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.access import NotAllowed
from core.document import PUBLIC, owner_routing
from core.errors import InvalidInput
from core.json_types import Json
from es_mappings.names import alias
from search_api.search.passages.values import AskRequest, Scope
from search_api.search.retrieval.clauses import Clause

_NAMED_PUBLIC = "A user named public has no library: the name is reserved for public documents."


@dataclass(frozen=True, slots=True)
class PassageScope:
    """One index with the clause that every search in it needs, and the header of such a search."""

    index: str
    owner: str
    documents: tuple[str, ...] | None = None
    """Only these; None: all."""

    @property
    def is_private(self) -> bool:
        """Whether users share the index, so that no search may reveal another user's passages."""
        return self.owner != PUBLIC

    @property
    def clause(self) -> Clause:
        theirs: Clause = {"term": {"owner": self.owner}}
        if self.documents is None:
            return theirs
        return {"bool": {"filter": [theirs, {"terms": {"document": list(self.documents)}}]}}

    @property
    def header(self) -> Json:
        """Routing limits a user's search to the shard with that user's passages."""
        header: Json = {"index": self.index, "ignore_unavailable": True}
        return header if self.owner == PUBLIC else {**header, "routing": owner_routing(self.owner)}


def scopes_of(prefix: str, request: AskRequest) -> list[PassageScope]:
    """The scopes of a question: the shared documents of a collection, else those of ``scopes``."""
    if (shared := request.shared) is None:
        return scopes(prefix, request.scope, request.owner)
    return [replace(scope, documents=shared.documents) for scope in scopes(prefix, "both", shared.owner)]


def scopes(prefix: str, scope: Scope, owner: str | None) -> list[PassageScope]:
    """What the caller may search. Raises InvalidInput if ``mine`` is requested without a known user, NotAllowed for a
    user named ``public``.
    """
    if scope != "public" and owner == PUBLIC:
        raise NotAllowed(_NAMED_PUBLIC)
    if scope != "public" and owner is None:
        raise InvalidInput("scope", "scope: private documents need a key or token; use scope=public")
    readable: list[PassageScope] = []
    if scope in ("public", "both"):
        readable.append(PassageScope(alias(prefix, "passages"), PUBLIC))
    if scope in ("mine", "both") and owner is not None:
        readable.append(PassageScope(alias(prefix, "library"), owner))
    return readable


def entries_of(prefix: str, owner: str) -> PassageScope:
    """The entries of a user's documents. Raises NotAllowed for a user named ``public``."""
    if owner == PUBLIC:
        raise NotAllowed(_NAMED_PUBLIC)
    return PassageScope(alias(prefix, "documents"), owner)
