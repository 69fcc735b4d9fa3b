"""A decision on one document, with the data to carry it out."""

from __future__ import annotations

from dataclasses import dataclass

from core.json_types import Json
from es_mappings.codecs.ledger import LedgerEntry
from indexer.plan.parsed_record import ParsedRecord
from indexer.plan.plan import Decision
from indexer.raw import RawRecord


@dataclass(frozen=True, slots=True)
class Item:
    """``parsed`` is set if the document was parsed; ``vectors``: the fields that the embedder made."""

    raw: RawRecord
    stored: LedgerEntry | None
    decision: Decision
    parsed: ParsedRecord | None = None
    vectors: Json | None = None
    again: bool = False  # this run has already counted a document of the same native id


@dataclass(frozen=True, slots=True)
class RejectedItem:
    """An item that Elasticsearch refused, with its reason."""

    item: Item
    reason: str
