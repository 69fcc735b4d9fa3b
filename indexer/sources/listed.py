"""The members of a JSON list in a server's answer: those with an id, and the others, which must not vanish unseen."""

from __future__ import annotations

from hashlib import blake2b

from core.json_types import Json
from indexer.formats.json_documents.parsing import describe_member
from indexer.raw import WHOLE_SOURCE, Skipped


def with_id(listed: list[object], url: str, name: str = "id", first: int = 1) -> tuple[list[Json], tuple[Skipped, ...]]:
    """The objects that have a member ``name`` (empty: all objects), and each other member with its place.

    Nobody can tell which record such a member was, so that no record of the source counts as removed meanwhile.
    ``first`` is the number of the first member.
    """
    named: list[Json] = []
    others: list[Skipped] = []
    for number, one in enumerate(listed, first):
        if isinstance(one, dict) and one and (not name or one.get(name)):
            named.append(one)
            continue
        reason = f"it has no {name}" if isinstance(one, dict) and one else describe_member(one)
        others.append(Skipped(f"{_page(url)}#entry {number}", reason, container=WHOLE_SOURCE))
    return named, tuple(others)


def _page(url: str) -> str:
    """The address without its query, which may hold a secret; a short hash tells the pages of a listing apart."""
    bare, _, query = url.partition("?")
    return f"{bare} (page {blake2b(query.encode(), digest_size=3).hexdigest()})" if query else bare
