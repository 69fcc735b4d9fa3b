"""The parts of a search, which serving and evaluation share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from core.ports import CrossEncoder, Geocoder
from core.record import Record
from core.token_bits import Bits
from es_gateway.client import Elasticsearch
from search_api.search.caches import AnswerCache, VersionedCache
from search_api.search.curation import ActiveRules, no_rules
from search_api.search.openings import UsageTable, no_usage
from search_api.search.ranking.candidates import RankingFields
from search_api.search.ranking.config import RankingConfig
from search_api.search.retrieval.record_reads import MOST_RECORDS, BestPassage, weight_of
from search_api.search.retrieval.serving import Resolver
from search_api.search.understanding.understand import Understander

_MOST_FIELDS = 50_000
"""About 600 bytes each."""
_MOST_PASSAGES = 4_000
"""Some 2 KB each."""
_MOST_TOKEN_BYTES = 64 * 1024 * 1024
"""Some 2 KB a record."""
_MOST_DRAWS = 128
"""Some 100 KB each."""
_ENTRY_BYTES = 200


def _bytes_of(bits: Bits | None) -> int:
    return _ENTRY_BYTES + (0 if bits is None else bits.nbytes)


@dataclass(frozen=True, slots=True)
class RecordCaches:
    """The caches of one process: ranking fields and token vectors of candidates, whole records and passages for
    pages, answers about all records.
    """

    fields: VersionedCache[RankingFields] = field(default_factory=lambda: VersionedCache("facts", _MOST_FIELDS))
    tokens: VersionedCache[Bits | None] = field(
        default_factory=lambda: VersionedCache("tokens", _MOST_TOKEN_BYTES, _bytes_of)
    )
    passages: VersionedCache[BestPassage] = field(default_factory=lambda: VersionedCache("passages", _MOST_PASSAGES))
    answers: AnswerCache = field(default_factory=AnswerCache)
    draws: AnswerCache = field(default_factory=lambda: AnswerCache(max_answers=_MOST_DRAWS))
    records: VersionedCache[Record] = field(default_factory=lambda: VersionedCache("records", MOST_RECORDS, weight_of))

    @classmethod
    def for_callers(cls, groups: Callable[[], frozenset[str]]) -> RecordCaches:
        """``groups``: of the current caller, who gets no answers that others see."""
        return cls(answers=AnswerCache(groups), draws=AnswerCache(groups, _MOST_DRAWS))


@dataclass(frozen=True, slots=True)
class SearchParts:
    """``cross_encoder`` is None if none is configured; it raises ModelMissing if it cannot be loaded."""

    client: Elasticsearch
    resolver: Resolver
    understander: Understander
    geocoder: Geocoder
    cross_encoder: Callable[[], CrossEncoder] | None
    config: RankingConfig
    now_ms: Callable[[], int]
    caches: RecordCaches = field(default_factory=RecordCaches)
    curation: Callable[[], ActiveRules] = no_rules
    usage: Callable[[], UsageTable] = no_usage
    finds_people: bool = True
    """Whether people are found by their names."""
