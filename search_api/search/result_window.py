"""The whole list of a search: the ranked window and what is beyond it, duplicates folded, siblings spread, its length.

Only the window is ranked by every signal. What follows has the order of words and meaning alone, and is searched only
if a page or a count needs it. It does not depend on the page, so that pages neither overlap nor leave a gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from core.hit import Hit, SignalName
from core.json_types import Json, JsonMapping
from es_gateway.searching import Search, SearchSession
from search_api.search.caches import Version, versions_of
from search_api.search.order import read_sortby, sort_body
from search_api.search.ranking.candidates import DUPLICATE_FIELDS, RankingFields, duplicate_key_of
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.diversity import DuplicateKey, deduplicate, diversify
from search_api.search.ranking.rank import Ranking, explain
from search_api.search.ranking.signals.arms import Bm25, Dense
from search_api.search.request import SearchRequest
from search_api.search.retrieval.arms import BROWSING_ORDER, for_records
from search_api.search.retrieval.clauses import Clause, exact
from search_api.search.retrieval.facets import FacetCounts
from search_api.search.retrieval.plan import RetrievalPlan
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
        return BeyondWindowCount(max(matching - len(self.candidates.ids), 0), aggregations)

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
            "post_filter": {"bool": {"must_not": [{"ids": {"values": list(self.candidates.ids)}}]}},
            "sort": ["_score", {"id": "asc"}] if scores else list(BROWSING_ORDER),
            "size": size,
            **for_records(DUPLICATE_FIELDS),
        }
        return self.session.search(self.plan.index, body)

    def read_hits(self, answer: JsonMapping) -> BeyondWindowHits:
        hits = answer["hits"]["hits"]
        by_id = {hit["fields"]["id"][0]: hit for hit in hits}
        best = max([hit["_score"] or 0.0 for hit in hits], default=0.0) or 1.0
        return BeyondWindowHits(
            tuple(by_id),
            tuple([(hit["_score"] or 0.0) / best for hit in hits]),
            {record: duplicate_key_of(hit["fields"]) for record, hit in by_id.items()},
            versions_of(self.plan.index_uuid, by_id),
        )

    def _meaning(self) -> list[Clause]:
        """Of the drawn records: the others match by their words."""
        if self.plan.vector is None or not self.candidates.drawn:
            return []
        nearest = exact(self.plan.vector, [{"ids": {"values": sorted(self.candidates.drawn)}}])
        return [{"script_score": {**nearest["script_score"], "boost": self._meaning_boost()}}]

    def _meaning_boost(self) -> float:
        """Weighs (1 + cosine) / 2 against BM25 as TM2C2 does in the window, with the same maxima."""
        words, meaning = self.ranker.find(Bm25), self.ranker.find(Dense)
        best_words, best_meaning = _best(self.candidates, Bm25.name), _best(self.candidates, Dense.name)
        if words is None or meaning is None or best_words <= 0.0 or words.weight <= 0.0:
            return 1.0
        return meaning.weight / words.weight * 2.0 * best_words / (1.0 + best_meaning)


def _best(candidates: CandidateSet, signal: SignalName) -> float:
    scores = candidates.arms.get(signal)
    return 0.0 if scores is None or np.isnan(scores).all() else float(np.nanmax(scores))


_GROWTH = (1, 4, 10)
"""A list that is too short after folding is requested again, longer by these factors."""
_FOLD_LIMIT = 400
"""Up to so many matches, duplicates beyond the window are found, and the list is as long as said; of more, it may be
shorter.
"""
_NO_HITS: Mapping[str, DuplicateKey] = MappingProxyType({})


class DisplayOrder(NamedTuple):
    """Positions in display order, and the ids folded under each displayed id."""

    positions: list[int]
    folded: dict[str, list[str]]


def fold_and_diversify(
    ranking: Ranking,
    fields: Mapping[str, RankingFields],
    request: SearchRequest,
    beyond: Mapping[str, DuplicateKey] = _NO_HITS,
) -> DisplayOrder:
    """Folds duplicates under the best of them, then spreads siblings; at most ``max_results``.

    Positions count through the ranking and then through ``beyond``, which comes after it. Their number does not
    depend on the page, and pages do not overlap. `hausdorff` orders by distance only, so siblings are not spread there.
    """
    ranked = ranking.ids()
    ids = [*ranked, *beyond]
    folded_ids: dict[str, list[str]] = {}
    if request.group == "identity":
        folded_ids = deduplicate(ids, {record: fields[record].duplicate_key for record in ranked} | dict(beyond))
    shown_positions = [position for position, record in enumerate(ids) if not folded_ids or record in folded_ids]
    inside = [position for position in shown_positions if position < len(ranked)]
    positions = [*_diversify(inside, ids, ranking, fields, request), *shown_positions[len(inside) :]]
    return DisplayOrder(positions[: ranking.ranker.max_results], folded_ids)


def _diversify(
    positions: list[int],
    ids: Sequence[str],
    ranking: Ranking,
    fields: Mapping[str, RankingFields],
    request: SearchRequest,
) -> list[int]:
    rule = ranking.ranker.diversity
    if rule is None or not request.diversity or request.spatial == "hausdorff":
        return positions
    families = [fields[ids[position]].families for position in positions]
    scores = ranking.score[ranking.order[positions]].tolist()
    order = diversify(families, scores, rule, first=request.offset + request.limit)
    return [positions[place] for place in order]


@dataclass(frozen=True, slots=True)
class ResultWindow:
    """``order``: positions through the ranking and then through ``beyond``; ``folded``: ids under each displayed id.

    ``matched``: how many can be paged, counting those that ``order`` would have on a later page. ``total``: how many
    records match, each copy of a data set counted, as facets count them.
    """

    ranking: Ranking
    beyond: BeyondWindowHits
    order: Sequence[int]
    folded: Mapping[str, list[str]]
    matched: int
    total: int

    def ids(self) -> list[str]:
        """Of the displayed hits, in their order."""
        all_ids = [*self.ranking.ids(), *self.beyond.ids]
        return [all_ids[position] for position in self.order]

    def hits(self, positions: Sequence[int]) -> list[Hit]:
        """Hits after the window have no signals; their score is at most that of the last measured hit."""
        size = len(self.ranking)
        inside = iter(self.ranking.hits_at([position for position in positions if position < size]))
        least = float(self.ranking.score[self.ranking.order[-1]]) if size else 1.0
        return [
            next(inside)
            if position < size
            else Hit(self.beyond.ids[position - size], least * self.beyond.scores[position - size], {})
            for position in positions
        ]

    def explanation(self, position: int) -> JsonMapping:
        if position < len(self.ranking):
            return explain(self.ranking, position)
        (hit,) = self.hits([position])
        return {"id": hit.id, "rank": position + 1, "score": hit.score, "ordered_by": "beyond_window", "signals": []}

    def versions(self, candidates: Mapping[str, Version]) -> Mapping[str, Version]:
        return {**self.beyond.versions, **candidates}


def needs_hits_beyond(count: BeyondWindowCount, request: SearchRequest, inside: DisplayOrder, max_results: int) -> bool:
    """Whether the page or the number of hits depends on what follows the window."""
    is_past = request.offset + request.limit > len(inside.positions)
    return count.count > 0 and (is_past or _is_exact(count, request, inside, max_results))


def _is_exact(count: BeyondWindowCount, request: SearchRequest, inside: DisplayOrder, max_results: int) -> bool:
    """Whether so few records match that duplicates among them are found before they are counted."""
    few = len(inside.positions) + count.count <= min(_FOLD_LIMIT, max_results)
    return count.count > 0 and few and request.group == "identity"


def result_window(
    ranking: Ranking,
    beyond: BeyondWindow,
    count: BeyondWindowCount,
    request: SearchRequest,
    inside: DisplayOrder,
    first: BeyondWindowHits | None = None,
) -> ResultWindow:
    """As much of the list as the page and the count need. Raises Unavailable if Elasticsearch does not answer.

    ``inside``: the ranking alone, in display order. ``first``: the hits beyond it that round three brought.
    """
    max_results = ranking.ranker.max_results
    matched = len(inside.positions) + count.count
    total = len(ranking) + count.count
    if not needs_hits_beyond(count, request, inside, max_results):
        return ResultWindow(ranking, BeyondWindowHits(), *inside, min(matched, max_results), total)
    hits, order = BeyondWindowHits(), inside
    for factor in _GROWTH:
        hits = first or beyond.hits(min(max_results * factor, MOST_LISTED))
        first = None
        order = fold_and_diversify(ranking, beyond.candidates.fields, request, hits.duplicate_keys)
        if len(order.positions) >= max_results or max_results * factor >= count.count:
            break
    if _is_exact(count, request, inside, max_results):
        matched = len(order.positions)
    return ResultWindow(ranking, hits, *order, min(matched, max_results), total)


def sorted_window(window: ResultWindow, sortby: str, session: SearchSession, index: str) -> ResultWindow:
    """The same hits by ``sortby``, then by id; records without the value come last.

    ``window``: all hits that can be paged. Raises Unavailable if Elasticsearch does not answer.
    """
    places = dict(zip(window.ids(), window.order, strict=True))
    ids_body = {"query": {"ids": {"values": list(places)}}, "size": len(places), "_source": False}
    body = {**ids_body, **sort_body(read_sortby(sortby))}
    hits = session.ask({"sorted": session.search(index, body)})["sorted"]["hits"]["hits"]
    return replace(window, order=[places[hit["_id"]] for hit in hits])
