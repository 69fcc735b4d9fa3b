"""Which documents of other users a collection opens to the caller; looked at for each request."""

from __future__ import annotations

from core.errors import InvalidInput
from search_api.http.access.guard import caller
from search_api.parts import Parts
from search_api.search.passages.values import Granted


def granted(parts: Parts, id: str) -> Granted:
    """The documents of a collection that the caller may read.

    Raises NotAuthenticated, NotAllowed, NotFound, InvalidInput.
    """
    asking = caller()
    asking.must_have("library")
    found = parts.notebooks.collection(id, asking.owner, asking.groups)
    if not found.documents:
        raise InvalidInput("collection", f"collection: {found.name!r} has no documents yet")
    return Granted(found.owner, found.documents)
