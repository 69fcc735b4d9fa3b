"""What is beyond the ranked window: the total number of matches, their facets, and the next best of them.

Only the window is ranked by every signal. What follows has the order of words and meaning alone, and is searched only
if a page or a count needs it. It does not depend on the page, so that pages neither overlap nor leave a gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.hit import SignalName
from core.json_types import Json, JsonMapping
from es_gateway.searching import Search
from search_api.search.caches import Version, versions_of
from search_api.search.ranking.candidates import DUPLICATE_FIELDS, duplicate_key_of
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.duplicates import DuplicateKey
from search_api.search.ranking.signals.arms import Bm25, Dense
from search_api.search.retrieval import knn
from search_api.search.retrieval.arms import BROWSING_ORDER, for_records
from search_api.search.retrieval.facets import FacetCounts
from search_api.search.retrieval.filters import Clause
from search_api.search.retrieval.plan import RetrievalPlan
from search_api.search.retrieval.session import SearchSession
from search_api.search.round_two import CandidateSet, matches_body, matches_clause

MOST_LISTED = 10_000
"""Elasticsearch's own limit (index.max_result_window)."""


@dataclass(frozen=True, slots=True)
class BeyondWindowCount:
    """``count`` records match outside the window. ``aggregations`` include the window."""

    count: int = 0
    aggregations: JsonMapping = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BeyondWindowHits:
    """``ids`` follow the window, best first; ``scores``, as a share of the best one's, decrease along them."""

    ids: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    duplicate_keys: Mapping[str, DuplicateKey] = field(default_factory=dict)
    versions: Mapping[str, Version] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BeyondWindow:
    """One search's further matches, as searches and as readings of their answers."""

    session: SearchSession
    plan: RetrievalPlan
    candidates: CandidateSet
    ranker: Ranker

    def known_count(self) -> BeyondWindowCount | None:
        """What is outside, without facets, if the first two rounds counted it or nothing is."""
        if self.candidates.is_whole:
            return BeyondWindowCount()
        matching = self.candidates.counts.matching
        return None if matching is None else self._count(matching, {})

    def count_search(self, facets: FacetCounts) -> Search:
        """Counts all matches and their facets."""
        filters = self.plan.filters if facets.filters is None else facets.filters
        body = matches_body(filters, self.plan.matching, self.candidates.drawn)
        return self.session.search(self.plan.index, {**body, **facets.section()})

    def read_count(self, answer: JsonMapping) -> BeyondWindowCount:
        return self._count(answer["hits"]["total"]["value"], answer.get("aggregations", {}))

    def _count(self, matching: int, aggregations: JsonMapping) -> BeyondWindowCount:
        return BeyondWindowCount(max(matching - len(self.candidates.signals), 0), aggregations)

    def hits(self, size: int) -> BeyondWindowHits:
        """The next ``size`` after the window, in a request of their own. Raises Unavailable."""
        return self.read_hits(self.session.ask({"next hits": self.hits_search(size)})["next hits"])

    def hits_search(self, size: int) -> Search:
        """The next ``size`` after the window."""
        scores = any(arm.signal is not None for arm in self.plan.arms)
        matches = matches_clause(self.plan.matching, self.candidates.drawn)
        query = {"filter": [*self.plan.filters, matches], "should": [self.plan.words, *self._meaning()]}
        body: Json = {
            "query": {"bool": query},
            "post_filter": {"bool": {"must_not": [{"ids": {"values": list(self.candidates.signals)}}]}},
            "sort": ["_score", {"id": "asc"}] if scores else list(BROWSING_ORDER),
            "size": size,
            **for_records(DUPLICATE_FIELDS),
        }
        return self.session.search(self.plan.index, body)

    def read_hits(self, answer: JsonMapping) -> BeyondWindowHits:
        hits = answer["hits"]["hits"]
        by_id = {hit["fields"]["id"][0]: hit for hit in hits}
        best = max((hit["_score"] or 0.0 for hit in hits), default=0.0) or 1.0
        return BeyondWindowHits(
            tuple(by_id),
            tuple((hit["_score"] or 0.0) / best for hit in hits),
            {record: duplicate_key_of(hit["fields"]) for record, hit in by_id.items()},
            versions_of(self.plan.index_uuid, by_id),
        )

    def _meaning(self) -> list[Clause]:
        """Of the drawn records: the others match by their words."""
        if self.plan.vector is None or not self.candidates.drawn:
            return []
        near = knn.exact(self.plan.vector, [{"ids": {"values": sorted(self.candidates.drawn)}}])
        return [{"script_score": {**near["script_score"], "boost": self._meaning_boost()}}]

    def _meaning_boost(self) -> float:
        """Weighs (1 + cosine) / 2 against BM25 as TM2C2 does in the window, with the same maxima."""
        words, meaning = self.ranker.find(Bm25), self.ranker.find(Dense)
        best_words, best_meaning = _best(self.candidates, Bm25.name), _best(self.candidates, Dense.name)
        if words is None or meaning is None or best_words <= 0.0 or words.weight <= 0.0:
            return 1.0
        return meaning.weight / words.weight * 2.0 * best_words / (1.0 + best_meaning)


def _best(candidates: CandidateSet, signal: SignalName) -> float:
    measured = [signals.get(signal) for signals in candidates.signals.values()]
    return max((score for score in measured if score is not None), default=0.0)
