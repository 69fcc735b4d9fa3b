"""The whole list of a search: the ranked window and what follows it, duplicates folded, and its length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.hit import Hit
from core.json_types import JsonMapping
from es_gateway.searching import Later, SearchBatch
from search_api.search.arranging import Arranged, arranged
from search_api.search.ranking.explain import explain
from search_api.search.ranking.rank import Ranking
from search_api.search.request import SearchRequest
from search_api.search.retrieval.beyond import MOST_LISTED, BeyondWindow, Following, Outside
from search_api.search.retrieval.versioned_cache import Version

_GROWTH = (1, 4, 10)
"""A list that is too short after folding is requested again, longer by these factors."""
_FOLDED = 400
"""Up to so many matches, duplicates beyond the window are found, and the list is as long as said; of more, it may be
shorter.
"""


@dataclass(frozen=True, slots=True)
class Listed:
    """``order``: positions through the ranking and then through ``following``; ``folded``: ids under each displayed id.

    ``matched``: how many can be paged, counting those that ``order`` would have on a later page. ``total``: how many
    records match, each copy of a data set counted, as facets count them.
    """

    ranking: Ranking
    following: Following
    order: Sequence[int]
    folded: Mapping[str, list[str]]
    matched: int
    total: int

    def ids(self) -> list[str]:
        """Of the displayed hits, in their order."""
        every = [*self.ranking.ids(), *self.following.ids]
        return [every[position] for position in self.order]

    def hit(self, position: int) -> Hit:
        """Hits after the window have no signals; their score is at most that of the last measured hit."""
        if position < len(self.ranking):
            return self.ranking.hits(position, 1)[0]
        place = position - len(self.ranking)
        least = float(self.ranking.score[self.ranking.order[-1]]) if len(self.ranking) else 1.0
        return Hit(self.following.ids[place], least * self.following.scores[place], {})

    def explanation(self, position: int) -> JsonMapping:
        if position < len(self.ranking):
            return explain(self.ranking, position)
        hit = self.hit(position)
        return {"id": hit.id, "rank": position + 1, "score": hit.score, "ordered_by": "beyond_window", "signals": []}

    def versions(self, found: Mapping[str, Version]) -> Mapping[str, Version]:
        return {**self.following.versions, **found}


def ask_following(
    beyond: BeyondWindow, batch: SearchBatch, outside: Outside | None, request: SearchRequest, window: Arranged
) -> Later[Following | None]:
    """Adds the search for what follows the window, if ``outside`` is known and ``listed`` will need it."""
    most = beyond.ranker.max_results
    if outside is None or not _needs_following(outside, request, window, most):
        return lambda: None
    return beyond.ask_listed(batch, most)


def listed(
    ranking: Ranking,
    beyond: BeyondWindow,
    outside: Outside,
    request: SearchRequest,
    window: Arranged,
    first: Following | None = None,
) -> Listed:
    """As much of the list as the page and the count need. Raises Unavailable if Elasticsearch does not answer.

    ``window``: the ranking alone, arranged. ``first``: what ``ask_following`` brought.
    """
    most = ranking.ranker.max_results
    fields = beyond.found.fields
    order, folded = window
    count = len(order) + outside.count
    total = len(ranking) + outside.count
    exact = _is_exact(outside, request, window, most)
    if not _needs_following(outside, request, window, most):
        return Listed(ranking, Following(), order, folded, min(count, most), total)
    following = Following()
    for factor in _GROWTH:
        following = first or beyond.listed(min(most * factor, MOST_LISTED))
        first = None
        order, folded = arranged(ranking, fields, request, following.duplicate_keys)
        if len(order) >= most or most * factor >= outside.count:
            break
    matched = len(order) if exact else min(count, most)
    return Listed(ranking, following, order, folded, matched, total)


def _is_exact(outside: Outside, request: SearchRequest, window: Arranged, most: int) -> bool:
    """Whether so few records match that duplicates among them are found before they are counted."""
    few = len(window.order) + outside.count <= min(_FOLDED, most)
    return outside.count > 0 and few and request.group == "identity"


def _needs_following(outside: Outside, request: SearchRequest, window: Arranged, most: int) -> bool:
    is_past = request.offset + request.limit > len(window.order)
    return outside.count > 0 and (is_past or _is_exact(outside, request, window, most))
