"""What is beyond the ranked window: the total number of matches, their facets, and the next best of them.

Only the window is ranked by every signal. What follows has the order of words and meaning alone, and is requested only
if a page or a count needs it. It does not depend on the page, so that pages neither overlap nor leave a gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.hit import SignalName
from core.json_types import Json, JsonMapping
from es_gateway.searching import Later, SearchBatch
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.duplicates import DuplicateKey
from search_api.search.ranking.fields import DUPLICATE_FIELDS, duplicate_key_of
from search_api.search.ranking.signals.bm25 import Bm25
from search_api.search.ranking.signals.dense import Dense
from search_api.search.retrieval import knn
from search_api.search.retrieval.arms import BROWSING_ORDER, for_records
from search_api.search.retrieval.asking import Asking
from search_api.search.retrieval.candidates import CandidateSet
from search_api.search.retrieval.counting import matches_body, matches_clause
from search_api.search.retrieval.facet_counts import FacetCounts
from search_api.search.retrieval.filters import Clause
from search_api.search.retrieval.plan import RetrievalPlan
from search_api.search.retrieval.versioned_cache import Version, version_of

Aggregations = JsonMapping

MOST_LISTED = 10_000
"""Elasticsearch's own limit (index.max_result_window)."""


@dataclass(frozen=True, slots=True)
class Outside:
    """``count`` records match outside the window. ``aggregations`` include the window."""

    count: int = 0
    aggregations: Aggregations = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Following:
    """``ids`` follow the window, best first; ``scores``, as a share of the best one's, decrease along them."""

    ids: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    duplicate_keys: Mapping[str, DuplicateKey] = field(default_factory=dict)
    versions: Mapping[str, Version] = field(default_factory=dict)


@dataclass(frozen=True)
class BeyondWindow:
    """One search's further matches. Methods raise Unavailable if Elasticsearch does not answer."""

    ask: Asking
    plan: RetrievalPlan
    found: CandidateSet
    ranker: Ranker

    def counted(self, batch: SearchBatch, facets: FacetCounts) -> Later[Outside]:
        """Adds no search if the window holds all matches and nothing is to be counted."""
        known = None if facets.aggregations else self.known()
        if known is not None:
            return lambda: known
        filters = self.plan.filters if facets.filters is None else facets.filters
        body = matches_body(filters, self.plan.matching, self.found.drawn)
        answer = self.ask.add(batch, self.plan.index, {**body, **facets.section()})
        return lambda: self._outside(answer()["hits"]["total"]["value"], answer().get("aggregations", {}))

    def known(self) -> Outside | None:
        """What is outside, without facets, if retrieval counted it or nothing is."""
        if self.found.is_whole:
            return Outside()
        matching = self.found.counted.matching
        return None if matching is None else self._outside(matching, {})

    def _outside(self, every: int, aggregations: Aggregations) -> Outside:
        return Outside(max(every - len(self.found.signals), 0), aggregations)

    def listed(self, size: int) -> Following:
        """The next ``size`` after the window, in a request of their own."""
        batch = self.ask.batch()
        following = self.ask_listed(batch, size)
        batch.send()
        return following()

    def ask_listed(self, batch: SearchBatch, size: int) -> Later[Following]:
        """Adds the search for the next ``size`` after the window."""
        answer = self.ask.add(batch, self.plan.index, self._list_body(size))
        return lambda: self._following(answer())

    def _following(self, answer: JsonMapping) -> Following:
        hits = answer["hits"]["hits"]
        by_id = {hit["fields"]["id"][0]: hit for hit in hits}
        best = max((hit["_score"] or 0.0 for hit in hits), default=0.0) or 1.0
        return Following(
            tuple(by_id),
            tuple((hit["_score"] or 0.0) / best for hit in hits),
            {record: duplicate_key_of(hit["fields"]) for record, hit in by_id.items()},
            {record: version_of(self.plan.index_uuid, hit) for record, hit in by_id.items()},
        )

    @property
    def _window(self) -> Clause:
        return {"ids": {"values": list(self.found.signals)}}

    def _list_body(self, size: int) -> Json:
        scores = any(arm.signal is not None for arm in self.plan.arms)
        matches = matches_clause(self.plan.matching, self.found.drawn)
        query = {"filter": [*self.plan.filters, matches], "should": [self.plan.words, *self._meaning()]}
        return {
            "query": {"bool": query},
            "post_filter": {"bool": {"must_not": [self._window]}},
            "sort": ["_score", {"id": "asc"}] if scores else list(BROWSING_ORDER),
            "size": size,
            **for_records(DUPLICATE_FIELDS),
        }

    def _meaning(self) -> list[Clause]:
        """Of the drawn records: the others match by their words."""
        if self.plan.vector is None or not self.found.drawn:
            return []
        near = knn.exact(self.plan.vector, [{"ids": {"values": sorted(self.found.drawn)}}])
        return [{"script_score": {**near["script_score"], "boost": self._meaning_boost()}}]

    def _meaning_boost(self) -> float:
        """Weighs (1 + cosine) / 2 against BM25 as TM2C2 does in the window, with the same maxima."""
        words, meaning = self.ranker.find(Bm25), self.ranker.find(Dense)
        best_words, best_meaning = _best(self.found, Bm25.name), _best(self.found, Dense.name)
        if words is None or meaning is None or best_words <= 0.0 or words.weight <= 0.0:
            return 1.0
        return meaning.weight / words.weight * 2.0 * best_words / (1.0 + best_meaning)


def _best(found: CandidateSet, signal: SignalName) -> float:
    measured: Sequence[float | None] = [signals.get(signal) for signals in found.signals.values()]
    return max((score for score in measured if score is not None), default=0.0)
