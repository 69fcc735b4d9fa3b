"""What a complete run could not read, and therefore which documents that it did not see may still exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from es_mappings.codecs.ledger import LedgerEntry
from indexer.formats.registry import possible_documents
from indexer.raw import WHOLE_SOURCE

_ALWAYS = "9999"  # after every moment: a record that is also a container (a STAC collection) was read before


@dataclass(frozen=True, slots=True)
class UnreadInRun:
    """``origins`` of unread documents; ``containers``: when a member without a name last appeared in each of them."""

    origins: frozenset[str]
    containers: Mapping[str, str]

    def may_be(self, entry: LedgerEntry) -> bool:
        """Whether this unseen document may be one that could not be read.

        It is, if its file could not be read. It may be, if since it was last seen a member without a name appeared in
        its file: nobody can tell whose place that took. A member that was there all along took none.
        """
        files = list(possible_documents(entry.origin))
        if not self.origins.isdisjoint(files):
            return True
        last = entry.last_seen or ""
        return any(self.containers.get(name, "") > last for name in (*files, WHOLE_SOURCE))


def unread_in_run(entries: Iterable[LedgerEntry]) -> UnreadInRun:
    """``entries``: those that the run saw and could not read."""
    origins: set[str] = set()
    containers: dict[str, str] = {}
    for entry in entries:
        origins.add(entry.origin)
        if entry.container is not None:
            since = _ALWAYS if entry.held is not None else entry.first_seen or ""
            containers[entry.container] = max(containers.get(entry.container, ""), since)
    return UnreadInRun(frozenset(origins), containers)
