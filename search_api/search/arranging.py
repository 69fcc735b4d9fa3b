"""From a ranking to the displayed list: folds duplicates under the best of them, then spreads siblings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from search_api.search.ranking.diversity import diversify
from search_api.search.ranking.duplicates import DuplicateKey, deduplicate
from search_api.search.ranking.fields import RankingFields
from search_api.search.ranking.rank import Ranking
from search_api.search.request import SearchRequest


class Arranged(NamedTuple):
    """Positions in display order, and the ids folded under each displayed id."""

    order: list[int]
    folded: dict[str, list[str]]


NOTHING: Mapping[str, DuplicateKey] = MappingProxyType({})


def arranged(
    ranking: Ranking,
    fields: Mapping[str, RankingFields],
    request: SearchRequest,
    following: Mapping[str, DuplicateKey] = NOTHING,
) -> Arranged:
    """Positions in display order, and the ids folded under each displayed id; at most ``max_results``.

    Positions count through the ranking and then through ``following``, which comes after it. Their number does not
    depend on the page, and pages do not overlap. `hausdorff` orders by distance only, so siblings are not spread there.
    """
    ids = [*ranking.ids(), *following]
    folded: dict[str, list[str]] = {}
    if request.group == "identity":
        folded = deduplicate(ids, {record: fields[record].duplicate_key for record in ranking.ids()} | dict(following))
    kept = [position for position, record in enumerate(ids) if not folded or record in folded]
    window = len(ranking)
    ranked = [position for position in kept if position < window]
    further = kept[len(ranked) :]
    order = [*_spread(ranked, ids, ranking, fields, request), *further][: ranking.ranker.max_results]
    return Arranged(order, folded)


def _spread(
    kept: list[int], ids: Sequence[str], ranking: Ranking, fields: Mapping[str, RankingFields], request: SearchRequest
) -> list[int]:
    rule = ranking.ranker.diversity
    if rule is None or not request.diversity or request.spatial == "hausdorff":
        return kept
    families = [fields[ids[position]].families for position in kept]
    scores = ranking.score[ranking.order[kept]].tolist()
    order = diversify(families, scores, rule, first=request.offset + request.limit)
    return [kept[place] for place in order]
