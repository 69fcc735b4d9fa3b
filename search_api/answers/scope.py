"""Who sees which passages: the one place where indices, routing and owner filters are put together.

Every search over passages for an answer or for a user's library begins here, and nothing else names those indices, so
that no view can leave the filter out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.errors import InvalidInput
from es_mappings.names import alias
from search_api.answers.values import Scope
from search_api.retrieval.filters import Clause

PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class PassageScope:
    """One index with the clause that every search in it carries, and the header of such a search."""

    index: str
    owner: str

    @property
    def clause(self) -> Clause:
        return {"term": {"owner": self.owner}}

    @property
    def header(self) -> dict[str, Any]:
        """Routing confines a user's search to the shard that holds what is theirs."""
        header: dict[str, Any] = {"index": self.index, "ignore_unavailable": True}
        return header if self.owner == PUBLIC else {**header, "routing": self.owner}


def scopes(prefix: str, scope: Scope, owner: str | None) -> list[PassageScope]:
    """What the asker may search. Raises InvalidInput where ``mine`` is asked for and nobody is known to ask."""
    if scope != "public" and (owner is None or owner == PUBLIC):
        raise InvalidInput("scope", "scope: only who shows a token has documents of their own; ask with scope=public")
    found: list[PassageScope] = []
    if scope in ("public", "both"):
        found.append(PassageScope(alias(prefix, "passages"), PUBLIC))
    if scope in ("mine", "both") and owner is not None:
        found.append(PassageScope(alias(prefix, "library"), owner))
    return found
