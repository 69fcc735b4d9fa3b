"""Who may see a document whose source's configuration does not say: those who may see it now, never more people.

A source's entry may be missing, misspelt or emptied by mistake. A document that is stored keeps its groups. A new one
gets the groups of the source's other restricted documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.errors import Conflict
from es_mappings.codecs.ledger import LedgerEntry
from indexer.raw import RawRecord
from indexer.store.ledger import SourceGroups

STAYS_RESTRICTED = (
    "access: sources.yaml does not say who may see it, so it stays restricted; write access: {public: true} to open it"
)


def settled(
    raw: RawRecord, stored: LedgerEntry | None, source: str, of_source: Callable[[], SourceGroups]
) -> RawRecord:
    """The document with its groups; unchanged if the configuration names them.

    Raises Conflict for a document without stored groups in a source whose restricted documents share no group.
    """
    if raw.access_groups is not None:
        return raw
    if stored is not None and stored.access_groups:
        return replace(raw, access_groups=tuple(stored.access_groups))
    known = of_source()
    if known.any and not known.shared:
        raise Conflict(
            f"sources.yaml does not say who may see {source}, and its records are restricted to different groups. "
            f"Name the groups in the entry of {source} (access: {{restricted_to: [...]}}), or write "
            "access: {public: true}."
        )
    return replace(raw, access_groups=known.shared)
