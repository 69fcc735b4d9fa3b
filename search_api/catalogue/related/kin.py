"""The parts that a record's page asks for what leads on from it."""

from __future__ import annotations

from dataclasses import dataclass

from search_api.catalogue.related.events import CitationEvents
from search_api.catalogue.related.mentions import MentionReader
from search_api.catalogue.related.relations import RelationReader


@dataclass(frozen=True, slots=True)
class Kin:
    relations: RelationReader
    mentions: MentionReader
    citations: CitationEvents
