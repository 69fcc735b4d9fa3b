"""The whole list of a search: the ranked window and what follows it, duplicates folded, siblings spread, its length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from core.hit import Hit
from core.json_types import JsonMapping
from search_api.search.beyond_window import MOST_LISTED, BeyondWindow, BeyondWindowCount, BeyondWindowHits
from search_api.search.caches import Version
from search_api.search.order import read_sortby, sort_body
from search_api.search.ranking.candidates import RankingFields
from search_api.search.ranking.diversity import diversify
from search_api.search.ranking.duplicates import DuplicateKey, deduplicate
from search_api.search.ranking.explain import explain
from search_api.search.ranking.rank import Ranking
from search_api.search.request import SearchRequest
from search_api.search.retrieval.session import SearchSession

_GROWTH = (1, 4, 10)
"""A list that is too short after folding is requested again, longer by these factors."""
_FOLDED = 400
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
    folded: dict[str, list[str]] = {}
    if request.group == "identity":
        folded = deduplicate(ids, {record: fields[record].duplicate_key for record in ranked} | dict(beyond))
    shown = [position for position, record in enumerate(ids) if not folded or record in folded]
    inside = [position for position in shown if position < len(ranked)]
    positions = [*_diversified(inside, ids, ranking, fields, request), *shown[len(inside) :]]
    return DisplayOrder(positions[: ranking.ranker.max_results], folded)


def _diversified(
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
        every = [*self.ranking.ids(), *self.beyond.ids]
        return [every[position] for position in self.order]

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


def needs_hits_beyond(count: BeyondWindowCount, request: SearchRequest, inside: DisplayOrder, most: int) -> bool:
    """Whether the page or the number of hits depends on what follows the window."""
    is_past = request.offset + request.limit > len(inside.positions)
    return count.count > 0 and (is_past or _is_exact(count, request, inside, most))


def _is_exact(count: BeyondWindowCount, request: SearchRequest, inside: DisplayOrder, most: int) -> bool:
    """Whether so few records match that duplicates among them are found before they are counted."""
    few = len(inside.positions) + count.count <= min(_FOLDED, most)
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
    most = ranking.ranker.max_results
    matched = len(inside.positions) + count.count
    total = len(ranking) + count.count
    if not needs_hits_beyond(count, request, inside, most):
        return ResultWindow(ranking, BeyondWindowHits(), *inside, min(matched, most), total)
    hits, whole = BeyondWindowHits(), inside
    for factor in _GROWTH:
        hits = first or beyond.hits(min(most * factor, MOST_LISTED))
        first = None
        whole = fold_and_diversify(ranking, beyond.candidates.fields, request, hits.duplicate_keys)
        if len(whole.positions) >= most or most * factor >= count.count:
            break
    if _is_exact(count, request, inside, most):
        matched = len(whole.positions)
    return ResultWindow(ranking, hits, *whole, min(matched, most), total)


def sorted_window(window: ResultWindow, sortby: str, session: SearchSession, index: str) -> ResultWindow:
    """The same hits by ``sortby``, then by id; records without the value come last.

    ``window``: all hits that can be paged. Raises Unavailable if Elasticsearch does not answer.
    """
    places = dict(zip(window.ids(), window.order, strict=True))
    every = {"query": {"ids": {"values": list(places)}}, "size": len(places), "_source": False}
    body = {**every, **sort_body(read_sortby(sortby))}
    hits = session.ask({"sorted": session.search(index, body)})["sorted"]["hits"]["hits"]
    return replace(window, order=[places[hit["_id"]] for hit in hits])
